"""A mail is a document of its text part, called by its Message-ID, at its Date; nothing in it stops a run."""

from __future__ import annotations

import base64
import email
import gzip
import sys
from email.message import EmailMessage
from typing import Any

import pytest
from testing.source_files import read, written

from neardup.model.document import FLUSH, Document, Reject
from neardup.sources.files import listed
from neardup.sources.mail import documents
from neardup.sources.position import Position
from neardup.sources.reader import Reader

PLAIN = (
    "Message-ID: <1@arnmouth.example>\nDate: Sat, 21 Nov 2026 09:00:00 +0100\nSubject: =?utf-8?q?F=C3=A4hre?=\n"
    "From: Harbour <h@arnmouth.example>\n\nThe ferry ran aground.\nFrom here on it is quiet.\n"
)


def test_a_mail(tmp_path):
    reader = Reader([written(tmp_path / "a.eml", PLAIN)])
    (mail,) = reader
    assert mail == Document(
        "1@arnmouth.example",
        "The ferry ran aground.\nFrom here on it is quiet.\n",
        "2026-11-21T08:00:00Z",
        {"subject": "Fähre", "from": "Harbour <h@arnmouth.example>"},
    )
    assert reader.record is not None
    assert list(reader.record.values) == ["id", "time", "subject", "from", "text"]


def test_a_mail_without_an_id_or_a_usable_date(tmp_path):
    (mail,) = read(written(tmp_path / "a.eml", "Subject: x\nDate: yesterday at noon\n\nRain.\n"))
    assert mail == Document("a.eml", "Rain.\n", None, {"subject": "x"})


@pytest.mark.parametrize(
    ("date", "time"),
    [
        ("Tue, 03 Mar 2020 10:00:00 CEST", "2020-03-03T08:00:00Z"),
        ("Tue, 03 Mar 2020 10:00:00 (MET)", "2020-03-03T09:00:00Z"),
        ("Tue Mar  3 10:00:00 CET 2020", "2020-03-03T09:00:00Z"),
        ("Tue, 03 Mar 2020 10:00:00 EST", "2020-03-03T15:00:00Z"),
        ("Tue, 03 Mar 2020 10:00 +01:00", "2020-03-03T09:00:00Z"),
        ("Tue Mar 03 2020 10:00:00 GMT+0100 (Central European Time)", "2020-03-03T09:00:00Z"),
        ("Tue, 03 Mar 2020\n 10:00:00-0500", "2020-03-03T15:00:00Z"),
        ("2020-03-03 10:00:00 +0530", "2020-03-03T04:30:00Z"),
        ("Tue, 03 Mar 2020 10.00.00", "2020-03-03T10:00:00Z"),
        *(
            (f"Tue, 03 Mar 2020 10:00:00 {zone}", None)
            for zone in ("IST", "BST", "PM", "UTC+2", "+02", "(PST)", "GMT Daylight Time", "W. Europe Time")
        ),
        ("Tue, 03 Mar 2020 24:00:00 +0000", None),
        pytest.param("1:1" * 100_000, None, id="long"),
    ],
)
def test_a_zone_that_is_not_known_is_no_utc(tmp_path, date, time):
    """The time of such a mail was wrong by hours, in silence."""
    reader = Reader([written(tmp_path / "a.eml", f"Date: {date}\n\nRain.\n")])
    for _ in range(2):
        assert [mail.time for mail in reader if isinstance(mail, Document)] == [time]
        assert bool([*reader.remarks()]) == (time is None)


def test_mails_whose_dates_cannot_be_read_are_told_apart_from_those_without_one(tmp_path):
    mails = "".join(
        f"From a@b Mon Jan  1 10:00:00 2024\n{date}Subject: x\n\nRain.\n\n"
        for date in ("", "Date:\n", "Date: noon IST\n", "Date: x\n")
    )
    path = written(tmp_path / "a.mbox", mails)
    reader = Reader([path])
    assert [mail.time for mail in reader if isinstance(mail, Document)] == 4 * [None]
    said = f"2 mails have a Date that cannot be read, and so no time (first: 'noon IST' at {path}:12)"
    assert [*reader.remarks()] == [said]


