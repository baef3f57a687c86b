"""The values of the prompt editor: where a text comes from, what changed, what a model would be sent."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.common.file_identity import ABSENT, FileSignature
from core.presentation.model import LabelledFigure
from core.presentation.prompts.trial_model import TrialOffer


@dataclass(frozen=True, slots=True)
class PromptLevelRow:
    """One level of the chain. ``state`` stands at the right: "in use", "installed", "none".

    ``tone`` is "" or "error"; ``problem`` the sentence why the file cannot be used.
    """

    level: str
    title: str  # "This provider"
    place: str  # "providers/anthropic/compression/"
    path: str
    state: str
    exists: bool
    wins: bool
    shown: bool  # the editor shows this level's text
    editable: bool
    problem: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True)
class PromptDiffRow:
    """A line of the changes: "+", "-" or " ", its number in the text ("" where removed)."""

    mark: str
    number: str
    text: str


@dataclass(frozen=True, slots=True)
class SectionRow:
    """A section that the strategy asks for, and whether the text has it."""

    name: str
    present: bool


@dataclass(frozen=True, slots=True)
class PlaceholderRow:
    """A placeholder in braces and what it stands for here ("≈88,383 tokens", "4,000", "empty")."""

    name: str
    value: str
    used: bool
    known: bool = True


@dataclass(frozen=True, slots=True)
class RequestPart:
    """One message of a request as it would be sent. ``title`` is its place: "2 of 31"."""

    role: str
    title: str
    text: str
    tokens: str


@dataclass(frozen=True, slots=True)
class RequestPage:
    """The exact request for the open conversation; ``reason`` says why there is none."""

    parts: tuple[RequestPart, ...]
    facts: tuple[LabelledFigure, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PromptPage:
    """Everything that the prompt editor shows.

    ``notice`` and ``detail`` are the bar above the text, both "" where there is nothing to check;
    ``line`` is the first line to go to, 0 for none. ``changed_outside`` is a sentence or "". ``seen`` is
    what the file is now, for the next ask and for saving; ``names`` are all prompts. ``provider`` and
    ``model`` are those that the chain was followed for.
    """

    name: str
    file: str  # "compression/middle-out.md"
    chain: tuple[PromptLevelRow, ...]
    level: str
    path: str
    text: str
    editable: bool
    edited: bool  # differs from the file
    against: str  # "Changes against built in"
    added: str  # "+3"
    removed: str  # "−2"
    changes: tuple[PromptDiffRow, ...]
    sections: tuple[SectionRow, ...]
    sections_text: str  # "8 of 9"
    placeholders: tuple[PlaceholderRow, ...]
    notice: str
    detail: str
    line: int
    tokens: str  # "≈428 tokens · o200k_base estimate"
    request: RequestPage
    changed_outside: str = ""
    seen: FileSignature = ABSENT
    names: tuple[str, ...] = ()
    provider: str = ""
    model: str = ""
    trial: TrialOffer = field(default_factory=TrialOffer)
