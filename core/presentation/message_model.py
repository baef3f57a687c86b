"""Values of the inspector's Message tab: a message, and the reasons of its fate."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.model import LabelledFigure


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A piece of a sentence. ``link`` is empty, "before:84" or "after:12" (an index from 0)."""

    text: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class WhyStep:
    """One step of a reasoning. ``tone``: "", "ok", "warn", "error", "end"."""

    title: tuple[TextSpan, ...]
    detail: tuple[TextSpan, ...]
    tone: str = ""


@dataclass(frozen=True, slots=True)
class WhySection:
    """A titled section under the steps: sentences, or label and value pairs."""

    title: str
    text: tuple[TextSpan, ...] = ()
    facts: tuple[LabelledFigure, ...] = ()
    mono: str = ""


@dataclass(frozen=True, slots=True)
class WhyPage:
    """The reasons for a message's fate or a cut's position; never empty."""

    title: str
    note: str
    fate: int  # code, len(FATES) inserted, -1 a cut
    sentence: tuple[TextSpan, ...]
    steps: tuple[WhyStep, ...]
    sections: tuple[WhySection, ...]


@dataclass(frozen=True, slots=True)
class BodyBlock:
    """A block of a message as text; ``text`` holds ``shown_length`` of ``total`` characters."""

    kind: str  # "text", "call", "response", "thinking", "media", "code", "opaque"
    title: str
    text: str
    shown_length: int
    total: int
    mono: bool = False
    error: bool = False


@dataclass(frozen=True, slots=True)
class MessageBody:
    """A message for the inspector; ``raw`` is its JSON in the file."""

    side: str
    index: int
    title: str  # "#85 tool"
    facts: tuple[LabelledFigure, ...]
    blocks: tuple[BodyBlock, ...]
    raw_title: str  # "fix-flaky-upload.jsonl:133"
    raw: str
    raw_total: int
    why: WhyPage
