"""Rules of the repair for ids, results and their calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import count

from core.common import number_format
from core.lint.common_rules import display_id
from core.lint.fitting import MADE_ID
from core.lint.provider_rules import mixed_responses, split_responses
from core.lint.repair_content import Mending, differs
from core.strategies.draft import DraftEntry
from core.transcript.model import (
    Block,
    Message,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    tool_calls,
    tool_responses,
    with_blocks,
)
from core.transcript.tool_pairs import answer_text

NO_RESULT = "No result was recorded."
_ORPHAN = "Result of a call that is not in this session: "


def write_made_ids(mending: Mending) -> None:
    """Write the ids by which calls and results were paired; Gemini wants one only where the other
    half of a pair has it."""
    halves = [
        block
        for entry in mending.entries
        for block in entry.message.blocks
        if isinstance(block, ToolCall | ToolResponse)
    ]
    needed = {_id_of(block) for block in halves}
    if mending.provider.name == "gemini":
        needed = {_id_of(block) for block in halves if MADE_ID not in block.extra}
    for index, entry in enumerate(mending.entries):
        blocks = [_with_own_id(block, needed) for block in entry.message.blocks]
        if any(map(differs, blocks, entry.message.blocks)):
            mending.say(
                "missing-id",
                entry,
                "had a call or a result without an id; it has one now.",
            )
        mending.set_blocks(index, blocks)


def _id_of(block: ToolCall | ToolResponse) -> str:
    return block.id if isinstance(block, ToolCall) else block.call_id


def _with_own_id(block: Block, needed: Set[str]) -> Block:
    if not isinstance(block, ToolCall | ToolResponse) or MADE_ID not in block.extra:
        return block
    if _id_of(block) not in needed:
        return block
    # The mark of a made id goes, so that the exporter writes the id.
    extra = {key: value for key, value in block.extra.items() if key != MADE_ID}
    return replace(block, extra=extra)


def rename_repeated_ids(mending: Mending) -> None:
    """Give later calls with a used id, and their results, an id of their own."""
    used: set[str] = set()
    # The ids that calls have now by the one in the file, in order.
    waiting: dict[str, list[str]] = {}
    for index, entry in enumerate(mending.entries):
        blocks = list(entry.message.blocks)
        if any(tool_calls(entry.message)):
            # A new call with the id means that the result of the older one cannot come any more.
            for id_ in {call.id for call in tool_calls(entry.message)}:
                waiting.pop(id_, None)
        for at, block in enumerate(blocks):
            if isinstance(block, ToolCall) and block.id:
                new = (
                    replace(block, id=_free_id(block.id, used))
                    if block.id in used
                    else block
                )
                blocks[at] = new
                used.add(new.id)
                waiting.setdefault(block.id, []).append(new.id)
                if new is not block:
                    text = (
                        f"used the call id {display_id(block.id)} again; it is {display_id(new.id)} "
                        f"now."
                    )
                    mending.say("repeated-id", entry, text)
            elif isinstance(block, ToolResponse) and waiting.get(block.call_id):
                id_ = waiting[block.call_id].pop(0)
                if mending.provider.name not in ("anthropic", "responses"):
                    used.discard(id_)  # the others take an id again once it is answered
                if id_ != block.call_id:
                    blocks[at] = replace(block, call_id=id_)
                    mending.say(
                        "repeated-id",
                        entry,
                        f"answers {display_id(id_)}, the call under its new id.",
                    )
        mending.set_blocks(index, blocks)


def _free_id(id_: str, used: set[str]) -> str:
    return next(new for number in count(2) if (new := f"{id_}_{number}") not in used)


def leave_out_copies(mending: Mending) -> None:
    """Leave out results that stand there a second time with the same words."""
    known: dict[str, str] = {}
    for index, entry in enumerate(mending.entries):
        for call in tool_calls(entry.message):
            known.pop(call.id, None)
        blocks = []
        for block in entry.message.blocks:
            if isinstance(block, ToolResponse) and block.call_id:
                # The same id with other words may be a real second answer, which another rule
                # keeps.
                if known.get(block.call_id) == answer_text(block):
                    mending.say(
                        "copied-result",
                        entry,
                        f"held the result of {display_id(block.call_id)} again.",
                    )
                    continue
                known.setdefault(block.call_id, answer_text(block))
            blocks.append(block)
        mending.set_blocks(index, blocks)


@dataclass(frozen=True, slots=True)
class _Misplaced:
    """A result that does not answer a call of the turn before: where it is, the end of its turn,
    and whether that is one of the model."""

    index: int
    block: ToolResponse
    turn_end: int
    by_model: bool = False


@dataclass(frozen=True, slots=True)
class _Call:
    """A call, the index of its message and its turn; ``answer`` is the result that stands where the
    provider wants it."""

    turn: int
    index: int
    block: ToolCall
    answer: _Misplaced | None = None


def place_results(mending: Mending) -> None:
    """Move results behind their calls, answer calls that have none, keep the words of others as
    notes. In a turn of several messages of the model each result then stands behind the message of
    its own call, because agents that send these messages one by one answer what is open between
    them."""
    turns = mending.turns()
    calls, misplaced = _paired(mending, turns)
    matched = [
        (one, _take_match(misplaced, one.block)) for one in calls if one.answer is None
    ]
    notes = {result.index for result in misplaced}
    inserted: dict[int, list[DraftEntry]] = {}
    mended = set[int]()
    for call, result in matched:
        if result is not None:
            inserted.setdefault(call.index, []).append(_moved(mending, result))
        elif not mending.is_open_end(turns[call.turn][1], notes):
            id_ = display_id(call.block.id)
            entry = mending.entries[call.index]
            text = f"called {id_} without an answer; a result that says so was added."
            mending.say("unanswered-call", entry, text)
            answer = ToolResponse(call.block.id, call.block.name, NO_RESULT, NO_RESULT)
            inserted.setdefault(call.index, []).append(
                DraftEntry(Message(speaker=Speaker.TOOL, blocks=(answer,)), (), True)
            )
        else:
            continue
        mended.add(call.turn)
    for call in calls:
        if (
            call.answer is not None
            and call.turn in mended
            and call.index < turns[call.turn][1][-1]
        ):
            inserted.setdefault(call.index, []).append(_moved(mending, call.answer))
    last_results = _last_results(mending, turns, misplaced)
    for result in misplaced:
        place, taken = _noted(mending, result, last_results.get(result.turn_end, -1))
        if taken is not None:
            inserted.setdefault(place, []).append(taken)
    mending.entries[:] = [
        one
        for index, entry in enumerate(mending.entries)
        for one in (
            *(() if entry.message is _GONE else (entry,)),
            *inserted.get(index, ()),
        )
    ]


def _last_results(
    mending: Mending,
    turns: Sequence[tuple[bool, Sequence[int]]],
    orphans: Sequence[_Misplaced],
) -> dict[int, int]:
    """Return by the end of each turn its last message with a result that stays one."""
    notes = {id(one.block) for one in orphans}
    found = {}
    for _, indices in turns:
        for index in indices:
            results = tool_responses(mending.entries[index].message)
            if any(id(one) not in notes for one in results):
                found[indices[-1]] = index
    return found


def _noted(
    mending: Mending, result: _Misplaced, last_result: int
) -> tuple[int, DraftEntry | None]:
    """Keep the words of a result without its call as a note, where it is if the API takes one
    there. Return the index of the message before the note; None where it is part of its
    message. ``last_result`` is the last message of its turn with a result that stays one, -1 for
    none."""
    entry = mending.entries[result.index]
    id_ = display_id(result.block.call_id)
    text = f"answers {id_}, which no call before it waits for; it is a note now."
    mending.say("orphan-result", entry, text)
    note = Text(f"{_ORPHAN}{answer_text(result.block)}")
    place = _note_place(mending, result, last_result)
    if place is None:
        blocks = [note if one is result.block else one for one in entry.message.blocks]
        mended = with_blocks(entry.message, tuple(blocks))
        message = replace(mended, speaker=Speaker.HUMAN)
        mending.entries[result.index] = replace(entry, message=message)
        return result.index, None
    if place > result.index:
        origins = mending.entries[place].origins or (place,)
        number = number_format.message_number(origins[0])
        text = f"stands after {number} now; the API takes no note where it was."
        mending.say("orphan-result", entry, text, moves=True)
    elif len(entry.message.blocks) > 1:
        text = "held it among other content; it stands after that now."
        mending.say("orphan-result", entry, text, moves=True)
    return place, _taken(mending, result.index, result.block, note)


def _note_place(mending: Mending, result: _Misplaced, last_result: int) -> int | None:
    """Return the message that a note has to follow; None where it may stay where its result was."""
    if result.by_model:
        return result.turn_end
    if mending.provider.name == "responses" or last_result < result.index:
        return None
    return last_result


def _moved(mending: Mending, result: _Misplaced) -> DraftEntry:
    text = (
        f"held the result of {display_id(result.block.call_id)} away from its call; it stands "
        "after it now."
    )
    entry = mending.entries[result.index]
    mending.say("misplaced-result", entry, text, moves=True)
    return _taken(mending, result.index, result.block, result.block)


def _take_match(misplaced: list[_Misplaced], call: ToolCall) -> _Misplaced | None:
    result = next((one for one in misplaced if one.block.call_id == call.id), None)
    if result is not None:
        misplaced.remove(result)
    return result


_GONE = Message(speaker=Speaker.UNKNOWN, blocks=())
"""Stands for a message whose blocks have all moved."""


def _taken(mending: Mending, index: int, block: Block, new: Block) -> DraftEntry:
    """Take a block out of a message and return it as a message of its own, as ``new``; a message
    that had nothing else moves as a whole."""
    entry = mending.entries[index]
    speaker = Speaker.TOOL if isinstance(new, ToolResponse) else Speaker.HUMAN
    rest = tuple(one for one in entry.message.blocks if one is not block)
    if rest:
        mending.set_blocks(index, rest)
        return DraftEntry(
            Message(speaker=speaker, blocks=(new,), timestamp=entry.message.timestamp),
            (),
            True,
        )
    mending.entries[index] = replace(entry, message=_GONE, origins=())
    is_same = new is block and entry.message.speaker is speaker
    if is_same:
        message = entry.message
    else:
        message = replace(with_blocks(entry.message, (new,)), speaker=speaker)
    return replace(entry, message=message)


def _paired(
    mending: Mending, turns: Sequence[tuple[bool, Sequence[int]]]
) -> tuple[list[_Call], list[_Misplaced]]:
    """Return the calls, those without an answer where the provider wants it first, and the results
    that answer none."""
    anywhere_behind = mending.provider.name == "responses"
    waiting: dict[str, _Call] = {}
    unanswered: list[_Call] = []
    answered: list[_Call] = []
    misplaced: list[_Misplaced] = []

    def add_result(block: ToolResponse, index: int, last: int, by_model: bool) -> None:
        result = _Misplaced(index, block, last, by_model)
        # A result in a message of the model answers nothing, except among Responses' items.
        can_answer = anywhere_behind or not by_model
        call = waiting.pop(block.call_id, None) if can_answer else None
        if call is None:
            misplaced.append(result)
        else:
            answered.append(replace(call, answer=result))

    for turn, (by_model, indices) in enumerate(turns):
        # The turn in front had to answer: whoever still waits when the model speaks is too late.
        if by_model and not anywhere_behind:
            unanswered += waiting.values()
            waiting.clear()
        for index, block in _blocks_of(mending, indices):
            if isinstance(block, ToolCall) and block.id and by_model:
                # The same id again: the earlier call can get no answer any more.
                if block.id in waiting:
                    unanswered.append(waiting.pop(block.id))
                waiting[block.id] = _Call(turn, index, block)
            elif isinstance(block, ToolResponse) and block.call_id:
                add_result(block, index, indices[-1], by_model)
        if not by_model and not anywhere_behind:
            unanswered += waiting.values()
            waiting.clear()
    return [*unanswered, *waiting.values(), *answered], misplaced


def _blocks_of(mending: Mending, indices: Iterable[int]) -> Iterator[tuple[int, Block]]:
    for index in indices:
        for block in mending.entries[index].message.blocks:
            yield index, block


def join_responses(mending: Mending) -> None:
    """Put the responses of a turn into one content, where a request has them in several, and other
    parts into a content of their own."""
    if mending.provider.name != "gemini" or not mending.is_request:
        return
    for index, first in list(split_responses(mending.history())):
        entry, target = mending.entries[index], mending.entries[first]
        text = "held a response apart from the others of its turn; it stands with them now."
        mending.say("split-responses", entry, text, moves=True)
        blocks = (*target.message.blocks, *tool_responses(entry.message))
        message = with_blocks(target.message, blocks)
        origins = (*target.origins, *entry.origins)
        mending.entries[first] = replace(target, message=message, origins=origins)
        left = [
            one for one in entry.message.blocks if not isinstance(one, ToolResponse)
        ]
        mending.set_blocks(index, left)
    for index in list(mixed_responses(mending.history())):
        entry = mending.entries[index]
        mending.entries[index] = replace(
            entry, message=replace(entry.message, sources=())
        )
        text = "stood in one content with responses; it has one of its own now."
        mending.say("mixed-responses", entry, text)
