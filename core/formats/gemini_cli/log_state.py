"""What the replay of a Gemini CLI log knows: the history by id, and all that was ever said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.formats.common.import_notes import ImportNotes
from core.transcript.model import Source, SourceDocument


@dataclass(slots=True, eq=False)
class GeminiEntry:
    """One record of the history: its newest value and where that stands.

    ``gone`` is the number of the rewind that took it back, 0 for none; ``patches`` are the lines that
    changed it, whose value stands nowhere as a whole.
    """

    value: Mapping[str, Json]
    source: Source
    gone: int = 0
    patches: tuple[Source, ...] = ()

    @property
    def alive(self) -> bool:
        """True unless it was taken back."""
        return not self.gone


@dataclass(slots=True, eq=False)
class GeminiRewrite:
    """A place in the log where the agent replaced the history by another."""

    source: Source
    left: tuple[GeminiEntry, ...]


@dataclass(frozen=True, slots=True)
class GeminiRewind:
    """A line that takes back: ``title`` begins the prompt taken back, ``known`` counts the log till then."""

    line: int
    title: str
    known: int


@dataclass(slots=True)
class GeminiReplay:
    """The state of the replay. ``log`` holds all that was ever said, ``live`` the history by id.

    ``until`` is the number of the rewind before which the replay ends, 0 for none.
    """

    document: SourceDocument
    notes: ImportNotes
    until: int = 0
    log: list[GeminiEntry | GeminiRewrite] = field(default_factory=list)
    live: dict[str, GeminiEntry] = field(default_factory=dict)
    fields: dict[str, Json] = field(default_factory=dict)
    rewinds: list[GeminiRewind] = field(default_factory=list)
