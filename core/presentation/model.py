"""Values that the worker sends to the window: small, picklable, ready to paint. Columns are
parallel sequences with one entry per message. Indices count from 0, texts for users from 1 (#81).
Codes are indices of SPEAKERS, KINDS and FATES."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, fields
from itertools import chain
from typing import NamedTuple

from core.presentation.verdict_model import FigurePage, VerdictCell
from core.transcript.compaction import FateKind
from core.transcript.model import Speaker

SPEAKERS: tuple[str, ...] = tuple(speaker.value for speaker in Speaker)
KINDS: tuple[str, ...] = ("human", "ai", "call", "tool", "system", "summary")
"""Colours of bars: ``ai`` is text of the model, ``call`` a message with tool calls."""
FATES: tuple[str, ...] = tuple(fate.value for fate in FateKind)
KEPT, EDITED, PRUNED, SUMMARISED, EXCERPTED, DROPPED = range(len(FATES))
INSERTED_CODE = len(FATES)
SYSTEM = KINDS.index("system")
FOCUS_KEY = "focus"
"""Key of the control that says what the summary keeps above all; it is no setting."""
DOES_COMPACTING = "when it compacts"
DOES_EVERY_TURN = "every turn"
EVERY_TURN_KEY = "every-turn"
"""Key of the control that chooses between what a strategy does on every turn and when it
compacts."""
INSERTED = "inserted"
"""Fate word of a result message without a source; its code is INSERTED_CODE."""
UNREPORTED = -2
"""Tokens of a message whose only content is encrypted and of unreported size."""


def fate_counts(codes: bytes) -> tuple[tuple[int, int], ...]:
    """Return (fate code, messages) of the fates that occur, inserted last."""
    counts = ((code, codes.count(code)) for code in range(len(FATES) + 1))
    return tuple(pair for pair in counts if pair[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRows:
    """Short texts and numbers of messages, for the lists and the ruler.

    ``lead`` is set in bold mono (a tool's name), ``text`` is the rest of the line (at most 200
    characters, no line breaks); ``mono`` is 1 for code-like text, ``errors`` 1 for failed results.
    ``tokens`` is -1 before counting, UNREPORTED where the size is unknown.
    """

    speakers: bytes
    kinds: bytes
    errors: bytes
    mono: bytes
    tokens: array[int]
    lead: tuple[str, ...]
    text: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.speakers)

    def sliced(self, start: int, end: int) -> MessageRows:
        return MessageRows(
            **{column: getattr(self, column)[start:end] for column in _ROW_COLUMNS}
        )

    @staticmethod
    def joined(parts: Sequence[MessageRows]) -> MessageRows:
        return MessageRows(
            speakers=b"".join(part.speakers for part in parts),
            kinds=b"".join(part.kinds for part in parts),
            errors=b"".join(part.errors for part in parts),
            mono=b"".join(part.mono for part in parts),
            tokens=array("q", chain.from_iterable(part.tokens for part in parts)),
            lead=tuple(chain.from_iterable(part.lead for part in parts)),
            text=tuple(chain.from_iterable(part.text for part in parts)),
        )


_ROW_COLUMNS = tuple(column.name for column in fields(MessageRows))
NO_ROWS = MessageRows.joined(())


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRow:
    """A recorded compaction as a row before message ``boundary`` of the source list."""

    boundary: int
    number: int
    text: str  # "— context compacted (168k → 38k tokens) —"
    detail: str  # "recorded 1 · auto · before #389"
    tone: str  # "", "error" (it grew), "opaque"
    summary: str  # text of the summary, shown when opened
    is_hidden: bool = False  # its output cannot be read
    scope: str = (
        ""  # the session as it was before it: "before:2"; "" where that is shown
    )


@dataclass(frozen=True, slots=True)
class PickerChoice:
    """One entry of a picker; a new ``group`` begins with a separator. ``short`` stands for the
    label where space is short; ``limit`` is that of a model, in tokens."""

    value: str
    label: str
    hint: str = ""
    group: str = ""
    short: str = ""
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class RowsReadEvent:
    """Rows of the source list from message ``start`` on, sent while the file is read."""

    generation: int
    start: int
    rows: MessageRows


class FateRun(NamedTuple):
    """Adjacent messages of one fate: [start, end) in the source and in the result."""

    fate: int
    before: tuple[int, int]
    after: tuple[int, int]
    results: int = 0  # what they became, without inserted messages


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlBounds:
    """The least and the greatest value of a number, and the step of its editor. ``takes_tokens``: a
    value above 1 is a number of tokens; ``whole`` are those of 100 %, 0 where they are not
    known."""

    low: float = 0.0
    high: float = 1.0
    step: float = 0.01
    takes_tokens: bool = False
    whole: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlNote:
    """The line below a control; ``link`` (text, target) may end it, ``short`` is shown where the
    text does not fit beside that. ``effect`` is what a switch saves ("−33,029")."""

    text: str = ""
    short: str = ""
    link: tuple[str, str] | None = None
    effect: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingControl:
    """A control of the tuning panel, made from a setting's declaration.

    ``kind`` is "fraction", "whole", "flag", "choice", "text" or "fact" (read-only). ``value_text``
    is the displayed value ("20 %"). ``layers`` holds (layer, text) of all. ``profile`` is the
    loaded profile that set the session value, ``command`` the slash command ("/set KEY VALUE").
    ``choice_hints`` say what each of the ``choices`` does; without any, the choices say it
    themselves.
    """

    key: str
    label: str
    kind: str
    value: bool | int | float | str | None
    value_text: str
    layer: str
    layers: tuple[tuple[str, str], ...]
    help: str
    bounds: ControlBounds = ControlBounds()
    choices: tuple[str, ...] = ()
    choice_hints: tuple[str, ...] = ()
    note: ControlNote = ControlNote()
    profile: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class LabelledFigure:
    """A labelled figure ("tokens after", "−3,681"); ``fraction`` draws a bar from 0 to 1."""

    label: str
    value: str
    tone: str = ""  # "", "ok", "warn", "error", "strong"
    fraction: float | None = None
    fate: int = -1


def secrets_figure(count: int) -> LabelledFigure:
    """Return how many secrets a model would be sent."""
    found, tone = (f"{count:,}", "warn") if count else ("none", "ok")
    return LabelledFigure("Secrets found in the text", found, tone)


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """A group of controls; ``action`` is (label, key, value); ``facts`` are figures below the
    controls. ``note`` is at the right of the title."""

    title: str
    controls: tuple[SettingControl, ...]
    action: tuple[str, str, str] | None = None
    facts: tuple[LabelledFigure, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeEffect:
    """What a change of settings did: ``moves`` are pairs of fates with the messages that went from
    one to the other, ``tokens`` is the difference of the result, ``losses`` what is gone before and
    after, None if unknown."""

    title: str  # "Keep bottom"
    change: str  # "25 % → 20 %"
    moves: tuple[tuple[str, int], ...] = ()  # ("kept → summarised", 8), the most first
    tokens: int = 0
    losses: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class TuningPage:
    groups: tuple[ControlGroup, ...]
    change: Notice | None = None  # what the last change did


@dataclass(frozen=True, slots=True)
class LintRow:
    """A finding on ``side`` "before" or "after"; ``index`` is its message, -1 for the whole
    side."""

    severity: str  # "error", "warning", "info"
    rule: str
    text: str
    side: str
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRow:
    """The faults of one kind in a message, whose ``index`` on ``side`` is -1 for the whole side.

    ``about`` says what they are, ``mend`` what a repair does, "" where it does not mend them;
    ``tip`` has ids and rules; ``is_in_result``: the result has them too. ``kind`` and ``count``
    let rows of one kind be told together."""

    title: str
    about: str = ""
    mend: str = ""
    side: str = "before"
    index: int = -1
    tip: str = ""
    kind: str = ""
    count: int = 1
    is_in_result: bool = False


@dataclass(frozen=True, slots=True)
class FaultGroup:
    """Faults that are told together by ``title``; "" for a row that stands alone."""

    title: str
    rows: tuple[FaultRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultPage:
    """The faults of source and result for an API: the head, what is said below it, and what a
    repaired copy would be, "" where there is nothing to repair."""

    count: int = 0
    head: str = ""
    text: str = ""
    groups: tuple[FaultGroup, ...] = ()
    outlook: str = ""


@dataclass(frozen=True, slots=True)
class LintReport:
    """What an API would refuse; ``limits`` are what a request uses of the limits of the API."""

    provider: str
    label: str
    rows: tuple[LintRow, ...]
    verdict: str  # "Result: in order · source: 2 warnings"
    tone: str
    _: KW_ONLY
    limits: tuple[LabelledFigure, ...] = ()
    faults: FaultPage = FaultPage()


@dataclass(frozen=True, slots=True)
class ChecksPage:
    """A report per API, none while they are not known; ``provider`` is the API of the
    transcript."""

    provider: str
    reports: tuple[LintReport, ...]


@dataclass(frozen=True, slots=True)
class StatusPart:
    """A text of the status bar on ``side`` "left" or "right"; ``is_share``: it is "now [ctx: 45%]"."""

    text: str
    tone: str = ""
    tip: str = ""
    side: str = "left"
    is_share: bool = False


RUN_TOPIC = "run"
"""Topic of notices on a compaction by a model."""
RECOMMENDED_TOPIC = "recommended"
"""Topic of the notice that another strategy keeps more than the shown result."""


@dataclass(frozen=True, slots=True)
class NoticeAction:
    """A link in a notice: the window's action and its argument."""

    label: str
    action: str
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """A message for the message bar: ``title`` happened (bold), details, and actions. ``short`` is
    title and text for a row in which they do not fit."""

    severity: str  # "info", "warning", "error"
    title: str
    text: str
    actions: tuple[NoticeAction, ...] = ()
    details: str = ""
    topic: str = (
        ""  # a newer notice of the topic replaces the older; an empty text removes it
    )
    _: KW_ONLY
    short: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusPage:
    """``sizes`` and ``prices`` are what the cells of the verdict open; ``price`` is the
    cell itself, ``size`` that of a result that an API would refuse.

    ``notices`` begin with the ``step_notices``, which are said of the step that led here.
    """

    parts: tuple[StatusPart, ...]
    notices: tuple[Notice, ...]
    step_notices: int
    price: VerdictCell
    sizes: FigurePage
    prices: FigurePage
    size: VerdictCell | None = None


@dataclass(frozen=True, slots=True)
class CutRow:
    """A cut as a row before message ``boundary`` of a list; ``detail`` is why it is not where
    asked."""

    boundary: int
    text: str  # "cut 2 · before #329"
    name: str
    is_compaction: bool = False  # "— context compacted (…) —" rather than a cut line
    detail: str = ""  # "not #30: Edit keeps its result"


@dataclass(frozen=True, slots=True)
class PriceChoice:
    """Whose prices count for summaries that no model wrote: the choice, "" for the session's model,
    and what may be chosen."""

    value: str = ""
    choices: tuple[PickerChoice, ...] = ()
