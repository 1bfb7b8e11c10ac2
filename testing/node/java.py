"""What a test node is made of: a JDK, Maven, the distribution of Elasticsearch, our plugin."""

from __future__ import annotations

import fcntl
import functools
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PLUGIN: Final = ROOT / "plugin"
OLDEST_JAVA: Final = 21
ELASTICSEARCH: Final = "9.2.0"
ARTIFACT: Final = f"org.elasticsearch.distribution.integ-test-zip:elasticsearch:{ELASTICSEARCH}:zip"
MAVEN_SECONDS: Final = 1_800

_VERSION_RE: Final = re.compile(r'version "(\d+)')


class Missing(Exception):
    """What a node needs is not on this machine; the message says what, and where it was looked for."""


@functools.cache
def find_jdk() -> Path:
    """The home of a JDK of at least 21: JAVA_HOME, ES_JAVA_HOME, those of /usr/lib/jvm, the one of `java` on PATH."""
    found = []
    for home in _jdk_homes():
        version = _java_version(home)
        if version is not None:
            found.append(f"{home} ({version})")
        if version is not None and version >= OLDEST_JAVA and (home / "bin/javac").exists():
            return home
    seen = f"found only {', '.join(found)}" if found else "found none"
    raise Missing(
        f"no JDK {OLDEST_JAVA} or newer ({seen} by JAVA_HOME, ES_JAVA_HOME, /usr/lib/jvm and java on PATH)"
    )


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
    """What Maven, run with the JDK found, says on standard output. Raises `RuntimeError` with its words if it fails."""
    command = ["nice", find_maven(), "--batch-mode", "--quiet", "-Dstyle.color=never", *words]
    environment = os.environ | {"JAVA_HOME": str(find_jdk())}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=MAVEN_SECONDS
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def distribution() -> Path:
    """The zip of Elasticsearch in the local Maven repository, fetched once."""
    inside = f"org/elasticsearch/distribution/integ-test-zip/elasticsearch/{ELASTICSEARCH}"
    name = f"elasticsearch-{ELASTICSEARCH}.zip"
    usual = Path.home() / ".m2/repository" / inside / name
    if usual.exists():
        return usual
    try:
        maven("dependency:get", f"-Dartifact={ARTIFACT}", "-Dtransitive=false")
    except RuntimeError as error:
        raise Missing(
            f"Elasticsearch {ELASTICSEARCH} is not here and could not be fetched: {error}"
        ) from error
    if usual.exists():
        return usual
    output = maven("help:evaluate", "-Dexpression=settings.localRepository", "-DforceStdout")
    return Path(output.strip()) / inside / name


def plugin_zip() -> Path:
    """The plugin built from the sources as they are; Maven (and with it JUnit) runs only if one is newer than the zip.

    A test of JUnit's that fails keeps nobody from the plugin: `reports` tell of it; nor does a source that is not
    formatted: `check_format` does. Two runs at once wait for each other. NEARDUP_TEST_PLUGIN names a zip to take as
    it is.
    """
    given = os.environ.get("NEARDUP_TEST_PLUGIN")
    if given:
        return Path(given)
    with (PLUGIN / "pom.xml").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        zip = PLUGIN / "target" / f"neardup-{_version()}-es{ELASTICSEARCH}.zip"
        newest = _newest(plugin_sources())
        # A zip that was built without its tests (-DskipTests) is not good enough.
        made = min(_newest([zip]), _newest(reports()))
        if made < newest:
            version = f"-Delasticsearch.version={ELASTICSEARCH}"
            ignored = ("-Dmaven.test.failure.ignore=true", "-Dspotless.check.skip=true")
            maven("-f", str(PLUGIN), "package", version, *ignored)
            # The same sources give the same bytes, which Maven does not write twice.
            os.utime(zip)
        return zip


def reports() -> list[Path]:
    """What the plugin's own tests have left."""
    return sorted((PLUGIN / "target/surefire-reports").glob("TEST-*.xml"))


def check_format() -> None:
    """Raises `RuntimeError`, with the difference, if a Java source is not as the plugin's formatter writes it."""
    maven("-f", str(PLUGIN), "spotless:check")


def write_format() -> None:
    """Writes the plugin's Java sources as its formatter has them; says so where a JDK or Maven is missing."""
    try:
        maven("-f", str(PLUGIN), "spotless:apply")
    except Missing as missing:
        print(f"plugin/ is left as it is: {missing}")


def _newest(paths: Iterable[Path]) -> float:
    """When the last of `paths` was written; 0 if there is none."""
    return max((path.stat().st_mtime for path in paths if path.exists()), default=0.0)


def plugin_sources() -> Iterator[Path]:
    """Every file that the plugin, or a test of it, is made from."""
    yield PLUGIN / "pom.xml"
    for place in (PLUGIN / "src", ROOT / "src/neardup/data", ROOT / "tests/vectors"):
        yield from (path for path in place.rglob("*") if path.is_file())


def _version() -> str:
    """The version of the project, which the plugin carries too."""
    pattern = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["version"]
    match = re.search(pattern["pattern"], (ROOT / pattern["path"]).read_text())
    assert match is not None
    return str(match["version"])
