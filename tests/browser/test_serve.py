"""The pages of `neardup serve` in a real browser: paste, read, judge, evaluate. Skipped where there is no Chromium."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from testing.browser import CHROMIUM, DRIVER, SECONDS, served
from testing.browser import browser as opened_browser
from testing.edited_pairs import edited_pair

from neardup.opening import open_window

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="no chromium and chromedriver on PATH"),
]
PAIRS = 20
UNBROKEN = "Story" + 300 * "Y"
HOSTILE = (
    "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\"> \u202etxet \x1b[31m "
)


def documents():
    for number in range(PAIRS):
        pair = edited_pair(number)
        hour, body = f"2026-11-20T{number:02}:00Z", pair.a
        if number == 0:
            body = HOSTILE + body
        yield {
            "id": f"{number:02}-a",
            "text": body,
            "time": hour,
            "title": f"Story {number}" if number else UNBROKEN,
        }
        yield {"id": f"{number:02}-b", "text": pair.b, "time": hour.replace(":00Z", ":30Z")}
    yield {"id": "long", "text": "word " * 200_000, "time": "2026-11-20T21:00Z"}


@pytest.fixture
def window(tmp_path):
    path = tmp_path / "window"
    with open_window(path, threshold=0.5) as window:
        list(window.ingest(documents()))
    return path


@pytest.fixture
def address(window, tmp_path):
    with served(window, tmp_path) as address:
        yield address


@pytest.fixture
def browser(tmp_path, address):
    with opened_browser(tmp_path / "profile") as driver:
        yield driver


def wait_for(browser, condition):
    return WebDriverWait(browser, SECONDS).until(condition)


def test_a_reviewer_pastes_reads_judges_and_evaluates(browser, address, window, tmp_path):
    pasted = next(document for document in documents() if document["id"] == "03-b")
    browser.get(address)
    browser.find_element(By.ID, "text").send_keys(pasted["text"])
    browser.find_element(By.CSS_SELECTOR, "form button").click()
    assert browser.find_element(By.TAG_NAME, "h1").text.startswith("Seen: 2 matches")
    browser.find_element(By.PARTIAL_LINK_TEXT, "its group").click()
    assert browser.find_element(By.TAG_NAME, "h1").text == "Story 3"
    assert len(browser.find_elements(By.CSS_SELECTOR, ".columns article")) == 2
    assert browser.find_elements(By.CSS_SELECTOR, ".columns article mark")
    assert len(browser.find_elements(By.CSS_SELECTOR, ".timeline circle")) == 2

    for number in range(PAIRS):
        browser.get(f"{address}group?head={number:02}-a")
        body = browser.find_element(By.TAG_NAME, "body")
        body.send_keys("j")
        body.send_keys("j")
        body.send_keys("c" if number % 2 else "n")
        wait_for(browser, lambda b, n=number + 1: f"{n} pairs judged" in b.find_element(By.ID, "news").text)
        assert len(browser.find_elements(By.CSS_SELECTOR, 'button[aria-pressed="true"]')) == 1

    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("".join(json.dumps(document) + "\n" for document in documents()))
    command = [
        "evaluate",
        corpus,
        "--truth",
        "window.judged.tsv",
        "--method",
        "neardup complete",
        "--format",
        "jsonl",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "neardup", *map(str, command)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert '"copies":10' in done.stdout.replace(" ", "")


def test_hostile_texts_do_nothing_and_long_ones_are_cut(browser, address):
    for page in ("groups", "group?head=00-a", "document?id=00-a", "pair?a=00-a&b=00-b", "document?id=long"):
        browser.get(address + page)
        assert browser.title.endswith("neardup")
        assert browser.find_elements(By.CSS_SELECTOR, "main script, main img") == []
    browser.get(address + "document?id=00-a")
    assert "<script>document.title" in browser.find_element(By.CLASS_NAME, "text").text
    browser.get(address + "pair?a=long&b=00-a")
    assert "980,000 more characters" in browser.find_element(By.TAG_NAME, "main").text.replace("\u202f", ",")


def test_a_new_document_is_seen_by_the_page_within_two_seconds(browser, address, window):
    browser.get(address)
    assert "Late story" not in browser.find_element(By.TAG_NAME, "main").text
    pair = edited_pair(99)
    late = [
        {"id": "late-a", "text": pair.a, "time": "2026-11-20T21:10Z", "title": "Late story"},
        {"id": "late-b", "text": pair.b, "time": "2026-11-20T21:20Z"},
    ]
    with open_window(window) as writer:
        list(writer.ingest(late))
        began = time.monotonic()
    wait_for(browser, lambda b: "Late story" in b.find_element(By.TAG_NAME, "main").text)
    print(f"seen after {time.monotonic() - began:.2f} s")


PAGES = ("", "groups", "group?head=00-a", "scores", "pair?a=00-a&b=00-b", "document?id=00-a")


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_sticks_out_of_a_page(browser, address, width):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)  # a window is not made so narrow
    for page in PAGES:
        browser.get(address + page)
        look_at(browser, width, page)


def look_at(browser, width, page):
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width, page
    links = browser.execute_script("""
        return [...document.querySelectorAll('.cards a')].map(e => [e.getBoundingClientRect().right, e.offsetHeight])
    """)
    assert all(right <= width and (width > 700 or height >= 44) for right, height in links)
    unlabelled = (
        "return [...document.querySelectorAll('input, textarea')].filter(e => !e.labels.length).length"
    )
    assert browser.execute_script(unlabelled) == 0


def test_on_a_telephone_what_belongs_together_stands_on_one_line(browser, address):
    size = {"width": 390, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def top_of_text(selector):
        """Where the first line of a text begins, whatever room its element has around it."""
        return browser.execute_script(
            "const range = document.createRange(); range.selectNodeContents(document.querySelector(arguments[0]));"
            "return range.getClientRects()[0].top",
            selector,
        )

    browser.get(address + "group?head=03-a")
    assert abs(top_of_text(".who .id") - top_of_text(".who time")) <= 2
    shown = browser.execute_script("""
        document.querySelector("main").insertAdjacentHTML("beforeend", "<details><summary>5 more</summary></details>");
        return getComputedStyle(document.querySelector("summary")).display
    """)
    assert shown == "list-item"  # anything else has no arrow
    browser.get(address + "scores")
    assert abs(top_of_text(".pairs .score") - top_of_text(".pairs a")) <= 2
    gaps = browser.execute_script("""
        const parts = [...document.querySelectorAll(".bands > li")].map(e => e.getBoundingClientRect());
        return parts.slice(1).map((part, at) => part.top - parts[at].bottom)
    """)
    assert gaps
    assert min(gaps) >= 16


def test_the_first_key_goes_to_what_can_be_judged_and_the_head_is_one_back(browser, address):
    browser.get(f"{address}group?head=03-a")
    body = browser.find_element(By.TAG_NAME, "body")
    body.send_keys("c")
    wait_for(browser, lambda b: "j goes to the next" in b.find_element(By.ID, "news").text)
    body.send_keys("j")
    assert browser.switch_to.active_element.get_attribute("id") == "v2"
    body.send_keys("k")
    assert browser.switch_to.active_element.get_attribute("id") == "v1"
    body.send_keys("j")
    body.send_keys("f")
    wait_for(
        browser, lambda b: b.find_element(By.CSS_SELECTOR, ".jump a[href='#v2']").text.endswith("(form)")
    )


def test_a_key_judges_the_version_that_a_link_led_to(browser, address, window):
    with open_window(window) as writer:
        pair = edited_pair(3)
        list(writer.ingest([{"id": "03-c", "text": pair.b + " Later.", "time": "2026-11-20T03:40Z"}]))
    browser.get(f"{address}group?head=03-a")
    browser.find_element(By.TAG_NAME, "body").send_keys("j")
    browser.find_element(By.CSS_SELECTOR, ".jump a[href='#v3']").click()
    assert browser.switch_to.active_element.get_attribute("id") == "v3"
    browser.switch_to.active_element.send_keys("n")
    wait_for(browser, lambda b: "1 pairs judged" in b.find_element(By.ID, "news").text)
    judged = browser.find_elements(By.CSS_SELECTOR, 'button[aria-pressed="true"]')
    assert [button.get_attribute("data-judgement") for button in judged] == ["no"]
    assert judged[0].find_element(By.XPATH, "ancestor::article").get_attribute("id") == "v3"


def test_a_judgement_that_the_server_does_not_answer_is_told(browser, address):
    browser.get(f"{address}pair?a=03-a&b=03-b")
    browser.execute_script("window.fetch = () => Promise.reject(new TypeError('Failed to fetch'))")
    browser.find_element(By.TAG_NAME, "body").send_keys("c")
    wait_for(browser, lambda b: "the server did not answer" in b.find_element(By.ID, "news").text)
    assert browser.find_elements(By.CSS_SELECTOR, 'button[aria-pressed="true"]') == []


def test_a_list_that_follows_keeps_the_focus_and_follows_after_an_error(browser, address, window):
    browser.get(address + "groups")
    link = browser.find_element(By.PARTIAL_LINK_TEXT, "Story 3")
    browser.execute_script(
        "const ask = window.fetch; let left = 1;"
        "window.fetch = async (...what) => what[0] === location.href && left-- > 0"
        " ? new Response('', { status: 429 }) : ask(...what);"
        "arguments[0].focus()",
        link,
    )
    pair = edited_pair(99)
    with open_window(window) as writer:
        late = [{"id": f"late-{at}", "text": pair.a, "time": f"2026-11-20T21:{at}Z"} for at in (10, 20)]
        list(writer.ingest([each | {"title": "Late story"} for each in late]))
    wait_for(browser, lambda b: "Late story" in b.find_element(By.TAG_NAME, "main").text)
    assert "head=03-a" in browser.switch_to.active_element.get_attribute("href")
