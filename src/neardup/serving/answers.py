"""The input and output of `/api`, as in the OpenAPI description. Names are those of the Python library."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

from neardup.model.settings import DEFAULT_MATCHES
from neardup.model.verdict import KindName, Status
from neardup.serving.judged import Judgement

MOST_LISTED = 1_000
"""Matches, groups or pairs that one answer lists at most."""
MOST_INGESTED = 100_000
"""The most documents in one request: 32 MB of numbers would give three million rejects, which take 340 MB."""
THRESHOLD = "the least doc_q of a match, else the window's; below the reach of sketches (0.6, or 0.5) copies are missed"
"""The description of a threshold in the API, and in the tools of `neardup mcp`."""
GROUP = "of a stored verdict: the group of the document; of a query: the one it would join now, which may not exist yet"
"""The description of a group in the API."""


class Problem(BaseModel):
    """An error (RFC 9457): what is wrong, and the next step."""

    status: int
    detail: str


class TextQuery(BaseModel):
    """A text to be looked up. Nothing is stored."""

    model_config = ConfigDict(extra="forbid")

    text: str
    threshold: float | None = Field(None, gt=0, le=1, description=THRESHOLD)
    matches: int = Field(DEFAULT_MATCHES, ge=0, le=MOST_LISTED, description="how many matches are listed")
    time: str | float | None = Field(None, description="compare only with the hours around this time")
    partial: bool | None = Field(None, description="also name partial copies; the window must have sentences")

    @field_validator("threshold", "matches", "time", mode="before")
    @classmethod
    def _is_no_truth(cls, value: Any) -> Any:
        """Refuses a boolean, for pydantic would take true for 1."""
        if isinstance(value, bool):
            raise PydanticCustomError("truth", f"{str(value).lower()} is neither text nor a number")
        return value


class Match(BaseModel):
    """See `neardup.Match`."""

    id: str
    score: float
    shared: int


class PartialMatch(BaseModel):
    """See `neardup.PartialMatch`."""

    id: str
    share: float
    containment: float
    shared: int
    sentences: int


class Verdict(BaseModel):
    """See `neardup.Verdict`."""

    id: str
    time: str
    status: Status
    duplicate_of: str | None
    score: float | None
    shared: int | None
    group: str = Field(description=GROUP)
    candidates: int
    truncated: bool
    matches: list[Match]
    matches_total: int
    partial: list[PartialMatch] | None = None
    partial_total: int | None = None
    kind: KindName | None = None
    differing: tuple[str, str] | None = None


class Document(BaseModel):
    """A stored document: its text (the original, or its normal form), its fields, its verdict, and the boilerplate of
    its text, which did not count.
    """

    id: str
    time: str
    text: str
    is_original: bool
    fields: dict[str, Any]
    verdict: Verdict
    left_out: list[str]


class PairKind(BaseModel):
    """See `neardup.kinds.Kind`."""

    name: KindName
    reason: str
    likeness: float
    figures: float
    quoted: float
    passage: int
    differing: tuple[str, str] | None


class Member(BaseModel):
    """See `neardup.Member`."""

    id: str
    time: str
    score: float | None
    shared: int | None
    duplicate_of: str | None
    duplicate_score: float | None
    kind: KindName | None = None


class Group(BaseModel):
    """A head and its members: documents that joined it as duplicates of the head directly."""

    head: str
    time: str
    members: list[Member]
    head_is_there: bool


class Groups(BaseModel):
    """Some groups, and how many there are."""

    total: int
    groups: list[Group]


class Pair(BaseModel):
    """A copy and its best match."""

    id: str
    duplicate_of: str
    score: float


class Band(BaseModel):
    """The copies whose doc_q with their best match is at least `low` and below `high`, and some of these pairs. In the
    last band both are 1.
    """

    low: float
    high: float
    copies: int
    pairs: list[Pair]


class Health(BaseModel):
    """`threshold` is the one by which the server answers (`/api/stats` has the window's). `changes` grows when it sees
    a new commit.
    """

    status: Literal["ok"] = "ok"
    window: str
    documents: int
    newest: str | None
    threshold: str
    changes: int
    version: str


_INDEX: Final = (
    "the position of the document in the request, from 0 on; null if its id comes more than once, and one of these "
    "documents was rejected"
)
DOCUMENT_SENT: Final = {
    "type": "object",
    "description": "A document. Its other fields may be kept beside its text.",
    "required": ["id", "text"],
    "properties": {
        "id": {"type": ["string", "integer"]},
        "text": {"type": "string"},
        "time": {
            "type": ["string", "number", "null"],
            "description": "ISO 8601, or seconds or milliseconds since 1970; without one the present time",
        },
    },
}
"""The schema of a document to be ingested. Documents are checked one by one: a faulty one rejects no other."""


class IngestedVerdict(Verdict):
    """The verdict on a document of the request."""

    index: int | None = Field(description=_INDEX)


class Rejected(BaseModel):
    """A document that could not be used."""

    index: int | None = Field(description=_INDEX)
    id: str | None
    reason: str


class Ingested(BaseModel):
    """The verdicts and the rejects. A document with a verdict is stored durably, unless it came too late, which its
    status `unscored` says, or the window does not store copies (policy `drop`).
    """

    verdicts: list[IngestedVerdict]
    rejects: list[Rejected]


class Judged(BaseModel):
    """A person's judgement of a pair."""

    model_config = ConfigDict(extra="forbid")

    id1: str = Field(max_length=512)
    id2: str = Field(max_length=512)
    judgement: Judgement


class JudgedTotal(BaseModel):
    """How many pairs have been judged so far, and the name of the file."""

    judged: int
    file: str
