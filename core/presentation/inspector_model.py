"""Values of the Losses tab: fidelity, check of the summary, quiz of a model."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass

from core.analysis.fidelity.model import FactStatus, FidelityCategory, JudgedFact
from core.common import number_format
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


STATUSES = tuple(FactStatus)
"""Statuses of a bar's parts, in order."""
INVENTED, NEEDED, FLIPPED, REMOVED = "invented", "needed", "flipped", "removed"
"""Row states beside FactStatus: not in the source, lost and used later, reversed, text that was removed."""


@dataclass(frozen=True, slots=True)
class FidelityBar:
    """A category with its number of facts per status, in the order of STATUSES."""

    kind: str
    label: str
    counts: tuple[int, ...]
    not_lost: str  # "4 of 5"
    lost: str  # "−1", empty where none is


@dataclass(frozen=True, slots=True)
class FidelityFactRow:
    """A fact; ``source_index`` and ``result_index`` are messages before and after, -1 for none."""

    status: str
    kind: str
    label: str
    text: str
    note: str
    source_index: int = -1
    result_index: int = -1


@dataclass(frozen=True, slots=True)
class FidelityPage:
    """The tab's content.

    ``lost_indices`` are source messages with lost facts, ascending, ``lost_words`` what each lost. ``curve``
    is the recall by tenth of the source, None without facts; ``unlisted`` counts unlisted facts. ``pins``
    offers to pin the constraints, or names a strategy that obeys pins. ``can_fold``: the result can be
    compacted again.
    """

    figure: str
    tip: str
    note: str
    needed: tuple[TextSpan, ...]
    bars: tuple[FidelityBar, ...]
    rows: tuple[FidelityFactRow, ...]
    lost: int
    curve: tuple[float | None, ...]
    lost_indices: array[int]
    unlisted: int = 0
    lost_words: tuple[str, ...] = ()
    pins: tuple[TextSpan, ...] = ()
    can_fold: bool = False
    untold: int = 0  # facts of which it cannot be told
    heading: str = ""  # "10 known facts lost"
    scope: str = ""  # "of the 111 facts that Foldline recognises. …"


LABELS: Mapping[FidelityCategory, str] = {
    FidelityCategory.CONSTRAINT: "constraints",
    FidelityCategory.FILE: "files modified",
    FidelityCategory.ERROR: "errors",
    FidelityCategory.PATH: "paths",
    FidelityCategory.TODO: "todos",
    FidelityCategory.DECISION: "decisions",
    FidelityCategory.IDENTIFIER: "identifiers",
    FidelityCategory.NUMBER: "numbers",
    FidelityCategory.URL: "URLs",
    FidelityCategory.COMMAND: "commands",
    FidelityCategory.USER_MESSAGE: "user messages",
    FidelityCategory.CODE: "code",
}
"""Plural names of the categories."""
WINDOW_NAMES: Mapping[str, tuple[str, str]] = {
    FidelityCategory.CONSTRAINT: ("rule", "rules"),
    FidelityCategory.FILE: ("file changed", "files changed"),
    FidelityCategory.IDENTIFIER: ("name in code", "names in code"),
    FidelityCategory.TODO: ("to-do", "to-dos"),
    FidelityCategory.USER_MESSAGE: ("your message", "your messages"),
}
"""What the window calls one and several of a category, where that differs from the command line."""

ABOUT: Mapping[FidelityCategory, str] = {
    FidelityCategory.CONSTRAINT: "a rule of a person or of a file that instructs, word for word",
    FidelityCategory.FILE: "a file that was written, edited, moved or deleted",
    FidelityCategory.ERROR: "what a tool said when it failed, or a person reported",
    FidelityCategory.PATH: "a file that was only read or named",
    FidelityCategory.TODO: "an item of the last todo list with its state, or what a text leaves open",
    FidelityCategory.DECISION: "a sentence that says what was chosen, why, or what the model found",
    FidelityCategory.IDENTIFIER: "an id, or a name of code that the work is about",
    FidelityCategory.NUMBER: "a value with its key, a date, a count of a test run",
    FidelityCategory.URL: "an address that was said or fetched",
    FidelityCategory.COMMAND: "a shell command that does more than look around",
    FidelityCategory.USER_MESSAGE: "what the person said, message by message",
    FidelityCategory.CODE: "fenced code and written file contents, in runs of three lines",
}
"""Definitions of the categories."""