def message(**parts: str) -> EmailMessage:
    built = EmailMessage()
    built["Message-ID"] = "<2@x>"
    for kind, text in parts.items():
        if built.get_content_maintype() == "text" and not built.get_payload():
            built.set_content(text, subtype=kind)
        else:
            built.add_alternative(text, subtype=kind)
    return built


def test_of_alternatives_the_text_counts_and_attachments_do_not(tmp_path):
    built = message(plain="Rain is due.\n", html="<p>Rain is <b>due</b>.")
    built.add_attachment("A table.", filename="table.txt")
    inner = EmailMessage()
    inner.set_content("An older mail.")
    built.add_attachment(inner)
    (mail,) = read(written(tmp_path / "a.eml", bytes(built)))
    assert mail.text == "Rain is due.\n"
    assert mail.fields["attachments"] == "table.txt, message/rfc822"


def test_a_plain_text_that_only_points_to_the_page_is_no_alternative_to_it(tmp_path):
    """As of newsletters, which would all be copies of one another."""
    pytest.importorskip("trafilatura")
    words = "<p>{0} is due.<p>It will last for most of the day, say all of those who know about it."
    page = f"<style>p {{{{ margin: 0 }}}}</style>{words}".format
    for stub in (
        "Your program does not show HTML.",
        "See https://example.org/a-very-long-address-with-words?id=123",
    ):
        paths = [
            written(tmp_path / name, bytes(message(plain=stub, html=page(word))))
            for name, word in (("a.eml", "Rain"), ("b.eml", "Snow"))
        ]
        assert [mail.text.split()[0] for mail in read(*paths, html=True)] == ["Rain", "Snow"]
        reader = Reader(paths)
        assert [mail.text.strip() for mail in reader if isinstance(mail, Document)] == [stub, stub]
        said = "2 mails have a plain text with less than half of what is in HTML: --html reads the HTML"
        assert [*reader.remarks()] == [f"{said} (first: {paths[0]})"]


def test_a_page_of_many_tags_says_no_more_than_its_words(tmp_path):
    pytest.importorskip("trafilatura")
    hidden = (
        "<head><title>Weather of today</title></head><!-- <b>Weather</b> of yesterday -->" + 99 * "<br>&nbsp;"
    )
    (mail,) = read(
        written(tmp_path / "a.eml", bytes(message(plain="Rain is due.", html=hidden + "<p>Rain is due."))),
        html=True,
    )
    assert mail.text == "Rain is due.\n"


def test_what_goes_along_with_a_text_is_no_attachment(tmp_path):
    """Signatures, other than each other, and pictures that a page shows."""
    built = message(plain="Rain is due.\n", html="<p>Rain is <b>due</b>.<img src=cid:logo>")
    page = built.get_body(["html"])
    assert page is not None
    page.add_related(b"GIF", "image", "gif", cid="<logo>")
    built.add_attachment(b"signed", "application", "pgp-signature", filename="signature.asc")
    (mail,) = read(written(tmp_path / "a.eml", bytes(built)))
    assert mail.fields is None
    built.add_attachment(b"%PDF", "application", "pdf", filename="the  \xfcber plan.pdf")
    (mail,) = read(written(tmp_path / "b.eml", bytes(built)))
    assert mail.fields["attachments"] == "the \xfcber plan.pdf"


def test_a_mail_of_html_alone_is_read_if_pages_are(tmp_path):
    pytest.importorskip("trafilatura")
    path = written(
        tmp_path / "a.eml", bytes(message(html="<style>p{}</style><p>Rain &amp; snow are <b>due</b>.</p>"))
    )
    (reject,) = read(path)
    assert (reject.id, reject.reason) == (
        "2@x",
        "the mail begins with text in HTML: --html reads it",
    )
    (mail,) = read(path, html=True)
    assert mail.text == "Rain & snow are due."


@pytest.mark.parametrize("plain", [None, " \n"])
def test_what_a_list_adds_does_not_stand_for_a_page(tmp_path, plain):
    """Mails of HTML with one footer were copies of one another: the footer was all that was read."""
    pytest.importorskip("trafilatura")
    page = "<p>Rain is due.</p>"
    body = message(html=page) if plain is None else message(plain=plain, html=page)
    body.make_mixed()
    footer = EmailMessage()
    footer.set_content("Sent to the list.")
    body.attach(footer)
    path = written(tmp_path / "a.eml", bytes(body))
    (reject,) = read(path)
    assert reject.reason == "the mail begins with text in HTML: --html reads it"
    (mail,) = read(path, html=True)
    assert mail.text.split() == ["Rain", "is", "due.", "Sent", "to", "the", "list."]


