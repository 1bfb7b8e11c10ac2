"""All text of HTML is read, in lines as a reader sees them; quotations of mails are marked."""

import pytest

pytest.importorskip("trafilatura")

from neardup.kinds import kind_of
from neardup.sources.html_page import text_of


def test_footers_asides_and_notices_are_part_of_the_text():
    page = (
        "<p>The price.</p><footer>Pay 12 million.</footer><aside>To <b>Hel</b>ios.</aside>"
        '<div class="my-footer">By May.</div><div id="cookie-banner">In cash.</div>'
    )
    assert text_of(page).split("\n") == [
        "The price.",
        "",
        "Pay 12 million.",
        "To Helios.",
        "By May.",
        "In cash.",
    ]


def test_scripts_styles_comments_and_drawings_are_not_and_what_follows_them_is():
    page = "<title>T</title>a<script>x</script>b<style>y</style>c<!-- z -->d<svg><text>e</text></svg>f"
    assert text_of(f"<html><head><style>z</style></head><body>{page}</body></html>") == "abcdf"


@pytest.mark.parametrize(
    ("page", "lines"),
    [
        ("one<br>two<br><br>three", ["one", "two", "", "three"]),
        ("<ul><li>one<li>two</ul>", ["one", "two"]),
        ("<table><tr><td>Rain<td>due<tr><td>Snow</table>", ["Rain due", "Snow"]),
        ("<h1>Title</h1><p>one\n  line</p>\n<p>two</p>", ["Title", "", "one line", "", "two"]),
        ("<pre>one\n  two\n\nthree</pre>four", ["one", "two", "", "three", "", "four"]),
        ("<pre>one\n<b>two\r\n</b>three</pre>", ["one", "two", "three"]),
        ("Yes<textarea>No</textarea><button>Send</button>", ["Yes No Send"]),
        ("<p>so<b>me</b>times</p>", ["sometimes"]),
        ("<div><div><div>deep</div></div></div>end", ["deep", "end"]),
        ("", [""]),
    ],
)
def test_a_block_is_a_line_and_a_paragraph_has_blank_lines_around_it(page, lines):
    assert text_of(page).split("\n") == lines


GMAIL = (
    '<div>{answer}</div><br><div class="gmail_quote"><div class="gmail_attr">On 3 March, Ann &lt;a@x&gt; wrote:<br>'
    '</div><blockquote class="gmail_quote">{quoted}</blockquote></div>'
)
THUNDERBIRD = (
    '<p>{answer}</p><div class="moz-cite-prefix">On 3 March, Ann wrote:<br></div>'
    '<blockquote type="cite">{quoted}<blockquote type="CITE">Older.</blockquote></blockquote>'
)
PROTON = (
    '<div>{answer}</div><div class="protonmail_quote">On 3 March, Ann wrote:<br>'
    '<blockquote class="protonmail_quote" type="cite">{quoted}</blockquote></div>'
)
APPLE = (
    '{answer}<div><br><blockquote type="cite"><div>On 3 March, Ann wrote:</div>'
    '<br class="Apple-interchange-newline"><div>{quoted}</div></blockquote></div>'
)
YAHOO = (
    '<div>{answer}</div><div id="yahoo_quoted_1" class="yahoo_quoted"><div><div>On 3 March, Ann wrote:</div>'
    "<div>{quoted}</div></div></div>"
)
GMX = (
    '<div>{answer}<div name="quote" style="border-left: 2px solid"><div><b>Gesendet:</b> Dienstag</div>'
    "<div>{quoted}</div></div></div>"
)
HEADERS = "<p><b>From:</b> Ann<br><b>Sent:</b> 3 March<br><b>To:</b> Bo<br><b>Subject:</b> Dredging</p>"
OUTLOOK = f"<p>{{answer}}</p><div><div style='border-top:solid #E1E1E1 1pt'>{HEADERS}</div></div>{{quoted}}"
OWA = f'<p>{{answer}}</p><hr style="width:98%"><div id="divRplyFwdMsg">{HEADERS}</div>{{quoted}}'
FORMS = {
    "gmail": GMAIL, "thunderbird": THUNDERBIRD, "proton": PROTON, "apple": APPLE, "yahoo": YAHOO, "gmx": GMX,
    "outlook": OUTLOOK, "owa": OWA,
}  # fmt: skip
LETTER = (
    "<p>The harbour board will meet on Thursday to decide on the dredging of the western channel.</p>"
    "<p>Please send me the figures of last winter, and the name of the surveyor who wrote them.</p>"
)
ANSWER = (
    "The surveyor was Mr Lund; I have no figures, because the office was closed over the winter holidays."
)


@pytest.mark.parametrize("blocks", [1, 300], ids=["", "long"])
@pytest.mark.parametrize("page", ["{}", "<html><head></head><body>{}</body></html>"], ids=["part", "whole"])
def test_what_stands_around_a_page_is_part_of_the_text(page, blocks):
    body = page.format("<div>Rain.</div>" * blocks)
    text = f"{'-' * 50}\n{body}</BODY></HTML >\n<p>List <b>members</b></p>\n{body}"
    rain = ["Rain."] * blocks
    assert text_of(text).split("\n") == ["-" * 50, *rain, "", "List members", "", *rain]


def test_a_page_that_begins_with_a_comment_or_white_space_is_read():
    for head in (f"<!-- {'-' * 50} -->", " " * 50, f"<?xml version='1.0' encoding='x'?>\n{' ' * 50}"):
        assert text_of(f"{head}<html><body><div>Rain.</div></body></html>") == "Rain."


def test_a_quotation_marked_by_a_mail_program_begins_with_a_sign():
    assert text_of(GMAIL.format(answer="Yes.", quoted="<div>Rain?<br>Snow?</div>")).split("\n") == [
        "Yes.", "", "On 3 March, Ann <a@x> wrote:", "", "> Rain?", "> Snow?",
    ]  # fmt: skip
    assert text_of(THUNDERBIRD.format(answer="Yes.", quoted="<p>Rain?</p>")).split("\n")[-4:] == [
        "", "> Rain?", "", "> > Older.",
    ]  # fmt: skip
    assert text_of("<blockquote>A poem.</blockquote>") == "A poem."


def test_a_page_of_quotations_within_quotations_does_not_become_a_thousand_times_as_long():
    page = "<blockquote type=cite>" * 1_000 + "Rain<br>" * 1_000
    assert text_of(page).split("\n") == ["> " * 16 + "Rain"] * 1_000


def test_a_line_that_is_drawn_is_a_rule():
    assert text_of("one<hr>two").split("\n") == ["one", "", "_" * 32, "", "two"]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_an_answer_in_html_is_a_quote_of_the_mail_it_answers(form):
    answered = text_of(form.format(answer=ANSWER, quoted=LETTER))
    assert kind_of(text_of(LETTER), answered).name == "quote"
