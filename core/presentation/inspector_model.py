"""The values that the tabs of the inspector show: a message and why it changed, losses, the check
of the summary, and what a model is asked."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from core.presentation.model import LabelledFigure, Notice
from core.presentation.ruler.geometry import RulerMust
from core.presentation.verdict_model import NO_VERDICT, Phrase, VerdictCell


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
    """The reasons for a message's fate or a cut's boundary; never empty."""

    title: str
    note: str
    fate: int  # code, len(FATES) inserted, -1 a cut
    sentence: tuple[TextSpan, ...]
    steps: tuple[WhyStep, ...]
    sections: tuple[WhySection, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyBlock:
    """A block of a message as text; ``text`` holds ``displayed_length`` of ``total`` characters."""

    kind: str  # "text", "call", "response", "thinking", "media", "code", "opaque"
    title: str
    text: str
    displayed_length: int
    total: int
    mono: bool = False
    error: bool = False
    name: str = ""  # of the tool, where it is a call or its result


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageBody:
    """A message for the inspector; ``raw`` is its JSON in the file."""

    side: str
    index: int
    speaker: str
    facts: tuple[LabelledFigure, ...]
    blocks: tuple[BodyBlock, ...]
    raw_title: str  # "fix-flaky-upload.jsonl:133"
    raw: str
    raw_total: int
    why: WhyPage

    @property
    def is_changed(self) -> bool:
        """Whether it is a message of the source that the result does not have as it was."""
        return self.side == "before" and self.why.fate > 0


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """A line of what changed. ``kind``: "added", "removed", "same"; in the summary "found",
    "reworded" (then the "nearest" sentence) or "gone"; "head", "note". ``matches`` are ranges of
    characters that stand in the result, ascending."""

    kind: str
    text: str
    matches: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class WordPart:
    """A part of a sentence; ``differs`` where the sentence beside it has not the same words."""

    text: str
    differs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSentence:
    """A sentence of a message, and what comes nearest to it in the result, () for nothing.
    ``status`` is "stands", "nearest" or "gone", ``number`` its place among the missing ones of the
    message, from 0; -1 for one that stands. ``result_index``: -1 for none."""

    status: str
    kind: str
    parts: tuple[WordPart, ...]
    nearest: tuple[WordPart, ...] = ()
    result_index: int = -1
    number: int = -1


@dataclass(frozen=True, slots=True)
class MessageChanges:
    """What became of source message ``index``; no lines for a kept one. ``matched_names`` are its
    names and sentences that stand in the result. ``sentences`` are those of its prose, the missing
    ones first, ``pasted`` says how many of its pasted lines stand, "" where it has none."""

    index: int
    lines: tuple[ChangeLine, ...]
    matched_names: tuple[str, ...] = ()
    sentences: tuple[SourceSentence, ...] = ()
    pasted: str = ""


NEEDED, NOWHERE, UNSAID = "needed", "nowhere", "said by nobody"
REMOVED, OPEN, LINE = "removed", "open", "line"
"""States of a row beside EvidenceStatus: gone and used later, nowhere in the source, given to the
person who did not say it, text that was removed, not known before the summary is written, a line
that can be put back."""


@dataclass(frozen=True, slots=True)
class KindBar:
    """A kind of fact with its number word for word, reworded and gone."""

    kind: str
    label: str
    counts: tuple[int, int, int]
    kept: str  # "4 of 5"
    gone: str  # "−1", empty where none is


@dataclass(frozen=True, slots=True, kw_only=True)
class LossRow:
    """A fact; ``source_index`` and ``result_index`` are messages before and after, -1 for none.
    ``nearest`` is the sentence on the other side that is nearest to it. Of a must ``parts`` are its
    words and ``detail`` the line below them; what differs between the two is marked."""

    status: str
    kind: str
    label: str
    text: str
    note: str
    source_index: int = -1
    result_index: int = -1
    nearest: str = ""
    must: str = ""  # the whole text, where the row is one that must survive
    is_from_file: bool = False  # a must that a file holds
    line: str = ""  # the whole line, where the row is one that can be put back
    fate: str = ""  # of a message that was removed
    parts: tuple[WordPart, ...] = ()
    detail: tuple[WordPart, ...] = ()


MUST = "must"
"""The label of a row whose text must survive."""
MUST_IN_PART, MUST_NOT_WRITTEN, MUST_NOT_SAID = (
    "in part", "not written", "not said in this session",
)  # fmt: skip
"""Statuses that only such rows have; a test compares them with the evidence."""


@dataclass(frozen=True, slots=True)
class MustPage:
    """The texts that must survive, worst first; ``counts`` are by glyph. ``suggestions`` are
    sentences of the person to begin with, where there is no text yet. ``marks`` say where each
    stands in the source, ascending."""

    counts: Phrase = ()
    rows: tuple[LossRow, ...] = ()
    suggestions: tuple[str, ...] = ()
    marks: tuple[RulerMust, ...] = ()


@dataclass(frozen=True, slots=True)
class LostPlaces:
    """Where something is lost: ``indices`` are source messages with something that is gone,
    ascending, ``words`` what each lost. ``missing`` are the sentences that do not stand: their
    message and their place among its missing ones, in order."""

    indices: array[int]
    words: tuple[str, ...] = ()
    missing: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LossesPage:
    """The tab's content.

    ``gone`` is the tab's number, None before the summary is written. ``told`` are the sentences
    without those that only count what the lists tell. ``unlisted`` counts unlisted facts.
    ``can_repeat``: the result can be compacted again; ``asks_backtest``: what the strategy would
    have kept at earlier points is not known yet. ``cell`` is the shortest form, in the
    verdict."""

    heading: str
    sentences: tuple[str, ...]
    bars: tuple[KindBar, ...]
    rows: tuple[LossRow, ...]
    gone: int | None
    places: LostPlaces
    unlisted: int = 0
    can_repeat: bool = False
    asks_backtest: bool = False
    link: tuple[TextSpan, ...] = ()
    cell: VerdictCell = NO_VERDICT.losses
    must: MustPage = MustPage()
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LinesPage:
    """The removed lines that can be put back, the most useful first; ``link`` offers to put all of
    them back, or to take them out."""

    lines: tuple[LossRow, ...] = ()
    link: tuple[TextSpan, ...] = ()


DECAY_ROUNDS = 5
"""Compactions in the decay chart."""

DECAY_NOTE = (
    "Your messages that stand word for word. Each round compacts the result of the last, with nothing said "
    "in between; summaries are offline."
)


@dataclass(frozen=True, slots=True)
class DecayBar:
    """The share of the messages of the person that stand word for word, None without any."""

    value: float | None
    label: str
    tip: str


@dataclass(frozen=True, slots=True)
class DecayPage:
    """The compactions so far, of ``total`` in all."""

    bars: tuple[DecayBar, ...] = ()
    note: str = DECAY_NOTE

    @property
    def is_over(self) -> bool:
        return len(self.bars) >= DECAY_ROUNDS


@dataclass(frozen=True, slots=True)
class SummaryFindingRow:
    """A finding; ``link`` leads to its message or to the summary."""

    severity: str  # "error", "warning"
    text: str
    link: str  # "before:42", "after:11"
    location: str  # "#43", "result #12"


@dataclass(frozen=True, slots=True)
class SentenceRow:
    """A sentence of the summary. ``origin_text`` names its sources with links; ``sources`` are
    source messages, best first; ``tone`` is "warn" without a source or with names that no source
    has."""

    text: str
    origin_text: tuple[TextSpan, ...]
    sources: tuple[int, ...]
    tone: str = ""


@dataclass(frozen=True, slots=True)
class AskOffer:
    """What a model can be asked about the result, and at what price; "" where there is nothing."""

    text: str


@dataclass(frozen=True, slots=True)
class BacktestPage:
    """What a strategy would have kept at earlier points; once that is known, with the verdict on
    losses, and the offer of a strategy that keeps far more."""

    text: str
    cell: VerdictCell | None = None
    offer: Notice | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
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
    losses_text: str = ""  # "Your 2 messages are here"
    losses_tone: str = (
        ""  # "ok" only where later turns needed names and nothing is gone or reworded
    )
    # Those the prompt asks for: name, is it there.
    prompt_sections: tuple[tuple[str, bool], ...] = ()
    summary_index: int = -1  # the message of the result that has them


@dataclass(frozen=True, slots=True)
class AskRow:
    """A question. ``verdict`` is empty before the answer; ``details`` are (label, text, verdict):
    expected and given."""

    kind: str
    question: str
    details: tuple[tuple[str, str, str], ...]
    verdict: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskPage:
    """All questions of a result and the answers so far. ``button_text`` is the button's text with
    the price; ``reason`` why it is disabled, else empty; ``status`` sums up. ``option_text`` is
    what can be ticked before."""

    title: str
    facts: tuple[LabelledFigure, ...]
    button_text: str
    reason: str
    rows: tuple[AskRow, ...]
    status: str
    option_text: str = ""
    done: int = 0
    total: int = 0
    is_running: bool = False


PREPARING = AskPage(
    title="",
    facts=(),
    button_text="Ask",
    reason="The questions are not known yet.",
    rows=(),
    status="Looking for what can be asked…",
)
"""What a dialog shows until its questions come."""