_PARTS: Mapping[FidelityCategory, str] = {
    FidelityCategory.FILE: "its name alone",
    FidelityCategory.PATH: "its name alone",
    FidelityCategory.ERROR: "its type alone",
    FidelityCategory.TODO: "without its state",
    FidelityCategory.URL: "without its query",
    FidelityCategory.COMMAND: "its program alone",
    FidelityCategory.CODE: "some of its lines",
}


def fact_note(fact: JudgedFact) -> str:
    """Return a fact's messages and remarks: "#89, #301 · never resolved"."""
    parts = [", ".join(map(number_format.message_number, fact.fact.messages)), _status_text(fact)]
    if fact.fact.kind is FidelityCategory.ERROR and not fact.fact.is_resolved:
        parts.append("never resolved")
    return " · ".join(filter(None, parts))


def _status_text(fact: JudgedFact) -> str:
    if fact.is_negated:
        return "says the opposite now"
    if fact.status is FactStatus.UNCLEAR:
        return "its subject is there; whether it still says this cannot be told"
    if fact.status is FactStatus.PARTIAL:
        return _PARTS.get(fact.fact.kind, "in part")
    if fact.status is FactStatus.RECOVERABLE:
        return "its file is still named"
    return "" if fact.status is FactStatus.LOST else fact.status.value


DECAY_ROUNDS = 5
"""Compactions in the decay chart."""

DECAY_NOTE = "Each compacts the result of the last, with nothing said in between; summaries are offline."


@dataclass(frozen=True, slots=True)
class DecayBar:
    """Fidelity after one of the compactions, 0 to 1, None without facts."""

    value: float | None
    label: str
    tip: str


@dataclass(frozen=True, slots=True)
class DecayPage:
    """The compactions so far, of ``total`` in all."""

    bars: tuple[DecayBar, ...] = ()
    total: int = DECAY_ROUNDS
    note: str = DECAY_NOTE

    @property
    def is_over(self) -> bool:
        return len(self.bars) >= self.total


@dataclass(frozen=True, slots=True)
class SummaryFindingRow:
    """A finding; ``link`` leads to its message or to the summary."""

    severity: str  # "error", "warning"
    text: str
    link: str  # "before:42", "after:11"
    location: str  # "#43", "result #12"


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A sentence of the summary. ``origin_text`` names its sources with links; ``sources`` are source
    messages, best first; ``tone`` is "warn" without a source or with invented facts."""

    text: str
    origin_text: tuple[TextSpan, ...]
    sources: tuple[int, ...]
    tone: str = ""


@dataclass(frozen=True, slots=True)
class SummaryPage:
    """The summary in result message ``result_index``: sentences, and sections of its Why page.
    ``result_index`` -1: the check of all summaries; ``verdict`` "": nothing to check."""

    result_index: int
    verdict: str
    tone: str  # "ok", "warn", "error"
    findings: tuple[SummaryFindingRow, ...]
    sentences: tuple[SentenceRow, ...] = ()
    verdict_text: str = ""  # how many sentences have a source
    sections: tuple[WhySection, ...] = ()
    lost: int = 0  # known facts that the result lacks
    lost_text: str = ""  # "10 known facts are not in the result."
    prompt_sections: tuple[tuple[str, bool], ...] = ()  # those the prompt asks for: name, is it there
    summary_index: int = -1  # the message of the result that has them


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """A question. ``verdict`` is empty before the answer; ``details`` are (label, text, verdict): expected
    and given."""

    kind: str
    question: str
    details: tuple[tuple[str, str, str], ...]
    verdict: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True)
class ProbePage:
    """All questions of a result and the answers so far. ``button_text`` is the button's text with the
    price; ``reason`` why it is disabled, else empty. ``table`` has a row per kind below ``table_header``;
    ``status`` sums up."""

    title: str
    facts: tuple[LabelledFigure, ...]
    button_text: str
    reason: str
    table_header: tuple[str, ...]
    table: tuple[tuple[str, ...], ...]
    rows: tuple[ProbeRow, ...]
    status: str
    baseline_text: str = ""
    done: int = 0
    total: int = 0
    is_running: bool = False
