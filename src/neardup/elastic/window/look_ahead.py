"""What a scorer looks up for a batch before it is its turn to decide: the longest part of the work needs no lease."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

from neardup.elastic.window.batch_candidates import BatchCandidates, Related
from neardup.elastic.window.held_documents import HeldDocuments
from neardup.elastic.window.loader import StoredPart, stored_part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from neardup.elastic.window.index_layout import ElasticContext
    from neardup.elastic.window.state_document import StateDocument
    from neardup.model.document import Prepared
    from neardup.stores.base import SignedDocuments


class LookAhead(NamedTuple):
    """What was `related` to `documents`; `held` has the texts that these may have to be compared with."""

    context: ElasticContext
    documents: Sequence[Prepared]
    related: Related | None
    held: HeldDocuments

    @classmethod
    def none(cls, context: ElasticContext) -> Self:
        """Nothing was looked up."""
        return cls(context, (), None, HeldDocuments(context))

    @classmethod
    def of(cls, context: ElasticContext, document: StateDocument, batch: SignedDocuments) -> Self:
        """What there is for a batch in the window as committed in `document`."""
        related = BatchCandidates(context, document).related(*batch)
        held = HeldDocuments(context)
        if related.alike:
            part = stored_part(context.layout, [related.alike[arrival] for arrival in sorted(related.alike)])
            held.add(part.records.rows, part.refs, part.blobs)
            held.texts(part.records.rows)
        return cls(context, batch.documents, related, held)

    def brought_up_to(
        self, document: StateDocument, batch: SignedDocuments
    ) -> tuple[StoredPart, dict[int, int] | None, Mapping[str, str]]:
        """All that the verdicts on the batch depend on in the window as it is committed in `document` now, as
        `BatchCandidates.of_batch` has it.
        """
        return BatchCandidates(self.context, document).of_batch(*batch, self.related)
