"""What the answers and grades of a quiz cost, before they are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.probes.questions import DEFAULT_QUESTIONS
from core.analysis.probes.runner import ANSWER_TOKENS, JUDGE_PROMPT, ProbeContext, ProbeRound, judge_request
from core.analysis.run_cost import RunCostEstimate, cost_of_calls
from core.llm.pricing import max_output
from core.settings.profile import Profile
from core.tokens.counter import counter_for

_QUESTION_TOKENS = 100  # tokens, more than templates make


def probe_costs(
    probe_round: ProbeRound, answerer: Profile, judge: Profile, unwritten_tokens: int = 0
) -> list[RunCostEstimate]:
    """Return the estimate of each model, without retries. ``unwritten_tokens`` tokens are added to the
    compacted context if its summary is not written yet."""
    costs = [_answer_cost(probe_round, answerer, unwritten_tokens)]
    return [*costs, _judge_cost(probe_round, judge)] if probe_round.free_count else costs


def default_cost(context: ProbeContext, profile: Profile) -> RunCostEstimate:
    """Return the most that the default number of questions can cost over a context."""
    return _cost([context.tokens + _QUESTION_TOKENS] * DEFAULT_QUESTIONS, profile)


def _answer_cost(probe_round: ProbeRound, profile: Profile, unwritten_tokens: int) -> RunCostEstimate:
    count, context_tokens = counter_for(profile.model).text, probe_round.compacted.tokens + unwritten_tokens
    question_sizes = [count(question.text) for question in probe_round.questions]
    sizes = [context_tokens + size for size in question_sizes]
    sizes += [context_tokens + ANSWER_TOKENS] * probe_round.free_count
    if probe_round.uncompacted is not None:
        sizes += [probe_round.uncompacted.tokens + size for size in question_sizes]
    return _cost(sizes, profile)


def _judge_cost(probe_round: ProbeRound, profile: Profile) -> RunCostEstimate:
    """Each free question is written and graded once; earlier ones are repeated to the writer."""
    assert probe_round.writing_context is not None
    count = counter_for(profile.model).text
    grading_tokens = count(JUDGE_PROMPT) + count(judge_request("", "", "")) + 2 * ANSWER_TOKENS
    first_size = probe_round.writing_context.tokens
    writing_tokens = [first_size + place * ANSWER_TOKENS for place in range(probe_round.free_count)]
    return _cost(writing_tokens + [grading_tokens] * probe_round.free_count, profile)


def _cost(request_sizes: Sequence[int], profile: Profile) -> RunCostEstimate:
    answer_tokens = max_output(profile, ANSWER_TOKENS)
    return cost_of_calls([(size, answer_tokens) for size in request_sizes], profile)
