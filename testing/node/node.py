"""A real server on this machine: unpacked, with the plugin, started, killed, started again.

    python -m testing.node.node --port 9200

starts one with the plugin and keeps it until interrupted; its data are deleted with it unless --data names a directory.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import hashlib
import os
import pwd
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson
from testing.memory import MEMORY, is_roomy
from testing.node.java import SHORT_LIVED, distribution, jdk_of, plugin_zip
from testing.node.servers import Server, chosen, server_of

if TYPE_CHECKING:
    from testing.node.certificates import Certificates

START_SECONDS: Final = 180
STOP_SECONDS: Final = 30
DEFAULT_HEAP: Final = "1g"
SMALL_HEAP: Final = "512m"
QUICK: Final = f"-XX:-AlwaysPreTouch -XX:-UseG1GC {SHORT_LIVED}"
"""Options of a JVM that starts in a third less time and is slower later: for nodes that do little."""
_TOOLS: Final = {"CLI_JAVA_OPTS": SHORT_LIVED}
"""The tool that starts a node or installs a plugin is a separate JVM."""
HOST: Final = "127.0.0.1"

_GUARD: Final = """
import os, shutil, signal, sys
sys.stdin.read()
try: os.killpg(int(sys.argv[1]), signal.SIGKILL)
except ProcessLookupError: pass
"""
"""Waits for the end of its standard input, which comes when the process that holds it ends in any way; then kills."""


def unprivileged() -> str | None:
    """The user to run a node as, because Elasticsearch refuses to run as root. None for the current user."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("nobody").pw_name
    except KeyError:
        return pwd.getpwuid(65_534).pw_name


def own(tree: Path, user: str | None) -> None:
    """Make `user` the owner of `tree`."""
    if user is None:
        return
    ids = pwd.getpwnam(user)
    for path in (tree, *tree.rglob("*")):
        os.chown(path, ids.pw_uid, ids.pw_gid, follow_symlinks=False)


_given: set[int] = set()
"""Ports that this process has given out: a node listens on its port only once it has started."""


def free_port() -> int:
    """A port that nobody listens on now, and that this process has not given out before."""
    while True:
        with socket.socket() as taken:
            taken.bind((HOST, 0))
            port = int(taken.getsockname()[1])
        if port not in _given:
            _given.add(port)
            return port


@dataclass(frozen=True)
class Distribution:
    """An unpacked server in `home`; several nodes may run from it."""

    server: Server
    home: Path
    plugins: tuple[Path, ...]

    @classmethod
    def unpack(cls, server: Server, place: Path, plugins: Sequence[Path] = ()) -> Distribution:
        """A server under `place`, with `plugins` (zips) installed by its own tool."""
        with zipfile.ZipFile(distribution(server)) as archive:
            archive.extractall(place)
            for info in archive.infolist():
                mode = info.external_attr >> 16
                if mode and not info.is_dir():
                    (place / info.filename).chmod(mode & 0o777)
            home = place / archive.namelist()[0].split("/", maxsplit=1)[0]
        for plugin in plugins:
            command = [
                str(home / f"bin/{server.product}-plugin"),
                "install",
                "--batch",
                plugin.resolve().as_uri(),
            ]
            environment = os.environ | _TOOLS | {f"{server.variables}_JAVA_HOME": str(jdk_of(server))}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(f"{server.product}-plugin failed:\n{done.stdout}{done.stderr}")
        return cls(server, home, tuple(plugins))


@dataclass(frozen=True)
class User:
    """A user of the file realm."""

    name: str
    password: str
    roles: tuple[str, ...] = ()

    @property
    def hashed(self) -> str:
        """The line that `elasticsearch-users useradd` would write, made here to avoid a JVM for every user."""
        salt = secrets.token_bytes(32)
        key = hashlib.pbkdf2_hmac("sha512", self.password.encode(), salt, 10_000, 32)
        return (
            f"{self.name}:{{PBKDF2}}10000${base64.b64encode(salt).decode()}${base64.b64encode(key).decode()}"
        )


SUPERUSER: Final = User("admin", secrets.token_urlsafe(16), ("superuser",))


