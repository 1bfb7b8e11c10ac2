"""The kind of two similar texts: a copy, a form filled in anew, a quotation, a frame with other content.

doc_q measures how much of two texts is the same; the kind describes the rest. A kind is only a label: it never decides
what is a duplicate or what is left out (docs/definitions.md, Kinds).
"""

from neardup.kinds.kind import Kind, kind_of

__all__ = ["Kind", "kind_of"]
