"""What the questions, answers and grades of a quiz cost, before they are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.judge.asking import judge_price
from core.analysis.quiz.calls import ANSWER_TOKENS, PER_MESSAGE
from core.analysis.quiz.model import QuizKind, QuizQuestion
from core.analysis.quiz.questions import grading_questions
from core.analysis.quiz.runner import QuizRound
from core.analysis.quiz.written import writing_chat
from core.analysis.run_cost import RunCostEstimate, cost_of_calls, total_cost
from core.llm.pricing import max_output
from core.settings.profile import Profile
from core.tokens.counter import counter_for

_LONGEST = ("word " * ANSWER_TOKENS).strip()  # as many tokens as an answer may have


def quiz_costs(
    quiz_round: QuizRound, answerer: Profile, judge: Profile, unwritten_tokens: int = 0
) -> list[RunCostEstimate]:
    """Return the estimates of answers and of the judge, without retries. ``unwritten_tokens`` tokens are
    added to the compacted context if its summary is not written yet."""
    return [_answer_cost(quiz_round, answerer, unwritten_tokens), _judge_cost(quiz_round, judge)]


def _answer_cost(quiz_round: QuizRound, profile: Profile, unwritten_tokens: int) -> RunCostEstimate:
    count, context_tokens = counter_for(profile.model).text, quiz_round.compacted.tokens + unwritten_tokens
    question_sizes = [count(question.text) for question in quiz_round.questions]
    question_sizes += [ANSWER_TOKENS] * len(quiz_round.stretches)
    sizes = [context_tokens + size for size in question_sizes]
    if quiz_round.uncompacted is not None:
        sizes += [quiz_round.uncompacted.tokens + size for size in question_sizes]
    return _cost(sizes, profile)


def _judge_cost(quiz_round: QuizRound, profile: Profile) -> RunCostEstimate:
    """Each answer is graded; a question that is written repeats the earlier ones to the writer."""
    written = QuizQuestion(QuizKind.RECALL, _LONGEST, (_LONGEST,))
    questions = [*quiz_round.questions, *[written] * len(quiz_round.stretches)]
    sides = 1 if quiz_round.uncompacted is None else 2
    grades = [_grading_cost(question, profile) for question in questions] * sides
    count = counter_for(profile.model).text
    requests = [writing_chat(stretch) for stretch in quiz_round.stretches]
    sizes = [
        sum(count(message["content"]) + PER_MESSAGE for message in chat) + number * ANSWER_TOKENS
        for number, chat in enumerate(requests)
    ]
    return total_cost([_cost(sizes, profile), *grades])


def _grading_cost(question: QuizQuestion, profile: Profile) -> RunCostEstimate:
    return judge_price(grading_questions(question, _LONGEST), profile)


def _cost(request_sizes: Sequence[int], profile: Profile) -> RunCostEstimate:
    answer_tokens = max_output(profile, ANSWER_TOKENS)
    return cost_of_calls([(size, answer_tokens) for size in request_sizes], profile)