def test_what_a_list_adds_within_an_alternative_does_not_stand_for_a_page_either(tmp_path):
    """Its plain version was taken out, or the footer was added to its page alone."""
    pytest.importorskip("trafilatura")
    page = EmailMessage()
    page.set_content("<p>Rain is due.</p>", subtype="html")
    page.make_mixed()
    footer = EmailMessage()
    footer.set_content("Sent to the list.")
    page.attach(footer)
    for plain, expected in ((None, "Rain is due. Sent to the list."), ("Rain is due today.",) * 2):
        body = EmailMessage()
        if plain:
            body.set_content(plain)
        body.make_alternative()
        body.attach(page)
        (mail,) = read(written(tmp_path / "a.eml", bytes(body)), html=True)
        assert " ".join(mail.text.split()) == expected


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("image/png", "image/png"),
        ("application/pkcs7-mime; name=smime.p7m", "application/pkcs7-mime"),
        ("text/rtf", "text/rtf"),
        ("text/html", "blank text/html"),
        ("text/plain\nContent-Disposition: attachment", "text/plain as an attachment"),
        ("multipart/mixed", "multipart/mixed that cannot be divided into parts"),
        ("message/rfc822", "message/rfc822"),
        ("multipart/digest; boundary=b", "message/rfc822"),
        ("multipart/x; boundary=b\n\n--b\nContent-Type: a/b\n\n--b\nContent-Type: c/\xe4", "a/b, c/\xe4"),
    ],
)
def test_a_mail_without_any_text_is_rejected(tmp_path, kind, reason):
    body = "--b\n\nFrom: x\n\nRain.\n--b--\n" if "digest" in kind else "\n"
    path = written(tmp_path / "a.eml", f"Message-ID: <3@x>\nContent-Type: {kind}\n\n{body}")
    (reject,) = read(path)
    assert (reject.id, reject.reason) == ("3@x", f"the mail has no text part: it has {reason}")


def test_markdown_is_a_text_unless_there_is_a_plain_one(tmp_path):
    """A mail of nothing else was rejected."""
    path = written(tmp_path / "a.eml", "Content-Type: text/markdown\n\n*Rain*.\n")
    assert [mail.text for mail in read(path)] == ["*Rain*.\n"]
    for kinds, expected in ((("plain", "markdown"), "Rain.\n"), (("markdown", "html"), "*Rain*.\n")):
        texts = {"plain": "Rain.\n", "markdown": "*Rain*.\n", "html": "<b>Rain</b>."}
        body = message(**{kind: texts[kind] for kind in kinds})
        (mail,) = read(written(tmp_path / "b.eml", bytes(body)))
        assert (mail.text, mail.fields) == (expected, None)


def test_attached_texts_and_mails_are_said_to_be_unread(tmp_path):
    built = message(plain="Rain is due.\n")
    built.add_attachment(b"GIF", "image", "gif", filename="a.gif")
    reader = Reader([written(tmp_path / "a.eml", bytes(built))])
    assert len([*reader]) == 1
    assert [*reader.remarks()] == []
    built.add_attachment("A table.", filename="table.txt")
    path = written(tmp_path / "b.eml", bytes(built))
    inner = message(plain="Rain is due.\n")
    inner.add_attachment(message(plain="Older."))
    reader = Reader([path, written(tmp_path / "c.eml", bytes(inner))])
    assert len([*reader]) == 2
    assert [*reader.remarks()] == [
        f"2 mails have attached texts or mails, which are not read (first: {path})"
    ]


