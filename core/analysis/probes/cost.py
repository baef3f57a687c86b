"""Estimates the most that questions can cost, before the first is sent."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.cost.run_cost import RunCostEstimate
from core.analysis.probes.client import ANSWER_TOKENS, ProbeContext
from core.analysis.probes.judge import JUDGE, judge_request
from core.analysis.probes.questions import MANY
from core.analysis.probes.runner import ProbeRound
from core.llm.pricing import NO_PRICE, is_paid, max_output, maximum_price, model_name
from core.settings.profile import Profile
from core.tokens.counter import counter_for

_QUESTION = 100  # tokens, more than templates make


def probe_costs(
    plan: ProbeRound, answerer: Profile, judge: Profile, unwritten: int = 0
) -> list[tuple[RunCostEstimate, bool]]:
    """Return the estimate of each model, and whether it is paid, without retries. ``unwritten`` tokens are
    added to the compacted context if its summary is not written yet."""
    estimates = [(_answer_cost(plan, answerer, unwritten), is_paid(answerer))]
    if plan.free:
        estimates.append((_judge_cost(plan, judge), is_paid(judge)))
    return estimates


def usual_cost(context: ProbeContext, profile: Profile) -> tuple[RunCostEstimate, bool]:
    """Return the most that the default number of questions can cost over a context."""
    return _estimate([context.tokens + _QUESTION] * MANY, profile), is_paid(profile)


def _answer_cost(plan: ProbeRound, profile: Profile, unwritten: int) -> RunCostEstimate:
    count, context = counter_for(profile.model).text, plan.compacted.tokens + unwritten
    question_sizes = [count(one.text) for one in plan.questions]
    sizes = [context + one for one in question_sizes] + [context + ANSWER_TOKENS] * plan.free
    if plan.whole is not None:
        sizes += [plan.whole.tokens + one for one in question_sizes]
    return _estimate(sizes, profile)


def _judge_cost(plan: ProbeRound, profile: Profile) -> RunCostEstimate:
    """Each free question is written and graded once; earlier ones are repeated to the writer."""
    assert plan.head is not None
    count = counter_for(profile.model).text
    grading = count(JUDGE) + count(judge_request("", "", "")) + 2 * ANSWER_TOKENS
    writing = [plan.head.tokens + position * ANSWER_TOKENS for position in range(plan.free)]
    return _estimate(writing + [grading] * plan.free, profile)


def _estimate(sizes: Sequence[int], profile: Profile) -> RunCostEstimate:
    """``sizes`` are the tokens sent with each call."""
    answer = max_output(profile, ANSWER_TOKENS)
    price = sum((maximum_price(sent, answer, model_name(profile)) for sent in sizes), NO_PRICE)
    return RunCostEstimate(len(sizes), sum(sizes), len(sizes) * answer, price)
