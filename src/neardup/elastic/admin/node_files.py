"""The lexicon and the salt of a window: files on this machine, names on the nodes, and part of the recipe on both."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from neardup.elastic.http.admin_api import simulate
from neardup.errors import ClusterRejected, SettingsError
from neardup.tables.lexicon import Lexicon

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster
    from neardup.model.settings import Recipe

FileKind = Literal["lexicon", "salt"]

_OPTIONS: Final = ("q", "fold_case", "simhash_variants", "sketch_size", "reach")
"""The parts of a recipe that are options of the processor under the same name."""
_NAME_RE: Final = re.compile(r"[A-Za-z0-9._-]+")


class NodeFiles(NamedTuple):
    """Names of a recipe's files on the nodes; None for the default lexicon, and for no salt."""

    lexicon: str | None
    salt: str | None


def node_files(recipe: Recipe) -> NodeFiles:
    """The names of a recipe's files on the nodes: a lexicon `news.lexicon` is `news`. Raises `SettingsError`."""
    check_no_boilerplate(recipe)
    return NodeFiles(_name("lexicon", recipe.lexicon), _name("salt", recipe.salt))


def check_no_boilerplate(recipe: Recipe) -> None:
    """Raises `SettingsError` for a recipe that leaves out boilerplate: a cluster stores documents whole, and its nodes
    and other clients sign and compare them whole.
    """
    if recipe.boilerplate is not None:
        expected = (
            "left out for a window in a cluster, which stores, signs and compares whole documents: use a window in a "
            "directory, or first remove copies by `neardup dedup --boilerplate FILE`"
        )
        raise SettingsError("boilerplate", str(recipe.boilerplate), expected)


def _name(kind: FileKind, file: str | Path | None) -> str | None:
    if file is None:
        return None
    name = Path(file).name.removesuffix(f".{kind}")
    if not _NAME_RE.fullmatch(name):
        raise SettingsError(kind, str(file), f"{_wanted(kind)}, of letters, digits, '.', '_' and '-'")
    return name


def _wanted(kind: FileKind) -> str:
    return f"the file of a {kind}, or the name of one in the nodes' directory config/neardup (NAME.{kind})"


def signing_options(recipe: Recipe, files: NodeFiles) -> dict[str, Any]:
    """The options of the ingest processor that say how it signs; None for a file that it need not have."""
    return {**{name: getattr(recipe, name) for name in _OPTIONS}, **files._asdict()}


def recipe_text(cluster: Cluster, recipe: Recipe) -> str:
    """The whole recipe string, including what identifies its files: read from the files on this machine, or asked of a
    node where only their names there are given.
    """
    if _is_name(recipe.lexicon) or _is_name(recipe.salt):
        return _recipe_of_nodes(cluster, recipe)
    lexicon = Lexicon.default() if recipe.lexicon is None else Lexicon.load(recipe.lexicon)
    return recipe.text(lexicon.id)


def _is_name(file: str | Path | None) -> bool:
    """Whether this can only be the name of a file on the nodes: no file is there, and none was meant."""
    return file is not None and not Path(file).exists() and Path(file).name == str(file)


def _recipe_of_nodes(cluster: Cluster, recipe: Recipe) -> str:
    """The recipe of a signature that a node makes with files of these names."""
    options = signing_options(recipe, node_files(recipe))
    try:
        answer = simulate(cluster, {"text": ""}, processors=[{"neardup": options}])
    except ClusterRejected as error:
        kind, file = _refused(recipe, error)
        raise SettingsError(kind, file, f"{_wanted(kind)} ({error.reason})") from error
    return str(answer["doc"]["_source"]["neardup"]["recipe"])


def _refused(recipe: Recipe, error: ClusterRejected) -> tuple[FileKind, str]:
    """Which of the files a node has refused."""
    if recipe.lexicon is None or (recipe.salt is not None and error.reason.startswith("[salt]")):
        return "salt", str(recipe.salt)
    return "lexicon", str(recipe.lexicon)
