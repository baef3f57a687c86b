"""Adds decisions and the next step in a model's words to the verbatim summary."""

from __future__ import annotations

from dataclasses import replace

from core.llm.protocol import SummaryRequest
from core.settings.keys import PINNED_PROSE
from core.settings.profile import OFFLINE
from core.settings.prompts import fill_placeholders
from core.strategies.base import StrategyContext
from core.strategies.helpers import ask_summariser, call_record, no_op_if_larger
from core.transcript.compaction import Compaction
from core.transcript.model import Message, Text
from core.transcript.todos import active_todos

PROMPT = "pinned-prose"
SECTION = "Decisions and next step"
MAX_PROSE_TOKENS = 400  # largest budget in tokens of the model's text; at most SHARE of a small snapshot
PROSE_SHARE = 0.2
_TRIGGER = "Write the lines that the instructions describe, and nothing else."
_PURPOSE = "decisions and next step"


def prose_budget(context: StrategyContext, snapshot: int) -> int:
    """Return the model's tokens in a snapshot; 0 if off or offline. Raises InputError."""
    if not context.values.flag(PINNED_PROSE) or context.summariser(context.profile).profile == OFFLINE:
        return 0
    return max(1, min(MAX_PROSE_TOKENS, int(snapshot * PROSE_SHARE)))


def call_price(context: StrategyContext, compaction: Compaction, tokens: int) -> float:
    """Return the price of the call in units of one fresh input token of the conversation's model."""
    if not tokens:
        return 0.0
    input_tokens = context.estimate_tokens(
        [context.history[index] for index in _summarised_indices(compaction)]
    )
    return input_tokens + context.cache.output * tokens


def with_prose(context: StrategyContext, compaction: Compaction, tokens: int) -> Compaction:
    """Append the model's lines to the snapshot; unchanged without a budget or a snapshot. Raises
    CompactionFailed where the model fails: the verbatim summary does not replace its text."""
    if not tokens or compaction.no_op is not None or compaction.summary is None:
        return compaction
    request = _prose_request(context, _summarised_indices(compaction), tokens)
    summariser, response = ask_summariser(context, compaction.metadata.strategy_used, request)
    text = f"{compaction.summary.text}\n{SECTION}:\n{_lines(response.text)}"
    position = min(compaction.inserted)
    snapshot_tokens = context.estimate_tokens((compaction.messages[position],))
    message = replace(compaction.messages[position], blocks=(Text(text),))
    calls = (call_record(context, request, summariser, response, _PURPOSE),)
    result = replace(
        compaction,
        messages=_with_message(compaction.messages, position, message),
        metadata=replace(compaction.metadata, llm_call_made=True),
        summary=replace(
            compaction.summary,
            text=text,
            profile=summariser.profile,
            model=summariser.model,
            sections=(*compaction.summary.sections, SECTION),
        ),
        calls=calls,
        warnings=(*compaction.warnings, *response.warnings),
        budgets={position: snapshot_tokens + tokens},
    )
    return no_op_if_larger(context, result)


def _prose_request(context: StrategyContext, places: tuple[int, ...], tokens: int) -> SummaryRequest:
    return SummaryRequest(
        fill_placeholders(context.prompt, {"max_tokens": str(tokens), "focus": context.focus}),
        tuple(context.history[index] for index in places),
        places,
        _TRIGGER,
        tokens,
        context.todos or active_todos(context.history),
        "",
        context.focus,
        purpose=_PURPOSE,
    )


def _summarised_indices(compaction: Compaction) -> tuple[int, ...]:
    return compaction.origins[min(compaction.inserted)] if compaction.inserted else ()


def _with_message(messages: tuple[Message, ...], position: int, new: Message) -> tuple[Message, ...]:
    return (*messages[:position], new, *messages[position + 1 :])


def _lines(text: str) -> str:
    """Return one point per line, so that no line can be read as a heading of the summary."""
    points = (line.strip().removeprefix("- ").strip() for line in text.splitlines())
    return "\n".join(f"- {line}" for line in points if line)
