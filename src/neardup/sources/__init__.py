"""From files to documents: `Reader` reads every form that neardup knows, `Fields` names what is what in a record."""

from neardup.sources.fields import Fields
from neardup.sources.files import Form
from neardup.sources.reader import LONGEST, Reader

__all__ = ["LONGEST", "Fields", "Form", "Reader"]