@dataclass(frozen=True)
class Security:
    """Security and TLS of a node: its certificates, roles (as the body of the role API), users."""

    certificates: Certificates
    roles: Mapping[str, Any] = field(default_factory=dict)
    users: tuple[User, ...] = ()


@dataclass
class Node:
    """One node of `distribution`, with configuration, data and logs under `place`.

    `settings` are written into the server's file of settings, `java` are further options of the JVM. Ports are chosen
    once, so that a killed node comes back at the same address.
    """

    distribution: Distribution
    place: Path
    port: int = field(default_factory=free_port)
    transport_port: int = field(default_factory=free_port)
    name: str = "node-1"
    cluster_name: str = field(default_factory=lambda: f"neardup-{secrets.token_hex(4)}")
    heap: str = DEFAULT_HEAP
    java: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    security: Security | None = None
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _guard: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        """Scheme, host and port."""
        return f"{'https' if self.security else 'http'}://{HOST}:{self.port}"

    @property
    def log(self) -> Path:
        """What the node reports about itself."""
        return self.place / "logs" / f"{self.cluster_name}.log"

    def start(self, *, wait: bool = True) -> Node:
        """Start the node, the first time or again; returns when its cluster answers, or at once without `wait`."""
        assert self._process is None, "the node runs already"
        config = self.place / "config"
        if not config.exists():
            self._configure(config)
        user = unprivileged()
        own(self.place, user)
        server = self.distribution.server
        environment = {
            **_TOOLS,
            "PATH": os.environ["PATH"],
            f"{server.variables}_JAVA_HOME": str(jdk_of(server)),
            f"{server.variables}_JAVA_OPTS": f"-Xms{self.heap} -Xmx{self.heap} {self.java}",
            f"{server.variables}_PATH_CONF": str(config),
            f"{server.variables}_TMPDIR": str(self.place / "tmp"),
            "HOME": str(self.place),
        }
        as_user: dict[str, Any] = (
            {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []} if user else {}
        )
        with (self.place / "console.log").open("ab") as console:
            self._process = subprocess.Popen(
                [self.distribution.home / "bin" / server.product],
                env=environment,
                cwd=self.place,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **as_user,
            )
        guard = [sys.executable, "-c", _GUARD, str(self._process.pid)]
        self._guard = subprocess.Popen(guard, stdin=subprocess.PIPE, start_new_session=True)
        if wait:
            self.wait()
        return self

    def wait(self) -> None:
        """Return when the cluster answers. Raises `RuntimeError` with the last lines of the log if the node does not
        answer, or if another node has its port: requests for this node would reach that one.
        """
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            assert self._process is not None
            if self._process.poll() is not None:
                break
            with contextlib.suppress(OSError, ValueError):
                health = self.get("/_cluster/health?wait_for_status=yellow&timeout=5s")
                if (other := health["cluster_name"]) != self.cluster_name:
                    self.kill()
                    raise RuntimeError(
                        f"{self.url} is answered by another cluster, {other}: choose another port"
                    )
                if health["timed_out"] is False:
                    return
            time.sleep(0.2)
        self.kill()
        raise RuntimeError(f"the node did not start:\n{self.last_words()}")

    def give(self, name: str, content: bytes) -> None:
        """Put a file into the node's directory of configuration."""
        file = self.place / "config" / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
        own(file.parent, unprivileged())

    def become(self, distribution: Distribution) -> None:
        """Use another distribution at the next start, over the same data."""
        assert self._process is None, "the node runs"
        self.distribution = distribution
        shutil.rmtree(self.place / "config")

    def stop(self) -> None:
        """Shut the node down properly."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the node at once, as a power cut would."""
        self._end(signal.SIGKILL)

    @property
    def running(self) -> bool:
        """Whether the node has been started and not ended."""
        return self._process is not None

    def get(self, path: str) -> Any:
        """The parsed answer to a GET, made without the client under test."""
        request = urllib.request.Request(self.url + path)
        context = None
        if self.security:
            token = base64.b64encode(f"{SUPERUSER.name}:{SUPERUSER.password}".encode()).decode()
            request.add_header("Authorization", f"Basic {token}")
            context = ssl.create_default_context(cafile=str(self.security.certificates.authority))
        with urllib.request.urlopen(request, timeout=10, context=context) as answer:
            return orjson.loads(answer.read())

    def last_words(self) -> str:
        """The end of the console's log."""
        console = self.place / "console.log"
        return "\n".join(console.read_text("utf-8", "replace").splitlines()[-40:]) if console.exists() else ""

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        group = self._process.pid
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, how)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
            self._process.wait()
        self._process = None
        _wait_for_group(group)
        if self._guard is not None:
            self._guard.communicate()
            self._guard = None

    def _configure(self, config: Path) -> None:
        """Configuration of a single node, unless `settings` say otherwise."""
        shutil.copytree(self.distribution.home / "config", config)
        for name in ("data", "logs", "tmp"):
            (self.place / name).mkdir(parents=True, exist_ok=True)
        settings: dict[str, Any] = {
            "cluster.name": self.cluster_name,
            "node.name": self.name,
            "path.data": str(self.place / "data"),
            "path.logs": str(self.place / "logs"),
            "network.host": HOST,
            "http.port": self.port,
            "transport.port": self.transport_port,
            "discovery.type": "single-node",
            # The disk of a test machine is often nearly full, which would make indices read-only.
            "cluster.routing.allocation.disk.threshold_enabled": False,
            **self.settings,
        }
        if self.distribution.server.product == "elasticsearch":
            settings["xpack.security.enabled"] = self.security is not None
        if self.security:
            settings |= self._secure(config, self.security)
        # JSON is YAML; null removes a setting.
        lines = [
            f"{key}: {orjson.dumps(value).decode()}" for key, value in settings.items() if value is not None
        ]
        (config / f"{self.distribution.server.product}.yml").write_text("\n".join(lines) + "\n")

    def _secure(self, config: Path, security: Security) -> dict[str, Any]:
        users = (SUPERUSER, *security.users)
        roles = [f"{name}: {orjson.dumps(role).decode()}" for name, role in security.roles.items()]
        (config / "roles.yml").write_text("".join(line + "\n" for line in roles))
        (config / "users").write_text("".join(user.hashed + "\n" for user in users))
        names = {role for user in users for role in user.roles}
        members = {role: ",".join(user.name for user in users if role in user.roles) for role in names}
        (config / "users_roles").write_text("".join(f"{role}:{who}\n" for role, who in members.items()))
        _, certificate, key = security.certificates
        for source in (certificate, key):
            shutil.copy(source, config / source.name)
        return {
            "xpack.security.http.ssl.enabled": True,
            "xpack.security.http.ssl.certificate": certificate.name,
            "xpack.security.http.ssl.key": key.name,
            "xpack.security.autoconfiguration.enabled": False,
        }


