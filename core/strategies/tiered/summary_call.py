"""The model call of tier 3: its request, and its response or the reason for failure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.common.errors import Cancelled, FoldlineError, InputError
from core.common.javascript_whitespace import trim
from core.llm.protocol import SummaryRequest, SummaryResponse
from core.settings.keys import SUMMARY_TOKENS
from core.settings.prompts import fill_placeholders
from core.strategies.base import StrategyContext
from core.strategies.helpers import call_record
from core.summarize.summary_request import summary_budget
from core.transcript.compaction import ModelCall
from core.transcript.model import Message

TEMPERATURE = 0.0
MAX_OUTPUT_TOKENS = 8000  # parameters of the request (ion section 1.3); output in tokens
_MIN_BUDGET = 320  # smallest budget in tokens that leaves room for words under seven headings
_TRIGGER = (
    "Now write the summary that the instructions describe: every section they name, in their order, "
    "under its number and name. Write nothing before it and nothing after it."
)


@dataclass(frozen=True, slots=True)
class SummaryAttempt:
    """The outcome of a request. Without a usable ``answer``, ``fault`` names profile, model and cause;
    ``call`` is None without any response."""

    model_label: str
    profile: str
    model: str
    answer: SummaryResponse | None = None
    fault: str = ""
    call: ModelCall | None = None


def request_for(context: StrategyContext, messages: Sequence[Message], end: int) -> SummaryRequest:
    """Return the request for a summary of the messages before ``end``."""
    max_tokens = _budget(context.values.integer(SUMMARY_TOKENS), context.estimate_tokens(messages))
    return SummaryRequest(
        fill_placeholders(context.prompt, {"max_tokens": str(max_tokens), "focus": context.focus}),
        tuple(messages),
        tuple(range(end)),
        _TRIGGER,
        max_tokens,
        context.todos,
        context.transcript,
        context.focus,
        TEMPERATURE,
        MAX_OUTPUT_TOKENS,
    )


def _budget(configured: int, replaced: int) -> int:
    """Return the usual budget, but at least room for seven headings with some words under them."""
    return configured or max(summary_budget(0, replaced), _MIN_BUDGET)


def ask_for_summary(
    context: StrategyContext, strategy: str, request: SummaryRequest, *, strict: bool
) -> SummaryAttempt:
    """Request the summary; cancellation and unusable profiles are raised. Any other failure becomes a
    ``fault``, since the first two tiers need no model. ``strict`` also rejects blank, refused and truncated
    responses; otherwise only an empty one is rejected."""
    summariser = context.summariser(context.profile)
    names = summariser.profile, summariser.model
    model_label = f"{names[0]} ({names[1]})"
    try:
        response = summariser.summarise(request)
    except (Cancelled, InputError):
        raise
    except FoldlineError as error:
        return SummaryAttempt(model_label, *names, fault=error.message)
    except Exception as error:
        # Summarisers are foreign code; network libraries raise exceptions of many types.
        return SummaryAttempt(
            model_label, *names, fault=f"{strategy}: {model_label} failed: {type(error).__name__}: {error}."
        )
    call = call_record(context, request, summariser, response)
    fault = _fault(response) if strict else ("wrote an empty summary" if response.text == "" else "")
    if fault:
        return SummaryAttempt(model_label, *names, None, f"{strategy}: {model_label} {fault}.", call)
    return SummaryAttempt(model_label, *names, response, call=call)


def _fault(response: SummaryResponse) -> str:
    if response.finish_reason == "refusal":
        return "refused to write the summary"
    if response.finish_reason == "length":
        return "ended the summary too early (finish reason: length)"
    return "" if trim(response.text) else "wrote an empty summary"
