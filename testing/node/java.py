"""The parts of a test node: a JDK, Maven, the distribution of a server, our plugin.

    python -m testing.node.java 9.5.3

builds the plugin for a version in `plugin/versions.tsv`, and says where it is.
"""

from __future__ import annotations

import argparse
import fcntl
import functools
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from testing.node.servers import DEFAULT, PLUGIN, ROOT, Server, chosen, server_of

OLDEST_JAVA: Final = 21
NEWEST_JAVA: Final = 1_000
"""None is too new."""
LAST_WITH_SECURITY_MANAGER: Final = 23
"""OpenSearch 2 starts on no newer one."""
USUAL_REPOSITORY: Final = Path.home() / ".m2/repository"
MAVEN_SECONDS: Final = 1_800
SHORT_LIVED: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of a JVM too short-lived for optimising compilation to pay: Maven takes half the processor time."""

_COLOUR_RE: Final = re.compile(r"\x1b\[[\d;]*m")
"""Some versions of Maven reset the colour even if the output is not a terminal."""
_VERSION_RE: Final = re.compile(r'version "(\d+)')


class Missing(Exception):
    """Something that a node needs is not on this machine; the message says what, and where it was looked for."""


@functools.cache
def find_jdk(oldest: int = OLDEST_JAVA, newest: int = NEWEST_JAVA) -> Path:
    """The home of a JDK of these versions: from JAVA_HOME, ES_JAVA_HOME, /usr/lib/jvm, or that of `java` on PATH."""
    found = []
    for home in _jdk_homes():
        version = _java_version(home)
        if version is not None:
            found.append(f"{home} ({version})")
        if version is not None and oldest <= version <= newest and (home / "bin/javac").exists():
            return home
    seen = f"found only {', '.join(found)}" if found else "found none"
    wanted = f"JDK {oldest} or newer" if newest == NEWEST_JAVA else f"JDK from {oldest} to {newest}"
    raise Missing(f"no {wanted} ({seen} by JAVA_HOME, ES_JAVA_HOME, /usr/lib/jvm and java on PATH)")


def jdk_of(server: Server) -> Path:
    """The home of a JDK that a server runs on."""
    if server.product == "opensearch" and server.version.startswith("2."):
        return find_jdk(17, LAST_WITH_SECURITY_MANAGER)
    return find_jdk()


def _jdk_homes() -> Iterator[Path]:
    yield from (Path(os.environ[name]) for name in ("JAVA_HOME", "ES_JAVA_HOME") if os.environ.get(name))
    yield from sorted(Path("/usr/lib/jvm").glob("*"))
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path).resolve().parents[1]


def _java_version(home: Path) -> int | None:
    java = home / "bin/java"
    if not os.access(java, os.X_OK):
        return None
    output = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    match = _VERSION_RE.search(output)
    return int(match[1]) if match else None


def find_maven() -> str:
    """The path of `mvn`."""
    maven = shutil.which("mvn")
    if maven is None:
        raise Missing("no Maven (no mvn on PATH)")
    return maven


def maven(*words: str) -> str:
    """The standard output of Maven, run with the JDK found. Raises `RuntimeError` with its output if it fails."""
    command = ["nice", find_maven(), "--batch-mode", "--quiet", "-Dstyle.color=never", *words]
    options = f"{SHORT_LIVED} {os.environ.get('MAVEN_OPTS', '')}"
    environment = os.environ | {"JAVA_HOME": str(find_jdk()), "MAVEN_OPTS": options}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=MAVEN_SECONDS
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return _COLOUR_RE.sub("", done.stdout)


def distribution(server: Server) -> Path:
    """The zip of a server in the local Maven repository, fetched once."""
    group, name = f"org.{server.product}.distribution.integ-test-zip", server.product
    inside = f"{group.replace('.', '/')}/{name}/{server.version}"
    zip = f"{name}-{server.version}.zip"
    usual = USUAL_REPOSITORY / inside / zip
    if usual.exists():
        return usual
    artifact = f"{group}:{name}:{server.version}:zip"
    try:
        maven("dependency:get", f"-Dartifact={artifact}", "-Dtransitive=false")
    except RuntimeError as error:
        raise Missing(f"{server} is not here and could not be fetched: {error}") from error
    return usual if usual.exists() else local_repository() / inside / zip


def local_repository() -> Path:
    """The directory of what Maven has downloaded."""
    return Path(maven("help:evaluate", "-Dexpression=settings.localRepository", "-DforceStdout").strip())


def plugin_zip(server: Server, *, tested: bool = True) -> Path:
    """The plugin for a server, built from the current sources; Maven (with JUnit) runs only if a source is newer.

    A failing JUnit test does not prevent the build (`reports` has the result), nor does an unformatted source
    (`check_format` finds it). If the plugin need not be `tested`, its tests are not even compiled. Two simultaneous
    runs wait for each other. NEARDUP_TEST_PLUGIN names a zip to use as it is, for the server of the run.
    """
    given = os.environ.get("NEARDUP_TEST_PLUGIN")
    if given and server == chosen():
        return Path(given)
    with (PLUGIN / "pom.xml").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        zip = PLUGIN / "target" / server.zip_name(_version())
        newest = _newest(plugin_sources())
        # A zip that was built without running its tests is not accepted.
        made = min(_newest([zip]), _newest(reports(server))) if tested else _newest([zip])
        if made < newest:
            ignored = (
                "-Dmaven.test.failure.ignore=true" if tested else "-Dmaven.test.skip=true",
                "-Dspotless.check.skip=true",
            )
            maven("-f", str(PLUGIN), "package", *server.options(), *ignored)
            # The same sources give the same bytes; Maven does not write the file again.
            os.utime(zip)
        return zip


def reports(server: Server) -> list[Path]:
    """The reports of the plugin's own tests."""
    return sorted((PLUGIN / "target" / server.path / "surefire-reports").glob("TEST-*.xml"))


