"""The questions of a compaction, and their answers one by one: a call each, failures told as such."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.analysis.fidelity.model import SourceFact
from core.analysis.probes.client import (
    ANSWER_TOKENS,
    ProbeContext,
    ProbeReply,
    ask_model,
    context_of,
    plain_request,
)
from core.analysis.probes.grading import grade_by_facts
from core.analysis.probes.judge import (
    FREE_KINDS,
    JUDGE,
    WRITER,
    judge_request,
    parse_grades,
    parse_question,
    question_request,
)
from core.analysis.probes.model import BEST, GradeDimension, ProbeAnswer, ProbeQuestion
from core.analysis.probes.questions import MANY, past_of, questions_of
from core.llm.catalog import find_model
from core.llm.client import LLMClient
from core.llm.pricing import model_name
from core.preview.options import Preview
from core.settings.profile import Profile
from core.tokens.counter import counter_for
from core.transcript.compaction import FateKind

MOST_FAILURES = 3
"""Failures in a row after which nothing more is asked."""


@dataclass(frozen=True, slots=True)
class ProbePlan:
    """What is asked for: templated questions, free ones that a model writes, and whether the same is asked
    over the uncompacted history."""

    most: int = MANY
    free: int = 0
    baseline: bool = False


@dataclass(frozen=True, slots=True)
class ProbeRound:
    """What goes out: questions, how many free ones, and what they are asked over. ``whole`` is the
    uncompacted history, None where it is not asked over; ``head`` what free questions are written from."""

    questions: tuple[ProbeQuestion, ...]
    compacted: ProbeContext
    whole: ProbeContext | None = None
    free: int = 0
    head: ProbeContext | None = None
    warnings: tuple[str, ...] = ()


def plan_of(
    made: Preview, facts: Sequence[SourceFact], wish: ProbePlan, answerer: Profile, judge: Profile
) -> ProbeRound:
    """What would be asked of a preview's result; nothing is called."""
    questions = questions_of(past_of(made.messages, made.compaction.fates, facts), wish.most)
    counter, system = counter_for(answerer.model), made.conversation.system.texts
    compacted = context_of(made.compaction.messages, system, counter)
    warnings = list(_same_model(made, judge)) if wish.free else []
    whole = context_of(made.messages, system, counter) if wish.baseline else None
    if whole is not None and (warning := _too_long(whole, answerer)):
        warnings.append(warning)
        whole = None
    places = [place for place, fate in enumerate(made.compaction.fates) if fate.kind is not FateKind.KEPT]
    free = wish.free if places else 0
    head = None
    if free:
        messages = made.messages[: places[-1] + 1]
        head = context_of(messages, system, counter_for(judge.model), WRITER)
    return ProbeRound(questions, compacted, whole, free, head, tuple(warnings))


def _same_model(made: Preview, judge: Profile) -> Iterator[str]:
    writes = made.unwritten or any(call.profile == made.writer.name for call in made.compaction.calls)
    if writes and (made.writer.provider, made.writer.model) == (judge.provider, judge.model):
        yield f"{judge.name} wrote the summary and judges it, too; name another judge with --judge."


def _too_long(whole: ProbeContext, profile: Profile) -> str:
    info = find_model(model_name(profile))
    limit = info.max_input_tokens if info is not None else None
    if limit is None or whole.tokens + ANSWER_TOKENS <= limit:
        return ""
    return (
        f"The uncompacted history (≈{whole.tokens:,} tokens) does not fit the window of {profile.model} "
        f"({limit:,}), so that there is nothing to compare with."
    )


def probe_answers(plan: ProbeRound, answerer: LLMClient, judge: LLMClient) -> Iterator[ProbeAnswer]:
    """Each question with its answer as it comes: over the compacted context, free ones, over the whole
    history. Ends early after MOST_FAILURES failures in a row; Cancelled comes out between two of them."""
    failures = 0
    for given in _each(plan, answerer, judge):
        yield given
        failures = failures + 1 if given.score is None else 0
        if failures == MOST_FAILURES:
            return


def expected_answers(plan: ProbeRound) -> int:
    """How many answers there are, if none fails."""
    return len(plan.questions) * (1 if plan.whole is None else 2) + plan.free


def _each(plan: ProbeRound, answerer: LLMClient, judge: LLMClient) -> Iterator[ProbeAnswer]:
    for question in plan.questions:
        yield _answered(question, plan.compacted, answerer)
    former: list[str] = []
    for number in range(plan.free):
        given = _free(number, former, plan, answerer, judge)
        if given.question.text:
            former.append(given.question.text)
        yield given
    for question in plan.questions if plan.whole is not None else ():
        assert plan.whole is not None
        yield replace(_answered(question, plan.whole, answerer), whole=True)


def _answered(question: ProbeQuestion, context: ProbeContext, caller: LLMClient) -> ProbeAnswer:
    reply = ask_model(caller, context.with_question(question.text))
    score = None if reply.failure else grade_by_facts(question, reply.text)
    return ProbeAnswer(question, reply.text, score, reply.failure, cost=reply.cost)


def _free(
    number: int, former: Sequence[str], plan: ProbeRound, answerer: LLMClient, judge: LLMClient
) -> ProbeAnswer:
    """Question, answer and grades: three calls, of which the first that fails is told."""
    kind = FREE_KINDS[number % len(FREE_KINDS)]
    assert plan.head is not None
    first = ask_model(judge, plan.head.with_question(question_request(kind, former)))
    found = parse_question(first.text)
    blank = ProbeQuestion(kind, *(found or ("", "")), free=True)
    if found is None:
        return _failed(blank, first, f"{judge.profile.name} wrote no question with a reference answer")
    second = ask_model(answerer, plan.compacted.with_question(blank.text))
    if second.failure:
        return _failed(blank, second, "", first)
    third = ask_model(judge, plain_request(JUDGE, judge_request(blank.text, blank.expected, second.text)))
    marks = parse_grades(third.text)
    if marks is None:
        return _failed(blank, third, f"{judge.profile.name} gave no six grades", first, second)
    score = sum(marks) / (BEST * len(GradeDimension))
    return ProbeAnswer(blank, second.text, score, grades=marks, cost=cost_of((first, second, third)))


def _failed(question: ProbeQuestion, last: ProbeReply, why: str, *former: ProbeReply) -> ProbeAnswer:
    return ProbeAnswer(question, failure=last.failure or why, cost=cost_of((*former, last)))


def cost_of(parts: Sequence[ProbeReply | ProbeAnswer]) -> float | None:
    """US dollars of several; None where one is not known."""
    found = [one.cost for one in parts if one.cost is not None]
    return sum(found) if len(found) == len(parts) else None