@pytest.mark.parametrize(
    ("charset", "data", "encoding", "text"),
    [
        ("iso-8859-2", "wiosna w Łodzi".encode("iso-8859-2"), None, "wiosna w Łodzi"),
        ("x-unknown", "Fähre".encode(), None, "Fähre"),
        ("us-ascii", "Fähre".encode("cp1252"), None, "Fähre"),
        ("utf-8", "Łódź".encode("iso-8859-2"), "iso-8859-2", "Łódź"),
        ("us-ascii", b"\x81\x8d", None, "\x81\x8d"),
        (None, b"Rain", None, "Rain"),
        ('"a\0b"', "Fähre".encode(), None, "Fähre"),
        ("idna", "Fähre".encode("cp1252"), None, "Fähre"),
        ("unicode_escape", rb"Rain \ud800", None, r"Rain \ud800"),
        ("utf-7", b"Rain +2AA-", None, "Rain +2AA-"),
        ("gb2312", "黎明前镕喆".encode("gbk"), None, "黎明前镕喆"),
        ("Shift_JIS", "フェリー①髙".encode("cp932"), None, "フェリー①髙"),
        ("iso-2022-jp", "明け ﾌｪﾘｰ".encode("iso2022_jp_ext"), None, "明け ﾌｪﾘｰ"),
        ("ks_c_5601-1987", "새벽 똠방각하".encode("cp949"), None, "새벽 똠방각하"),
        ("big5", "黎明碁".encode("cp950"), None, "黎明碁"),
        ("windows-874", "เรือ“”".encode("cp874"), None, "เรือ“”"),
        ("iso-8859-8-i", "הספינה".encode("iso-8859-8"), None, "הספינה"),
        ("iso-8859-1", "Fähre “lief auf”".encode("cp1252"), None, "Fähre “lief auf”"),
        ("iso-8859-1", b"F\xe4hre \x81", None, "Fähre \x81"),
    ],
)
def test_the_encoding_is_that_of_the_part_or_one_that_fits(tmp_path, charset, data, encoding, text):
    named = f"Content-Type: text/plain; charset={charset}\n" if charset else "Subject: x\n"
    (mail,) = read(written(tmp_path / "a.eml", named.encode() + b"\n" + data), encoding=encoding)
    assert mail.text == text


@pytest.mark.parametrize(
    ("named", "declared", "encoding", "text"),
    [
        ("", "koi8-r", "koi8-r", "паром"),
        ("", "windows-1251", "cp1251", "паром"),
        ("", "iso-2022-jp", "iso2022_jp", "フェリー"),
        ("", "koi8-r", "utf-8", "паром"),
        ("", "utf-16", "cp1252", "Fähre"),
        ("", "x-unknown", "cp1252", "Fähre"),
        ("; charset=windows-1251", "koi8-r", "cp1251", "паром"),
    ],
)
def test_html_in_a_mail_may_declare_its_encoding_itself(tmp_path, named, declared, encoding, text):
    """Without a charset in its headers it was read as Windows-1252."""
    pytest.importorskip("trafilatura")
    page = f"<html><head><meta charset={declared}></head><body><p>{text}</p></body></html>".encode(encoding)
    head = f"Content-Type: text/html{named}\n\n".encode()
    (mail,) = read(written(tmp_path / "a.eml", head + page), html=True)
    assert mail.text.strip() == text


def test_html_behind_plain_text_is_read_if_html_is(tmp_path):
    pytest.importorskip("trafilatura")
    body = message(plain="See the list below.")
    body.make_mixed()
    page = EmailMessage()
    page.set_content("<p>Rain is due.</p>", subtype="html")
    body.attach(page)
    path = written(tmp_path / "a.eml", bytes(body))
    (mail,), (whole,) = read(path), read(path, html=True)
    assert (mail.text.split(), whole.text.split()[-3:]) == (
        ["See", "the", "list", "below."],
        ["Rain", "is", "due."],
    )


@pytest.mark.parametrize("named", ["base64 ", "BASE64;", '"base64"', "base64 (packed)", "\n base64\t"])
def test_what_a_text_was_packed_by_is_the_word_that_says_it(tmp_path, named):
    """Such texts were compared as they were packed, in which letters depend on where they stand."""
    head = f"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {named}\n\n"
    (mail,) = read(written(tmp_path / "a.eml", head.encode() + base64.b64encode("Fähre".encode())))
    assert mail.text == "Fähre"


