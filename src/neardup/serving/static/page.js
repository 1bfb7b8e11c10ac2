// Follows the window, judges pairs, moves by keys. Every page works without it, but for judging.
"use strict";

const LOOK_MS = 1000;
let known = Number(document.body.dataset.changes);

async function look() {
  const before = known;
  try {
    const answer = await fetch("/api/changes");
    if (!answer.ok) return;
    const now = await answer.json();
    if (now === known) return;
    known = now;
    await follow();
  } catch {
    known = before; // The server is away: the next look tells.
  }
}

async function follow() {
  const parts = document.querySelectorAll("[data-follows]");
  if (parts.length === 0) {
    say("The window has changed since this page was made.");
    return;
  }
  const answer = await fetch(location.href);
  if (!answer.ok) throw new Error(answer.statusText);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelectorAll("[data-follows]");
  const focused = document.activeElement?.closest("[data-follows] a")?.href;
  parts.forEach((part, at) => fresh[at] && part.replaceWith(fresh[at]));
  const links = [...document.querySelectorAll("[data-follows] a")];
  if (focused) links.find((link) => link.href === focused)?.focus({ preventScroll: true });
}

if (document.body.dataset.changes !== undefined) setInterval(look, LOOK_MS);

function say(text) {
  const news = document.getElementById("news");
  news.textContent = text;
  news.hidden = false;
}

async function judge(button) {
  const pair = button.closest(".judging");
  const said = { id1: pair.dataset.first, id2: pair.dataset.second, judgement: button.dataset.judgement };
  let answer, result;
  try {
    answer = await fetch("/api/judge", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(said),
    });
    result = await answer.json();
  } catch {
    say("The server did not answer, so the judgement may not be recorded. Judge again when it does.");
    return;
  }
  say(answer.ok ? `${result.judged} pairs judged, in ${result.file}` : result.detail);
  if (!answer.ok) return;
  for (const other of pair.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
  const version = pair.closest("article[id]");
  const link = version && document.querySelector(`.jump a[href="#${version.id}"] .judged`);
  if (link) link.textContent = ` (${button.textContent})`;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-judgement]");
  if (button) judge(button);
});

const JUDGEMENT_OF = { c: "copy", f: "form", q: "quote", n: "no" };
let at = -1;

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  const rows = [...document.querySelectorAll("[data-row]")];
  if (rows.length === 0) return;
  const focused = rows.indexOf(event.target.closest("[data-row]")); // a click or a link may have led elsewhere
  if (focused >= 0) at = focused;
  if (event.key === "j" || event.key === "k") {
    // The first j goes to the first row that can be judged: k goes back to what it is compared with.
    const first = Math.max(rows.findIndex((row) => row.querySelector(".judging")), 0);
    at = at < 0 ? first : Math.min(Math.max(at + (event.key === "j" ? 1 : -1), 0), rows.length - 1);
    const target = rows[at].matches("article") ? rows[at] : rows[at].querySelector("a, button") ?? rows[at];
    target.focus();
    target.scrollIntoView({ block: "nearest", inline: "nearest" });
  } else if (event.key in JUDGEMENT_OF) {
    const row = rows.length === 1 ? rows[0] : rows[at];
    const button = row?.querySelector(`button[data-judgement="${JUDGEMENT_OF[event.key]}"]`);
    if (button) judge(button);
    else if (document.querySelector(".judging")) say("Nothing was judged: j goes to the next version that can be.");
  }
});
