"""What each format can hold: speakers, blocks, summaries. Converts messages to that before an
exporter writes them.

Files that Foldline writes are compared with these messages, and results of compactions are judged
by them. They are made from what the exporter declares, never from what it wrote.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.common.json_value import MISSING
from core.facts.sentences import begins_as_summary, plain_text
from core.formats.registry import format_by_name
from core.formats.writing.exporter import (
    ANTHROPIC_FAMILY,
    GEMINI_FAMILY,
    RESPONSES_FAMILY,
    ExportInput,
    ExportLosses,
    export_messages,
    export_messages_beginning_with_user,
    is_unsent,
)
from core.formats.writing.plain_text import (
    code_text,
    fields_without_notes,
    result_as_text,
)
from core.transcript.compaction import Compaction
from core.transcript.model import (
    Block,
    Code,
    Conversation,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    tool_calls,
    tool_responses,
    with_blocks,
)
from core.transcript.scopes import History

_TOOL_LIST_ITEM = (
    "tool_search_output"  # a kind of result that holds a list of tools and no words
)


class ErrorSupport(StrEnum):
    WORDS = "words"  # a field of its own beside the result
    MARK = "mark"  # that the result is one
    NONE = "none"


class ThinkingSupport(StrEnum):
    ALL = "all"
    SIGNED = "signed"
    NONE = "none"


class SystemPlacement(StrEnum):
    """Where among its messages a format holds those of the system; elsewhere they become the
    user's."""

    NOWHERE = "nowhere"
    AFTER_START = "behind"  # those in front are its system prompt
    AFTER_PROMPT = (
        "behind the prompt"  # so are they, but for a summary and what follows it
    )
    ANYWHERE = "anywhere"


class ExtraContent(StrEnum):
    """Content beside the words of messages."""

    SYSTEM = "system prompt"
    TOOLS = "tool definition"
    MODEL = "name of the model"
    TIMES = "time of a message"
    CALL_IDS = "id of a tool call"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatCapabilities:
    """What a format can hold; the rest is left out or changed, with a warning.

    ``family``: formats whose blocks are written with all their fields. ``starts_with_user``: a
    conversation begins with the user. ``calls_after_text``: calls are stored beside the words of a
    message, so that words behind a call move before it. ``extra`` is what a new file holds beside
    messages; ``model_in_answers``: the model's name only in answers.
    """

    family: Collection[str] = ()
    errors: ErrorSupport = ErrorSupport.MARK
    thinking: ThinkingSupport = ThinkingSupport.NONE
    system: SystemPlacement = SystemPlacement.AFTER_START
    code: bool = False
    calls_after_text: bool = False
    starts_with_user: bool = False
    extra: Collection[ExtraContent] = ()
    model_in_answers: bool = False


_SESSION_EXTRA = (ExtraContent.MODEL, ExtraContent.TIMES, ExtraContent.CALL_IDS)
_REQUEST_EXTRA = (
    ExtraContent.SYSTEM,
    ExtraContent.TOOLS,
    ExtraContent.MODEL,
    ExtraContent.CALL_IDS,
)
_API = FormatCapabilities(errors=ErrorSupport.NONE, extra=_REQUEST_EXTRA)
_SESSION = FormatCapabilities(
    thinking=ThinkingSupport.ALL,
    system=SystemPlacement.NOWHERE,
    starts_with_user=True,
    extra=_SESSION_EXTRA,
    model_in_answers=True,
)

