"""neardup show: the signature of a text, for people."""

from __future__ import annotations

from typing import Annotated

import typer

from neardup.cli import options
from neardup.cli.context import configuration


def show(
    text: options.TextOption = None,
    file: options.FileOption = None,
    input: options.InputOption = None,
    encoding: options.EncodingOption = None,
    html: options.HtmlOption = False,
    q: options.QOption = None,
    fold_case: options.FoldCaseOption = None,
    reach: options.ReachOption = None,
    lexicon: options.LexiconOption = None,
    salt: options.SaltOption = None,
    boilerplate: options.BoilerplateOption = None,
    source: Annotated[
        str | None,
        typer.Option(metavar="NAME", show_default="any", help="Whose the text is, for --boilerplate."),
    ] = None,
    format: options.PrintedOption = "table",
    config: options.ConfigOption = None,
) -> None:
    """Show the signature of a text: all that neardup computes from it.

    Examples:

        neardup show --text "The ferry ran aground off the western spit at dawn."

        neardup show --file page.txt --format jsonl
    """
    from neardup.cli.one_text import one_text
    from neardup.cli.tables import print_either
    from neardup.model.boilerplate import NOTHING
    from neardup.oracle.definitions import sign
    from neardup.signing.boilerplate_file import load
    from neardup.tables.lexicon import Lexicon

    content = one_text(text, file, encoding=encoding, html=html, form=input) or ""
    recipe = configuration(config, locals()).recipe
    left_out = load(recipe.boilerplate).left_out(content, source or "") if recipe.boilerplate else NOTHING
    # The oracle and not the kernels: one text does not wait for them to be compiled or loaded.
    signature = sign(
        left_out.rest(content),
        lexicon=Lexicon.load(recipe.lexicon) if recipe.lexicon else None,
        q=recipe.q,
        fold_case=recipe.fold_case,
        simhash_variants=recipe.simhash_variants,
        size=recipe.sketch_size,
        reach=str(recipe.reach),
        salt=recipe.secret,
        strip=recipe.boilerplate_mark,
    )
    if recipe.boilerplate:
        signature |= {"left_out": left_out.of(content), "counts_whole": left_out.is_whole}
    print_either(format, signature)
