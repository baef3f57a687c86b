"""What questions can cost at most, before the first of them is asked."""

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
    """The bill of each model, and whether it is paid; every retry left out.

    ``unwritten`` tokens are added to the compacted context where its summary is not written yet.
    """
    found = [(_answering(plan, answerer, unwritten), is_paid(answerer))]
    if plan.free:
        found.append((_judging(plan, judge), is_paid(judge)))
    return found


def usual_cost(context: ProbeContext, profile: Profile) -> tuple[RunCostEstimate, bool]:
    """The most that as many questions as are usual can cost over a context, before they are known."""
    return _bill([context.tokens + _QUESTION] * MANY, profile), is_paid(profile)


def _answering(plan: ProbeRound, profile: Profile, unwritten: int) -> RunCostEstimate:
    count, context = counter_for(profile.model).text, plan.compacted.tokens + unwritten
    own = [count(one.text) for one in plan.questions]
    sizes = [context + one for one in own] + [context + ANSWER_TOKENS] * plan.free
    if plan.whole is not None:
        sizes += [plan.whole.tokens + one for one in own]
    return _bill(sizes, profile)


def _judging(plan: ProbeRound, profile: Profile) -> RunCostEstimate:
    """Each free question is written once and graded once; what was asked before is told to the writer."""
    assert plan.head is not None
    count = counter_for(profile.model).text
    grading = count(JUDGE) + count(judge_request("", "", "")) + 2 * ANSWER_TOKENS
    writing = [plan.head.tokens + before * ANSWER_TOKENS for before in range(plan.free)]
    return _bill(writing + [grading] * plan.free, profile)


def _bill(sizes: Sequence[int], profile: Profile) -> RunCostEstimate:
    """``sizes`` are the tokens sent with each call."""
    answer = max_output(profile, ANSWER_TOKENS)
    whole = sum((maximum_price(sent, answer, model_name(profile)) for sent in sizes), NO_PRICE)
    return RunCostEstimate(len(sizes), sum(sizes), len(sizes) * answer, whole)