CAPABILITIES: Mapping[str, FormatCapabilities] = {
    "claude_code": replace(
        _SESSION, family=ANTHROPIC_FAMILY, thinking=ThinkingSupport.SIGNED
    ),
    "anthropic_messages": replace(
        _SESSION,
        family=ANTHROPIC_FAMILY,
        thinking=ThinkingSupport.SIGNED,
        extra=_REQUEST_EXTRA,
        model_in_answers=False,
    ),
    "openai_chat": replace(
        _API, calls_after_text=True, system=SystemPlacement.AFTER_PROMPT
    ),
    "openai_responses": replace(
        _API, family=RESPONSES_FAMILY, system=SystemPlacement.AFTER_PROMPT
    ),
    "codex_rollout": replace(_API, family=RESPONSES_FAMILY, extra=tuple(ExtraContent)),
    "gemini": replace(
        _SESSION,
        family=GEMINI_FAMILY,
        extra=(ExtraContent.SYSTEM, ExtraContent.TOOLS, ExtraContent.CALL_IDS),
    ),
    "gemini_cli": replace(_SESSION, family=GEMINI_FAMILY, calls_after_text=True),
    "llxprt": replace(
        _SESSION,
        errors=ErrorSupport.WORDS,
        code=True,
        starts_with_user=False,
        extra=(ExtraContent.TIMES, ExtraContent.CALL_IDS),
    ),
    "opencode": _SESSION,
    "pi_agent": _SESSION,
    "openhands": replace(
        _SESSION,
        system=SystemPlacement.ANYWHERE,
        calls_after_text=True,
        extra=(
            ExtraContent.SYSTEM,
            ExtraContent.TOOLS,
            ExtraContent.TIMES,
            ExtraContent.CALL_IDS,
        ),
    ),
}
"""Every format that is written and read again, by name."""

DEFAULT_FORMAT = "claude_code"
"""The default export format for conversations of a format that is only read."""


def adapted_message(
    message: Message,
    capabilities: FormatCapabilities,
    origin: Message | None,
    *,
    is_family: bool = False,
) -> Message:
    """Return a message as the format would hold it; ``origin`` is its source in a file of the
    format's family. ``is_family``: new messages hold blocks of such a file, too. Returns the same
    object if the format holds all of it, and a message without blocks if it holds nothing."""
    keeps_thoughts = is_family and capabilities.family == RESPONSES_FAMILY
    adapted: list[Block] = []
    for block in message.blocks:
        if keeps_thoughts and isinstance(block, Thinking) and _is_item(block):
            adapted.append(block)
        else:
            adapted += _adapted_blocks(block, capabilities, origin)
    # Sorting keeps the order of equals, so texts and calls stay in order among themselves.
    if capabilities.calls_after_text and has_text_after_call(message):
        adapted.sort(key=lambda block: isinstance(block, ToolCall))
    blocks = tuple(adapted)
    if origin is None and not _has_speaker(message.speaker, capabilities):
        return replace(message, blocks=blocks, speaker=Speaker.HUMAN)
    is_same_length = len(blocks) == len(message.blocks)
    if is_same_length and all(map(operator.is_, blocks, message.blocks)):
        return message
    return with_blocks(message, blocks)


def _has_speaker(speaker: Speaker, capabilities: FormatCapabilities) -> bool:
    """Return whether a format can say that a message is from this speaker."""
    if speaker is Speaker.SYSTEM:
        return capabilities.system is not SystemPlacement.NOWHERE
    return speaker is not Speaker.UNKNOWN


def _is_item(thought: Thinking) -> bool:
    """Return whether a thought is an item of the Responses API, which new messages keep."""
    return "encrypted_content" in thought.extra or "id" in thought.extra


def has_text_after_call(message: Message) -> bool:
    kinds = [
        isinstance(block, ToolCall)
        for block in message.blocks
        if isinstance(block, Text | ToolCall)
    ]
    return kinds != sorted(kinds)


def _adapted_blocks(
    block: Block, capabilities: FormatCapabilities, origin: Message | None
) -> Iterator[Block]:
    same_family = origin is not None
    match block:
        case ToolResponse():
            yield _adapted_response(block, capabilities, origin)
        case Code() if not (same_family or capabilities.code):
            yield Text(code_text(block))
        case Thinking() if not same_family:
            if _takes_thinking(block, capabilities):
                yield block
        # What only its own API reads is noise to every other.
        case Opaque() if not same_family:
            return
        case _:
            yield block


def _takes_thinking(block: Thinking, capabilities: FormatCapabilities) -> bool:
    if capabilities.thinking is ThinkingSupport.ALL:
        return True
    is_signed = bool(block.extra.get("signature"))
    return is_signed and capabilities.thinking is ThinkingSupport.SIGNED


def _is_shortened_tool_list(block: ToolResponse) -> bool:
    return block.extra.get("$item") == _TOOL_LIST_ITEM and not isinstance(
        block.result, list
    )


