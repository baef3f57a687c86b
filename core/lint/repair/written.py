"""Rules of the repair for what the schema of an API refuses: ids, names, inputs, images, roles, and
results behind other content."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.lint.fitting import fitting
from core.lint.media_rules import with_mended_media
from core.lint.repair.mending import Mending
from core.strategies.draft import DraftEntry
from core.transcript.model import (
    Block,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_pairs import answer_text, json_text

_TEXT_ARGUMENTS = ("$object", "$arguments")
"""Notes of readers on the shape of arguments in the file, which is not to be written again."""


def rename_unfit(mending: Mending) -> None:
    """Give calls and tools an id and a name that the provider takes, in both halves of a pair."""
    messages = [entry.message for entry in mending.entries]
    fit = fitting(messages, (), mending.provider.name)
    is_needed = mending.is_sent and (fit.ids or fit.names)
    for index, message in enumerate(messages if is_needed else ()):
        before = [one for one in message.blocks if isinstance(one, ToolCall | ToolResponse)]
        unfit = [one for one in before if _id_of(one) in fit.ids or one.name in fit.names]
        if unfit:
            entry = mending.entries[index]
            mending.set_blocks(index, _renamed(message.blocks, fit.message(message).blocks))
            text = "had an id or a name that the API refuses; it has another one now."
            mending.say("unfit-name", entry, text)


def _renamed(old: Sequence[Block], new: Sequence[Block]) -> Iterator[Block]:
    """Yield the new calls and results; images are left to the rule for them."""
    for before, after in zip(old, new, strict=True):
        yield after if isinstance(after, ToolCall | ToolResponse) else before


def _id_of(block: ToolCall | ToolResponse) -> str:
    return block.id if isinstance(block, ToolCall) else block.call_id


def mend_media(mending: Mending) -> None:
    """Leave out images with broken base64, of a type or at a place that the provider does not take;
    give others the type that they are."""
    messages = [entry.message for entry in mending.entries]
    fit = fitting(messages, (), mending.provider.name)
    for index, message in enumerate(messages if mending.is_sent else ()):
        changed = with_mended_media(message, mending.provider.name)
        blocks = [
            new if isinstance(new, Text) and not isinstance(old, Text) else old
            for new, old in zip(fit.message(changed).blocks, changed.blocks, strict=True)
        ]
        if changed is not message or any(
            new is not old for new, old in zip(blocks, message.blocks, strict=True)
        ):
            entry = mending.entries[index]
            mending.set_blocks(index, blocks)
            text = "held an image that the API refuses; its type or a line stands there now."
            mending.say("unfit-image", entry, text)


def write_objects(mending: Mending) -> None:
    """Give calls the kind of arguments that the provider wants: an object, which OpenAI's APIs take
    as a text of JSON."""
    for index, entry in enumerate(mending.entries if mending.is_sent else ()):
        blocks = [_with_object(block, mending) for block in entry.message.blocks]
        if any(new is not old for new, old in zip(blocks, entry.message.blocks, strict=True)):
            mending.set_blocks(index, blocks)
            text = "called a tool with an input of another kind; it is an object now."
            mending.say("call-input", entry, text)


def _with_object(block: Block, mending: Mending) -> Block:
    if not isinstance(block, ToolCall) or block.arguments is MISSING:
        return block
    if mending.joins_turns:
        is_object = isinstance(block.arguments, dict)
        return block if is_object else replace(block, arguments=_object(block.arguments))
    if "$object" not in block.extra:
        return block
    extra = {key: value for key, value in block.extra.items() if key not in _TEXT_ARGUMENTS}
    return replace(block, extra=extra)


def _object(arguments: Json) -> Json:
    if arguments is None:
        return {}
    try:
        value = json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        value = arguments
    return value if isinstance(value, dict) else {"arguments": arguments}


def give_to_the_person(mending: Mending) -> None:
    """Make messages of the system inside a history those of the person, where the provider takes
    none there."""
    if not (mending.joins_turns and mending.is_request and mending.is_sent):
        return
    for index, entry in enumerate(mending.entries):
        if entry.message.speaker in (Speaker.SYSTEM, Speaker.UNKNOWN):
            message = replace(entry.message, speaker=Speaker.HUMAN)
            mending.entries[index] = replace(entry, message=message)
            mending.say("unfit-role", entry, "had a role that the API refuses; it is a user's now.")


def write_anew(mending: Mending) -> None:
    """Write messages anew that the schema still refuses as they are."""
    records = mending.records if mending.is_sent else None
    for index, entry in enumerate(list(mending.entries) if records is not None else ()):
        assert records is not None
        faults = records.faults(entry.message)
        if not faults:
            continue
        fresh = _fresh(entry.message)
        if len(records.faults(fresh)) < len(faults):
            mending.entries[index] = replace(entry, message=fresh, inserted=True)
            mending.say("written-anew", entry, faults[0].text)


def _fresh(message: Message) -> Message:
    """Return the message as if another format had held it: without notes on how it was written."""
    is_answer = message.speaker is Speaker.AI
    blocks = [new for block in message.blocks for new in _fresh_blocks(block, is_answer)]
    known = (Speaker.AI, Speaker.TOOL, Speaker.HUMAN)
    speaker = message.speaker if message.speaker in known else Speaker.HUMAN
    return Message(speaker=speaker, blocks=tuple(blocks), timestamp=message.timestamp)


def _fresh_blocks(block: Block, is_answer: bool) -> Iterator[Block]:
    match block:
        case Text(text=text):
            yield Text(text)
        case ToolCall() if is_answer:
            yield ToolCall(block.id, block.name, block.arguments)
        case ToolCall():
            yield Text(f"[{block.name} was called: {json_text(block.arguments)}]")
        case ToolResponse() if not isinstance(block.result, str | list):
            yield replace(block, result=answer_text(block) or json_text(block.result), extra={})
        case ToolResponse():
            yield replace(block, extra={})
        case Thinking():
            if is_answer:
                yield block
        case Opaque(raw=raw):
            words = raw.get("text") if isinstance(raw, dict) else raw
            if isinstance(words, str):
                yield Text(words)
        case _:
            yield block


def put_results_first(mending: Mending) -> None:
    """Put results in front of the other content behind their calls, where the file is a request; an
    agent and the exports do that themselves."""
    if not mending.is_request or mending.provider.name == "responses":
        return
    for by_model, indices in mending.turns():
        if by_model or not _has_late_result(mending, indices):
            continue
        at = range(indices[0], indices[-1] + 1)
        mended = sorted((_results_first(mending, index) for index in at), key=_is_without_result)
        mending.entries[at.start : at.stop] = mended


def _has_late_result(mending: Mending, indices: Sequence[int]) -> bool:
    """Return whether other content of a turn stands in front of a result, in the list or in the
    record of the file."""
    seen_other = False
    for index in indices:
        message = mending.entries[index].message
        if mending.records is not None and any(
            one.rule == "result-order" for one in mending.records.faults(message)
        ):
            return True
        for block in message.blocks:
            if isinstance(block, ToolResponse) and seen_other:
                return True
            seen_other = seen_other or not isinstance(block, ToolResponse)
    return False


def _results_first(mending: Mending, index: int) -> DraftEntry:
    entry = mending.entries[index]
    if not any(isinstance(one, ToolResponse) for one in entry.message.blocks):
        return entry
    mending.say("result-order", entry, "held a result behind other content; results come first.")
    blocks = sorted(entry.message.blocks, key=lambda one: not isinstance(one, ToolResponse))
    # the note makes it another message, so that its record is not copied as it is
    extra = {**entry.message.extra, "$order": "results first"}
    return replace(entry, message=replace(entry.message, blocks=tuple(blocks), extra=extra))


def _is_without_result(entry: DraftEntry) -> bool:
    return not any(isinstance(one, ToolResponse) for one in entry.message.blocks)