@pytest.mark.parametrize(
    ("charset", "encoding", "subject"),
    [
        ("GB2312", "gbk", "镕喆"),
        ("shift_jis", "cp932", "①髙"),
        ("windows-874", "cp874", "เรือ"),
        ("utf-8", "utf-8", "é"),
    ],
)
def test_a_subject_is_read_by_what_its_encoding_means_in_mails(tmp_path, charset, encoding, subject):
    word = base64.b64encode(subject.encode(encoding)).decode()
    (mail,) = read(written(tmp_path / "a.eml", f"Subject: =?{charset}?b?{word}?=\n\nRain.\n"))
    assert mail.fields == {"subject": subject}


@pytest.mark.parametrize(
    ("head", "encoding", "fields"),
    [
        ("Subject: Überweisung an Köhler".encode(), None, {"subject": "Überweisung an Köhler"}),
        ("Subject: Überweisung".encode("cp1252"), None, {"subject": "Überweisung"}),
        ("Subject: паром\nContent-Type: text/plain; charset=koi8-r".encode("koi8-r"), None, {"subject": "паром"}),
        ("Subject: Łódź".encode("iso-8859-2"), "iso-8859-2", {"subject": "Łódź"}),
        ("Subject: a\nContent-Type: text/plain; charset=utf-16\nTo: Äbcdä".encode("cp1252"), None,
         {"subject": "a", "to": "Äbcdä"}),
        ("From: Jörg =?utf-8?q?K=C3=B6?=\n =?utf-8?q?hler?= <k@x>\nTo: Ånn".encode(), None,
         {"from": "Jörg Köhler <k@x>", "to": "Ånn"}),
        ("Subject: =?x?q?=FF?= \\u00e4 ö =?utf-8?q?=C3=A4?=".encode(), None, {"subject": "=?x?q?=FF?= \\u00e4 ö ä"}),
        ('Content-Type: image/png\nContent-Disposition: attachment; filename="Fähre.png"'.encode(), None,
         {"attachments": "Fähre.png"}),
    ],
)  # fmt: skip
def test_headers_that_are_not_ascii_are_read_as_texts_are(tmp_path, head, encoding, fields):
    """Each byte of them became a replacement character."""
    if fields.keys() == {"attachments"}:
        part = b"\n\nRain.\n--b\n" + head + b"\n\nGIF\n--b--\n"
        head, body = b"Content-Type: multipart/mixed; boundary=b\n\n--b", part
    else:
        body = b"\n\nRain.\n"
    (mail,) = read(written(tmp_path / "a.eml", head + body), encoding=encoding)
    assert mail.fields == fields


def test_a_mailbox_compressed_or_not(tmp_path):
    postmark = "From h@arnmouth.example Sat Nov 21 09:00:00 2026\n"
    second = "Message-ID: <2@x>\n\nRain is due.\nFrom that day on: rain\n\nFrom now on it rains.\n"
    content = f"\n{postmark}{PLAIN}\n{postmark}{second}\n\n{postmark}Subject: none\n\n\n"
    for path in (
        written(tmp_path / "in.mbox", content),
        written(tmp_path / "gz/in.mbox.gz", gzip.compress(content.encode())),
    ):
        reader = Reader([path])
        mails: list[Any] = list(reader)
        assert [mail.id for mail in mails] == ["1@arnmouth.example", "2@x", f"{path.name}:20"]
        assert "From here on it is quiet." in mails[0].text
        assert mails[1].text.endswith("From now on it rains.\n\n")
        assert reader.located(Reject("2@x", "")).line == 11


def test_messages_of_a_mailbox_that_are_too_long_cost_only_themselves(tmp_path):
    postmark = "From h@arnmouth.example Sat Nov 21 09:00:00 2026\n"
    long = "\n".join(["Subject: x", "", *["rain " * 10] * 40])
    mails = read(
        written(
            tmp_path / "in.mbox", f"{postmark}{long}\n\n{postmark}{PLAIN}\n{postmark}S: x\n\n{'y' * 900}\n"
        ),
        longest=500,
    )
    assert [type(mail) for mail in mails] == [Reject, Document, Reject]
    assert mails[0].reason == mails[2].reason == "the mail is longer than 500 bytes"
    (reject,) = read(written(tmp_path / "a.eml", long), longest=500)
    assert reject.reason == "the file is longer than 500 bytes"


