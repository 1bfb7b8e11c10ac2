"""What of a recipe a cluster takes."""

import pytest

from neardup.elastic.admin.managed_objects import WindowConfig
from neardup.elastic.admin.node_files import node_files
from neardup.elastic.window.window_state import checked_signer
from neardup.errors import SettingsError
from neardup.model.settings import Recipe, Settings


def test_a_cluster_takes_no_table_of_boilerplate():
    recipe = Recipe(boilerplate="boilerplate.json")
    with pytest.raises(SettingsError, match="a window in a directory"):
        node_files(recipe)
    config = WindowConfig(Recipe(), "r")
    assert "boilerplate" not in config.about()
    with pytest.raises(SettingsError, match="boilerplate"):
        checked_signer("http://localhost:9200/news", config, Settings(recipe=recipe))


@pytest.mark.parametrize(("kind", "config"), [
    ("lexicon", WindowConfig(Recipe(), "r", lexicon="own")),
    ("salt", WindowConfig(Recipe(), "r", salt="own")),
], ids=["lexicon", "salt"])  # fmt: skip
def test_a_file_that_is_not_given_is_asked_for_where_every_command_can_have_it(kind, config):
    with pytest.raises(
        SettingsError, match=rf"the file of the {kind} 'own' .*`{kind} = \"FILE\"` under \[recipe\] of"
    ):
        checked_signer("http://localhost:9200/news", config, Settings())
