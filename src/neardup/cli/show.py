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
        typer.Option(metavar="NAME", show_default="any", help="Source of the text, for --boilerplate."),
    ] = None,
    format: options.PrintedOption = "table",
    config_file: options.ConfigOption = None,
) -> None:
    """Show the signature of a text: all that neardup computes from it.

    Examples:

        neardup show --text "The ferry ran aground off the western spit at dawn."

        neardup show --file page.txt --format jsonl
    """
    from neardup.cli.one_text import one_text
    from neardup.cli.tables import print_either
    from neardup.model.boilerplate import NOTHING
    from neardup.signing.boilerplate_file import load
    from neardup.signing.signer import signer_for

    content = one_text(text, file, encoding=encoding, html=html, form=input) or ""
    recipe = configuration(config_file, locals()).recipe
    left_out = load(recipe.boilerplate).left_out(content, source or "") if recipe.boilerplate else NOTHING
    signature = signer_for(recipe).signature(left_out.rest(content)).to_dict()
    if recipe.boilerplate:
        signature |= {"left_out": left_out.of(content), "counts_whole": left_out.is_whole}
    print_either(format, signature)
