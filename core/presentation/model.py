"""The values that pass from the worker to the window. Small, picklable, ready to paint.

Columns are parallel sequences with one entry per message. Indices count from 0; texts for people
count from 1 (#81). Codes are positions in SPEAKERS, KINDS and FATES.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.presentation.packed_texts import PackedTexts
from core.presentation.request_size.page import SizePage
from core.presentation.ruler.model import CutHandle, RulerBand, RulerMarks
from core.presentation.screen_key import ScreenKey
from core.transcript.compaction import FateKind
from core.transcript.model import Speaker

SPEAKERS: tuple[str, ...] = tuple(speaker.value for speaker in Speaker)
KINDS: tuple[str, ...] = ("human", "ai", "call", "tool", "system", "summary")
"""What the colour of a bar says: ``ai`` is text of the model, ``call`` a message with tool calls."""
FATES: tuple[str, ...] = tuple(fate.value for fate in FateKind)
INSERTED = "inserted"
"""The word for a result message that no source message is; its code is len(FATES)."""
UNREPORTED = -2
"""Stands for the tokens of a message that holds encrypted content alone, of no reported size."""


@dataclass(frozen=True, slots=True)
class MessageRows:
    """Short texts and numbers of messages, for the lists and the ruler.

    ``lead`` is the part set in bold mono (a tool's name), ``text`` the rest of the line (at most
    200 characters, no line breaks), ``mono`` 1 where the rest is code-like, ``error`` 1 where the
    message is or holds a failed result. ``tokens`` is -1 while not yet counted, UNREPORTED where
    nobody can count them.
    """

    speakers: bytes
    kinds: bytes
    errors: bytes
    mono: bytes
    tokens: array[int]
    lead: PackedTexts
    text: PackedTexts

    def __len__(self) -> int:
        return len(self.speakers)


@dataclass(frozen=True, slots=True)
class RecordedRow:
    """A recorded compaction as a row of the before list, before message ``position`` of that list."""

    position: int
    number: int
    text: str  # "— context compacted (168k → 38k tokens) —"
    detail: str  # "recorded 1 · auto · before #389"
    tone: str  # "", "error" (it grew), "opaque"
    summary: str  # text of the summary, shown when opened
    is_hidden: bool = False  # what it wrote cannot be read


@dataclass(frozen=True, slots=True)
class PickerChoice:
    """One entry of a picker. A line is drawn where ``group`` is another than in the entry before."""

    value: str
    label: str
    hint: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class RowsReadEvent:
    """A batch of rows of the before list, for messages from ``start`` on (streamed while reading)."""

    generation: int
    start: int
    rows: MessageRows


@dataclass(frozen=True, slots=True)
class FateRun:
    """Neighbouring messages of one fate, before (start, end) and where they went (start, end)."""

    fate: int
    before: tuple[int, int]
    after: tuple[int, int]


@dataclass(frozen=True, slots=True)
class SettingControl:
    """One control of the tuning panel, made from a setting's declaration.

    ``kind`` is "fraction", "whole", "flag", "choice", "text" or "fact" (a value nobody can edit).
    ``value_text`` is how the value reads ("20 %"). ``layers`` holds (layer, text) of all three.
    ``effect`` is the marginal effect ("−33,029", in brackets if off), ``hint`` the line below.
    ``profile`` is the loaded one that put the value into the session, ``command`` how to set it by a
    line ("/set KEY VALUE").
    """

    key: str
    label: str
    kind: str
    value: bool | int | float | str | None
    value_text: str
    layer: str
    layers: tuple[tuple[str, str], ...]
    help: str
    low: float = 0.0
    high: float = 1.0
    step: float = 0.01
    choices: tuple[str, ...] = ()
    hint: str = ""
    effect: str = ""
    effect_tone: str = ""
    enabled: bool = True
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


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """A group of controls. ``note`` stands right of the title, ``short_note`` where there is no room
    for it; ``action`` is (label, key, value); ``facts`` are figures with bars, under the controls."""

    title: str
    controls: tuple[SettingControl, ...]
    note: str = ""
    collapsed: bool = False
    foot: str = ""
    action: tuple[str, str, str] | None = None
    facts: tuple[LabelledFigure, ...] = ()
    short_note: str = ""


@dataclass(frozen=True, slots=True)
class ChangeEffect:
    """Effect of the last change: what changed, and what followed."""

    title: str  # "Keep bottom"
    change: str  # "25 % → 20 %"
    facts: tuple[LabelledFigure, ...]


@dataclass(frozen=True, slots=True)
class LintRow:
    """One finding. ``side`` is "before" or "after"; ``index`` a message there, -1 for the whole."""

    severity: str  # "error", "warning", "info"
    rule: str
    text: str
    side: str
    index: int


@dataclass(frozen=True, slots=True)
class LintReport:
    """What the linter found for one target API."""

    provider: str
    label: str
    rows: tuple[LintRow, ...]
    verdict: str  # "Result: valid · source: 2 warnings"
    tone: str


@dataclass(frozen=True, slots=True)
class StatusPart:
    """One text of the status bar, left to right. ``side`` is "left" or "right"; ``sizes`` opens as a
    popover."""

    text: str
    tone: str = ""
    tip: str = ""
    side: str = "left"
    optional: bool = False  # may go when the window is narrow
    sizes: SizePage | None = None


@dataclass(frozen=True, slots=True)
class NoticeAction:
    """A link in a notice: what the window does when it is clicked (an action's name, its argument)."""

    label: str
    action: str
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """A message for the message bar: what happened (bold), numbers, what stayed; ways out."""

    severity: str  # "info", "warning", "error"
    what: str
    text: str
    actions: tuple[NoticeAction, ...] = ()
    details: str = ""
    topic: str = ""  # a newer notice of the same topic replaces the older; empty text removes it


@dataclass(frozen=True, slots=True)
class CutRow:
    """A cut as a row of a list, before message ``position`` of that list."""

    position: int
    text: str  # "cut 2 · before #329"
    name: str
    wide: bool = False  # "— context compacted (…) —" rather than a cut line


@dataclass(frozen=True, slots=True)
class Screen:
    """One live preview, ready to show. Columns of ``fates`` and ``before`` are source messages.

    ``after`` rows of kept messages repeat the source's texts. ``origin[i]`` is the first source
    index of result message i, -1 for none; ``after_fates[i]`` a code in FATES, or len(FATES) for
    inserted. ``draft`` is True while a handle moves and the summary is not yet written. Without ``lint``
    it is not checked yet: core.presentation.checked_screen.ScreenChecks follows.
    """

    generation: int
    strategy: str
    draft: bool
    before: MessageRows
    after: MessageRows
    fates: bytes
    after_fates: bytes
    origin: array[int]
    partners: Mapping[int, tuple[int, ...]]
    runs: tuple[FateRun, ...]
    bands: tuple[RulerBand, ...]
    handles: tuple[CutHandle, ...]
    valid: bytes  # one per boundary 0..n: 1 valid
    marks: RulerMarks
    before_head: str  # "412 messages"
    after_head: str  # "169 messages · preview, offline"
    before_chips: tuple[tuple[int, int], ...]  # (fate code, count)
    after_chips: tuple[tuple[int, int], ...]
    before_cuts: tuple[CutRow, ...]
    after_cuts: tuple[CutRow, ...]
    recorded: tuple[RecordedRow, ...]
    groups: tuple[ControlGroup, ...]
    effect: ChangeEffect | None
    lint: tuple[LintReport, ...]
    lint_provider: str
    status: tuple[StatusPart, ...]
    notices: tuple[Notice, ...]
    no_op: str = ""
    is_beside: bool = False  # the after side is no preview: a recorded compaction, another file, a run
    title: str = ""
    scope: str = "all"
    model: str = ""
    profile: str = "offline"
    price: str = ""  # of a paid compact, as its button says it: "≈ $0.11"
    stale: bool = False  # a model's summary was written for other settings
    runs_made: tuple[PickerChoice, ...] = ()
    run: str = ""  # the run that is shown, as its Choice's value; "" a preview
    can_undo: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)
    scopes: tuple[PickerChoice, ...] = ()  # with their sizes, which are not known before all is counted
    asked: ScreenKey | None = None  # what it answers to; None where it is more, or less, than that
    before_is_known: bool = (
        False  # on the way only: ``before`` was left out, see core.presentation.screen_transfer
    )


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
    """Why a message has its fate, or why a cut lies where it lies. Never empty."""

    title: str
    note: str
    fate: int  # code, len(FATES) inserted, -1 a cut
    sentence: tuple[TextSpan, ...]
    steps: tuple[WhyStep, ...]
    sections: tuple[WhySection, ...]


@dataclass(frozen=True, slots=True)
class BodyBlock:
    """One block of a message as text. ``shown`` of ``total`` characters are in ``text``."""

    kind: str  # "text", "call", "response", "thinking", "media", "code", "opaque"
    title: str
    text: str
    shown: int
    total: int
    mono: bool = False
    error: bool = False


@dataclass(frozen=True, slots=True)
class MessageBody:
    """A message laid out for the inspector; ``raw`` is its JSON as the file has it."""

    side: str
    index: int
    title: str  # "#85 tool"
    facts: tuple[LabelledFigure, ...]
    blocks: tuple[BodyBlock, ...]
    raw_title: str  # "fix-flaky-upload.jsonl:133"
    raw: str
    raw_total: int
    why: WhyPage


@dataclass(frozen=True, slots=True)
class PriceChoice:
    """Whose prices count for summaries that no model wrote: the choice, "" for the session's model, and
    what may be chosen."""

    value: str = ""
    choices: tuple[PickerChoice, ...] = ()
