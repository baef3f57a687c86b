"""Rules of the repair for thinking and its signatures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.lint.common_rules import display_id
from core.lint.repair_content import Mending
from core.lint.thinking_rules import (
    FOREIGN_SIGNATURE,
    SIGNATURE,
    WITH_BUDGET,
    checks_place_of_thinking,
    is_thought,
    loop_without_thinking,
    turns_with_late_thinking,
    unsigned_calls,
)
from core.strategies.draft import DraftEntry
from core.strategies.passes import loop_closing
from core.transcript.model import (
    Block,
    Message,
    Thinking,
)


def leave_out_unsigned_thinking(mending: Mending) -> None:
    """Leave out the thinking of a turn, all of it, where a part has no signature."""
    if mending.provider.name != "anthropic":
        return
    for by_model, indices in mending.turns():
        first, last = indices[0], indices[-1]
        # The API refuses a turn whose thinking is only partly signed.
        own = range(first, last + 1) if by_model else ()
        if not any(
            _is_unsigned(block)
            for index in own
            for block in mending.entries[index].message.blocks
        ):
            continue
        for index in own:
            entry = mending.entries[index]
            blocks = [
                # Redacted thinking is part of the same chain and goes with the rest.
                block
                for block in entry.message.blocks
                if not is_thought(block)
            ]
            if len(blocks) < len(entry.message.blocks):
                mending.say(
                    "unsigned-thinking",
                    entry,
                    "held thinking of a turn that is not all signed; it is left out.",
                )
            mending.set_blocks(index, blocks)


def _is_unsigned(block: Block) -> bool:
    return isinstance(block, Thinking) and not block.extra.get("signature")


def leave_out_final_thinking(mending: Mending) -> None:
    """Leave out the thinking that an answer ends in; an agent may still write behind its last."""
    if mending.provider.name != "anthropic":
        return
    turns = mending.turns()
    for number, (by_model, indices) in enumerate(turns):
        is_last = number == len(turns) - 1
        if not by_model or (is_last and not mending.is_request):
            continue
        for index in reversed(range(indices[0], indices[-1] + 1)):
            entry = mending.entries[index]
            left = _without_final_thoughts(mending, entry.message)
            if len(left) < len(entry.message.blocks):
                text = "ended in thinking, which the API refuses; it is left out."
                mending.say("final-thinking", entry, text)
                mending.set_blocks(index, left)
            if any(map(mending.provider.is_written, left)):
                break


def _without_final_thoughts(mending: Mending, message: Message) -> Sequence[Block]:
    blocks = list(message.blocks)
    written = [block for block in blocks if mending.provider.is_written(block)]
    while written and is_thought(written[-1]):
        blocks.remove(written.pop())
    return blocks


def begin_with_thinking(mending: Mending) -> None:
    """Put thinking in front of the answer that it stands in; a running loop of tools that has none
    is closed, so that a new turn begins."""
    history = mending.history()
    if mending.provider.name != "anthropic" or not checks_place_of_thinking(history):
        return
    for number in turns_with_late_thinking(history):
        _move_to_the_front(mending, history.turns[number][1])
    history = mending.history()
    # Where the file does not say the mode, the agent may have thinking off.
    if mending.model.thinking != WITH_BUDGET or loop_without_thinking(history) is None:
        return
    if history.turns[-1][0]:
        return  # its calls have no results yet
    mending.say(
        "thinking-first",
        mending.entries[history.turns[-1][1][-1]],
        "ends tool calls that began without thinking; two short messages begin a new turn.",
    )
    mending.entries += [DraftEntry(message, (), True) for message in loop_closing()]


def _move_to_the_front(mending: Mending, indices: Sequence[int]) -> None:
    """Move the first thoughts of a turn to its beginning; those between calls stay."""
    first = indices[0]
    index = next(
        at for at in indices if any(map(is_thought, mending.entries[at].message.blocks))
    )
    blocks = list(mending.entries[index].message.blocks)
    start = next(at for at, block in enumerate(blocks) if is_thought(block))
    end = start
    while end < len(blocks) and is_thought(blocks[end]):
        end += 1
    moved = blocks[start:end]
    mending.say(
        "thinking-first",
        mending.entries[index],
        "held thinking behind other content of its answer; it stands in front now.",
        moves=True,
    )
    mending.set_blocks(index, [*blocks[:start], *blocks[end:]])
    mending.set_blocks(first, [*moved, *mending.entries[first].message.blocks])


def sign_calls(mending: Mending) -> None:
    """Give calls that Gemini 3 wants signed the signature for calls that it did not make."""
    found = (
        unsigned_calls(mending.history()) if mending.provider.name == "gemini" else ()
    )
    for index, call in list(found):
        entry = mending.entries[index]
        signed = replace(call, extra={**call.extra, SIGNATURE: FOREIGN_SIGNATURE})
        blocks = [signed if block is call else block for block in entry.message.blocks]
        mending.set_blocks(index, blocks)
        text = (
            f"made the call {display_id(call.id)} without its thought signature; it has that of "
            "a call that Gemini did not make."
        )
        mending.say("missing-signature", entry, text)