def _adapted_response(
    block: ToolResponse, capabilities: FormatCapabilities, origin: Message | None
) -> ToolResponse:
    """Return a result with the error that would be read again; a changed error has the result's own
    words. A shortened list of tools is written as it was."""
    if origin and _is_shortened_tool_list(block):
        return next(
            (old for old in tool_responses(origin) if old.call_id == block.call_id),
            block,
        )
    if block.error is MISSING or capabilities.errors is ErrorSupport.WORDS:
        return block
    text = result_as_text(block)
    error = text if capabilities.errors is ErrorSupport.MARK else MISSING
    result = text if block.result in (None, "", MISSING) else block.result
    if error == block.error and result is block.result:
        return block
    return replace(block, result=result, error=error)


def with_written_roles(export_input: ExportInput, name: str) -> ExportInput:
    """Return the input with the messages of the system that a format cannot hold at their place as
    messages of the user: summaries, and those in front that would be read as its system prompt."""
    messages, compaction = export_input.messages, export_input.compaction
    indices = {*_summaries_as_user(compaction, name), *_front_as_user(messages, name)}
    if not indices:
        return export_input
    written = tuple(
        replace(message, speaker=Speaker.HUMAN) if index in indices else message
        for index, message in enumerate(messages)
    )
    if compaction is not None:
        return replace(export_input, compaction=replace(compaction, messages=written))
    return replace(
        export_input, history=replace(export_input.history, messages=written)
    )


def count_front_as_user(export_input: ExportInput, name: str) -> int:
    """Return how many messages of the system, summaries aside, ``with_written_roles`` gives to the
    user."""
    inserted = export_input.compaction.inserted if export_input.compaction else ()
    return sum(
        index not in inserted for index in _front_as_user(export_input.messages, name)
    )


def summary_role_note(compaction: Compaction | None, name: str) -> str:
    """Return the sentence that says that a summary of the system is written as the user's; "" if
    none is."""
    if not _summaries_as_user(compaction, name):
        return ""
    label = format_by_name(name).label
    is_nowhere = CAPABILITIES[name].system is SystemPlacement.NOWHERE
    if is_nowhere:
        why = "has no messages of the system"
    else:
        why = "takes those of the system in front as its prompt"
    return f"The summary is written as a message of the user: {label} {why}."


def _summaries_as_user(compaction: Compaction | None, name: str) -> Collection[int]:
    """Return the indices of the inserted messages of the system that become the user's."""
    if compaction is None or name not in CAPABILITIES:
        return ()
    messages, placement = compaction.messages, CAPABILITIES[name].system
    indices = [
        index
        for index in compaction.inserted
        if messages[index].speaker is Speaker.SYSTEM
    ]
    if placement is SystemPlacement.NOWHERE:
        return indices
    front = _front_as_user(messages, name) if indices else ()
    return [index for index in indices if index in front]


def _front_as_user(messages: Sequence[Message], name: str) -> range:
    """Return the indices of the messages in front that would be read as the system prompt."""
    if name in CAPABILITIES:
        placement = CAPABILITIES[name].system
    else:
        placement = SystemPlacement.ANYWHERE
    if placement not in (SystemPlacement.AFTER_START, SystemPlacement.AFTER_PROMPT):
        return range(0)
    ends = (
        index
        for index, message in enumerate(messages)
        if message.speaker is not Speaker.SYSTEM
        or (
            placement is SystemPlacement.AFTER_PROMPT
            and begins_as_summary(plain_text(message))
        )
    )
    return range(next(ends, len(messages)))


def expected_messages(export_input: ExportInput, name: str) -> list[Message]:
    """Return the messages that a file of the format holds, a message of the user in front included
    where the format begins with one."""
    export_input = with_written_roles(export_input, name)
    capabilities, source_format = CAPABILITIES[name], export_input.conversation.format
    if capabilities.starts_with_user and not export_input.is_whole_source:
        pieces = export_messages_beginning_with_user(export_input, ExportLosses(""))
    else:
        pieces = export_messages(export_input)
    is_family = source_format in (name, *capabilities.family)
    is_same_format = export_input.is_from_format(name)
    messages = []
    for piece in pieces:
        if piece.is_unchanged and is_same_format:
            messages.append(piece.message)
            continue
        origin = piece.origin if is_family else None
        messages.append(
            adapted_message(piece.message, capabilities, origin, is_family=is_family)
        )
    return messages


