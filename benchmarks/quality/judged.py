"""Quality: every method against pairs that people have judged, and one threshold for all of them.

Question   How well does each method separate copies from other pairs, on each set of judged pairs by itself (its best
           threshold, fitted to that set), and with one threshold for all sets?
Sets       --set NAME=CORPUS,PAIRS: documents as JSON Lines (id, text; plain or gzip'd) and pairs (id, tab, id, tab,
           judgement) as `neardup evaluate` reads them; --folder NAME=DIR: one folder per pair, called A_vs_B, with
           files full-text-A, full-text-B and label (0 is no copy). Default: spamassassin.judged.tsv, if it is there.
           The folders of the figures in docs/experiments.md are those of the repository
           webis-de/ecir20-effect-of-near-duplicates-on-ir-evaluation, s3-document-pair-sample.
Counted    A method learns from all documents of a set, signs both texts of a pair and scores it. F1 of "copy".
           A mean is over sets, whatever their sizes.
Interval   95 %, by resampling the pairs of each set 1,000 times (`--seed`), at fixed thresholds.
Writes     judged.json, and the table in docs/experiments.md; with --tiny neither: the sample stream stands in.
Takes      30 minutes for all methods on the four sets.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import orjson

from benchmarks.lib import harness
from benchmarks.lib.pages import filled
from benchmarks.papers.experiments import INDEX
from neardup.baselines import registry
from neardup.evaluation.corpus import Corpus
from neardup.evaluation.truth import read_truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEPS: Final = np.arange(1, 51) / 50
"""The thresholds that are tried for all sets together."""
DRAWN: Final = 1_000
PLACE: Final = "judged-pairs"
"""Where the table is in docs/experiments.md."""
TOLD: Final = (
    "copies by kind", "doc_q(q=4)", "doc_q(q=8)", "shingling(w=4, resemblance)", "shingling(w=10, resemblance)",
    "SpotSigs(distance=1, chain=2)", "SpotSigs(program, idf=0.2..0.85)", "RETSim",
    "MinHash LSH(w=5, permutations=128)", "cosine", "I-Match(idf=0.2..0.85)",
    "simhash(k=2, lexicons=1, bits=64, idf)", "COPS", "checksum(normal form)",
)  # fmt: skip
"""The rows of that table; judged.json has all."""
EVERY: Final = [
    name
    for name in registry.METHODS
    if name != "RETSim" and not any(f"(k=2, lexicons={n}," in name for n in range(2, 10))
]
"""All methods but simhash with two to nine lexicons, which lie between those with one and ten. RETSim needs a library
that few have: `--method RETSim`."""
_TINY_METHODS: Final = ("copies by kind", "doc_q(q=4)")


@dataclass(frozen=True)
class JudgedSet:
    """Texts, the pairs of them that were judged, and which of these are copies."""

    name: str
    texts: tuple[str, ...]
    pairs: list[tuple[int, int]]
    copies: NDArray[np.bool_]


def from_files(name: str, documents: Path, judged: Path, labels: Iterable[str] = ()) -> JudgedSet:
    """The set of a file of documents and one of judged pairs."""
    data = documents.read_bytes()
    lines = (gzip.decompress(data) if documents.suffix == ".gz" else data).splitlines()
    records = [orjson.loads(line) for line in lines if line.strip()]
    corpus = Corpus(tuple(one["id"] for one in records), tuple(one["text"] for one in records))
    truth = read_truth(judged, corpus, copy_labels=labels)
    pairs = sorted(truth.copies | truth.others)
    return JudgedSet(name, corpus.texts, pairs, np.array([pair in truth.copies for pair in pairs]))


def from_folder(name: str, folder: Path) -> JudgedSet:
    """The set with one folder per pair. Bytes that are not UTF-8 become U+FFFD: such pages were judged, too."""
    texts: dict[str, int] = {}
    pairs, copies = [], []
    for pair in sorted(path for path in folder.iterdir() if "_vs_" in path.name):
        names = pair.name.split("_vs_")
        sides = [(pair / f"full-text-{one}").read_bytes().decode("utf-8", "replace") for one in names]
        pairs.append((texts.setdefault(sides[0], len(texts)), texts.setdefault(sides[1], len(texts))))
        copies.append(int((pair / "label").read_text()) > 0)
    if not pairs:
        sys.exit(f"{folder}: there is no folder A_vs_B in it")
    return JudgedSet(name, tuple(texts), pairs, np.array(copies))


def sample() -> JudgedSet:
    """The pairs of the sample stream that tell one story, and as many others."""
    stream = harness.ROOT / "examples" / "stream.jsonl"
    texts: dict[str, str] = {}
    for line in stream.read_bytes().splitlines():
        try:
            record = orjson.loads(line)
            texts[record["id"]] = record["text"]
        except (ValueError, KeyError, TypeError):
            continue  # records that are broken on purpose
    corpus = Corpus(tuple(texts), tuple(texts.values()))
    copies = sorted(read_truth(stream.with_name("truth.tsv"), corpus).copies)
    others = [(a, b + 1) for a, b in copies if b + 1 < len(texts) and (a, b + 1) not in copies]
    return JudgedSet("sample", corpus.texts, copies + others, np.arange(len(copies + others)) < len(copies))


def scored(name: str, judged: JudgedSet) -> NDArray[np.float64]:
    """The score that the method `name` gives each pair of a set."""
    method = registry.make(name)
    method.learn(judged.texts)
    signed = {doc: method.sign(judged.texts[doc]) for doc in {doc for pair in judged.pairs for doc in pair}}
    return np.array([method.score(signed[a], signed[b]) for a, b in judged.pairs])


def f1(copies: NDArray[np.bool_], called: NDArray[np.bool_]) -> float:
    """2 · right / (copies + called copies); 0 if there is neither."""
    both = np.count_nonzero(copies) + np.count_nonzero(called)
    return 2 * np.count_nonzero(copies & called) / both if both else 0.0


def best(copies: NDArray[np.bool_], scores: NDArray[np.float64]) -> tuple[float, float]:
    """(the best F1 on one set, the threshold for it)."""
    return max(
        (f1(copies, scores >= threshold), float(threshold)) for threshold in np.unique(scores[scores > 0])
    )


def figures(sets: list[JudgedSet], scores: list[NDArray[np.float64]], seed: int) -> dict[str, Any]:
    """The figures of one method in the table."""
    at_step = np.array(
        [[f1(one.copies, found >= t) for t in STEPS] for one, found in zip(sets, scores, strict=True)]
    )
    chosen = int(at_step.mean(0).argmax())
    others = [
        int(np.delete(at_step, at, 0).mean(0).argmax()) if len(sets) > 1 else chosen
        for at in range(len(sets))
    ]
    drawn = _drawn(sets, [found >= STEPS[chosen] for found in scores], seed)
    fitted = [
        best(one.copies, found) if found.any() else (0.0, 1.0)
        for one, found in zip(sets, scores, strict=True)
    ]
    return {
        "best": {one.name: value for one, (value, _) in zip(sets, fitted, strict=True)},
        "best_at": {one.name: at for one, (_, at) in zip(sets, fitted, strict=True)},
        "threshold": float(STEPS[chosen]),
        "f1": {one.name: float(value) for one, value in zip(sets, at_step[:, chosen], strict=True)},
        "mean": float(at_step[:, chosen].mean()),
        "interval": [float(np.quantile(drawn, edge)) for edge in (0.025, 0.975)],
        "threshold_of_others": float(np.mean([at_step[at, step] for at, step in enumerate(others)])),
    }


def _drawn(sets: list[JudgedSet], called: list[NDArray[np.bool_]], seed: int) -> list[float]:
    """The mean F1 of sets with resampled pairs."""
    random = np.random.default_rng(seed)
    means = []
    for _ in range(DRAWN):
        values = []
        for one, copies in zip(sets, called, strict=True):
            rows = random.integers(0, len(copies), len(copies))
            values.append(f1(one.copies[rows], copies[rows]))
        means.append(sum(values) / len(values))
    return means


def tables(rows: dict[str, dict[str, Any]]) -> dict[str, str]:
    """The table of docs/experiments.md."""
    names = list(next(iter(rows.values()))["best"])
    header = [
        "method",
        *(f"{name}, its best" for name in names),
        "one threshold",
        "mean F1 (95 %)",
        "worst",
        "of others",
    ]
    told = sorted((name for name in rows if name in TOLD), key=lambda name: -rows[name]["mean"])
    return {PLACE: harness.table(header, [
        [name, *(f"{rows[name]['best'][one]:.3f}" for one in names), f"{rows[name]['threshold']:g}",
         f"**{rows[name]['mean']:.3f}** ({rows[name]['interval'][0]:.3f} to {rows[name]['interval'][1]:.3f})",
         f"{min(rows[name]['f1'].values()):.3f}", f"{rows[name]['threshold_of_others']:.3f}"]
        for name in told
    ])}  # fmt: skip


def chosen_sets(args: argparse.Namespace) -> list[JudgedSet]:
    """The chosen sets."""
    sets = []
    for value in args.set:
        name, _, files = value.partition("=")
        documents, _, judged = files.partition(",")
        if not judged:
            sys.exit(f"--set {value}: give NAME=CORPUS,PAIRS")
        sets.append(from_files(name, Path(documents), Path(judged), args.copy_label))
    for value in args.folder:
        name, _, folder = value.partition("=")
        if not folder:
            sys.exit(f"--folder {value}: give NAME=DIR")
        sets.append(from_folder(name, Path(folder)))
    mail = args.data / "spamassassin.judged.tsv"
    if not sets and not args.tiny and mail.exists():
        sets = [from_files("mail", args.data / "spamassassin.jsonl.gz", mail)]
    return sets or [sample()]


def main(arguments: list[str] | None = None) -> None:
    """Scores every pair by every method; prints the table, writes judged.json after each method."""
    parser = harness.options(__doc__)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=CORPUS,PAIRS")
    parser.add_argument("--folder", action="append", default=[], metavar="NAME=DIR")
    parser.add_argument(
        "--copy-label", action="append", default=[], metavar="WORD", help="a judgement that means a copy"
    )
    parser.add_argument(
        "--method", nargs="+", choices=list(registry.METHODS), metavar="NAME", help="default: every one"
    )
    parser.add_argument("--seed", type=int, default=20261122)
    args = parser.parse_args(arguments)
    sets = chosen_sets(args)
    rows: dict[str, dict[str, Any]] = {}
    for name in args.method or (_TINY_METHODS if args.tiny else EVERY):
        clock = harness.Clock()
        rows[name] = figures(sets, [scored(name, one) for one in sets], args.seed)
        rows[name]["seconds"] = clock.took().cpu
        print(f"{name}: {rows[name]['mean']:.3f} at {rows[name]['threshold']:g}", file=sys.stderr, flush=True)
        pairs = {one.name: [len(one.pairs), int(one.copies.sum())] for one in sets}
        harness.save(_named(args), "judged", {"pairs": pairs, "methods": rows})
    made = tables(rows)
    print(made[PLACE])
    if not (args.tiny or args.results or args.method):
        INDEX.write_text(filled(INDEX.read_text("utf-8"), made), "utf-8")


def _named(args: argparse.Namespace) -> argparse.Namespace:
    """`args` without the paths in its strings, which describe this machine."""
    names = {key: [value.partition("=")[0] for value in getattr(args, key)] for key in ("set", "folder")}
    return argparse.Namespace(**{**vars(args), **names})


if __name__ == "__main__":
    main()
