"""Finds versions of Elasticsearch and OpenSearch that plugin/versions.tsv does not have, and which of them build.

    make find-versions               asks Maven, and tries each with the layers of every row of its product
    python -m scripts.find_versions --list                                            only says which they are

Only the newest version of each line (9.5, 9.6) is examined, and only if it is newer than the oldest of the list.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from testing.node.java import local_repository, maven
from testing.node.servers import PLUGIN, SERVERS, Server

FINAL: Final = re.compile(r"<version>(\d+\.\d+\.\d+)</version>")
POM: Final = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>none</groupId><artifactId>none</artifactId><version>1</version>
<packaging>pom</packaging>
<dependencies><dependency><groupId>org.{product}</groupId><artifactId>{product}</artifactId>
<version>(0,0.0.0.1)</version></dependency></dependencies></project>
"""
"""A range that contains no version: Maven has to ask which versions there are, and keeps the answer."""


def published(product: str) -> list[str]:
    """All final versions that Maven knows; asks again each time."""
    with tempfile.TemporaryDirectory() as place:
        pom = Path(place) / "pom.xml"
        pom.write_text(POM.format(product=product))
        try:
            maven("--update-snapshots", "-f", str(pom), "dependency:resolve")
        except RuntimeError as error:
            if "within specified range" not in str(error):
                raise
    answers = (local_repository() / "org" / product / product).glob("maven-metadata-*.xml")
    return sorted(
        {version for answer in answers for version in FINAL.findall(answer.read_text())}, key=number
    )


def number(version: str) -> tuple[int, ...]:
    """The sort key of versions."""
    return tuple(map(int, version.split(".")))


def new_of(product: str) -> Iterator[str]:
    """The newest version of every line that is newer than the oldest of the list, if the list does not have it."""
    listed = {server.version for server in SERVERS if server.product == product}
    oldest = min(map(number, listed))
    newest = {number(version)[:2]: version for version in published(product) if number(version) > oldest}
    yield from (version for version in newest.values() if version not in listed)


def first_fault(words: str) -> str:
    """The compiler's first error, with the name that it misses; otherwise the first error of Maven."""
    lines = words.splitlines()
    said = [line for line in lines if line.startswith("[ERROR] /")]
    missed = [" ".join(line.removeprefix("[ERROR]").split()) for line in lines if "symbol: " in line]
    if said and said[0].endswith("cannot find symbol") and missed:
        return f"{said[0]} ({missed[0]})"
    return said[0] if said else lines[1]


def try_to_build(server: Server) -> str:
    """The row of the list as which it builds, with its tests compiled; otherwise the first compiler error for each."""
    faults = []
    for row in (row for row in SERVERS if row.product == server.product):
        options = [option for option in row.options() if not option.startswith("-Dserver.version=")]
        try:
            maven("-f", str(PLUGIN), "test-compile", f"-Dserver.version={server.version}", *options)
        except RuntimeError as error:
            faults.append(f"as {row.version}: {first_fault(str(error))}")
        else:
            return f"builds as {row.version}"
    return "does not build\n" + "\n".join(f"    {fault}" for fault in faults)


def main() -> None:
    """Print the new versions, and which of them build."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--list", action="store_true", help="build nothing")
    only_list = parser.parse_args().list
    for product in dict.fromkeys(server.product for server in SERVERS):
        for version in new_of(product):
            server = Server(product, version)
            print(f"{server}: new" if only_list else f"{server}: {try_to_build(server)}", flush=True)


if __name__ == "__main__":
    main()
