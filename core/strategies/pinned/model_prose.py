"""Decisions and the next step in a model's words, behind the ledger; all the rest of it stays as it is."""

from __future__ import annotations

from dataclasses import replace

from core.llm.protocol import SummaryRequest
from core.settings.keys import PINNED_PROSE
from core.settings.profile import OFFLINE
from core.settings.prompts import fill_placeholders
from core.strategies.base import StrategyContext
from core.strategies.helpers import ask_summariser, call_record, refuse_larger
from core.transcript.compaction import Compaction
from core.transcript.model import Message, Text
from core.transcript.todos import active_todos

PROMPT = "pinned-prose"
SECTION = "Decisions and next step"
MOST = 400
"""Tokens that the model may take; of a small snapshot no more than SHARE."""

SHARE = 0.2
_TRIGGER = "Write the lines that the instructions describe, and nothing else."
_PURPOSE = "decisions and next step"


def prose_budget(context: StrategyContext, snapshot: int) -> int:
    """Tokens of a snapshot of so many that are left to the model; 0 where none is asked: the setting is off,
    or the profile is offline. Raises InputError for a profile that does not exist."""
    if not context.values.flag(PINNED_PROSE) or context.summariser(context.profile).profile == OFFLINE:
        return 0
    return max(1, min(MOST, int(snapshot * SHARE)))


def call_price(context: StrategyContext, made: Compaction, tokens: int) -> float:
    """What the call costs at the prices of the conversation's model, in units of one fresh input token."""
    if not tokens:
        return 0.0
    asked = context.estimate_tokens([context.history[index] for index in _places(made)])
    return asked + context.cache.output * tokens


def with_prose(context: StrategyContext, made: Compaction, tokens: int) -> Compaction:
    """The run with the model's lines behind its snapshot; as it was where nothing was folded or asked.

    Raises CompactionFailed where the model fails: the ledger does not stand in for it.
    """
    if not tokens or made.no_op is not None or made.summary is None:
        return made
    request = _request(context, _places(made), tokens)
    summariser, answer = ask_summariser(context, made.metadata.strategy_used, request)
    text = f"{made.summary.text}\n{SECTION}:\n{_lines(answer.text)}"
    at = min(made.inserted)
    ledger = context.estimate_tokens((made.messages[at],))
    new = replace(made.messages[at], blocks=(Text(text),))
    calls = (call_record(context, request, summariser, answer, _PURPOSE),)
    written = replace(
        made,
        messages=_with(made.messages, at, new),
        metadata=replace(made.metadata, llm_call_made=True),
        summary=replace(
            made.summary,
            text=text,
            profile=summariser.profile,
            model=summariser.model,
            sections=(*made.summary.sections, SECTION),
        ),
        calls=calls,
        warnings=(*made.warnings, *answer.warnings),
        budgets={at: ledger + tokens},
    )
    return refuse_larger(context, written)


def _request(context: StrategyContext, places: tuple[int, ...], tokens: int) -> SummaryRequest:
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


def _places(made: Compaction) -> tuple[int, ...]:
    """The messages that the snapshot stands for."""
    return made.origins[min(made.inserted)] if made.inserted else ()


def _with(messages: tuple[Message, ...], at: int, new: Message) -> tuple[Message, ...]:
    return (*messages[:at], new, *messages[at + 1 :])


def _lines(text: str) -> str:
    """One point per line, whatever the model wrote: no line of it can be read as a heading of the ledger."""
    said = (line.strip().removeprefix("- ").strip() for line in text.splitlines())
    return "\n".join(f"- {line}" for line in said if line)
