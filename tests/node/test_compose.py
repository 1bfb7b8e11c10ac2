"""docker-compose.yml and the images it is made of: checked as files, and run where a container engine answers."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import socket
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib import import_module
from typing import Any

import pytest
import yaml
from testing.node.servers import DEFAULT, ROOT

from neardup.cli.application import COMMANDS

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
DOCKERFILE = (ROOT / "docker/Dockerfile").read_text("utf-8")
STAGES = re.findall(r"^FROM \S+ AS (\w+)$", DOCKERFILE, re.MULTILINE)
IMAGE_SECONDS = 1_800
RUN_SECONDS = 300


def copied() -> Iterator[str]:
    """What the Dockerfile takes from the tree."""
    for line in re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.MULTILINE):
        yield from shlex.split(line)[:-1]


def words(command: Any) -> list[str]:
    return shlex.split(command) if isinstance(command, str) else list(command)


def test_there_are_three_services_and_one_volume():
    assert set(SERVICES) == {"elasticsearch", "setup", "watch"}
    assert list(COMPOSE["volumes"]) == ["data"]
    mounts = {name: service.get("volumes", []) for name, service in SERVICES.items()}
    assert mounts == {"elasticsearch": ["data:/usr/share/elasticsearch/data"], "setup": [], "watch": []}


def test_each_waits_for_what_it_needs():
    for service in SERVICES.values():
        for name, wait in service.get("depends_on", {}).items():
            assert name in SERVICES
            assert wait["condition"] in ("service_healthy", "service_completed_successfully")
            if wait["condition"] == "service_healthy":
                assert SERVICES[name]["healthcheck"]["test"]
            else:
                assert SERVICES[name]["restart"] == "no"
    assert SERVICES["watch"]["depends_on"]["setup"]["condition"] == "service_completed_successfully"
    assert SERVICES["watch"]["healthcheck"]["test"] == ["CMD", "neardup", "doctor"]


def test_every_image_is_built_here_from_a_stage_that_exists():
    for service in SERVICES.values():
        assert service["build"]["dockerfile"] == "docker/Dockerfile"
        assert service["build"]["target"] in STAGES


def test_only_this_machine_can_reach_what_asks_for_no_password():
    assert SERVICES["elasticsearch"]["environment"]["xpack.security.enabled"] == "false"
    assert all(
        port.startswith("127.0.0.1:") for service in SERVICES.values() for port in service.get("ports", [])
    )


def test_commands_are_those_of_neardup():
    known = {*COMMANDS, "watch"}
    given = [
        ["neardup", *words(SERVICES["watch"]["command"])],
        words(SERVICES["watch"]["healthcheck"]["test"])[1:],
    ]
    given += [shlex.split(part) for part in SERVICES["setup"]["command"][0].split("&&")]
    for command in given:
        assert command[0] == "neardup"
        assert command[1] in known


def test_everything_that_is_copied_is_there_and_is_sent_to_the_builder():
    ignored = (ROOT / "docker/Dockerfile.dockerignore").read_text().splitlines()
    sent = [line.removeprefix("!") for line in ignored if line.startswith("!")]
    assert "*" in ignored
    for name in copied():
        assert (ROOT / name).exists()
        assert any(name == entry or fnmatch(name, f"{entry}/*") for entry in sent), name


def test_the_image_has_what_the_wheel_is_built_of():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert {*included, "src", "native", "README.md", "LICENSE", "pyproject.toml"} <= set(copied())


def test_plugin_and_server_are_of_the_version_that_is_tested():
    assert re.findall(r"^ARG ELASTICSEARCH=(.+)$", DOCKERFILE, re.MULTILINE) == [DEFAULT.version]


@pytest.fixture(scope="module")
def engine() -> Iterator[Any]:
    """A container engine; where none answers, what needs one is skipped with the reason."""
    # By name: beside the tree's own directory `docker` a type checker would take that for the package.
    docker = import_module("docker")
    try:
        _knock(os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock"))
        client = docker.DockerClient.from_env(timeout=IMAGE_SECONDS)
    except (docker.errors.DockerException, OSError) as error:
        pytest.skip(f"no container engine answers: {error}")
    with contextlib.closing(client):
        yield client


def _knock(host: str) -> None:
    """Raises `OSError` if nobody listens: the library would then leave its socket open, which is an error here."""
    if host.startswith("unix://"):
        with socket.socket(socket.AF_UNIX) as door:
            door.connect(host.removeprefix("unix://"))


@pytest.mark.slow
def test_a_copy_that_another_client_writes_is_marked(engine):
    """The services as the file describes them, one after another as they wait for each other."""
    images = {name: _image(engine, service["build"]["target"]) for name, service in SERVICES.items()}
    network = engine.networks.create("neardup-test")
    running = []
    try:
        server = engine.containers.run(
            images["elasticsearch"],
            detach=True,
            name="elasticsearch",
            network=network.name,
            environment=SERVICES["elasticsearch"]["environment"],
            ports={"9200/tcp": ("127.0.0.1", None)},
        )
        running.append(server)
        _until(
            lambda: (
                server.exec_run(["sh", "-c", SERVICES["elasticsearch"]["healthcheck"]["test"]]).exit_code == 0
            )
        )
        common = {"network": network.name, "environment": SERVICES["setup"]["environment"]}
        engine.containers.run(
            images["setup"],
            entrypoint=SERVICES["setup"]["entrypoint"],
            command=SERVICES["setup"]["command"],
            remove=True,
            **common,
        )
        running.append(
            engine.containers.run(images["watch"], SERVICES["watch"]["command"], detach=True, **common)
        )
        server.reload()
        port = server.attrs["NetworkSettings"]["Ports"]["9200/tcp"][0]["HostPort"]
        text = "The ferry to the island left an hour late because of the storm."
        lines = [
            line
            for id in "ab"
            for line in ({"create": {"_id": id}}, {"text": text, "@timestamp": "2026-11-21"})
        ]
        body = "".join(json.dumps(line) + "\n" for line in lines)
        assert not _ask(port, "/news/_bulk?refresh=true", body)["errors"]
        found = "/news/_search?q=neardup.status:exact"
        _until(lambda: _ask(port, found)["hits"]["total"]["value"] == 1)
        assert running[-1].exec_run(["neardup", "doctor"]).exit_code == 0
    finally:
        for container in running:
            container.remove(force=True, v=True)
        network.remove()


def _image(engine: Any, target: str) -> Any:
    image, _ = engine.images.build(path=str(ROOT), dockerfile="docker/Dockerfile", target=target, rm=True)
    return image.id


def _ask(port: str, path: str, body: str | None = None) -> Any:
    headers = {"content-type": "application/x-ndjson"}
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", body.encode() if body else None, headers
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def _until(true: Any) -> None:
    end = time.monotonic() + RUN_SECONDS
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(1)
