"""What an agent had to bring back behind a recorded compaction: files that it read again, commands
that gave the same output again, edits that failed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from core.facts.file_accesses import file_accesses
from core.facts.file_calls import shell_command
from core.tokens.brought_back_value import TURNS, BroughtBack
from core.tokens.counter import TokenCounter
from core.transcript.model import (
    Conversation,
    RecordedCompaction,
    Speaker,
    ToolCall,
    ToolResponse,
    tool_calls,
    tool_responses,
)
from core.transcript.scopes import context_after_compaction, replaces_messages
from core.transcript.tool_kinds import FileOperation
from core.transcript.tool_pairs import answer_text, is_failed_result


@dataclass(frozen=True, slots=True, kw_only=True)
class _Use:
    """One call with its result: the file that it read or tried to edit, or its command and
    output."""

    index: int
    call: ToolCall
    response: ToolResponse
    read: str = ""
    failed_edit: str = ""
    command: tuple[str, str] = ("", "")


def brought_back(
    conversation: Conversation, counter: TokenCounter
) -> tuple[BroughtBack, ...]:
    """Return what was brought back behind each recorded compaction, up to the next."""
    if not conversation.recorded:
        return ()
    uses = list(_uses(conversation))
    boundaries = [one.boundary for one in conversation.recorded]
    ends = [*boundaries[1:], len(conversation.messages)]
    return tuple(
        _behind(
            recorded, uses, _window_end(conversation, recorded.boundary, end), counter
        )
        for recorded, end in zip(conversation.recorded, ends, strict=True)
    )


def _window_end(conversation: Conversation, start: int, end: int) -> int:
    """Return where the last of the turns ends that are looked at."""
    turns = 0
    for index in range(start, end):
        turns += conversation.messages[index].speaker is Speaker.AI
        if turns > TURNS:
            return index
    return end


def _uses(conversation: Conversation) -> Iterator[_Use]:
    root = conversation.cwd or "/"
    responses = {
        response.call_id: response
        for message in conversation.messages
        for response in tool_responses(message)
    }
    for index, message in enumerate(conversation.messages):
        for call in tool_calls(message):
            if (response := responses.get(call.id)) is not None:
                yield _use(index, call, response, root)


def _use(index: int, call: ToolCall, response: ToolResponse, root: str) -> _Use:
    use = _Use(index=index, call=call, response=response)
    has_failed = is_failed_result(response)
    for access in file_accesses(call, root):
        if access.operation is FileOperation.READ and not has_failed:
            return replace(use, read=access.path)
        if access.operation is FileOperation.EDIT and has_failed:
            return replace(use, failed_edit=access.path)
    command, output = shell_command(call).strip(), answer_text(response).strip()
    if command and output:
        return replace(use, command=(command, output))
    return use


def _behind(
    recorded: RecordedCompaction, uses: Sequence[_Use], end: int, counter: TokenCounter
) -> BroughtBack:
    before = [use for use in uses if use.index < recorded.boundary]
    removed = _removed(recorded, before)
    files = {use.read for use in removed} - {""}
    commands = {use.command for use in removed} - {("", "")}
    found, tokens = BroughtBack(), 0
    for use in uses:
        if not recorded.boundary <= use.index < end:
            continue
        if use.read in files:
            files.discard(use.read)
            found = replace(found, files=found.files + 1)
        elif use.command in commands:
            commands.discard(use.command)
            found = replace(found, commands=found.commands + 1)
        elif use.failed_edit in files:
            found = replace(found, edits=found.edits + 1)
        else:
            continue
        tokens += counter.block(use.call) + counter.block(use.response)
    return replace(found, tokens=tokens)


def _removed(recorded: RecordedCompaction, before: Sequence[_Use]) -> list[_Use]:
    """Return the uses whose results are not in the context any more."""
    cleared: Collection[str] = recorded.cleared
    if not replaces_messages(recorded):
        return [use for use in before if use.call.id in cleared]
    kept = {one for one in context_after_compaction(recorded) if isinstance(one, int)}
    return [use for use in before if use.index not in kept or use.call.id in cleared]
