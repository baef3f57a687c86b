"""The excerpt strategy: the newest messages stay, some clipped; before them stands one message with
the person's words and the lines of all else that add most. The target is met to the token. No
model is asked, but for a summary in front where the person wants one. Alike in both modes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from core.common.number_format import plural, share_of
from core.llm.protocol import human_text
from core.settings import schema
from core.settings.schema import Mode, share_of_aim
from core.strategies import names
from core.strategies.base import Strategy, StrategyContext, Trigger, TriggerMode
from core.strategies.draft import result_fault
from core.strategies.excerpt_units import (
    HEADING,
    Excerpts,
    FillRequest,
    ReadHistory,
    fill_with_excerpts,
    read_history,
)
from core.strategies.helpers import (
    PROMPT,
    WrittenSummary,
    empty_history_no_op,
    no_op_compaction,
    no_op_if_larger,
    require_limit,
    single_fate,
    target_fraction,
    within_target,
    write_summary,
)
from core.strategies.presets.split import result_text_at, with_text
from core.strategies.stubs import clip_text
from core.summarize.summary_request import summary_budget
from core.transcript.compaction import (
    Compaction,
    CompactionMetadata,
    ExcerptLine,
    Fate,
    FateKind,
    NoOpCode,
    StrategyFigures,
)
from core.transcript.images import images_of
from core.transcript.model import Block, Message, Speaker, ToolCall, ToolResponse
from core.transcript.pins import PinKind, pinned_indices
from core.transcript.tool_pairs import Pairs

# The newest messages of a run: some uncut, those behind them with clipped results and arguments.


MAX_CLIPPED = 1_500
"""Characters of a clipped result or argument; 600 and 3,000 keep one to three points less."""
_BASE, _BY_WORK = 0.05, 0.55  # shares of the room, in talk and what work adds
_UNCUT_BY_WORK = (
    0.20  # without it one point of needed names and two of surroundings less
)
_LEAST = 0.5  # share of the room within which the last messages stay, however little is theirs


def newest_messages(
    context: StrategyContext,
    pairs: Pairs,
    room: int,
    work: float,
    left_out: frozenset[int],
) -> Mapping[int, Message]:
    """Return by index as many messages as their share of the room holds, from a valid boundary on;
    of work, much of what comes next goes on from them. Messages left out take no room."""
    history = context.history
    share = _BASE + _BY_WORK * work
    uncut_share = _BASE + _UNCUT_BY_WORK * work
    start = len(history)
    used = 0
    is_cut = False
    found: dict[int, Message] = {}
    for index in range(len(history) - 1, -1, -1):
        context.progress(0.0, "Compacting")
        # Pinned messages have had their room, and dropped ones need none.
        if index not in left_out:
            message = history[index]
            is_cut = (
                is_cut
                or used + context.estimate_tokens((message,)) > uncut_share * room
            )
            if is_cut:
                message = _clipped(message)
            used += context.estimate_tokens((message,))
            if start < len(history):
                limit = share
            else:
                limit = max(share, _LEAST)
            if used > limit * room:
                break
            found[index] = message
        # Only from here on would the messages be a valid history.
        if pairs.valid[index]:
            start = index
    # What was read in front of the last boundary would begin with half a pair.
    return {index: message for index, message in found.items() if index >= start}


def _clipped(message: Message) -> Message:
    """Return the message with the beginning and end of its long results and arguments."""
    if any(images_of(message)):
        return message
    for place, block in enumerate(message.blocks):
        if isinstance(block, ToolResponse):
            text = result_text_at(message, place)
            if len(text) > MAX_CLIPPED:
                message = with_text(
                    message, place, clip_text(text, len(text), MAX_CLIPPED)
                )
    blocks = tuple(map(_clipped_call, message.blocks))
    if blocks != message.blocks:
        return replace(message, blocks=blocks)
    return message


def _clipped_call(block: Block) -> Block:
    if not isinstance(block, ToolCall) or not isinstance(block.arguments, dict):
        return block
    long = {
        key: clip_text(value, len(value), MAX_CLIPPED)
        for key, value in block.arguments.items()
        if isinstance(value, str) and len(value) > MAX_CLIPPED
    }
    if long:
        return replace(block, arguments={**block.arguments, **long})
    return block


# What the person's pins mean for a run: the messages that stay whole, and those that go.


_PIN = "A pin keeps it whole."
_PARTNER = "A pin keeps the message that it forms a pair with."


@dataclass(frozen=True, slots=True)
class PinnedMessages:
    """Messages that stay with the reason, those that go, and sentences about pins that are not
    obeyed."""

    kept: Mapping[int, str]
    dropped: frozenset[int]
    refused: tuple[str, ...]


def pinned_messages(context: StrategyContext, pairs: Pairs) -> PinnedMessages:
    """Return them; pins extend to messages that share a pair with pinned ones."""
    keeps = pinned_indices(context.pins, PinKind.KEEP)
    kept = dict.fromkeys(_with_linked(keeps, pairs), _PARTNER) | dict.fromkeys(
        sorted(keeps), _PIN
    )
    dropped: set[int] = set()
    refused: list[str] = []
    for index in sorted(pinned_indices(context.pins, PinKind.DROP)):
        linked = _with_linked((index,), pairs)
        reason = next(
            (kept[one] for one in (index, *sorted(linked)) if one in kept), ""
        )
        # To keep weighs more than to drop: the person can take the pin off.
        if reason:
            words = reason[0].lower() + reason[1:]
            refused.append(f"{context.span(index, index + 1)} is not dropped: {words}")
        else:
            dropped |= linked
    return PinnedMessages(kept, frozenset(dropped), tuple(refused))


def _with_linked(indices: Iterable[int], pairs: Pairs) -> set[int]:
    """Return messages with all that share pairs with them, directly or through others."""
    linked: set[int] = set()
    waiting = list(indices)
    while waiting:
        index = waiting.pop()
        if index not in linked:
            linked.add(index)
            waiting += pairs.partners.get(index, ())
    return linked


NAME = names.EXCERPT
DECLARED_THRESHOLD = 0.80
TARGET = 0.40  # share of the limit that belongs to the declared trigger
_LEAST_ROOM = (
    0.25  # share of the target for messages, where the rest of a request leaves none
)
_SUMMARY_SHARE = 0.5  # of the room, at most, for a summary in front
_NEWEST = single_fate(
    FateKind.KEPT, "newest messages", "It is among the newest messages."
)
_CLIPPED = single_fate(
    FateKind.EDITED,
    "newest messages",
    "It is among the newest messages; long results and arguments keep beginning and end.",
)
_NO_LINES = "It has no line that could be kept."
_DROPPED = single_fate(
    FateKind.DROPPED,
    "dropped by a pin",
    "A pin drops it, or the message that it is a pair with.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """The parts of one run: the room in tokens for messages, what was read of the history, the
    pins, and the messages that stay, by index as the result has them."""

    context: StrategyContext
    room: int
    read: ReadHistory
    pins: PinnedMessages
    staying: Mapping[int, Message]


@dataclass(frozen=True, slots=True)
class _Front:
    """What stands before the messages that stay: a summary, where one is wanted, its budget, and
    the tokens it counts until it is written; then excerpts."""

    excerpts: Excerpts
    summary: WrittenSummary | None
    budget: int = 0


def compress(context: StrategyContext) -> Compaction:
    """Fill the target with the newest messages and excerpts; raises InputError where no limit is
    known, CompactionFailed where a summary is wanted and fails."""
    # No other program has this strategy, so there is no reference to repeat.
    context = replace(context, mode=Mode.SAFE)
    if not context.history:
        return empty_history_no_op(context, NAME)
    limit = require_limit(context, NAME)
    wished = share_of_aim(context.values.number(schema.EXCERPT_TARGET), limit)
    fraction, lowered = target_fraction(STRATEGY, context.values, wished, TARGET)
    target = max(1, share_of(limit, fraction))
    pins = pinned_messages(context, context.pairs)
    size = context.estimate_tokens(context.history) + context.hidden
    if size <= target and not pins.dropped:
        reason = within_target(size, target)
        return no_op_compaction(
            context, NAME, NoOpCode.UNDER_TARGET, reason, parts=None
        )
    compaction = _within_room(context, target, pins)
    warnings = tuple(filter(None, (lowered, *pins.refused, *compaction.warnings)))
    return replace(
        compaction, target=target, warnings=warnings, protected=tuple(sorted(pins.kept))
    )


def _within_room(
    context: StrategyContext, target: int, pins: PinnedMessages
) -> Compaction:
    """Return the result within what system prompt and tools leave of the target; where they leave
    nothing, or too little for any valid result, within the least room."""
    room = target - context.hidden
    if room > 0:
        compaction = _compact(_begin(context, room, pins))
        if (
            compaction.no_op is None
            or compaction.no_op.code is not NoOpCode.NO_VALID_BOUNDARY
        ):
            return compaction
    return _compact(_begin(context, max(room, share_of(target, _LEAST_ROOM)), pins))


def _begin(context: StrategyContext, room: int, pins: PinnedMessages) -> _Run:
    history = context.history
    read = read_history(history, context.progress, context.focus, context.musts)
    pinned = {index: history[index] for index in pins.kept}
    left = max(0, room - context.estimate_tokens(tuple(pinned.values())))
    left_out = pins.dropped | pins.kept.keys()
    newest = newest_messages(context, context.pairs, left, read.work, left_out)
    heading = context.estimate_tokens((human_text(HEADING),))
    if context.estimate_tokens(tuple(newest.values())) + heading > left:
        newest = {}  # one that answers could not stand without a line before it
    staying = dict(sorted({**newest, **pinned}.items()))
    return _Run(context=context, room=room, read=read, pins=pins, staying=staying)


def _compact(run: _Run) -> Compaction:
    context = run.context
    room = run.room - context.estimate_tokens(tuple(run.staying.values()))
    summary, budget, summary_tokens = _summary(run, room)
    excerpts = fill_with_excerpts(
        FillRequest(
            read=run.read,
            standing=tuple(run.staying.values()),
            room=room - summary_tokens,
            size=run.room,
            count=lambda message: context.estimate_tokens((message,)),
            numbers=[
                context.source_index(index) + 1 for index in range(len(context.history))
            ],
            left_out=run.pins.dropped,
        )
    )
    # APIs refuse a history that begins with the model.
    if excerpts.message is None and _begins_with_answer(run):
        excerpts = replace(excerpts, message=human_text(HEADING))
    compaction = _assembled(run, _Front(excerpts, summary, budget))
    if fault := result_fault(context.history, compaction.messages):
        return no_op_compaction(
            context, NAME, NoOpCode.NO_VALID_BOUNDARY, fault, parts=None
        )
    after = context.estimate_tokens(compaction.messages)
    if summary is not None and summary.unwritten:
        after += summary_tokens
    return no_op_if_larger(context, compaction, after)


def _begins_with_answer(run: _Run) -> bool:
    """Return whether the first message that stays is none of the user, who has to begin."""
    first = next(iter(run.staying.values()), None)
    return first is not None and first.speaker in (Speaker.AI, Speaker.TOOL)


def _summary(run: _Run, room: int) -> tuple[WrittenSummary | None, int, int]:
    """Ask for a summary of all messages that do not stay, where one is wanted; return it with its
    budget and the tokens that it takes."""
    context = run.context
    gone = tuple(
        index for index in range(len(context.history)) if index not in run.staying
    )
    if not context.values.flag(schema.EXCERPT_SUMMARY) or not gone:
        return None, 0, 0
    size = context.estimate_tokens(tuple(context.history[index] for index in gone))
    wished = summary_budget(context.values.integer(schema.SUMMARY_TOKENS), size)
    budget = min(wished, int(_SUMMARY_SHARE * room))
    if budget <= 0:
        return None, 0, 0
    summary = write_summary(context, NAME, gone, budget)
    if summary.unwritten:
        return summary, budget, budget
    return summary, budget, context.estimate_tokens((human_text(summary.summary.text),))


def _assembled(run: _Run, front: _Front) -> Compaction:
    count = len(run.context.history)
    summary = front.summary
    excerpts = front.excerpts
    standing = Counter(unit.index for unit, _ in excerpts.lines)
    lines = Counter(unit.index for unit in run.read.units)
    fates = tuple(
        _fate(
            run, index, standing[index], lines[index], is_summarised=summary is not None
        )
        for index in range(count)
    )
    inserted: list[tuple[Message, FateKind]] = []
    if summary is not None:
        inserted.append((human_text(summary.summary.text), FateKind.SUMMARISED))
    if excerpts.message is not None:
        inserted.append((excerpts.message, FateKind.EXCERPTED))
    origins = [
        tuple(index for index, fate in enumerate(fates) if fate.kind is kind)
        for _, kind in inserted
    ]
    return Compaction(
        messages=(*(message for message, _ in inserted), *run.staying.values()),
        origins=(*origins, *((index,) for index in run.staying)),
        fates=fates,
        metadata=CompactionMetadata(
            original_message_count=count,
            compressed_message_count=len(inserted) + len(run.staying),
            strategy_used=NAME,
            llm_call_made=summary is not None,
        ),
        inserted=frozenset(range(len(inserted))),
        summary=summary.summary if summary is not None else None,
        calls=(summary.call,) if summary is not None else (),
        warnings=summary.warnings if summary is not None else (),
        budgets={0: front.budget} if summary is not None else {},
        figures=StrategyFigures(
            excerpts=tuple(
                ExcerptLine(run.context.source_index(unit.index), unit.text, new_names)
                for unit, new_names in excerpts.lines
            )
        ),
    )


def _fate(
    run: _Run, index: int, standing: int, lines: int, *, is_summarised: bool
) -> Fate:
    if index in run.pins.kept:
        return single_fate(FateKind.KEPT, "kept whole", run.pins.kept[index])
    if index in run.pins.dropped:
        return _DROPPED
    message = run.staying.get(index)
    if message is not None:
        return _NEWEST if message is run.context.history[index] else _CLIPPED
    if standing:
        verb = "stands" if standing == 1 else "stand"
        reason = f"{standing:,} of {plural(lines, 'line')} {verb}."
        return single_fate(FateKind.EXCERPTED, "excerpts", reason)
    if is_summarised:
        return single_fate(
            FateKind.SUMMARISED, "summary", "The summary in front stands for it."
        )
    if lines:
        reason = f"Other lines add more than its {plural(lines, 'line')}."
    else:
        reason = _NO_LINES
    return single_fate(FateKind.DROPPED, "excerpts", reason)


STRATEGY = Strategy(
    name=NAME,
    about="Keeps what is newest, your words, and the lines that add most.",
    requires_llm=False,
    trigger=Trigger(mode=TriggerMode.THRESHOLD, threshold=DECLARED_THRESHOLD),
    options=(
        schema.THRESHOLD,
        schema.LIMIT,
        schema.EXCERPT_TARGET,
        schema.EXCERPT_SUMMARY,
        schema.SUMMARY_TOKENS,
        schema.PROFILE,
    ),
    compress=compress,
    needs_limit=True,
    prompts=(PROMPT,),
    obeys_pins=True,
    llm_switch=schema.EXCERPT_SUMMARY,
)