def test_what_is_no_mail_is_told(tmp_path):
    (reject,) = read(written(tmp_path / "in.mbox", "Just words.\n\nMore words.\n"))
    assert reject.reason.startswith("not a mailbox (mbox): it does not begin with a line 'From sender time'")
    (reject,) = read(written(tmp_path / "a.eml", "Just words.\n"))
    assert reject.reason.startswith("not a mail: it begins with no header")
    assert read(written(tmp_path / "empty.mbox", "\n\n")) == []


def test_a_mail_whose_first_line_is_a_postmark_is_one_all_the_same(tmp_path):
    (mail,) = read(
        written(tmp_path / "cur/00017", f"From x@y Sat Nov 21 09:00:00 2026\n{PLAIN}"), form="mail"
    )
    assert mail.id == "1@arnmouth.example"


POSTMARK = "From x@y Sat Nov 21 09:00:00 2026\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.eml", f"\ufeff{PLAIN}"),
        ("a.eml", f"\ufeff{POSTMARK}{PLAIN}"),
        ("a.eml", f"{POSTMARK}\ufeff{PLAIN}"),
        ("a.mbox", f"\ufeff{POSTMARK}{PLAIN}"),
        ("a.mbox", f"{POSTMARK}\ufeff{PLAIN}"),
    ],
)
def test_a_byte_order_mark_is_no_part_of_a_mail(tmp_path, name, content):
    (mail,) = read(written(tmp_path / name, content))
    assert isinstance(mail, Document)
    assert [mail] == read(written(tmp_path / f"plain-{name}", content.replace("\ufeff", "")))