def joined(distribution: Distribution, place: Path, count: int, **settings: Any) -> list[Node]:
    """Small nodes of one cluster, not started yet; start all with `wait=False`, then wait for each."""
    ports = [free_port() for _ in range(count)]
    names = [f"node-{number}" for number in range(1, count + 1)]
    cluster = f"neardup-{secrets.token_hex(4)}"
    joint = {
        "discovery.type": None,
        "discovery.seed_hosts": [f"{HOST}:{port}" for port in ports],
        f"cluster.initial_{distribution.server.managers}_nodes": names,
        **settings,
    }
    return [
        Node(
            distribution,
            place / name,
            transport_port=port,
            name=name,
            cluster_name=cluster,
            heap=SMALL_HEAP,
            java=QUICK,
            settings=joint,
        )
        for name, port in zip(names, ports, strict=True)
    ]


def _wait_for_group(group: int) -> None:
    """Return when no process of the group is running: the launcher ends before the server that it started."""
    end = time.monotonic() + STOP_SECONDS
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


class Workshop:
    """A separate directory for the nodes of one run, all of one `server`; closing it ends every node that it made.

    `tested`: whether the plugin must have passed its own tests. `in_memory` keeps the nodes' data in a memory file
    system, if there is one with room: each of their writes is an `fsync`, which takes milliseconds on a disk. A killed
    node finds its data again; a benchmark must not use this.
    """

    def __init__(self, server: Server | None = None, *, in_memory: bool = False, tested: bool = True) -> None:
        self.server, self.tested = server or chosen(), tested
        self.place = Path(tempfile.mkdtemp(prefix="neardup-node-"))
        own(self.place, unprivileged())
        self._memory: Path | None = None
        if in_memory and is_roomy():
            self._memory = Path(tempfile.mkdtemp(prefix="neardup-node-", dir=MEMORY))
            own(self._memory, unprivileged())
        self.nodes: list[Node] = []
        self._distributions: dict[bool, Distribution] = {}

    def distribution(self, *, plugin: bool = True) -> Distribution:
        """The server unpacked, with or without the plugin; each once."""
        if plugin not in self._distributions:
            place = self.place / ("with-plugin" if plugin else "bare")
            self._distributions[plugin] = Distribution.unpack(
                self.server, place, [plugin_zip(self.server, tested=self.tested)] if plugin else []
            )
            own(place, unprivileged())
        return self._distributions[plugin]

    def node(self, name: str, *, plugin: bool = True, **options: Any) -> Node:
        """A node with a directory `name`, not started yet."""
        node = Node(self.distribution(plugin=plugin), self.place / name, **options)
        self._add(node)
        return node

    def small(self, name: str, **options: Any) -> Node:
        """The same, for a node that starts fast and does little."""
        return self.node(name, heap=SMALL_HEAP, java=QUICK, **options)

    def joined(self, name: str, count: int, **settings: Any) -> list[Node]:
        """Nodes of one cluster, not started yet."""
        nodes = joined(self.distribution(), self.place / name, count, **settings)
        for node in nodes:
            self._add(node)
        return nodes

    def _add(self, node: Node) -> None:
        self.nodes.append(node)
        if self._memory is not None:
            data = self._memory / node.place.relative_to(self.place)
            data.mkdir(parents=True)
            own(data, unprivileged())  # only this: files of running nodes appear and disappear
            node.settings = {**node.settings, "path.data": str(data)}

    def close(self, *, keep_logs: bool = False) -> Path | None:
        """End every node and remove what they wrote, except logs that are to be kept; returns where these are."""
        for node in self.nodes:
            node.stop()
        if self._memory is not None:
            shutil.rmtree(self._memory)
        if not keep_logs:
            shutil.rmtree(self.place)
            return None
        for node in self.nodes:
            for name in ("data", "tmp"):
                shutil.rmtree(node.place / name, ignore_errors=True)
        for unpacked in self._distributions.values():
            shutil.rmtree(unpacked.home.parent)
        return self.place


