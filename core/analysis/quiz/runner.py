"""Plans the questions of a compaction, prices them, and yields their answers and grades one by
one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.analysis.judge.asking import judge as judgements_of
from core.analysis.judge.asking import judge_price
from core.analysis.judge.model import JudgeCalibration, Judgement, JudgeVerdict
from core.analysis.quiz.calls import ANSWER_TOKENS, QuizPrompt, QuizReply, ask_model, history_prompt
from core.analysis.quiz.model import QuizAnswer, QuizKind, QuizQuestion
from core.analysis.quiz.questions import DEFAULT_QUESTIONS, grading_questions, select_questions
from core.analysis.quiz.written import Stretch, source_stretches, write_question, writing_chat
from core.analysis.run_price import RunCostEstimate, cost_of_calls, total_cost
from core.common.redaction.redact import count_secrets
from core.facts.model import Fact
from core.llm.catalog import find_model
from core.llm.client import LLMClient
from core.llm.pricing import MESSAGE_TOKENS, max_output, model_name
from core.preview.options import Preview
from core.settings.profile import Profile
from core.tokens.counter import counter_for

_LONGEST = ("word " * ANSWER_TOKENS).strip()  # as many tokens as an answer may have
MAX_FAILURES = 3
"""Failures in a row that end the round."""


@dataclass(frozen=True, slots=True)
class QuizPlan:
    """Number of questions from facts, and of those that a model writes; ``baseline``: also ask over
    the uncompacted history."""

    max_questions: int = DEFAULT_QUESTIONS
    written_count: int = 0
    baseline: bool = False


@dataclass(frozen=True, slots=True)
class QuizRound:
    """Questions and the contexts they are sent with. ``uncompacted`` is the uncompacted history,
    None if unused; of each of the ``stretches`` a question is written."""

    questions: tuple[QuizQuestion, ...]
    compacted: QuizPrompt
    uncompacted: QuizPrompt | None = None
    stretches: tuple[Stretch, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QuizProgress:
    """A round and its answers so far: ``profile`` answers, ``judge`` grades, and writes questions.

    ``price`` is that of all calls at most, ``secrets`` counts those in the requests;
    ``calibration`` says how the judge did on the shipped pairs, None: its grades are unproven.
    """

    preview: Preview
    request: QuizPlan
    plan: QuizRound
    profile: Profile
    judge: Profile
    price: RunCostEstimate
    secrets: int
    answers: tuple[QuizAnswer, ...] = ()
    calibration: JudgeCalibration | None = None
    is_over: bool = True
    was_cancelled: bool = False


def plan_round(
    preview: Preview, facts: Sequence[Fact], plan: QuizPlan, answerer: Profile
) -> QuizRound:
    """Return what would be asked about a preview's result; calls nothing."""
    fates = preview.result.compaction.fates
    questions = select_questions(facts, fates, plan.max_questions)
    counter, system = counter_for(answerer.model), preview.source.conversation.system.texts
    compacted = history_prompt(preview.result.compaction.messages, system, counter)
    uncompacted = history_prompt(preview.messages, system, counter) if plan.baseline else None
    warning = _too_long(uncompacted, answerer) if uncompacted is not None else ""
    stretches = (
        source_stretches(preview.messages, fates, plan.written_count) if plan.written_count else ()
    )
    return QuizRound(
        questions,
        compacted,
        None if warning else uncompacted,
        stretches,
        (warning,) if warning else (),
    )


def _too_long(uncompacted: QuizPrompt, profile: Profile) -> str:
    info = find_model(model_name(profile))
    limit = info.max_input_tokens if info is not None else None
    if limit is None or uncompacted.tokens + ANSWER_TOKENS <= limit:
        return ""
    return (
        f"The uncompacted history (≈{uncompacted.tokens:,} tokens) does not fit the window of "
        f"{profile.model} ({limit:,}), so that there is nothing to compare with."
    )


def quiz_answers(
    quiz_round: QuizRound, answerer: LLMClient, judge: LLMClient
) -> Iterator[QuizAnswer]:
    """Yield graded answers as they arrive: questions from facts, written ones, then all over the
    whole history. Ends after ``MAX_FAILURES`` answers in a row that are missing or could not be
    graded; Cancelled may be raised between two."""
    failures = 0
    for answer in _answer_each(quiz_round, answerer, judge):
        yield answer
        failures = failures + 1 if answer.score is None else 0
        if failures == MAX_FAILURES:
            return


