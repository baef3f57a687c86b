"""The values of a prompt that is tried on the open conversation, before it is saved or run."""

from __future__ import annotations

from dataclasses import dataclass

from core.presentation.model import LabelledFigure, Notice
from core.presentation.settings.model import CallQuestion, SummaryProgress


@dataclass(frozen=True, slots=True)
class TrialOffer:
    """What can be tried with the text of a prompt page. ``key`` is that of a result which is up to date.

    ``reason`` says why nothing can be tried, ``model_reason`` why no model can; "" where it can.
    """

    key: str = ""
    offline: str = ""  # "Try offline"
    model: str = ""  # "Try with haiku…"
    reason: str = ""
    model_reason: str = ""


@dataclass(frozen=True, slots=True)
class TrialPage:
    """How a try stands: a question before it, a model at work, what went wrong, or the result.

    ``key`` tells which text was tried on what; the offer of the same has the same.
    """

    title: str  # "Offline result"
    about: str  # "deterministic preview"
    key: str
    facts: tuple[LabelledFigure, ...] = ()
    note: str = ""
    text: str = ""
    question: CallQuestion | None = None
    writing: SummaryProgress | None = None
    notice: Notice | None = None
    is_running: bool = False
