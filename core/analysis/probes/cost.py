"""Estimates the most that questions can cost, before the first is sent."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.cost.run_cost import RunCostEstimate
from core.analysis.probes.client import ANSWER_TOKENS, ProbeContext
from core.analysis.probes.judge import JUDGE_PROMPT, judge_request
from core.analysis.probes.questions import DEFAULT_QUESTIONS
from core.analysis.probes.runner import ProbeRound
from core.llm.pricing import NO_PRICE, is_paid, max_output, maximum_price, model_name
from core.settings.profile import Profile
from core.tokens.counter import counter_for

_QUESTION_TOKENS = 100  # tokens, more than templates make


def probe_costs(
    probe_round: ProbeRound, answerer: Profile, judge: Profile, unwritten_tokens: int = 0
) -> list[tuple[RunCostEstimate, bool]]:
    """Return the estimate of each model, and whether it is paid, without retries. ``unwritten_tokens``
    tokens are added to the compacted context if its summary is not written yet."""
    estimates = [(_answer_cost(probe_round, answerer, unwritten_tokens), is_paid(answerer))]
    if probe_round.free_count:
        estimates.append((_judge_cost(probe_round, judge), is_paid(judge)))
    return estimates


def default_cost(context: ProbeContext, profile: Profile) -> tuple[RunCostEstimate, bool]:
    """Return the most that the default number of questions can cost over a context."""
    return _estimate([context.tokens + _QUESTION_TOKENS] * DEFAULT_QUESTIONS, profile), is_paid(profile)


def _answer_cost(probe_round: ProbeRound, profile: Profile, unwritten_tokens: int) -> RunCostEstimate:
    count_tokens, context_tokens = (
        counter_for(profile.model).text,
        probe_round.compacted.tokens + unwritten_tokens,
    )
    question_sizes = [count_tokens(one.text) for one in probe_round.questions]
    sizes = [context_tokens + one for one in question_sizes] + [
        context_tokens + ANSWER_TOKENS
    ] * probe_round.free_count
    if probe_round.uncompacted is not None:
        sizes += [probe_round.uncompacted.tokens + one for one in question_sizes]
    return _estimate(sizes, profile)


def _judge_cost(probe_round: ProbeRound, profile: Profile) -> RunCostEstimate:
    """Each free question is written and graded once; earlier ones are repeated to the writer."""
    assert probe_round.writing_context is not None
    count_tokens = counter_for(profile.model).text
    grading_tokens = count_tokens(JUDGE_PROMPT) + count_tokens(judge_request("", "", "")) + 2 * ANSWER_TOKENS
    writing_tokens = [
        probe_round.writing_context.tokens + position * ANSWER_TOKENS
        for position in range(probe_round.free_count)
    ]
    return _estimate(writing_tokens + [grading_tokens] * probe_round.free_count, profile)


def _estimate(request_sizes: Sequence[int], profile: Profile) -> RunCostEstimate:
    """``request_sizes`` are the tokens sent with each call."""
    answer_tokens = max_output(profile, ANSWER_TOKENS)
    price = sum(
        (maximum_price(request_size, answer_tokens, model_name(profile)) for request_size in request_sizes),
        NO_PRICE,
    )
    return RunCostEstimate(len(request_sizes), sum(request_sizes), len(request_sizes) * answer_tokens, price)
