"""Texts and choices of ion that Foldline does not use, word for word, for golden cases."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.strategies.tiered_outputs import output_text
from core.transcript import model

_CLIP_BYTES = {"thinking": 500, "arguments": 200, "result": 500}  # bytes
_TRUNCATED = "... [truncated]"
_SPEAKER_NAMES = {
    model.Speaker.HUMAN: "User",
    model.Speaker.SYSTEM: "System",
    model.Speaker.AI: "Assistant",
}
_MODEL_WINDOW = 8000  # smallest window of a summary model, in tokens
_PRICE_BAND = 2  # models up to this multiple of the cheapest price count as cheap


def conversation_text(messages: Sequence[model.Message]) -> str:
    return "\n\n".join(piece for message in messages for piece in _pieces(message))


def _pieces(message: model.Message) -> Iterator[str]:
    name = _SPEAKER_NAMES.get(message.speaker, "User")
    for block in message.blocks:
        match block:
            case model.Text(text=text) | model.Code(code=text):
                yield f"[{name}]: {text}"
            case model.Thinking(text=text):
                yield f"[Assistant thinking]: {_clip(text, 'thinking', _TRUNCATED)}"
            case model.ToolCall():
                yield f"[Tool call: {block.name}({_clip(_json(block), 'arguments', '...')})"
            case model.ToolResponse():
                kind = "Error" if block.error is True else "Result"
                yield f"[Tool {kind}]: {_clip(output_text(block), 'result', _TRUNCATED)}"
            case model.Media() | model.Opaque():
                yield f"[{name}]: [image]"


def _json(call: model.ToolCall) -> str:
    return json.dumps(
        call.arguments,
        ensure_ascii=False,
        separators=(",", ":"),
        sort_keys=True,
        default=lambda value: None,
    )


def _clip(text: str, kind: str, ending: str) -> str:
    data, max_bytes = text.encode("utf-8", "surrogatepass"), _CLIP_BYTES[kind]
    return (
        text
        if len(data) <= max_bytes
        else data[:max_bytes].decode("utf-8", "ignore") + ending
    )


def compact_result(before: int, after: int, tier: str) -> str:
    """Return the answer of the reference's compact tool; ``tier`` is None, Mechanical or
    Summarized."""
    if tier == "None":
        return "Compaction will be performed after this tool call completes."
    return f"Compacted: {before // 1000}k → {after // 1000}k tokens ({tier})"


def compaction_notice(before: int, after: int) -> str:
    freed = _thousands(max(0, before - after))
    return f"Context compacted ({_thousands(before)} -> {_thousands(after)} tokens, {freed} freed)"


def _thousands(tokens: int) -> str:
    return f"{tokens // 1000}k" if tokens >= 1000 else str(tokens)


def used_percentage(used: int, limit: int) -> int:
    """Return the used share of the window in whole percent; 0 without a window."""
    return used * 100 // limit if limit else 0


def status_colour(percent: int) -> str:
    return "red" if percent >= 80 else "yellow" if percent >= 50 else "green"


def attachments_warning(tokens: int, window: int) -> str:
    """Return the warning about attachments larger than a quarter of the window, else ""."""
    if tokens <= window // 4:
        return ""
    share = used_percentage(tokens, window)
    return (
        f"Attachments use ~{share}% of context window (~{tokens // 1000}k of {window // 1000}k "
        f"tokens)"
    )


@dataclass(frozen=True)
class ProviderModel:
    """A model in a provider's list: dollars per token, tokens of its window, date of release."""

    id: str
    input: float
    context_window: int
    created: int


def select_model(models: Sequence[ProviderModel]) -> str | None:
    """Return the reference's choice: the newest of those at most twice as expensive as the
    cheapest. Of several of one date the last in the list; None where no model has a price and a
    window of 8,000 tokens."""
    eligible = [
        model
        for model in models
        if model.input > 0 and model.context_window >= _MODEL_WINDOW
    ]
    if not eligible:
        return None
    ceiling = _PRICE_BAND * min(model.input for model in eligible)
    cheap = [model for model in eligible if model.input <= ceiling]
    newest = max(model.created for model in cheap)
    return [model for model in cheap if model.created == newest][-1].id