def main() -> None:
    """Start a node, say where, and keep it until interrupted."""
    parser = argparse.ArgumentParser(description="Start a server with the neardup plugin, until interrupted.")
    parser.add_argument("--server", type=server_of, default=chosen(), help="such as 9.5.3")
    parser.add_argument("--port", type=int, default=9200)
    parser.add_argument("--heap", default=DEFAULT_HEAP, help="such as 4g")
    parser.add_argument(
        "--data", type=Path, help="directory to keep the node's data in; default: none is kept"
    )
    parser.add_argument("--no-plugin", action="store_true")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="line of elasticsearch.yml"
    )
    options = parser.parse_args()
    settings: dict[str, Any] = dict(line.split("=", maxsplit=1) for line in options.set)
    if options.data:
        options.data.mkdir(parents=True, exist_ok=True)
        own(options.data, unprivileged())
        settings["path.data"] = str(options.data.resolve())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    workshop = Workshop(options.server)
    try:
        node = workshop.node(
            "node", plugin=not options.no_plugin, port=options.port, heap=options.heap, settings=settings
        )
        node.start()
        print(f"{node.url} (log: {node.log}; no page at /, try {node.url}/_cat/plugins)", flush=True)
        signal.pause()
    except KeyboardInterrupt:
        pass
    finally:
        workshop.close()


if __name__ == "__main__":
    main()
