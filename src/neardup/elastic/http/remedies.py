"""Remedies for errors of Elasticsearch that are due not to a record, but to the state of an index or of the cluster.

A record that is refused becomes a reject, and the stream goes on; where every record would be refused until somebody
does something about it, the stream ends and says what to do.
"""

from __future__ import annotations

import re
from typing import Final

_REMEDIES: Final = tuple(
    (re.compile(pattern), remedy)
    for pattern, remedy in (
        (
            r"index_closed_exception",
            "open that index (by a POST to its /_open), or delete it if it is an hour not needed, and run again",
        ),
        (
            r"read-only-allow-delete",
            "make room on the nodes' disks, or lift the block (index.blocks.read_only_allow_delete), and run again",
        ),
        (
            r"cluster read-only",
            "lift the block of the whole cluster (cluster.blocks.read_only, or read_only_allow_delete), and run again",
        ),
        (  # but not SERVICE_UNAVAILABLE, the block of a cluster without a master
            r"cluster_block_exception(?!.*SERVICE_UNAVAILABLE)",
            "lift the block of that index (index.blocks.*), and run again",
        ),
        (
            r"No processor type exists with name \[neardup\]|unknown query \[neardup",
            "install the plugin neardup on every node and restart it (`neardup doctor` names the zip), and run again",
        ),
        (
            r"pipeline with id \[neardup-[^]]*\] could not be loaded",
            "give every node the same plugin, lexicon and salt (config/neardup), restart it, and run again",
        ),
        (
            r"pipeline with id \[neardup-",
            "`neardup setup` with the same --window makes the pipeline again; then run again",
        ),
        (
            r"pipeline with id \[",
            "make that pipeline again, or remove it from index and template (index.default_pipeline), and run again",
        ),
        (
            r"maximum (normal )?shards open",
            "raise cluster.max_shards_per_node, or choose a smaller --keep-hours or --batch-documents, and run again",
        ),
        (
            r"Result window is too large",
            "raise index.max_result_window of these indices to 5000 or more (unset it is 10000), and run again",
        ),
        (
            r"Cannot search on field \[neardup\.(qgrams|sketch)\]",
            "until hours without terms are gone, only the plugin can search them (`neardup setup --sign plugin`)",
        ),
        (
            r'"neardup\.\w+" was indexed with bytesPerDim',
            "that index was made without the templates of the window: `neardup doctor` says what to do with it",
        ),
        (
            r"is not supported for aggregation|Fielddata is disabled|Cannot search on field \[neardup\.",
            "that index maps it differently from a window's hours: _reindex it under another prefix, and delete it",
        ),
        (
            r"_source is disabled",
            "remove mappings._source from your template; then delete that index and write it again",
        ),
        (
            r"invalid composite mappings for \[neardup-",
            "the component template PREFIX@custom maps this differently from neardup: remove it there, and run again",
        ),
        (
            r"mapping \[neardup\]|mapper \[neardup\.",
            "that index has a foreign object neardup: _reindex it without that object, or leave out --in-place",
        ),
        (
            r"Not enough active copies",
            "start the nodes that hold its copies, or lower index.write.wait_for_active_shards of it, and run again",
        ),
        (
            r"\[action\.auto_create_index\]",
            "let writes make indices in the cluster (action.auto_create_index), or make that index, and run again",
        ),
        (
            r"invalid_alias_name_exception",
            "an index has the name of the window's alias: `neardup doctor` says how to free it; then run again",
        ),
        (
            r"index_not_found_exception",
            "its documents are gone: restore that index under its name, and run again",
        ),
        (  # of a template; fields that a document of a bulk request adds are its own fault (`hint_for`)
            r"Limit of total fields \[\d+\] has been exceeded(?! while)",
            "raise index.mapping.total_fields.limit in your component template (ours map about 40), and run again",
        ),
        (r"^\[Errno |^Failed to resolve", "is the URL right, and does a node run there?"),
        (
            r"^Connection reset by peer|^Remote end closed connection|^an answer that is no JSON",
            "is it a cluster that answers there, and does it want https?",
        ),
    )
)

TAKES_MORE: Final = (
    "raise the size of a request that the nodes (http.max_content_length), or a proxy before them, accept"
)
"""What to do about a request that is too large, and cannot be sent in parts."""

_FIELDS_RE: Final = re.compile(r"Limit of total fields \[\d+\] has been exceeded")
"""In the error of an item it is always the item's own fault. OpenSearch says the same of a template, but refuses
that.
"""
_FIELDS_HINT: Final = (
    "; raise index.mapping.total_fields.limit, of that index and, for new ones, in PREFIX@custom"
)
_SIZES_RE: Final = re.compile(r"_operation_bytes=(\d+), max_\w+_bytes=(\d+)")


def never_fits(error: str) -> bool:
    """Whether a request was put off that is too large for the node even when the node is idle.

    >>> never_fits("rejected execution [all_bytes=9, primary_operation_bytes=9, max_primary_bytes=8]")
    True
    >>> never_fits("rejected execution [all_bytes=9, primary_operation_bytes=2, max_primary_bytes=8]")
    False
    """
    sizes = _SIZES_RE.search(error)
    return sizes is not None and int(sizes[1]) > int(sizes[2])


def remedy_for(error: str) -> str | None:
    """The remedy for `error` (its type and reason), after which the same request can be repeated; None if the request
    itself is wrong.

    >>> remedy_for("index_closed_exception: closed")
    'open that index (by a POST to its /_open), or delete it if it is an hour not needed, and run again'
    >>> remedy_for("document_parsing_exception: failed to parse field [rank]")
    """
    return next((remedy for pattern, remedy in _REMEDIES if pattern.search(error)), None)


def hint_for(error: str) -> str:
    """A hint for the reject of a record after `error`, an error that other records need not meet; empty if none is
    known.

    >>> hint_for("document_parsing_exception: failed to parse field [rank]")
    ''
    """
    return _FIELDS_HINT if _FIELDS_RE.search(error) else ""
