"""Every kind of text on which a way to find candidates may be weak, seeded, with its pairs by brute force.

    python -m benchmarks.lib.kinds OUTDIR

writes for each kind OUTDIR/<kind>.jsonl (id, text) and OUTDIR/<kind>.pairs.tsv: i, j, doc_q of every pair of positions
i < j with doc_q >= 0.5. `day` draws other documents of the same kind: other bases, the same templates.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from benchmarks.lib import bruteforce, engine, harness, kind_forms
from benchmarks.lib import kind_edits as edit
from benchmarks.lib import kind_mixed as mixed
from benchmarks.lib import kind_short as short
from benchmarks.lib import kind_templates as templates
from benchmarks.lib.corpora import Corpus
from benchmarks.lib.kind_source import Library, Source

SEED: Final = 20_261_122
DOCUMENTS: Final = 500
LOWEST: Final = "0.5"


class Kind(NamedTuple):
    """How documents of a kind are made, and how many there are per requested document."""

    make: Callable[[Source, int], list[str]]
    times: float = 1


_SHORT_PROSE: Final = (250, 500)
_FORMS: Final = {
    "source files of one licence": kind_forms.LICENCE,
    "stock reports": kind_forms.STOCKS,
    "job adverts": kind_forms.ADVERT,
    "mails with a disclaimer": kind_forms.DISCLAIMER,
    "weather reports": kind_forms.WEATHER,
    "village stubs": kind_forms.STUB,
}
_WHOLE: Final[dict[str, Kind]] = {
    "titles": Kind(short.edited(short.ANY, 15, 45)),
    "5 to 20 characters": Kind(short.edited(short.ANY, 5, 20)),
    "tweets": Kind(short.edited(short.ANY, 100, 280)),
    "70 to 108 characters": Kind(short.edited(short.ANY, 70, 108)),
    "mail subjects": Kind(short.subjects),
    "heads of mails": Kind(short.mail_heads, times=6),
    "messages and codes": Kind(templates.messages),
    "DNA": Kind(short.tiny_alphabet("ACGT", 220, 500)),
    "tables of numbers": Kind(mixed.edited(mixed.ITEMS["table"], mixed.MANY_WAYS, (700, 1_800))),
    "stack traces": Kind(templates.traces),
    "JSON records": Kind(templates.records),
    **{name: Kind(templates.forms(template)) for name, template in _FORMS.items()},
    "legal notices": Kind(templates.notices),
    "forms among prose": Kind(templates.among_prose, times=4),
}
_EDITED: Final[dict[str, Kind]] = {
    "words edited": Kind(mixed.edited(mixed.prose, mixed.WORDS, (600, 2_000))),
    "prose cut": Kind(mixed.edited(mixed.prose, edit.cut, (600, 2_000))),
    "English appended": Kind(mixed.edited(mixed.prose, edit.put_behind, (600, 2_000))),
    "Russian appended": Kind(mixed.edited(mixed.prose, edit.put_behind, (600, 2_000), mixed.page("ru"))),
    "base64 appended": Kind(mixed.edited(mixed.prose, edit.put_behind, (600, 2_000), mixed.in_base64)),
    "hex appended": Kind(mixed.edited(mixed.prose, edit.put_behind, (1_200, 2_800), mixed.ITEMS["hex"])),
    "names appended": Kind(mixed.edited(mixed.prose, edit.put_behind, (1_200, 2_800), mixed.ITEMS["names"])),
    "look-alike letters": Kind(mixed.edited(mixed.prose, edit.look_alikes, (600, 2_000))),
    "scan errors": Kind(mixed.edited(mixed.prose, edit.scan_errors, (1_100, 2_600))),
    "all names changed": Kind(mixed.edited(mixed.prose, mixed.names_changed, (1_100, 2_600))),
    "long texts": Kind(mixed.edited(mixed.prose, mixed.MANY_WAYS, (30_000, 62_000))),
    "very long texts": Kind(mixed.edited(mixed.prose, mixed.MANY_WAYS, (100_000, 200_000)), times=0.15),
    "prose padded": Kind(mixed.edited(mixed.prose, mixed.padded, (100, 2_000))),
    "one footer, 30 %": Kind(mixed.one_footer(0.3), times=4),
    "one footer, 50 %": Kind(mixed.one_footer(0.5), times=2),
    "one footer, 65 %": Kind(mixed.one_footer(0.65), times=2),
    "letters changed evenly": Kind(
        mixed.edited(
            mixed.prose,
            edit.chain(
                edit.replaced_evenly, edit.dropped_evenly, edit.inserted_evenly, edit.exchanged_evenly
            ),
            (300, 4_000),
        )
    ),
    "case changed": Kind(mixed.edited(mixed.prose, edit.case_changed, (600, 2_000))),
    **{
        f"accents dropped {code}": Kind(mixed.edited(mixed.page(code), mixed.accents_dropped, (600, 2_000)))
        for code in ("fr", "cs")
    },
    "Korean with an English tail": Kind(mixed.tailed(mixed.words("ko"), mixed.prose)),
    **{
        f"script {name}": Kind(mixed.edited(mixed.words(code), mixed.MANY_WAYS, (250, 900)))
        for name, code in mixed.SCRIPTS.items()
    },
    **{
        f"man pages {code}": Kind(mixed.pages_cut(code))
        for code in ("ru", "fr", "pl", "zh", "ja", "de", "en")
    },
}
_MIXED: Final[dict[str, Kind]] = {
    **{
        f"prose with {name}": Kind(mixed.quarter(mixed.page(code), 0.2, 0.33))
        for name, code in {
            "Chinese": "zh", "Japanese": "ja", "Czech": "cs", "Ukrainian": "uk", "Russian": "ru", "French": "fr",
            "German": "de", "Polish": "pl", "a man page": "en",
        }.items()
    },
    "prose with Chinese, short": Kind(mixed.quarter(mixed.page("zh"), 0.2, 0.33, _SHORT_PROSE)),
    "prose with Japanese, short": Kind(mixed.quarter(mixed.page("ja"), 0.2, 0.33, _SHORT_PROSE)),
    "prose with Korean": Kind(mixed.quarter(mixed.words("ko"), 0.2, 0.33)),
    "prose with options": Kind(mixed.quarter(mixed.options, 0.2, 0.33)),
    "prose with a table of numbers": Kind(mixed.quarter(mixed.ITEMS["table"], 0.12, 0.3)),
    "prose with digits": Kind(mixed.quarter(mixed.ITEMS["digits"], 0.15, 0.3)),
    "prose with digits, short": Kind(mixed.quarter(mixed.ITEMS["digits"], 0.15, 0.3, _SHORT_PROSE)),
    "prose with many digits": Kind(mixed.quarter(mixed.ITEMS["digits"], 0.2, 0.33)),
    "prose with names": Kind(mixed.quarter(mixed.ITEMS["names"], 0.15, 0.31)),
    "prose with hex": Kind(mixed.quarter(mixed.ITEMS["hex"], 0.2, 0.33)),
    "prose with base64": Kind(mixed.quarter(mixed.ITEMS["base64"], 0.2, 0.33)),
}  # fmt: skip
_SHORT: Final[dict[str, Kind]] = {
    **{f"short, {name}": Kind(short.edited(change)) for name, change in short.EDITS.items()},
    **{
        f"short, one letter {how} at every place": Kind(short.at_every_place(how))
        for how in ("replaced", "dropped", "inserted")
    },
    "short, 1 to 4 characters": Kind(short.tiny),
    "short, 4 to 12 characters": Kind(short.edited(short.ANY, 4, 12)),
    "short, 12 to 40 characters": Kind(short.edited(short.ANY, 12, 40)),
    "short, 40 to 60 characters": Kind(short.edited(short.ANY, 40, 60)),
    "short, 100 to 200 characters": Kind(short.edited(short.ANY, 100, 200)),
    "short, 200 to 400 characters": Kind(short.edited(short.ANY, 200, 400)),
    "all lengths together": Kind(short.edited(short.ANY, 4, 6_000), times=4),
    "short, said again and again": Kind(short.repeated),
}
_ORDER: Final[dict[str, Kind]] = {
    **{name: Kind(make) for name, make in short.LISTS.items()},
    "consecutive numbers": Kind(short.counting),
    **{f"vocabulary of {size} words": Kind(short.few_words(size)) for size in (6, 12, 30)},
    "alphabet of digits": Kind(short.tiny_alphabet("0123456789", 8, 1_500)),
    "alphabet of four, long": Kind(short.tiny_alphabet("ACGT", 500, 6_000)),
    "alphabet of four, short": Kind(short.tiny_alphabet("ACGT", 8, 200)),
    "alphabet of two": Kind(short.tiny_alphabet("01", 8, 400)),
    "alphabet of hex": Kind(short.tiny_alphabet("0123456789abcdef", 16, 1_000)),
    "alphabet of twenty": Kind(short.tiny_alphabet("ACDEFGHIKLMNPQRSTVWY", 30, 1_500)),
}
_TEMPLATES: Final[dict[str, Kind]] = {
    f"template {shape} {percent} %": Kind(templates.family(shape, percent))
    for shape in templates.SHAPES
    for percent in templates.SHARES
}
_CROWDS: Final[dict[str, Kind]] = {
    f"template {shape} 50 %, a crowd": Kind(templates.family(shape, 50), times=6)
    for shape in ("short fields", "labels and values")
}
KINDS: Final[dict[str, Kind]] = _WHOLE | _EDITED | _MIXED | _SHORT | _ORDER | _TEMPLATES | _CROWDS


def corpus(library: Library, name: str, count: int = DOCUMENTS, *, seed: int = SEED, day: int = 0) -> Corpus:
    """`count` documents of the kind `name` (times the factor of the kind), the same for the same seed and day."""
    kind = KINDS[name]
    texts = kind.make(Source(library, name, seed, day), round(count * kind.times))
    return Corpus(name, [f"{file_name(name)}-{place}" for place in range(len(texts))], texts)


def file_name(name: str) -> str:
    """The name of a kind as a file name.

    >>> file_name("template labels and values 5 %")
    'template-labels-and-values-5'
    """
    return re.sub(r"\W+", "-", name).strip("-").lower()


def export(library: Library, out: Path, names: list[str], count: int) -> Iterator[str]:
    """Writes documents and pairs of each kind; yields a line about each when it is done."""
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        made = corpus(library, name, count)
        engine.write_jsonl(out / f"{file_name(name)}.jsonl", made)
        sets = bruteforce.gram_sets(made.texts)
        pairs = bruteforce.all_pairs(sets, LOWEST)
        rows = (f"{i}\t{j}\t{shared / largest!r}\n" for (i, j), (shared, largest) in sorted(pairs.items()))
        (out / f"{file_name(name)}.pairs.tsv").write_text("".join(rows), encoding="utf-8")
        scores = np.array([shared / largest for shared, largest in pairs.values()])
        median = int(np.median(np.diff(sets.starts)))
        yield (
            f"{name}\t{len(made)} documents\tmedian {median} q-grams\t{int((scores >= 0.7).sum())} pairs at 0.7, "
            f"{int(((scores >= 0.7) & (scores < 0.75)).sum())} of them below 0.75, {len(scores)} at {LOWEST}"
        )


def main(arguments: list[str] | None = None) -> None:
    """Writes every kind, or the chosen ones, into a directory."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("out", type=Path, help="the directory to write into")
    parser.add_argument("--data", type=Path, default=harness.DATA, help="directory of the corpora")
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=list(KINDS), metavar="KIND")
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help=f"a kind (default: {DOCUMENTS})")
    parser.add_argument("--tiny", action="store_true", help="made-up words only; no corpus needed")
    args = parser.parse_args(arguments)
    for line in export(Library(args.data, tiny=args.tiny), args.out, args.kinds, args.documents):
        print(line, flush=True)


if __name__ == "__main__":
    main()
