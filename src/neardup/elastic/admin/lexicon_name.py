"""The lexicon of a window: a file here, a name on the nodes, and part of the recipe of both."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.http.admin_api import simulate
from neardup.errors import ClusterRejected, SettingsError
from neardup.tables.lexicon import Lexicon

if TYPE_CHECKING:
    from neardup.elastic.http.client import Cluster
    from neardup.model.settings import Recipe

_NAME_RE: Final = re.compile(r"[A-Za-z0-9._-]+")
_FILE: Final = (
    "the file of a lexicon, or the name of one in the nodes' directory config/neardup (NAME.lexicon)"
)


def lexicon_name(recipe: Recipe) -> str | None:
    """What the lexicon of a recipe is called on the nodes: a file `news.lexicon` is `news`; None for the default."""
    if recipe.lexicon is None:
        return None
    name = Path(recipe.lexicon).name.removesuffix(".lexicon")
    if not _NAME_RE.fullmatch(name):
        raise SettingsError("lexicon", str(recipe.lexicon), f"{_FILE}, of letters, digits, '.', '_' and '-'")
    return name


def recipe_text(cluster: Cluster, recipe: Recipe) -> str:
    """The whole recipe string, with the lexicon's checksum: of the file here, else as the nodes know it by its name."""
    if recipe.lexicon is None:
        return recipe.text(Lexicon.default().id)
    path = Path(recipe.lexicon)
    if path.exists() or path.name != str(path):
        return recipe.text(Lexicon.load(path).id)
    return _recipe_of_nodes(cluster, recipe)


def _recipe_of_nodes(cluster: Cluster, recipe: Recipe) -> str:
    """The recipe of a signature that a node makes with a lexicon of this name."""
    options: dict[str, Any] = {
        "q": recipe.q,
        "fold_case": recipe.fold_case,
        "simhash_variants": recipe.simhash_variants,
        "sketch_size": recipe.sketch_size,
        "alpha": recipe.alpha,
        "lexicon": lexicon_name(recipe),
    }
    try:
        answer = simulate(cluster, {"text": ""}, processors=[{"neardup": options}])
    except ClusterRejected as error:
        raise SettingsError("lexicon", str(recipe.lexicon), f"{_FILE} ({error.reason})") from error
    return str(answer["doc"]["_source"]["neardup"]["recipe"])
