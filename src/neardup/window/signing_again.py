"""Signing stored normal forms again, for a repair or by another recipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from neardup.stores.records import set_key_sizes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from neardup.model.settings import Settings
    from neardup.signing.signer import Signer
    from neardup.stores.records import Rows
    from neardup.stores.repair import Sign
    from neardup.stores.resign import SignAgain


def signing_of(directory: Path) -> Sign:
    """A function that signs normal forms as the window in `directory` does, without sentences and simhashes, which
    cannot be made from normal forms.
    """
    # Imported here: where nothing is to be signed, the kernels are not waited for.
    from neardup.index.search import Search  # noqa: PLC0415
    from neardup.window.directory_opening import described_signer  # noqa: PLC0415
    from neardup.window.signed_rows import key_sizes, keys_of  # noqa: PLC0415

    search = Search(*described_signer(directory))

    def sign(rows: Rows, texts: Sequence[bytes]) -> NDArray[np.uint64]:
        batch = search.query_batch(texts, normal=True)
        set_key_sizes(rows, key_sizes(batch), words=False)
        return keys_of(batch, np.arange(len(texts)))

    return sign


def sign_again(signer: Signer, settings: Settings) -> SignAgain:
    """A function that signs normal forms by another recipe, for these settings; keeps sentences and simhashes."""
    from neardup.index.search import Search  # noqa: PLC0415
    from neardup.window.signed_rows import resigned_keys  # noqa: PLC0415

    search = Search(signer, settings)

    def sign(rows: Rows, texts: Sequence[bytes], keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return resigned_keys(rows, search.query_batch(texts, normal=True), keys)

    return sign
