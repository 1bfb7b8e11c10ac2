"""Look-ups for a batch before it is the scorer's turn to decide: the longest part of the work needs no lease."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

from neardup.elastic.window.batch_candidates import BatchCandidates, Related
from neardup.elastic.window.held_documents import HeldDocuments
from neardup.elastic.window.loader import stored_part
from neardup.stores.base import StoredCandidates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neardup.elastic.window.index_layout import ElasticContext
    from neardup.elastic.window.state_document import StateDocument
    from neardup.model.document import Prepared
    from neardup.stores.base import SignedDocuments


class LookAhead(NamedTuple):
    """The stored documents found `related` to `documents`; `held` has the texts that may have to be compared."""

    context: ElasticContext
    documents: Sequence[Prepared]
    related: Related | None
    held: HeldDocuments

    @classmethod
    def none(cls, context: ElasticContext) -> Self:
        """A look-ahead with nothing looked up."""
        return cls(context, (), None, HeldDocuments(context))

    @classmethod
    def of(cls, context: ElasticContext, state: StateDocument, batch: SignedDocuments) -> Self:
        """A look-ahead for a batch in the window as committed in `state`."""
        related = BatchCandidates(context, state).related(*batch)
        held = HeldDocuments(context)
        if related.alike:
            part = stored_part(context.layout, [related.alike[arrival] for arrival in sorted(related.alike)])
            held.add(part.records.rows, part.refs, part.blobs)
            held.texts(part.records.rows)
        return cls(context, batch.documents, related, held)

    def brought_up_to(self, state: StateDocument, batch: SignedDocuments) -> StoredCandidates:
        """All stored documents that the verdicts on the batch depend on, in the window as committed in `state` now;
        `held` holds them then.
        """
        part, by_hour, refused = BatchCandidates(self.context, state).of_batch(*batch, self.related)
        self.held.add(part.records.rows, part.refs, part.blobs)
        return StoredCandidates(part.records, by_hour, refused)
