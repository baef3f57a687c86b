"""The texts of ion to the letter, faults included, and its choice of a model (ion spec section 1)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Protocol

from core.strategies.tiered.tool_outputs import output_text
from core.transcript.model import (
    Code,
    Media,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

REMOVED = "[Output removed"
"""How the placeholder of a removed output begins."""

LINE_TOKENS = 10
"""What one line of an output is taken for."""

FEWEST_LINES = 5
"""Lines of a truncated output that stay at each end at least."""

FIRST_LINE = 100
"""Characters of an output's first line that its placeholder shows."""

OPENING, CLOSING = "<context-summary>", "</context-summary>"

_LEFT_ALONE = 10  # lines of an output that is not cut, however long they are
_CLIPS = {"thinking": 500, "arguments": 200, "result": 500}  # bytes
_CLIPPED = "... [truncated]"
_SEPARATORS = "\x1c\x1d\x1e\x1f"  # white space to Python, not to the reference
_NAMES = {Speaker.HUMAN: "User", Speaker.SYSTEM: "System", Speaker.AI: "Assistant"}
_MODEL_WINDOW = 8000  # tokens that a model for summaries must hold
_PRICE_BAND = 2  # times the cheapest price that is still cheap


def lines_of(text: str) -> list[str]:
    """Lines ended by a line feed, with or without a carriage return; a final line end adds no empty line."""
    lines = text.split("\n")
    last = lines.pop()
    ended = [line.removesuffix("\r") for line in lines]
    return [*ended, last] if last else ended


def truncated_output(text: str, keep_tokens: int) -> str:
    """Head and tail of an output; at most ten lines stay as they are, and the text may get longer."""
    lines = lines_of(text)
    if len(lines) <= _LEFT_ALONE:
        return text
    keep = min(max(keep_tokens // LINE_TOKENS, FEWEST_LINES), len(lines) // 2)
    head, tail = "\n".join(lines[:keep]), "\n".join(lines[-keep:])
    return f"{head}{lines_marker(len(lines) - 2 * keep)}{tail}"


def lines_marker(count: int) -> str:
    """What stands for lines that were cut out."""
    return f"\n\n... [{count} lines truncated] ...\n\n"


def removed_placeholder(text: str) -> str:
    """The placeholder of an output: its lines and the start of the first one, clipped and then trimmed."""
    lines = lines_of(text)
    first = _trimmed(lines[0][:FIRST_LINE]) if lines else ""
    return f"{REMOVED}: {len(lines)} lines, starting with: {first}...]"


def _trimmed(text: str) -> str:
    start, end = 0, len(text)
    while start < end and _is_blank(text[start]):
        start += 1
    while end > start and _is_blank(text[end - 1]):
        end -= 1
    return text[start:end]


def _is_blank(letter: str) -> bool:
    return letter.isspace() and letter not in _SEPARATORS


def conversation_text(messages: Sequence[Message]) -> str:
    """The old part as the reference sends it to the model, pieces joined by blank lines."""
    return "\n\n".join(piece for message in messages for piece in _pieces(message))


def _pieces(message: Message) -> Iterator[str]:
    name = _NAMES.get(message.speaker, "User")
    for block in message.blocks:
        match block:
            case Text(text=text) | Code(code=text):
                yield f"[{name}]: {text}"
            case Thinking(text=text):
                yield f"[Assistant thinking]: {_clip(text, 'thinking', _CLIPPED)}"
            case ToolCall():
                yield f"[Tool call: {block.name}({_clip(_json(block), 'arguments', '...')})"
            case ToolResponse():
                kind = "Error" if block.error is True else "Result"
                yield f"[Tool {kind}]: {_clip(output_text(block), 'result', _CLIPPED)}"
            case Media() | Opaque():
                yield f"[{name}]: [image]"


def _json(call: ToolCall) -> str:
    return json.dumps(
        call.arguments, ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=lambda value: None
    )


def _clip(text: str, kind: str, ending: str) -> str:
    data, most = text.encode("utf-8", "surrogatepass"), _CLIPS[kind]
    return text if len(data) <= most else data[:most].decode("utf-8", "ignore") + ending


def wrapped_summary(summary: str) -> str:
    """The text that the reference puts in the place of the old part."""
    return (
        f"{OPENING}\n{summary}\n{CLOSING}\n\nThe above is a summary of the earlier "
        "conversation. Continue from where we left off without re-asking the user."
    )


def compact_result(before: int, after: int, tier: str) -> str:
    """What the reference's compact tool answers; ``tier`` is None, Mechanical or Summarized."""
    if tier == "None":
        return "Compaction will be performed after this tool call completes."
    return f"Compacted: {before // 1000}k → {after // 1000}k tokens ({tier})"


def compaction_notice(before: int, after: int) -> str:
    """The line that the reference's chat shows after a compaction."""
    freed = _thousands(max(0, before - after))
    return f"Context compacted ({_thousands(before)} -> {_thousands(after)} tokens, {freed} freed)"


def _thousands(tokens: int) -> str:
    return f"{tokens // 1000}k" if tokens >= 1000 else str(tokens)


def used_percentage(used: int, most: int) -> int:
    """Share of the window that is used, in whole percent; 0 without a window."""
    return used * 100 // most if most else 0


def status_colour(percent: int) -> str:
    """The colour of the reference's status line at a share of the window."""
    return "red" if percent >= 80 else "yellow" if percent >= 50 else "green"


def attachments_warning(tokens: int, window: int) -> str:
    """The warning before a message whose attachments take more than a quarter of the window, else ""."""
    if tokens <= window // 4:
        return ""
    share = used_percentage(tokens, window)
    return f"Attachments use ~{share}% of context window (~{tokens // 1000}k of {window // 1000}k tokens)"


class ProviderModel(Protocol):
    """A model of a provider's list: dollars per token, tokens of its window, date of release."""

    @property
    def id(self) -> str: ...
    @property
    def input(self) -> float: ...
    @property
    def context_window(self) -> int: ...
    @property
    def created(self) -> int: ...


def select_model(models: Sequence[ProviderModel]) -> str | None:
    """The reference's choice: the newest of those at most twice as dear as the cheapest.

    Of several of one date the last in the list; None where no model has a price and a window of 8,000 tokens.
    """
    fit = [one for one in models if one.input > 0 and one.context_window >= _MODEL_WINDOW]
    if not fit:
        return None
    ceiling = _PRICE_BAND * min(one.input for one in fit)
    cheap = [one for one in fit if one.input <= ceiling]
    newest = max(one.created for one in cheap)
    return [one for one in cheap if one.created == newest][-1].id
