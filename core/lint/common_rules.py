"""Names of messages in findings, and the rules that all APIs share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.transcript.model import Block, Message, Speaker, Text, ToolResponse, tool_calls, tool_responses


@dataclass(frozen=True, slots=True)
class LintFinding:
    """``severity`` is "error", "warning" or "info"; ``index`` a message of the list, -1 for the whole.

    ``rule`` is a stable id ("anthropic.orphan-result"); ``text`` one sentence that names the message as #n.
    """

    severity: str
    rule: str
    text: str
    index: int


ERROR, WARNING, INFO = "error", "warning", "info"

_BLOCK = 512
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def message_name(index: int) -> str:
    return f"#{index + 1}"


def finding(severity: str, rule: str, index: int, text: str) -> LintFinding:
    """Return a finding whose sentence begins with the message."""
    return LintFinding(severity, rule, f"{message_name(index)} {text}", index)


def shown_id(id_: str) -> str:
    return id_ if len(id_) <= 60 else f"{id_[:60]}…"


def is_blank(text: str) -> bool:
    return not text or text.isspace()


def base64_leftovers(messages: Sequence[Message], provider: str) -> Iterator[LintFinding]:
    """Find data of images or files in text, where it costs tokens and the model cannot read it."""
    for index, message in enumerate(messages):
        for block in message.blocks:
            text = block.text if isinstance(block, Text) else None
            if isinstance(block, ToolResponse):
                text = block.result
            if isinstance(text, str) and holds_base64(text):
                words = "holds base64 data in its text; the model pays for it and cannot read it."
                yield finding(WARNING, f"{provider}.base64-text", index, words)
                break


def holds_base64(text: str) -> bool:
    """Return whether about 1,000 characters in a row are base64.

    Such a run contains a whole aligned block of 512, so only these are checked.
    """
    if len(text) < _BLOCK:
        return False
    for start in range(0, len(text) - _BLOCK + 1, _BLOCK):
        if " " in text[start : start + 32]:
            continue
        # a line of equal characters or a number is not base64
        if _BASE64.fullmatch(text, start, start + _BLOCK) and len(set(text[start : start + _BLOCK])) > 24:
            return True
    return False


def missing_ids(messages: Sequence[Message], provider: str) -> Iterator[LintFinding]:
    for index, message in enumerate(messages):
        calls = ((call.id, call.extra) for call in tool_calls(message))
        results = ((response.call_id, response.extra) for response in tool_responses(message))
        for what, ids in (("call", calls), ("result", results)):
            if any(not id_ or "$made_id" in extra for id_, extra in ids):
                text = f"has a tool {what} without an id; it was paired by its place."
                yield finding(WARNING, f"{provider}.missing-id", index, text)


def repeated_ids(messages: Sequence[Message], provider: str) -> Iterator[LintFinding]:
    """Find an id used twice: an error within one message, information across messages."""
    seen: dict[str, int] = {}
    for index, message in enumerate(messages):
        for call in tool_calls(message):
            before = seen.get(call.id) if call.id else None
            if before == index:
                text = f"has two calls with the id {shown_id(call.id)}."
                yield finding(ERROR, f"{provider}.duplicate-id", index, text)
            elif before is not None:
                text = f"uses the call id {shown_id(call.id)} of {message_name(before)} again."
                yield finding(INFO, f"{provider}.reused-id", index, text)
            seen[call.id] = index


def first_calls(messages: Sequence[Message]) -> dict[str, int]:
    first: dict[str, int] = {}
    for index, message in enumerate(messages):
        for call in tool_calls(message):
            first.setdefault(call.id, index)
    return first


def orphan_finding(provider: str, index: int, id_: str, calls: Mapping[str, int]) -> LintFinding:
    """Return the finding for a result without its call right before it; ``calls`` as by first_calls."""
    call = calls.get(id_)
    if call is None:
        why = "which no message makes"
    elif call > index:
        why = f"which comes only later, in {message_name(call)}"
    else:
        why = f"which is in {message_name(call)}, not in the assistant message right before"
    text = f"answers the call {shown_id(id_)}, {why}."
    return finding(ERROR, f"{provider}.orphan-result", index, text)


def duplicate_result_finding(provider: str, index: int, id_: str) -> LintFinding:
    text = f"answers the call {shown_id(id_)} a second time."
    return finding(ERROR, f"{provider}.second-result", index, text)


def unanswered_findings(provider: str, unanswered: Mapping[str, int], *, last: bool) -> Iterator[LintFinding]:
    """Yield calls without a result: warnings in the last turn, where the agent can still add one."""
    for id_, index in unanswered.items():
        call = f"The call {shown_id(id_)} in {message_name(index)}"
        if last:
            text = f"{call} is not answered yet; the agent has to add a result."
            yield LintFinding(WARNING, f"{provider}.open-call", text, index)
        else:
            text = f"{call} is not answered before the conversation goes on."
            yield LintFinding(ERROR, f"{provider}.unanswered-call", text, index)


def system_roles(messages: Sequence[Message], provider: str) -> Iterator[LintFinding]:
    """Find system messages inside the conversation, for APIs that accept them only before it."""
    for index, message in enumerate(messages):
        if message.speaker is Speaker.SYSTEM:
            text = "is a system message inside the conversation; it is written as user."
            yield finding(INFO, f"{provider}.system-role", index, text)


def unknown_roles(messages: Sequence[Message], provider: str, role_description: str) -> Iterator[LintFinding]:
    """Find messages of an unknown speaker; ``role_description`` is "role that OpenAI"."""
    for index, message in enumerate(messages):
        if message.speaker is Speaker.UNKNOWN:
            text = f"has a {role_description} does not know; it is written as user."
            yield finding(WARNING, f"{provider}.unknown-role", index, text)


@dataclass(slots=True)
class ProviderTurn:
    """Neighbouring messages of the model, or of all others, which the API treats as one."""

    by_model: bool
    indices: list[int] = field(default_factory=list)


def provider_turns(messages: Sequence[Message], is_written: Callable[[Block], bool]) -> list[ProviderTurn]:
    """Return the turns of a history, without messages that the exporter leaves out."""
    turns: list[ProviderTurn] = []
    for index, message in enumerate(messages):
        if not any(map(is_written, message.blocks)):
            continue
        by_model = message.speaker is Speaker.AI
        if not turns or turns[-1].by_model != by_model:
            turns.append(ProviderTurn(by_model))
        turns[-1].indices.append(index)
    return turns


def check_pairs(
    messages: Sequence[Message], turns: Sequence[ProviderTurn], provider: str
) -> Iterator[LintFinding]:
    """Check that each result answers a call of the turn right before it, and that each call has one."""
    calls = first_calls(messages)
    pending: dict[str, int] = {}
    for turn in turns:
        if turn.by_model:
            pending = {call.id: i for i in turn.indices for call in tool_calls(messages[i]) if call.id}
            continue
        answered: set[str] = set()
        for index in turn.indices:
            for response in tool_responses(messages[index]):
                id_ = response.call_id
                if id_ in answered:
                    yield duplicate_result_finding(provider, index, id_)
                elif id_ not in pending and id_:
                    yield orphan_finding(provider, index, id_, calls)
                answered.add(id_)
        unanswered = {id_: index for id_, index in pending.items() if id_ not in answered}
        has_only_results = all(messages[index].speaker is Speaker.TOOL for index in turn.indices)
        yield from unanswered_findings(provider, unanswered, last=has_only_results and turn is turns[-1])
        pending = {}
    yield from unanswered_findings(provider, pending, last=True)


def blank_blocks(
    messages: Sequence[Message], provider: str, label: str, is_written: Callable[[Block], bool], noun: str
) -> Iterator[LintFinding]:
    """Find messages that say nothing and blank texts, which the API refuses."""
    for index, message in enumerate(messages):
        if not any(map(is_written, message.blocks)):
            text = f"says nothing; {label} refuses empty {noun} unless they are left out."
            yield finding(WARNING, f"{provider}.empty-message", index, text)
        elif any(isinstance(block, Text) and is_blank(block.text) for block in message.blocks):
            text = f"holds a blank text, which {label} refuses unless it is left out."
            yield finding(WARNING, f"{provider}.empty-text", index, text)


def changed_messages(messages: Sequence[Message], source: Sequence[Message]) -> list[tuple[int, Message]]:
    """Return the messages that the source does not have, with their places; none without a source."""
    unchanged = {id(message) for message in source}
    return [(i, one) for i, one in enumerate(messages) if id(one) not in unchanged] if source else []
