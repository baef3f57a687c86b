"""The excerpt strategy: the newest messages stay, some clipped; before them stands one message
with the person's words and the lines of all else that add most. The target is met to the token.
No model is asked, but for a summary in front where the person wants one. Alike in both modes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from core.common.number_format import plural, share_of
from core.facts.sentences import block_texts
from core.llm.chat_messages import human_text
from core.llm.protocol import SummaryRequest
from core.settings.keys import EXCERPT_SUMMARY, LIMIT, PROFILE, SUMMARY_TOKENS, THRESHOLD
from core.settings.prompts.placeholders import fill_placeholders
from core.settings.schema import Mode
from core.strategies import names
from core.strategies.base import Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.draft import result_fault
from core.strategies.excerpt.choice import Coverage
from core.strategies.excerpt.filling import Excerpts, FillRequest, fill_with_excerpts
from core.strategies.excerpt.first import FIRST_SHARE, FirstUnits, first_units
from core.strategies.excerpt.newest import Newest, newest_messages
from core.strategies.excerpt.pinned_messages import PinnedMessages, pinned_messages
from core.strategies.excerpt.units import HEADING, ExcerptUnit, said_share, share_of_work, units_of
from core.strategies.helpers import (
    PROMPT,
    ask_summariser,
    call_record,
    empty_history_no_op,
    no_op_compaction,
    no_op_if_larger,
    require_limit,
    single_fate,
    target_fraction,
)
from core.summarize.summary_request import CLOSING_REQUEST, summary_budget
from core.transcript.compaction import (
    Compaction,
    CompactionMetadata,
    ExcerptLine,
    Fate,
    FateKind,
    ModelCall,
    NoOpCode,
    StrategyFigures,
    Summary,
)
from core.transcript.model import Message, Speaker

NAME = names.EXCERPT
DECLARED_THRESHOLD = 0.80
TARGET = 0.40  # share of the limit; it belongs to the declared trigger and is no setting
_LEAST_ROOM = 0.25  # share of the target for messages, where system prompt and tools leave less
_SUMMARY_SHARE = 0.5  # of the room, at most, for a summary in front
_NEWEST = single_fate(FateKind.KEPT, "newest messages", "It is among the newest messages.")
_CLIPPED = single_fate(
    FateKind.EDITED,
    "newest messages",
    "It is among the newest messages; long results and arguments keep beginning and end.",
)
_NO_LINES = "It has no line that could stand."
_DROPPED = single_fate(
    FateKind.DROPPED, "dropped by a pin", "A pin drops it, or the message that it is a pair with."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """The parts of one run: what stays of the newest messages, the pins, all units by message."""

    context: StrategyContext
    target: int
    newest: Newest
    pins: PinnedMessages
    units: Sequence[ExcerptUnit]
    first: FirstUnits
    work: float

    def stays(self, index: int) -> Message | None:
        """Return the message as the result has it, None where it does not stay."""
        if index in self.pins.kept:
            return self.context.history[index]
        return self.newest.messages.get(index)

    def tokens(self, message: Message) -> int:
        return self.context.estimate_tokens((message,))


@dataclass(frozen=True, slots=True)
class _WrittenSummary:
    """A summary in front of the excerpts, with its budget, its call and the tokens it counts."""

    summary: Summary
    budget: int
    call: ModelCall
    tokens: int
    is_unwritten: bool


def compress(context: StrategyContext) -> Compaction:
    """Fill the target with the newest messages and excerpts; raises InputError where no limit is
    known, CompactionFailed where a summary is wanted and fails."""
    context = replace(context, mode=Mode.SAFE)
    if not context.history:
        return empty_history_no_op(context, NAME)
    limit = require_limit(context, NAME)
    fraction, lowered = target_fraction(STRATEGY, context.values, TARGET, TARGET)
    target = max(1, share_of(limit, fraction))
    pins = pinned_messages(context, context.pairs)
    size = context.estimate_tokens(context.history) + context.hidden
    if size <= target and not pins.dropped:
        reason = f"A request has {size:,} tokens, within the target of {target:,}."
        return no_op_compaction(context, NAME, NoOpCode.UNDER_TARGET, reason, parts=None)
    room = max(target - context.hidden, share_of(target, _LEAST_ROOM))
    compaction = _compact(_begin(context, room, pins))
    warnings = tuple(filter(None, (lowered, *pins.refused, *compaction.warnings)))
    return replace(compaction, target=target, warnings=warnings, protected=tuple(sorted(pins.kept)))


def _begin(context: StrategyContext, target: int, pins: PinnedMessages) -> _Run:
    history = context.history
    units: list[ExcerptUnit] = []
    for index, message in enumerate(history):
        context.progress(0.0, "Compacting")
        units += units_of(index, message)
    work = share_of_work(history, units)
    pinned = sum(context.estimate_tokens((history[index],)) for index in pins.kept)
    left_out = pins.dropped | pins.kept.keys()
    room = max(0, target - pinned)
    newest = newest_messages(context, context.pairs, room, work, left_out)
    return _Run(
        context=context,
        target=target,
        newest=newest,
        pins=pins,
        units=units,
        first=first_units(history, context.focus, context.progress, context.musts),
        work=work,
    )


def _compact(run: _Run) -> Compaction:
    context, history = run.context, run.context.history
    staying = {
        index: message for index in range(len(history)) if (message := run.stays(index)) is not None
    }
    room = run.target - context.estimate_tokens(tuple(staying.values()))
    summary = _summary(run, room) if context.values.flag(EXCERPT_SUMMARY) else None
    room -= summary.tokens if summary is not None else 0
    excerpts = _excerpts(run, staying, room)
    first = staying[min(staying)].speaker if staying else Speaker.HUMAN
    if excerpts.message is None and first in (Speaker.AI, Speaker.TOOL):
        excerpts = replace(excerpts, message=human_text(HEADING))  # the user has to begin
    compaction = _assembled(run, staying, excerpts, summary)
    if fault := result_fault(history, compaction.messages):
        return no_op_compaction(context, NAME, NoOpCode.NO_VALID_BOUNDARY, fault, parts=None)
    after = context.estimate_tokens(compaction.messages)
    if summary is not None and summary.is_unwritten:
        after += summary.tokens
    return no_op_if_larger(context, compaction, after)


def _excerpts(run: _Run, staying: dict[int, Message], room: int) -> Excerpts:
    """Return excerpts of all that does not stay as it was."""
    context = run.context
    covered = Coverage()
    standing: set[str] = set()
    for message in staying.values():
        for text in block_texts(message):
            covered.add(text)
            standing.update(line.rstrip() for line in text.splitlines())
    units = [unit for unit in run.units if _is_missing(run, unit, standing)]
    for unit in run.units:
        if unit.index in staying:
            covered.words |= unit.words
    return fill_with_excerpts(
        FillRequest(
            units=[*units, *_added(run, standing)],
            covered=covered,
            room=room,
            count=run.tokens,
            numbers=[context.source_index(index) + 1 for index in range(len(context.history))],
            said_room=said_share(run.work) * run.target,
            first_room=FIRST_SHARE * run.target,
            comes_first=run.first.rank,
        )
    )


def _added(run: _Run, standing: Set[str]) -> list[ExcerptUnit]:
    """Return what is open and no message states as it is, but for what a pin drops."""
    dropped = run.pins.dropped
    return [
        unit for unit in run.first.added if unit.index not in dropped and unit.text not in standing
    ]


def _is_missing(run: _Run, unit: ExcerptUnit, standing: Set[str]) -> bool:
    """Return whether a unit is of a message that goes, or of the part that a clipped one lost."""
    if unit.index in run.pins.dropped or unit.index in run.pins.kept:
        return False
    message = run.newest.messages.get(unit.index)
    if message is None:
        return True
    return message is not run.context.history[unit.index] and unit.text not in standing


def _summary(run: _Run, room: int) -> _WrittenSummary | None:
    """Ask for a summary of all messages that do not stay; None without any."""
    context = run.context
    indices = tuple(index for index in range(len(context.history)) if run.stays(index) is None)
    replaced = tuple(context.history[index] for index in indices)
    wished = summary_budget(
        context.values.integer(SUMMARY_TOKENS), context.estimate_tokens(replaced)
    )
    budget = min(wished, int(_SUMMARY_SHARE * room))
    if not replaced or budget <= 0:
        return None
    prompt = {"max_tokens": str(budget), "focus": context.focus}
    request = SummaryRequest(
        prompt=fill_placeholders(context.prompt, prompt),
        messages=replaced,
        indices=indices,
        trigger=CLOSING_REQUEST,
        max_tokens=budget,
        todos=context.todos,
        transcript=context.transcript,
        focus=context.focus,
        prompt_name=context.prompt_name,
    )
    summariser, response = ask_summariser(context, NAME, request)
    text = Summary(response.text, summariser.profile, summariser.model, response.sections)
    call = call_record(context, request, summariser, response)
    tokens = budget if response.unwritten else run.tokens(human_text(response.text))
    return _WrittenSummary(text, budget, call, tokens, response.unwritten)


def _assembled(
    run: _Run, staying: dict[int, Message], excerpts: Excerpts, summary: _WrittenSummary | None
) -> Compaction:
    count = len(run.context.history)
    standing = Counter(excerpts.units[one.place].index for one in excerpts.chosen)
    lines = Counter(unit.index for unit in run.units)
    fates = tuple(
        _fate(run, index, standing[index], lines[index], summary is not None)
        for index in range(count)
    )
    inserted: list[tuple[Message, tuple[int, ...]]] = []
    for message, kind in (
        (human_text(summary.summary.text) if summary is not None else None, FateKind.SUMMARISED),
        (excerpts.message, FateKind.EXCERPTED),
    ):
        if message is not None:
            origins = tuple(index for index, fate in enumerate(fates) if fate.kind is kind)
            inserted.append((message, origins))
    order = sorted(staying)
    return Compaction(
        messages=(*(message for message, _ in inserted), *(staying[index] for index in order)),
        origins=(*(origins for _, origins in inserted), *((index,) for index in order)),
        fates=fates,
        metadata=CompactionMetadata(
            original_message_count=count,
            compressed_message_count=len(inserted) + len(order),
            strategy_used=NAME,
            llm_call_made=summary is not None,
        ),
        inserted=frozenset(range(len(inserted))),
        summary=summary.summary if summary is not None else None,
        calls=(summary.call,) if summary is not None else (),
        budgets={0: summary.budget} if summary is not None else {},
        figures=StrategyFigures(excerpts=_lines(run, excerpts)),
    )


def _fate(run: _Run, index: int, standing: int, lines: int, is_summarised: bool) -> Fate:
    if index in run.pins.kept:
        return single_fate(FateKind.KEPT, "kept whole", run.pins.kept[index])
    if index in run.pins.dropped:
        return _DROPPED
    message = run.newest.messages.get(index)
    if message is not None:
        return _NEWEST if message is run.context.history[index] else _CLIPPED
    if standing:
        reason = f"{standing:,} of {plural(lines, 'line')} {'stands' if lines == 1 else 'stand'}."
        return single_fate(FateKind.EXCERPTED, "excerpts", reason)
    if is_summarised:
        return single_fate(FateKind.SUMMARISED, "summary", "The summary in front stands for it.")
    reason = f"Other lines add more than its {plural(lines, 'line')}." if lines else _NO_LINES
    return single_fate(FateKind.DROPPED, "excerpts", reason)


def _lines(run: _Run, excerpts: Excerpts) -> tuple[ExcerptLine, ...]:
    return tuple(
        ExcerptLine(
            run.context.source_index(excerpts.units[one.place].index),
            excerpts.units[one.place].text,
            one.names,
        )
        for one in excerpts.chosen
    )


STRATEGY = Strategy(
    name=NAME,
    about="Keeps what is newest, your words, and the lines that add most.",
    requires_llm=False,
    trigger=Trigger(mode=TriggerMode.THRESHOLD, threshold=DECLARED_THRESHOLD),
    options=(THRESHOLD, LIMIT, EXCERPT_SUMMARY, SUMMARY_TOKENS, PROFILE),
    compress=compress,
    needs_limit=True,
    prompts=(PROMPT,),
    obeys_pins=True,
    llm_switch=EXCERPT_SUMMARY,
)
