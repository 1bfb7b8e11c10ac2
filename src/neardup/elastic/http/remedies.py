"""What to do about errors of Elasticsearch that no record is to blame for, but the state of an index or of the cluster.

A record that is refused is rejected, and the stream goes on; where every record would be refused alike until somebody
does something, the stream ends with what that is.
"""

from __future__ import annotations

import re
from typing import Final

_REMEDIES: Final = tuple(
    (re.compile(pattern), remedy)
    for pattern, remedy in (
        (r"index_closed_exception", "open that index (by a POST to its /_open), or delete it, and run again"),
        (
            r"read-only-allow-delete",
            "make room on the nodes' disks, or lift the block (index.blocks.read_only_allow_delete), and run again",
        ),
        (
            r"cluster read-only",
            "lift the block of the whole cluster (cluster.blocks.read_only, or read_only_allow_delete), and run again",
        ),
        (  # but no block of an index: that of a cluster without a master
            r"cluster_block_exception(?!.*SERVICE_UNAVAILABLE)",
            "lift the block of that index (index.blocks.*), and run again",
        ),
        (
            r"pipeline with id \[neardup-",
            "`neardup setup` with the same --window makes the pipeline again; then run again",
        ),
        (
            r"pipeline with id \[",
            "make that pipeline again, or take it out of index and template (index.default_pipeline), and run again",
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
            "until hours without terms are gone only the plugin searches them (`neardup setup --sign plugin`)",
        ),
        (
            r'"neardup\.\w+" was indexed with bytesPerDim',
            "that index was made without the templates of the window: `neardup doctor` says what to do with it",
        ),
        (
            r"is not supported for aggregation|Fielddata is disabled|Cannot search on field \[neardup\.",
            "that index maps it otherwise than a window's hours: _reindex it under another prefix, and delete it",
        ),
        (
            r"_source is disabled",
            "let no template of yours switch _source off (mappings._source); then delete that index and write it again",
        ),
        (
            r"invalid composite mappings for \[neardup-",
            "what the component template PREFIX@custom maps is not as neardup has it: take it out there, and run again",
        ),
        (
            r"mapping \[neardup\]|mapper \[neardup\.",
            "what that index has as neardup is not neardup's: _reindex it without that object, or leave out --in-place",
        ),
        (
            r"Not enough active copies",
            "start the nodes that hold its copies, or lower index.write.wait_for_active_shards of it, and run again",
        ),
        (
            r"\[action\.auto_create_index\]",
            "let the cluster make indices by itself (action.auto_create_index), or make it, and run again",
        ),
        (
            r"index_not_found_exception",
            "what was in it is gone: restore that index under its name, and run again",
        ),
        (  # of a template; what a document of a bulk request adds to a mapping is its own (`hint_for`)
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
    "raise what the nodes (http.max_content_length), or a proxy before them, take in one request"
)
"""What to do about a request that is too large, and cannot be sent in parts."""

_FIELDS_RE: Final = re.compile(r"Limit of total fields \[\d+\] has been exceeded")
"""Of an item it is always its own: OpenSearch says no more, of a template too, but takes no such template."""
_FIELDS_HINT: Final = (
    "; raise index.mapping.total_fields.limit, of that index and in PREFIX@custom for those to come"
)
_SIZES_RE: Final = re.compile(r"_operation_bytes=(\d+), max_\w+_bytes=(\d+)")


def never_fits(error: str) -> bool:
    """Whether a request was put off that a node of this size has no room for at any time, however little it does.

    >>> never_fits("rejected execution [all_bytes=9, primary_operation_bytes=9, max_primary_bytes=8]")
    True
    >>> never_fits("rejected execution [all_bytes=9, primary_operation_bytes=2, max_primary_bytes=8]")
    False
    """
    sizes = _SIZES_RE.search(error)
    return sizes is not None and int(sizes[1]) > int(sizes[2])


def remedy_for(error: str) -> str | None:
    """What to do about `error` (its type and reason), so that the same request can be made again; None if it is the
    request that is wrong.

    >>> remedy_for("index_closed_exception: closed")
    'open that index (by a POST to its /_open), or delete it, and run again'
    >>> remedy_for("document_parsing_exception: failed to parse field [rank]")
    """
    return next((remedy for pattern, remedy in _REMEDIES if pattern.search(error)), None)


def hint_for(error: str) -> str:
    """What the reject of a record adds to `error`, which others need not meet; empty if nothing is known.

    >>> hint_for("document_parsing_exception: failed to parse field [rank]")
    ''
    """
    return _FIELDS_HINT if _FIELDS_RE.search(error) else ""