def written_format(conversation: Conversation, target_format: str = "") -> str:
    """Return the format that a result is judged in: the target, else the conversation's own, else
    the default one."""
    return next(
        name
        for name in (target_format, conversation.format, DEFAULT_FORMAT)
        if name in CAPABILITIES
    )


def messages_as_exported(
    conversation: Conversation,
    history: History,
    compaction: Compaction,
    target_format: str = "",
) -> tuple[Message, ...]:
    """Return one message for each message of a run, as its export holds it; empty if nothing is
    left. ``target_format`` is the format of the export, by default the conversation's own.
    Conversations of a read-only format are judged by the default export, except for messages that
    the run left unchanged."""
    if compaction.no_op is not None:
        return compaction.messages
    name = written_format(conversation, target_format)
    capabilities = CAPABILITIES[name]
    keeps_unchanged = name != target_format or name == conversation.format
    is_family = conversation.format in (name, *capabilities.family)
    export_input = ExportInput(
        conversation=conversation, history=history, compaction=compaction
    )
    messages = []
    for piece in export_messages(with_written_roles(export_input, name)):
        if name != conversation.format and is_unsent(piece.message):
            messages.append(with_blocks(piece.message, ()))
            continue
        if keeps_unchanged and piece.is_unchanged:
            messages.append(piece.message)
            continue
        origin = piece.origin if is_family else None
        messages.append(
            adapted_message(piece.message, capabilities, origin, is_family=is_family)
        )
    return tuple(messages)


_HANDLED_FIELDS = (
    *(
        "signature",
        "thoughtSignature",
        "thinkingSignature",
        "encrypted_content",
        "thought",
    ),
    *("sourceField", "is_error", "isError", "type"),
)
"""Fields that exporters handle themselves, or that are written in other words."""

_MAX_NAMED_FIELDS = 4


def count_extra_losses(
    export_input: ExportInput,
    losses: ExportLosses,
    name: str,
    fields: Sequence[str] = (),
) -> None:
    """Count what a new file of the format ``name`` loses of its source; it has a place for
    ``fields``."""
    capabilities, conversation = CAPABILITIES[name], export_input.conversation
    for content, count in _extra_content(export_input).items():
        has_place = content in capabilities.extra
        # A model that stands in answers has no place where there is none.
        if content is ExtraContent.MODEL and capabilities.model_in_answers:
            has_place = has_place and _has_answers(export_input.messages)
        if count and not has_place:
            losses.count_left_out(content.value, count)
    if conversation.recorded:
        losses.count_left_out(
            "mark of a recorded compaction", len(conversation.recorded)
        )
    is_family = conversation.format in capabilities.family
    found = _extra_field_names(export_input, blocks=not is_family)
    names = [field for field in found if field not in fields]
    if names:
        losses.count_left_out(f"further fields ({first_names(names)})")


def _extra_content(export_input: ExportInput) -> dict[ExtraContent, int]:
    """Return how much a source has beside the words of its messages."""
    messages, conversation = export_input.messages, export_input.conversation
    calls = (call for message in messages for call in tool_calls(message))
    return {
        ExtraContent.SYSTEM: min(1, len(conversation.system.texts)),
        ExtraContent.TOOLS: len(conversation.system.tools),
        ExtraContent.MODEL: min(1, len(conversation.model)),
        ExtraContent.TIMES: sum(bool(message.timestamp) for message in messages),
        # An id that Foldline made up is no loss.
        ExtraContent.CALL_IDS: sum("$made_id" not in call.extra for call in calls),
    }


def _has_answers(messages: Sequence[Message]) -> bool:
    return any(one.speaker is Speaker.AI and one.blocks for one in messages)


def first_names(names: Sequence[str]) -> str:
    return ", ".join(names[:_MAX_NAMED_FIELDS]) + (
        ", …" if len(names) > _MAX_NAMED_FIELDS else ""
    )


def _extra_field_names(export_input: ExportInput, *, blocks: bool) -> Iterator[str]:
    counts: Counter[str] = Counter()
    for message in export_input.messages:
        counts.update(fields_without_notes(message.extra).keys())
        for block in message.blocks if blocks else ():
            if not isinstance(block, Opaque):
                counts.update(fields_without_notes(block.extra).keys())
    yield from (name for name, _ in counts.most_common() if name not in _HANDLED_FIELDS)
