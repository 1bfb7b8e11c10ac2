"""neardup show: the signature of a text, for people."""

from __future__ import annotations

from neardup.cli import options
from neardup.cli.context import configuration


def show(
    text: options.TextOption = None,
    file: options.FileOption = None,
    encoding: options.EncodingOption = None,
    q: options.QOption = None,
    fold_case: options.FoldCaseOption = None,
    reach: options.ReachOption = None,
    lexicon: options.LexiconOption = None,
    salt: options.SaltOption = None,
    format: options.PrintedOption = "table",
    config: options.ConfigOption = None,
) -> None:
    """Show the signature of a text: all that neardup computes from it.

    Examples:

        neardup show --text "The ferry ran aground off the western spit at dawn."

        neardup show --file page.txt --format jsonl
    """
    from neardup.cli.inputs import one_text
    from neardup.cli.tables import print_either
    from neardup.oracle.definitions import sign
    from neardup.tables.lexicon import Lexicon

    content = one_text(text, file, encoding=encoding) or ""
    recipe = configuration(config, locals()).recipe
    # The oracle and not the kernels: one text does not wait for them to be compiled or loaded.
    signature = sign(
        content,
        lexicon=Lexicon.load(recipe.lexicon) if recipe.lexicon else None,
        q=recipe.q,
        fold_case=recipe.fold_case,
        simhash_variants=recipe.simhash_variants,
        size=recipe.sketch_size,
        reach=str(recipe.reach),
        salt=recipe.secret,
    )
    print_either(format, signature)