@pytest.mark.parametrize("name", ["a.eml", "a.mbox"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_a_mail_in_utf_16_is_told_with_what_to_do(tmp_path, name, encoding):
    path = written(tmp_path / name, f"{POSTMARK}{PLAIN}".encode(encoding))
    for option in (None, encoding):
        (reject,) = read(path, encoding=option)
        assert reject.reason == (
            f"this is {encoding.upper()} text: convert it to UTF-8 first (iconv -f {encoding} -t utf-8)"
        )


@pytest.mark.skipif(sys.platform == "win32", reason="colons in names")
def test_a_maildir_with_its_folders(tmp_path):
    for name in (
        "cur/1.M2P3.host:2,S",
        "new/2.M2P3.host",
        "tmp/3",
        ".Sent/cur/4",
        ".Sent/new/.keep",
        "readme",
    ):
        written(tmp_path / "mail" / name, PLAIN.replace("<1@", f"<{name[:3]}{name[-1]}@"))
    (tmp_path / "mail/.Sent/tmp").mkdir()
    reader = Reader([tmp_path / "mail"])
    assert [item.id.partition("@")[0] for item in reader if isinstance(item, Document)] == [
        ".Se4",
        "curS",
        "newt",
    ]
    (told,) = reader.passed_over
    assert told.endswith(
        "2 passed over: no ending 1 (first: readme), hidden 1 (first: .Sent/new/.keep); --input says what they are"
    )
    assert [file.form for file in listed([str(tmp_path / "mail")]).files] == ["mail"] * 3


def ids_of(reader: Reader) -> list[str]:
    return [item.id for item in reader if isinstance(item, Document)]


@pytest.mark.skipif(sys.platform == "win32", reason="colons in names")
@pytest.mark.parametrize("folder", ["", ".Sent"])
def test_a_mail_without_an_id_has_one_name_before_and_after_it_is_read(tmp_path, folder):
    mails = tmp_path / folder
    for name in ("cur", "new", "tmp"):
        (mails / name).mkdir(parents=True)
    for name in ("new/1.M2P3.host", "cur/1.M2P3.host:2,", "cur/1.M2P3.host:2,RS"):
        path = written(mails / name, "Subject: Rain\n\nRain fell on the coast.\n")
        assert ids_of(Reader([tmp_path])) == [f"{folder}/1.M2P3.host".strip("/")], name
        assert ids_of(Reader([path], form="mail")) == ["1.M2P3.host"]
        path.unlink()


@pytest.mark.skipif(sys.platform == "win32", reason="colons in names")
def test_so_has_one_of_several_maildirs_that_are_read_together(tmp_path):
    boxes = [tmp_path / "a", tmp_path / "b"]
    for folder in [box / name for box in boxes for name in ("cur", "new", "tmp")]:
        folder.mkdir(parents=True)
    lasting = [(box / "1.M2P3.host").as_posix() for box in boxes]
    written(boxes[1] / "cur/1.M2P3.host:2,S", "Subject: Rain\n\nRain fell on the coast.\n")
    for name in ("new/1.M2P3.host", "cur/1.M2P3.host:2,", "cur/1.M2P3.host:2,RS"):
        path = written(boxes[0] / name, "Subject: Hail\n\nHail fell on the coast.\n")
        assert ids_of(Reader(boxes)) == lasting, name
        path.unlink()
    # While one is moved it may be seen twice.
    there = [
        written(boxes[0] / name, "Subject: Hail\n\nHail.\n")
        for name in ("cur/1.M2P3.host:2,", "new/1.M2P3.host")
    ]
    assert ids_of(Reader(boxes)) == [*(path.as_posix() for path in there), lasting[1]]


def test_elsewhere_a_colon_is_a_part_of_the_name(tmp_path):
    path = written(tmp_path / "new/12:30.txt", "Rain.")
    assert ids_of(Reader([tmp_path])) == ["new/12:30.txt"]
    assert ids_of(Reader([path])) == ["12:30.txt"]


@pytest.mark.parametrize("kind", ["message/rfc822", "multipart/mixed; boundary=b"])
def test_parts_that_lie_too_deep_are_told(tmp_path, kind):
    start = (
        f"Content-Type: {kind}\n\n"
        if kind.startswith("message")
        else f"Content-Type: {kind}{{0}}\n\n--b{{0}}\n"
    )
    deep = "".join(start.format(number) for number in range(5_000)) + "Subject: x\n\nRain.\n"
    (reject,) = read(written(tmp_path / "a.eml", deep))
    assert (reject.id, reject.reason) == (
        "a.eml",
        "the parts of the mail are nested too deep to be read",
    )


@pytest.mark.parametrize(
    "junk",
    [
        b"Subject: =?x?q?=FF?=\nDate: Sat, 99 Nov 99999 99:99:99 +9999\nMessage-ID: <\xff\xfe>\n\n\xff",
        b"Content-Type: multipart/mixed; boundary=\n\n--\n\n--\n",
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n",
        b"Content-Type: text/plain; charset*=utf-8''%ff\nContent-Transfer-Encoding: base64\n\n=A=B=C\n",
        b"Content-Type: text/plain; charset=\x00\n\nRain.\n",
        b'Content-Type: text/plain; charset="unicode_escape"\n\n\\x\n',
        b"Content-Type: text/plain; charset=hex\n\nRain.\n",
        b"Content-Type: ; ;\nContent-Disposition: \xff\n\nRain.\n",
        b"Content-Transfer-Encoding: x-uuencode\n\nbegin 644\n%%%\n",
    ],
)
def test_a_broken_mail_stops_nothing(tmp_path, junk):
    items = read(written(tmp_path / "a.eml", junk), written(tmp_path / "b.eml", PLAIN))
    assert len(items) == 2
    assert items[1].id == "1@arnmouth.example"
    if isinstance(items[0], Document):
        items[0].id.encode()
        items[0].text.encode("utf-8", "surrogatepass")


@pytest.mark.parametrize(
    ("head", "subject"),
    [
        (b"Subject: =?utf-8?b?a?=\n", "=?utf-8?b?a?="),
        (b"Subject: x\nContent-Type: text/plain; charset*=\xff'\xfe'utf\n", "x"),
    ],
)
def test_a_broken_header_costs_no_text(tmp_path, head, subject):
    (mail,) = read(written(tmp_path / "a.eml", head + b"\n" + "Fähre".encode()))
    assert (mail.text, mail.fields) == ("Fähre", {"subject": subject})


@pytest.mark.parametrize(
    "head",
    [
        b"Subject: " + b"=?a?q?x" * 500_000,
        b"Content-Type: text/plain; x=" + b'a";' * 2_000_000,
        b"Content-Type: multipart/mixed; x=" + b'a";' * 2_000_000,
    ],
    ids=["encoded words", "parameters", "parameters of parts"],
)
def test_a_header_of_megabytes_is_not_taken_apart(tmp_path, head):
    """The library tries every beginning in it with every end."""
    (mail,) = read(written(tmp_path / "a.eml", head + b"\nMessage-ID: <1@x>\n\nRain.\n"))
    assert mail.id == "1@x"


@pytest.mark.parametrize("name", ["punycode", "IDNA"])
def test_an_encoding_of_names_is_none_of_texts(tmp_path, name):
    """To decode these megabytes by it would take hours."""
    text = "xn--" + "a" * 2_000_000 + "-" + "eaaba" * 400_000
    head = f"Message-ID: <1@x>\nContent-Type: text/plain; charset={name}\n\n"
    assert read(written(tmp_path / "a.eml", head + text)) == [Document("1@x", text)]


def test_whatever_the_library_raises_for_a_mail_rejects_that_mail_alone(tmp_path, monkeypatch):
    parse = email.message_from_bytes

    def fails_for_one(data, **how):
        if b"<1@" in data:
            raise AssertionError("not foreseen")
        return parse(data, **how)

    monkeypatch.setattr(email, "message_from_bytes", fails_for_one)
    other = PLAIN.replace("<1@", "<2@")
    items = read(written(tmp_path / "a.eml", PLAIN), written(tmp_path / "b.eml", other))
    assert (items[0].id, items[0].reason) == (
        "a.eml",
        "the mail cannot be parsed: AssertionError: not foreseen",
    )
    assert items[1].id == "2@arnmouth.example"


MARK = b"From a@b Mon Jan  1 10:00:00 2024\n"


def test_a_postmark_needs_a_header_below_it_and_no_blank_line_above(tmp_path):
    path = tmp_path / "all.mbox"
    path.write_bytes(
        MARK + b"Subject: one\n\nThe ferry is late.\n"
        + MARK + b"Subject: two\n\nA plan:\n\nFrom now on we meet at 10:30 in the hall.\nBring a pen.\n\n"
        + MARK + b"X-Kind: three\n\nRain.\nFrom Monday on we meet at 10:30 in the hall:\nhttp://example.org/map\n"
    )  # fmt: skip
    texts = [item.text.split() for item in Reader([path]) if isinstance(item, Document)]
    assert [text[:2] for text in texts] == [["The", "ferry"], ["A", "plan:"], ["Rain.", "From"]]
    assert texts[1][-1] == "pen."


def test_of_a_live_mailbox_what_is_whole_comes_before_the_wait_for_more():
    mails = [MARK + b"Message-ID: <%d@x>\n\nRain.\n\n" % at for at in range(3)]
    chunks = iter([mails[0] + mails[1], None, mails[2][:40], None, mails[2][40:]])
    position = Position("-", "stdin")
    items: Any = documents(chunks, position, 1_000, None)
    assert [item if item is FLUSH else (item.id, position.line) for item in items] == [
        ("0@x", 1), FLUSH, FLUSH, ("1@x", 6), ("2@x", 11),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the mail is empty"),
        (b"\r\n \n", "the mail is empty"),
        (
            b"285       \nFrom: a@x\n\nRain.\n",
            "this is a mail of Apple Mail, which neardup does not read: convert it to .eml first",
        ),
        (b"285 days\nRain: no.\n", "not a mail: it begins with no header; --input says what it is"),
    ],
)
def test_what_a_file_is_that_is_no_mail(tmp_path, data, reason):
    (reject,) = read(written(tmp_path / "a.eml", data))
    assert reject.reason == reason


@pytest.mark.parametrize("end", ["\r", "\r\n", "\r\r\n"])
def test_a_mailbox_whose_lines_end_in_carriage_returns_alone_is_told_as_that(tmp_path, end):
    mails = "From a@x Sat Nov 21 09:00:00 2026\nFrom: a@x\n\nRain.\n\n" * 2
    items = read(written(tmp_path / "a.mbox", mails.replace("\n", end).encode()))
    if end == "\r":
        (reject,) = items
        assert reject.reason == (
            "the lines of the mailbox end in carriage returns alone: turn them into line feeds (tr '\\r' '\\n')"
        )
    else:
        assert [item.text.strip() for item in items] == ["Rain."] * 2
