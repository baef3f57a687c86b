"""The request of tier 3 and what came of it: an answer, or the reason why there is none."""

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
MOST_OUTPUT = 8000
"""What the request asks for: nothing left to chance, and at most so many tokens (ion section 1.3)."""

_LEAST = 320
"""Tokens of a summary in which seven headings leave room for words."""

_TRIGGER = (
    "Now write the summary that the instructions describe: every section they name, in their order, "
    "under its number and name. Write nothing before it and nothing after it."
)


@dataclass(frozen=True, slots=True)
class SummaryAttempt:
    """What came of a request. ``answer`` is None where there is none that can be used, and ``fault`` then
    says why, with profile, model and cause; ``call`` is None where nothing was answered at all."""

    who: str
    profile: str
    model: str
    answer: SummaryResponse | None = None
    fault: str = ""
    call: ModelCall | None = None


def request_for(context: StrategyContext, messages: Sequence[Message], end: int) -> SummaryRequest:
    """The request for a summary of the messages before ``end``."""
    most = _budget(context.values.whole(SUMMARY_TOKENS), context.estimate_tokens(messages))
    return SummaryRequest(
        fill_placeholders(context.prompt, {"max_tokens": str(most), "focus": context.focus}),
        tuple(messages),
        tuple(range(end)),
        _TRIGGER,
        most,
        context.todos,
        context.transcript,
        context.focus,
        TEMPERATURE,
        MOST_OUTPUT,
    )


def _budget(configured: int, replaced: int) -> int:
    """The budget of any summary, but room for seven headings with some words under them."""
    return configured or max(summary_budget(0, replaced), _LEAST)


def ask_for_summary(
    context: StrategyContext, strategy: str, request: SummaryRequest, *, strict: bool
) -> SummaryAttempt:
    """Ask for the summary. What a person decides (cancel, a profile that cannot be used) is raised.

    All else that goes wrong is a ``fault``, for the first two tiers need no model. ``strict`` also
    refuses blank, refused and cut answers; else only an empty one is none.
    """
    summariser = context.summariser(context.profile)
    names = summariser.profile, summariser.model
    who = f"{names[0]} ({names[1]})"
    try:
        answer = summariser.summarise(request)
    except (Cancelled, InputError):
        raise
    except FoldlineError as error:
        return SummaryAttempt(who, *names, fault=error.message)
    except Exception as error:
        # Whoever writes the summary is a guest here; a broken network has as many names as libraries.
        return SummaryAttempt(
            who, *names, fault=f"{strategy}: {who} failed: {type(error).__name__}: {error}."
        )
    call = call_record(context, request, summariser, answer)
    fault = _fault(answer) if strict else ("wrote an empty summary" if answer.text == "" else "")
    if fault:
        return SummaryAttempt(who, *names, None, f"{strategy}: {who} {fault}.", call)
    return SummaryAttempt(who, *names, answer, call=call)


def _fault(answer: SummaryResponse) -> str:
    if answer.finish_reason == "refusal":
        return "refused to write the summary"
    if answer.finish_reason == "length":
        return "ended the summary too early (finish reason: length)"
    return "" if trim(answer.text) else "wrote an empty summary"