def expected_answer_count(quiz_round: QuizRound) -> int:
    """Return the number of answers if none fails."""
    count = len(quiz_round.questions) + len(quiz_round.stretches)
    return count * (1 if quiz_round.uncompacted is None else 2)


def quiz_secrets(quiz_round: QuizRound) -> int:
    """Return how many secrets are in the longest context, in what questions are written from, and
    in the questions with their expected answers, which the judge is sent."""
    chat = (quiz_round.uncompacted or quiz_round.compacted).chat
    asked = [text for one in quiz_round.questions for text in (one.text, *one.points)]
    stretches = [one.text for one in quiz_round.stretches]
    return count_secrets([*(message["content"] for message in chat), *stretches, *asked])


def _answer_each(
    quiz_round: QuizRound, answerer: LLMClient, judge: LLMClient
) -> Iterator[QuizAnswer]:
    for question in quiz_round.questions:
        yield _answer(question, quiz_round.compacted, answerer, judge)
    written: list[QuizQuestion] = []
    for stretch in quiz_round.stretches:
        question, reply = write_question(judge, stretch, [one.text for one in written])
        if reply.failure:
            yield QuizAnswer(question, failure=reply.failure, cost=reply.cost)
            continue
        written.append(question)
        answer = _answer(question, quiz_round.compacted, answerer, judge)
        yield replace(answer, cost=sum_costs((reply, answer)))
    if quiz_round.uncompacted is not None:
        for question in (*quiz_round.questions, *written):
            answer = _answer(question, quiz_round.uncompacted, answerer, judge)
            yield replace(answer, is_uncompacted=True)


def _answer(
    question: QuizQuestion, prompt: QuizPrompt, answerer: LLMClient, judge: LLMClient
) -> QuizAnswer:
    """Ask a question, and let the judge say which expected points the answer says."""
    reply = ask_model(answerer, prompt.with_question(question.text))
    if reply.failure:
        return QuizAnswer(question, failure=reply.failure, cost=reply.cost)
    asked = grading_questions(question, reply.text)
    by_point = {one.question: one for one in judgements_of(asked, judge)}
    found = tuple(by_point[one] for one in asked)
    failure = _ungraded(found)
    return QuizAnswer(question, reply.text, found, failure, cost=sum_costs((reply, *found)))


def _ungraded(judgements: Sequence[Judgement]) -> str:
    """Return why an answer could not be graded, or nothing."""
    if any(one.verdict is not JudgeVerdict.UNKNOWN for one in judgements):
        return ""
    return next((one.reason for one in judgements if one.reason), "the judge cannot tell")


def sum_costs(parts: Sequence[QuizReply | QuizAnswer | Judgement]) -> float | None:
    """Return the sum in US dollars; None if one is unknown."""
    costs = [part.cost for part in parts if part.cost is not None]
    return sum(costs) if len(costs) == len(parts) else None


def quiz_costs(
    quiz_round: QuizRound, answerer: Profile, judge: Profile, unwritten_tokens: int = 0
) -> list[RunCostEstimate]:
    """Return the estimates of answers and of the judge, without retries. ``unwritten_tokens``
    tokens are added to the compacted context if its summary is not written yet."""
    return [_answer_cost(quiz_round, answerer, unwritten_tokens), _judge_cost(quiz_round, judge)]


def _answer_cost(quiz_round: QuizRound, profile: Profile, unwritten_tokens: int) -> RunCostEstimate:
    count, context_tokens = (
        counter_for(profile.model).text,
        quiz_round.compacted.tokens + unwritten_tokens,
    )
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
        sum(count(message["content"]) + MESSAGE_TOKENS for message in chat) + number * ANSWER_TOKENS
        for number, chat in enumerate(requests)
    ]
    return total_cost([_cost(sizes, profile), *grades])


def _grading_cost(question: QuizQuestion, profile: Profile) -> RunCostEstimate:
    return judge_price(grading_questions(question, _LONGEST), profile)


def _cost(request_sizes: Sequence[int], profile: Profile) -> RunCostEstimate:
    answer_tokens = max_output(profile, ANSWER_TOKENS)
    return cost_of_calls([(size, answer_tokens) for size in request_sizes], profile)
