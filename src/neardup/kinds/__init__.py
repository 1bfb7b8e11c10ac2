"""What two like texts are to each other: a copy, a form filled in anew, a quotation, a frame with other content.

doc_q says how much of two texts is the same; a kind says what the rest is. It is a label: nothing is a duplicate, or
is left out, for its kind (docs/definitions.md, Kinds).
"""

from neardup.kinds.kind import Kind, kind_of

__all__ = ["Kind", "kind_of"]
