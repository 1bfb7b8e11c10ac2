"""Composes the writes of documents: whole documents of ours, or our fields on those that another client wrote."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from neardup.elastic.admin.managed_objects import OF_WORDS
from neardup.elastic.http.bulk import Action
from neardup.elastic.window.codec import OBJECT, own_object, text_of
from neardup.elastic.window.compact import compact_fields, named_sketch, sketch_keys
from neardup.model.escapes import escaped
from neardup.model.field_path import field_of, in_the_way, put_field, without_field
from neardup.model.times import format_time

if TYPE_CHECKING:
    from neardup.elastic.window.index_layout import Layout
    from neardup.model.document import Prepared
    from neardup.signing.signer import Signer

log = logging.getLogger("neardup")

_SCANNED: Final = dict.fromkeys(("qgram_bitmap", "packed_sketch"))
"""In the update of a document: removes the fields that are scanned, which may be of another text."""


_AS_LONG_AS_TEXTS: Final = ("qgrams", "sentences")


class Composer:
    """Composes the writes of documents, with the fields and the signer of one window."""

    def __init__(self, layout: Layout, signer: Signer) -> None:
        self._layout, self._signer = layout, signer
        self._replaced: set[str] = set()

    @property
    def target(self) -> str:
        """The pattern or name of all indices of the window in a request."""
        return self._layout.target

    def leaves_unsigned(self, source: Mapping[str, Any]) -> bool:
        """Whether nodes remove our object from a document that is written whole, as its text is too long to be
        signed.
        """
        text, layout = text_of(source, self._layout.text_field), self._layout
        return not layout.client_signs and text is not None and len(text) > layout.max_length

    def lean(self, source: dict[str, Any]) -> dict[str, Any]:
        """A stored document in the form to write it whole: without fields that grow with its text and that nodes make
        again, so that a node that could take the text can take the document.
        """
        if self._layout.client_signs or self.leaves_unsigned(source):
            return source
        return {**source, OBJECT: {k: v for k, v in own_object(source).items() if k not in _AS_LONG_AS_TEXTS}}

    def signing(self, actions: Sequence[Action]) -> list[Action]:
        """The updates that put our object back into documents that `actions` write whole and nodes leave unsigned:
        these were signed when nodes signed longer texts.
        """
        return [
            Action("update", *action.ref, {OBJECT: {**own_object(action.source), "unsigned": None}})
            for action in actions
            if isinstance(action.source, dict) and action.op in ("create", "index")
            and "fingerprint" in own_object(action.source) and self.leaves_unsigned(action.source)
        ]  # fmt: skip

    def has_text_of(self, source: Mapping[str, Any], fingerprint: str | None) -> bool:
        """Whether a stored document has a text of this fingerprint."""
        text = text_of(source, self._layout.text_field)
        if text is None:
            return False
        return self._signer.sign([text.encode(errors="replace")]).fingerprint(0) == fingerprint

    def signature(self, text: bytes) -> dict[str, Any]:
        """The whole signature of a text, in the fields that the processor would write."""
        if self._layout.compact:
            return self._compact(text, scanned=not self._layout.terms)
        fields = self._signer.signature(text.decode()).to_dict()
        if not self._layout.lossless:
            del fields["qgrams"]
        return fields

    def _compact(self, text: bytes, *, scanned: bool) -> dict[str, Any]:
        signature, words = self._signer.signature(text.decode()), self._layout.words
        if not self._layout.lossless:
            return compact_fields(signature, None, scanned=scanned, words=words)
        signed = self._signer.sign([text])
        keys = self._signer.key_sets(signed)[0] if scanned else None
        return compact_fields(signature, signed.text(0).decode(), keys, scanned=scanned, words=words)

    def replacing_signature(self, text: bytes) -> dict[str, Any]:
        """The signature of a text as an update of a document that may have the signature of another text; in both forms
        where nodes sign, because its hour may use either.
        """
        if not self._layout.compact:
            return self.signature(text)
        taken_away = _SCANNED if self._layout.words else _SCANNED | dict.fromkeys(OF_WORDS)
        if self._layout.client_signs:
            return {**taken_away, **self.signature(text)}
        made = self._compact(text, scanned=True)
        return {**taken_away, **made, "sketch": named_sketch(sketch_keys(made))}

    def source(self, document: Prepared, ours: dict[str, Any]) -> dict[str, Any]:
        """The whole document as it is stored: the user's own fields, text and time under the window's names, and our
        object.

        Fields of the user with the name of our object, or of a field in it, are left out; fields in the place of the
        window's text or time are replaced, which is logged once.
        """
        source = self._without_ours(document)
        if self._layout.client_signs:
            ours = self.signature(document.text) | ours
        # An empty `partial` stays: partial copies were looked for, and none was found.
        source[OBJECT] = {
            name: value
            for name, value in ours.items()
            if value is not None and (value != [] or name == "partial")
        }
        return source

    def shown(self, document: Prepared) -> dict[str, Any]:
        """The user's own fields and text, for the update of a stored document, which keeps its time and our object."""
        return without_field(self._without_ours(document), self._layout.time_field)

    def _without_ours(self, document: Prepared) -> dict[str, Any]:
        """`source` without our object."""
        layout, fields = self._layout, document.fields
        source: dict[str, Any] = {}
        if fields is not None and isinstance(fields, Mapping):  # isinstance is slow for None
            source = {name: value for name, value in fields.items() if not _is_ours(name)}
        text, time = document.text.decode(), format_time(document.time)
        for what, name, value in (("text", layout.text_field, text), ("time", layout.time_field, time)):
            lost = in_the_way(source, name)
            if lost is None and field_of(source, name) not in (None, "", value):
                lost = name
            if lost is not None and lost not in self._replaced:
                self._tell_replaced(document.id, lost, what)
            put_field(source, name, value)
        return source

    def _tell_replaced(self, id: str, name: str, what: str) -> None:
        self._replaced.add(name)
        log.warning(
            "document %s: its field %r is replaced by its %s, which this window keeps there (logged for the first such "
            "document only): read the %s from that field, or rename the field", escaped(id), name, what, what,
        )  # fmt: skip

    def mark(self, document: Prepared, ours: dict[str, Any]) -> Action:
        """The update that puts our fields on a document of another client, if that has not changed since it was
        read.
        """
        origin = document.origin
        assert origin is not None, "another client wrote it"
        if origin.fingerprint != ours.get("fingerprint", origin.fingerprint):
            # Nobody has signed it, or its text was updated since.
            ours = self.replacing_signature(document.text) | ours
        version = origin.seq_no, origin.primary_term
        return Action("update", origin.index, origin.id, {OBJECT: ours}, *version)


def _is_ours(name: object) -> bool:
    return name == OBJECT or (isinstance(name, str) and name.startswith(f"{OBJECT}."))
