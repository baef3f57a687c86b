"""Values of the prompt editor: origin of a text, changes, request, trial."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.common.atomic_file import ABSENT, FileSignature
from core.presentation.dialog_model import CallQuestion, SummaryProgress
from core.presentation.model import LabelledFigure, Notice


@dataclass(frozen=True, slots=True)
class PromptLocation:
    """A prompt as a provider's model gets it, at a level of the chain."""

    name: str = ""
    provider: str = ""
    model: str = ""
    level: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptLevelRow:
    """A level of the chain; ``state`` is "in use", "installed", "none"; ``problem`` says why its
    file cannot be used."""

    level: str
    title: str  # "This provider"
    location: str  # "providers/anthropic/compression/"
    path: str
    state: str
    exists: bool
    wins: bool
    shown: bool  # the editor shows this level's text
    problem: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True)
class PromptDiffRow:
    """A changed line: "+", "-" or " ", and its number ("" if removed)."""

    mark: str
    number: str
    text: str


@dataclass(frozen=True, slots=True)
class SectionRow:
    """A required section, and whether the text has it."""

    name: str
    present: bool


@dataclass(frozen=True, slots=True)
class PlaceholderRow:
    """A placeholder and its value here ("≈88,383 tokens", "4,000", "empty")."""

    name: str
    value: str
    used: bool
    known: bool = True


@dataclass(frozen=True, slots=True)
class RequestPart:
    """One message of a request; ``title`` is its position: "2 of 31"."""

    role: str
    title: str
    text: str
    tokens: str


@dataclass(frozen=True, slots=True)
class RequestPage:
    """The exact request for the open conversation, or the ``reason`` why there is none."""

    parts: tuple[RequestPart, ...]
    facts: tuple[LabelledFigure, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TrialOffer:
    """The available trials; ``key`` identifies a result that is current. ``reason`` says why
    nothing can be tried, ``model_reason`` why no model can; else ""."""

    key: str = ""
    offline: str = ""  # "Try offline"
    model: str = ""  # "Try with haiku…"
    reason: str = ""
    model_reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPage:
    """A trial: a question, a running model, an error, or the result. ``key`` identifies text and
    conversation, as in ``TrialOffer``."""

    title: str  # "Offline result"
    about: str  # "deterministic preview"
    key: str
    facts: tuple[LabelledFigure, ...] = ()
    note: str = ""
    text: str = ""
    question: CallQuestion | None = None
    progress: SummaryProgress | None = None
    notice: Notice | None = None
    is_running: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptChanges:
    """What differs from the level below."""

    title: str  # "Changes against built in"
    added: str  # "+3"
    removed: str  # "−2"
    rows: tuple[PromptDiffRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptOutline:
    """Sections and placeholders of a prompt."""

    sections: tuple[SectionRow, ...]
    text: str  # "8 of 9"
    placeholders: tuple[PlaceholderRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptNotice:
    """The bar above the text, "" if nothing is to check, and the first line to go to, 0 for
    none."""

    text: str
    detail: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptContent:
    """The text of the file at ``path``; ``signature`` is the file's, for saving;
    ``changed_outside`` a sentence or ""."""

    path: str
    text: str
    editable: bool
    edited: bool  # differs from the file
    signature: FileSignature = ABSENT
    changed_outside: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPage:
    """The content of the prompt editor.

    ``names`` are all prompts. ``provider`` and ``model`` determined the chain.
    """

    name: str
    file: str  # "compression/middle-out.md"
    chain: tuple[PromptLevelRow, ...]
    level: str
    content: PromptContent
    changes: PromptChanges
    outline: PromptOutline
    notice: PromptNotice
    tokens: str  # "≈428 tokens · o200k_base estimate"
    request: RequestPage
    names: tuple[str, ...] = ()
    provider: str = ""
    model: str = ""
    trial: TrialOffer = field(default_factory=TrialOffer)

    @property
    def location(self) -> PromptLocation:
        return PromptLocation(self.name, self.provider, self.model, self.level)