def check_format() -> None:
    """Raises `RuntimeError`, with the difference, if a Java source is not as the plugin's formatter writes it."""
    maven("-f", str(PLUGIN), "spotless:check")


def write_format() -> None:
    """Formats the plugin's Java sources; says so if a JDK or Maven is missing."""
    try:
        maven("-f", str(PLUGIN), "spotless:apply")
    except Missing as missing:
        print(f"plugin/ is left as it is: {missing}")


def _newest(paths: Iterable[Path]) -> float:
    """When the newest of `paths` was written; 0 if there is none."""
    return max((path.stat().st_mtime for path in paths if path.exists()), default=0.0)


def plugin_sources() -> Iterator[Path]:
    """Every file from which the plugin or one of its tests is built."""
    yield from (PLUGIN / "pom.xml", PLUGIN / "options")
    for place in (PLUGIN / "src", ROOT / "src/neardup/data", ROOT / "tests/vectors"):
        yield from (path for path in place.rglob("*") if path.is_file())


def _version() -> str:
    """The version of the project, which the plugin carries too."""
    pattern = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["version"]
    match = re.search(pattern["pattern"], (ROOT / pattern["path"]).read_text())
    assert match is not None
    return str(match["version"])


def main() -> None:
    """Build the plugin for a server, with tests and the check of the format, as Maven does."""
    parser = argparse.ArgumentParser(description="builds the plugin, and says where it is")
    parser.add_argument("server", nargs="?", help="9.5.3, opensearch-3.6.0: one of plugin/versions.tsv")
    name = parser.parse_args().server
    server = server_of(name) if name else DEFAULT
    try:
        options = server.options()
    except ValueError as error:
        sys.exit(str(error))
    maven("-f", str(PLUGIN), "package", *options)
    print(PLUGIN / "target" / server.zip_name(_version()))


if __name__ == "__main__":
    main()
