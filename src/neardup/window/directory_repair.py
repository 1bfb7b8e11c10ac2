"""A damaged window in a directory is repaired (stores/repair.py); what lost its keys is signed again from its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neardup.stores.records import set_key_sizes
from neardup.stores.repair import Sign, repair

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from neardup.stores.records import Rows
    from neardup.stores.survey import Survey


def repair_directory(path: Path, *, dry_run: bool) -> Survey:
    """See `stores/repair.py`; loads kernels only if anything is to be signed."""
    return repair(path, signing_of, dry_run=dry_run)


def signing_of(directory: Path) -> Sign:
    """What signs normal forms as the window in `directory` does; sentences and simhashes cannot be made of these."""
    # Whoever has nothing to sign need not wait for the kernels.
    from neardup.index.search import Search  # noqa: PLC0415
    from neardup.window.directory_opening import described_signer  # noqa: PLC0415
    from neardup.window.signed_rows import key_sizes, keys_of  # noqa: PLC0415

    search = Search(*described_signer(directory))

    def sign(rows: Rows, texts: Sequence[bytes]) -> NDArray[np.uint64]:
        batch = search.query_batch(texts, normal=True)
        set_key_sizes(rows, key_sizes(batch), words=False)
        return keys_of(batch, np.arange(len(texts)))

    return sign
