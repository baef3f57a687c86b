"""Values of a prompt trial on the open conversation."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.model import LabelledFigure, Notice
from core.presentation.settings.model import CallQuestion, SummaryProgress


@dataclass(frozen=True, slots=True)
class TrialOffer:
    """The available trials; ``key`` identifies a result that is current. ``reason`` says why nothing can be
    tried, ``model_reason`` why no model can; else ""."""

    key: str = ""
    offline: str = ""  # "Try offline"
    model: str = ""  # "Try with haiku…"
    reason: str = ""
    model_reason: str = ""


@dataclass(frozen=True, slots=True)
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
