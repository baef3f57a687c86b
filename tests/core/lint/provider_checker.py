"""What providers refuse, written apart from lint: an independent checker for the tests of the
repair.

Each function walks the messages as a request is built from them and returns the first fault in
words, "" if there is none."""

from collections.abc import Sequence

from core.transcript.model import (
    Message,
    ServerTool,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)


def fault(provider: str, messages: Sequence[Message]) -> str:
    return {
        "anthropic": _anthropic,
        "openai": _openai,
        "responses": _responses,
        "gemini": _gemini,
    }[provider](messages)


def _sent(message: Message) -> list[object]:
    return [
        block
        for block in message.blocks
        if not (isinstance(block, Text) and not block.text.strip())
        and not (isinstance(block, Thinking) and not block.extra.get("signature"))
    ]


def _joined(messages: Sequence[Message]) -> list[tuple[str, list[object]]]:
    """Return the request of an API that joins neighbours of one role, results first in the
    person's."""
    request: list[tuple[str, list[object]]] = []
    for message in messages:
        blocks = _sent(message)
        role = "assistant" if message.speaker is Speaker.AI else "user"
        if not blocks:
            continue
        if not request or request[-1][0] != role:
            request.append((role, []))
        request[-1][1].extend(blocks)
    return request


def _anthropic(messages: Sequence[Message]) -> str:
    request = _joined(messages)
    if any(
        isinstance(block, Thinking) and not block.extra.get("signature")
        for one in messages
        for block in one.blocks
    ):
        return "unsigned thinking"
    if any(
        isinstance(block, Text) and not block.text.strip()
        for one in messages[:-1]
        for block in one.blocks
    ):
        return "blank text"
    ids = [
        block.id
        for _, blocks in request
        for block in blocks
        if isinstance(block, ToolCall)
    ]
    if len(ids) != len(set(ids)):
        return "an id twice"
    return _turns(request) or _server_tools(request)


def _gemini(messages: Sequence[Message]) -> str:
    names: dict[
        str, str
    ] = {}  # of the nearest call in front, as an id may be used again
    for one in messages:
        for block in one.blocks:
            if isinstance(block, ToolCall):
                names[block.id] = block.name
            if (
                isinstance(block, ToolResponse)
                and names.get(block.call_id) != block.name
            ):
                return "a name that is not its call's"
    return _turns(_joined(messages))


def _turns(request: list[tuple[str, list[object]]]) -> str:
    if request and request[0][0] == "assistant":
        return "the model first"
    waiting: set[str] = set()
    for place, (role, blocks) in enumerate(request):
        if role == "assistant":
            waiting = {block.id for block in blocks if isinstance(block, ToolCall)}
            continue
        answers = [block.call_id for block in blocks if isinstance(block, ToolResponse)]
        if len(answers) != len(set(answers)):
            return "two results of one call"
        if set(answers) - waiting:
            return "a result without its call"
        is_end = place == len(request) - 1 and all(
            isinstance(block, ToolResponse) for block in blocks
        )
        if waiting - set(answers) and not is_end:
            return "a call without its result"
        waiting = set()
    return ""


def _server_tools(request: list[tuple[str, list[object]]]) -> str:
    for place, (role, blocks) in enumerate(request):
        tools = [
            block.description[0] for block in blocks if isinstance(block, ServerTool)
        ]
        calls = [part.id for part in tools if isinstance(part, ToolCall)]
        answers = [part.call_id for part in tools if isinstance(part, ToolResponse)]
        if set(answers) - set(calls) or (tools and role == "user"):
            return "a server tool's result without its call"
        if set(calls) - set(answers) and place < len(request) - 1:
            return "a server tool's call without its result"
    return ""


def _openai(messages: Sequence[Message]) -> str:
    waiting: list[str] = []
    for message in messages:
        if message.speaker is Speaker.AI:
            if waiting:
                return "a call without its result"
            calls = [
                block.id for block in message.blocks if isinstance(block, ToolCall)
            ]
            if len(calls) != len(set(calls)):
                return "an id twice"
            if not calls and not any(
                not isinstance(one, Text | Thinking)
                or (isinstance(one, Text) and one.text)
                for one in message.blocks
            ):
                return "an empty answer"
            waiting = calls
            continue
        for block in message.blocks:
            if isinstance(block, ToolResponse):
                if block.call_id not in waiting:
                    return "a result without its call"
                waiting.remove(block.call_id)
    open_end = bool(messages) and messages[-1].speaker in (Speaker.AI, Speaker.TOOL)
    return "a call without its result" if waiting and not open_end else ""


def _responses(messages: Sequence[Message]) -> str:
    waiting: list[str] = []
    for message in messages:
        for block in message.blocks:
            if isinstance(block, ToolCall):
                waiting.append(block.id)
            elif isinstance(block, ToolResponse):
                if block.call_id not in waiting:
                    return "an output without its call"
                waiting.remove(block.call_id)
    end = list(messages)
    while end and end[-1].speaker is Speaker.TOOL:
        end.pop()
    while end and end[-1].speaker is Speaker.AI:
        waiting = [
            one
            for one in waiting
            if one not in {c.id for c in end[-1].blocks if isinstance(c, ToolCall)}
        ]
        end.pop()
    return "a call without its output" if waiting else ""
