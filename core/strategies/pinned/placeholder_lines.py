"""The lines that replace tool output in pinned-hybrid, recognisable by their mark."""

from __future__ import annotations

from collections.abc import Sequence

from core.facts.file_accesses import key_argument
from core.facts.sentences import authored_text, plain_text, shorten
from core.strategies.hybrid.placeholder_lines import error_line
from core.strategies.tool_work import ToolWork, response_at
from core.strategies.tracker import read_file
from core.transcript.model import Block, Code, Message, Text, ToolCall, ToolResponse
from core.transcript.tool_outcomes import answer_text, json_text, response_content, result_text

MARK = "[left out: "
_HEAD = 160  # characters
_FRAME = 60  # characters


def is_marked(text: str) -> bool:
    """Return whether an earlier run wrote the text."""
    return text.startswith(MARK)


def superseded_line(messages: Sequence[Message], work: ToolWork, why: str) -> str:
    """Return the line for a read whose file was changed or read again since."""
    return f"{MARK}{_read_text(messages, work)}; {why}]"


def masked_line(messages: Sequence[Message], work: ToolWork) -> str:
    """Return the line for other output: the tool, its file or command, its length or its error."""
    response = response_at(messages, work.place)
    if work.failed:
        return f"{MARK}{_call_text(messages, work)}; it failed: {error_line(response) or 'without a word'}]"
    if work.is_read and len(work.files) == 1:
        about = read_file(messages, work, work.files[0]).summary
        return f"{MARK}{_read_text(messages, work)}{f'; {about}' if about else ''}]"
    return f"{MARK}{_call_text(messages, work)}, {_line_count_of(result_text(response_content(response)))}]"


def observation_line(message: Message) -> str:
    """Return the line for output sent as a user message; what the user added stays."""
    text = plain_text(message)
    words = authored_text(message)
    line = f"{MARK}{shorten(text.partition(chr(10))[0].strip('[]: '), _HEAD)}, {_line_count_of(text)}]"
    return f"{line}\n{words}" if words else line


def clip_text(text: str, tokens: int, max_tokens: int) -> str:
    """Return the beginning and the end of a text, about ``max_tokens`` of its tokens."""
    max_characters = max(0, int(len(text) * max_tokens / max(1, tokens)) - _FRAME)
    head, tail = text[: max_characters * 2 // 3], text[len(text) - max_characters // 3 :]
    omitted = len(text) - len(head) - len(tail)
    return f"{head}\n… [{omitted:,} characters left out] …\n{tail}"


def all_text(message: Message) -> str:
    """Return all text of a message: texts, names and arguments of calls, results."""
    return "\n".join(_block_text(block) for block in message.blocks)


def _block_text(block: Block) -> str:
    match block:
        case Text():
            return block.text
        case Code():
            return block.code
        case ToolCall():
            values = block.arguments.values() if isinstance(block.arguments, dict) else (block.arguments,)
            return "\n".join((block.name, *map(json_text, values)))
        case ToolResponse():
            return answer_text(block)
        case _:
            return ""


def _read_text(messages: Sequence[Message], work: ToolWork) -> str:
    """Return path, lines, and a hash that shows whether a new read returns the same."""
    if len(work.files) != 1:
        return f"{work.name or 'tool'} of {', '.join(file.path for file in work.files)}"
    read = read_file(messages, work, work.files[0])
    ranges = ", ".join(f"{low}-{high}" for low, high in read.ranges)
    size = f"lines {ranges}" if ranges else _line_count_text(read.lines)
    return f"{work.name or 'read'} {read.path}, {size}, hash {read.hash:x}"


def _call_text(messages: Sequence[Message], work: ToolWork) -> str:
    call = messages[work.call[0]].blocks[work.call[1]] if work.call is not None else None
    argument = key_argument(call.arguments) if isinstance(call, ToolCall) else None
    name = work.name or "tool"
    return f"{name} {argument}" if argument else name


def _line_count_of(text: str) -> str:
    return _line_count_text(text.count("\n") + 1 if text else 0)


def _line_count_text(lines: int) -> str:
    return f"{lines:,} {'line' if lines == 1 else 'lines'}"
