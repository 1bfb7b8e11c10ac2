"""Checks of how nodes sign: whether each that can be asked uses the window's recipe, and signs as we do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.admin.node_files import NodeFiles, signing_options
from neardup.elastic.http.address import Address
from neardup.elastic.http.admin_api import simulate
from neardup.elastic.http.client import Cluster
from neardup.errors import ClusterRejected, NeardupError
from neardup.model.field_path import put_field
from neardup.model.finding import Finding
from neardup.oracle.definitions import fingerprint, normal_form

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from neardup.elastic.admin.cluster_snapshot import NodeFacts
    from neardup.elastic.admin.managed_objects import WindowConfig

SAMPLE: Final = "Grüße aus Zürich: a rose is a rose is a rose. 東京は晴れ、Ελλάδα βροχή."


def check_signing(cluster: Cluster, config: WindowConfig, nodes: Sequence[NodeFacts]) -> Iterator[Finding]:
    """How each of `nodes` that has the plugin signs, asked at its own address.

    Credentials are sent only to addresses of the window's host: nodes behind a balancer or in containers publish
    addresses of a network of their own, which seen from here may be anybody's. In that case the node that answers for
    the window is asked, whichever it is, and a finding says of each other node how to ask it.
    """
    signing = [node for node in nodes if node.signs]
    urls = [cluster.url if len(nodes) == 1 else _url_of(cluster, node) for node in signing]
    if None in urls:
        yield _signing(cluster, config, f"signing at {cluster.url}", cluster.url)
    for node, url in zip(signing, urls, strict=True):
        what = f"signing on {node.name}"
        yield _not_asked(cluster, node, what) if url is None else _signing(cluster, config, what, url)


def _url_of(cluster: Cluster, node: NodeFacts) -> str | None:
    """The URL at which a node can be asked; None if it takes no HTTP requests, or must not get our credentials."""
    if node.http is None:
        return None
    protocol, _, named = cluster.url.rpartition(":")[0].partition("://")
    names, _, port = node.http.rpartition(":")  # `host/ip:port` or `ip:port`
    own, *_ = hosts = names.split("/")
    if cluster.credentials.secret and named not in hosts:
        return None
    return f"{protocol}://{named if named in hosts else own}:{port}"


def _not_asked(cluster: Cluster, node: NodeFacts, what: str) -> Finding:
    if node.http is None:
        text = "this node takes no HTTP requests, so how it signs cannot be checked from here"
        return Finding(what, "warning", text)
    own = cluster.address
    address = Address(f"{own.url.partition('://')[0]}://{node.http.rpartition('/')[2]}", own.prefix)
    remedy = f"if this node has that address from here too, neardup doctor --window {address} checks it"
    text = f"not checked: {node.http} is not the host of the window, and credentials go to no other; {remedy}"
    return Finding(what, "warning", text)


def _signing(cluster: Cluster, config: WindowConfig, what: str, url: str) -> Finding:
    """Whether the node at `url` signs by the window's recipe, and as we would."""
    source, own = dict[str, Any](), Address(url, cluster.address.prefix)
    put_field(source, config.text_field, SAMPLE)
    try:
        with Cluster(own, cluster.credentials, patience=cluster.patience, timeout=cluster.timeout) as direct:
            answer = simulate(direct, source, name=own.pipeline)
            refusal = _refusal_of_files(direct, config)
    except NeardupError as error:
        text = f"how this node signs is not known, because {url} cannot be asked from here: {error}"
        return Finding(what, "warning", text)
    if "error" in answer:
        return Finding(what, "bad", f"{answer['error'].get('reason')}: see the log of this node")
    fault = _fault_of(answer["doc"]["_source"].get("neardup", {}), config)
    if fault is not None:
        return Finding(what, "bad", fault)
    if refusal is not None:
        text = f"by the window's recipe, but after its next restart this node will sign nothing: {refusal}"
        return Finding(what, "warning", text)
    return Finding(what, "ok", f"by the window's recipe, as here ({url})")


def _refusal_of_files(cluster: Cluster, config: WindowConfig) -> str | None:
    """Why the node would not sign by the lexicon and the salt that it has now; None if it would. A node reads these
    files only when it starts or its pipeline changes.
    """
    files = NodeFiles(config.lexicon, config.salt)
    if not any(files):
        return None
    options = {**signing_options(config.recipe, files), "recipe": config.recipe_text}
    try:
        simulate(cluster, {"text": ""}, processors=[{"neardup": options}])
    except ClusterRejected as error:
        return error.reason
    return None


def _fault_of(signature: Mapping[str, Any], config: WindowConfig) -> str | None:
    """What is wrong with a node's signature of the sample; None if nothing is."""
    recipe, signed_as = signature.get("recipe"), signature.get("fingerprint")
    if recipe != config.recipe_text:
        remedy = "give every node the same plugin, lexicon and salt (config/neardup), then restart it"
        return f"recipe {recipe}, the window's is {config.recipe_text}: {remedy}"
    wanted = fingerprint(normal_form(SAMPLE, fold_case=config.recipe.fold_case))
    if signed_as != wanted:
        return f"fingerprint {signed_as}, here {wanted}: install the plugin of this version of neardup"
    return None
