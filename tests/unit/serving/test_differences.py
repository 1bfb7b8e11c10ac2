"""What differs between two texts as a page shows it."""

from __future__ import annotations

from neardup.model.settings import Recipe
from neardup.serving.differences import MOST_SHOWN, _against, against, compared

HEAD = (
    "WIRE - The ferry ran aground at dawn on the western spit. Nobody was hurt, said Mr Hall of Porthleven."
)


def test_no_text_is_held_that_is_longer_than_what_is_shown():
    """Of texts of 8 MB the differences of 256 pairs would hold gigabytes."""
    held = _against.cache_info().currsize
    for size in (MOST_SHOWN, 2 * MOST_SHOWN):
        against("a word " * size, "b word " * size, None, most_facts=0)
    assert _against.cache_info().currsize == held


def test_what_a_version_lacks_is_struck_out_where_it_stood():
    shown = against(
        HEAD, HEAD.removeprefix("WIRE - ").replace(", said Mr Hall", ""), None, most_facts=5
    ).side.html
    assert shown.startswith("<del> WIRE - </del>The ferry")
    assert "<del> , said Mr Hall </del>of Porthleven." in shown


def test_what_differs_is_marked_in_both_texts_and_nothing_else_is():
    other = HEAD.replace("dawn", "dusk").replace("hurt,", "badly hurt,").removeprefix("WIRE - ")
    first, second, *_ = compared(HEAD, other, None)
    assert first.html == HEAD.replace("WIRE -", '<mark class="removed">WIRE -</mark>').replace(
        "dawn", '<mark class="changed">dawn</mark>'
    )
    marked = other.replace("dusk", '<mark class="changed">dusk</mark>').replace(
        "badly", '<mark class="added">badly</mark>'
    )
    assert second.html == marked
    assert against(HEAD, other, None, most_facts=0).side.html == f"<del> WIRE - </del>{marked}"


def test_what_stands_elsewhere_is_marked_as_moved():
    ferry, nobody = HEAD.removesuffix(".").split(". ")
    _, second, *_ = compared(HEAD, f"{nobody}. {ferry}.", None)
    assert second.html == f'<mark class="moved">{nobody}.</mark> {ferry}.'


def test_a_long_stretch_that_is_lacking_is_shown_by_its_ends_and_escaped():
    more = "<b>" + " ".join(f"word{i}" for i in range(100)) + "</b> "
    shown = against(more + HEAD, HEAD, None, most_facts=0).side.html
    assert shown.startswith("<del> &lt;b&gt;word0")
    assert len(shown) < len(HEAD) + 200


def test_only_so_many_facts_are_told_each_once():
    first = HEAD + " It came to 12 tons, 13 tons, 14 tons."
    second = HEAD + " It came to 22 tons, 23 tons, 24 tons."
    assert [fact.b for fact in against(first, second, None, most_facts=2).facts] == ["22", "23"]
    assert [fact.b for fact in compared(first, second, None).facts] == ["22", "23", "24"]


def test_of_a_long_text_the_rest_is_counted():
    long = "word " * MOST_SHOWN
    told = against(long, long + "more", None, most_facts=1)
    assert told.side.cut == len(long) + 4 - MOST_SHOWN


def test_a_difference_in_what_is_not_shown_is_told():
    long = "".join(f"word{i} " for i in range(MOST_SHOWN))
    inserted, appended = long.replace("word7 ", "word7 and more ", 1), long + "more"
    later = long.replace(f"word{MOST_SHOWN - 7} ", "")
    assert [against(long, other, None, most_facts=0).side.rest_differs for other in (long, inserted)] == [
        False
    ] * 2
    for other in (appended, later, long[:MOST_SHOWN], inserted + "more"):
        assert against(long, other, None, most_facts=0).side.rest_differs
        assert against(other, long, None, most_facts=0).side.rest_differs
        first, second, *_ = compared(long, other, None)
        assert (first.rest_differs, second.rest_differs) == (True, True)
    footer = " All rights reserved."
    ends, goes_on = long[:MOST_SHOWN] + footer, long + footer
    assert against(ends, goes_on, None, most_facts=0).side.rest_differs
    short = against(HEAD, HEAD + " More.", None, most_facts=0).side
    assert (short.cut, short.rest_differs) == (0, False)


def test_a_long_text_in_capitals_is_a_copy_where_the_recipe_folds_case():
    """What is said of texts that are not shown whole is said of all of them, by the recipe of the window, too."""
    words = "".join(f"word{i} " for i in range(MOST_SHOWN // 4))
    long = words.translate(str.maketrans("0123456789", "ghijklmnop"))
    for recipe, kind in ((Recipe(fold_case=True), "copy"), (Recipe(), "other")):
        assert against(long, long.upper(), recipe, most_facts=0).said.startswith(f"{kind}: ")
        assert compared(long, long.upper(), recipe).said.startswith(f"{kind}: ")
