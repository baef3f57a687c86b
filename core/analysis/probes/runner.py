"""Plans the questions of a compaction and yields their answers one by one."""

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
"""Failures in a row that end the round."""


@dataclass(frozen=True, slots=True)
class ProbePlan:
    """Number of template questions and free ones; ``baseline``: also ask over the uncompacted history."""

    most: int = MANY
    free: int = 0
    baseline: bool = False


@dataclass(frozen=True, slots=True)
class ProbeRound:
    """Questions and the contexts they are sent with. ``whole`` is the uncompacted history, None if unused;
    ``head`` the context for writing the ``free`` questions."""

    questions: tuple[ProbeQuestion, ...]
    compacted: ProbeContext
    whole: ProbeContext | None = None
    free: int = 0
    head: ProbeContext | None = None
    warnings: tuple[str, ...] = ()


def plan_of(
    preview: Preview, facts: Sequence[SourceFact], request: ProbePlan, answerer: Profile, judge: Profile
) -> ProbeRound:
    """Return what would be asked about a preview's result; calls nothing."""
    questions = questions_of(past_of(preview.messages, preview.compaction.fates, facts), request.most)
    counter, system = counter_for(answerer.model), preview.conversation.system.texts
    compacted = context_of(preview.compaction.messages, system, counter)
    warnings = list(_same_model(preview, judge)) if request.free else []
    whole = context_of(preview.messages, system, counter) if request.baseline else None
    if whole is not None and (warning := _too_long(whole, answerer)):
        warnings.append(warning)
        whole = None
    changed = [index for index, fate in enumerate(preview.compaction.fates) if fate.kind is not FateKind.KEPT]
    free = request.free if changed else 0
    head = None
    if free:
        messages = preview.messages[: changed[-1] + 1]
        head = context_of(messages, system, counter_for(judge.model), WRITER)
    return ProbeRound(questions, compacted, whole, free, head, tuple(warnings))


def _same_model(preview: Preview, judge: Profile) -> Iterator[str]:
    writer = preview.writer
    writes = preview.unwritten or any(call.profile == writer.name for call in preview.compaction.calls)
    if writes and (writer.provider, writer.model) == (judge.provider, judge.model):
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
    """Yield answers as they arrive: templates, free questions, then the whole history. Ends after
    ``MOST_FAILURES`` failures in a row; Cancelled may be raised between two answers."""
    failures = 0
    for answer in _answer_each(plan, answerer, judge):
        yield answer
        failures = failures + 1 if answer.score is None else 0
        if failures == MOST_FAILURES:
            return


def expected_answers(plan: ProbeRound) -> int:
    """Return the number of answers if none fails."""
    return len(plan.questions) * (1 if plan.whole is None else 2) + plan.free


def _answer_each(plan: ProbeRound, answerer: LLMClient, judge: LLMClient) -> Iterator[ProbeAnswer]:
    for question in plan.questions:
        yield _answer(question, plan.compacted, answerer)
    former: list[str] = []
    for number in range(plan.free):
        answer = _answer_free(number, former, plan, answerer, judge)
        if answer.question.text:
            former.append(answer.question.text)
        yield answer
    for question in plan.questions if plan.whole is not None else ():
        assert plan.whole is not None
        yield replace(_answer(question, plan.whole, answerer), whole=True)


def _answer(question: ProbeQuestion, context: ProbeContext, caller: LLMClient) -> ProbeAnswer:
    reply = ask_model(caller, context.with_question(question.text))
    score = None if reply.failure else grade_by_facts(question, reply.text)
    return ProbeAnswer(question, reply.text, score, reply.failure, cost=reply.cost)


def _answer_free(
    number: int, former: Sequence[str], plan: ProbeRound, answerer: LLMClient, judge: LLMClient
) -> ProbeAnswer:
    """Write a question, answer and grade it in three calls; the first failure is reported."""
    kind = FREE_KINDS[number % len(FREE_KINDS)]
    assert plan.head is not None
    writing = ask_model(judge, plan.head.with_question(question_request(kind, former)))
    parsed = parse_question(writing.text)
    question = ProbeQuestion(kind, *(parsed or ("", "")), free=True)
    if parsed is None:
        return _failed(question, writing, f"{judge.profile.name} wrote no question with a reference answer")
    answer = ask_model(answerer, plan.compacted.with_question(question.text))
    if answer.failure:
        return _failed(question, answer, "", writing)
    grading = ask_model(
        judge, plain_request(JUDGE, judge_request(question.text, question.expected, answer.text))
    )
    grades = parse_grades(grading.text)
    if grades is None:
        return _failed(question, grading, f"{judge.profile.name} gave no six grades", writing, answer)
    score = sum(grades) / (BEST * len(GradeDimension))
    return ProbeAnswer(question, answer.text, score, grades=grades, cost=cost_of((writing, answer, grading)))


def _failed(question: ProbeQuestion, reply: ProbeReply, reason: str, *earlier: ProbeReply) -> ProbeAnswer:
    return ProbeAnswer(question, failure=reply.failure or reason, cost=cost_of((*earlier, reply)))


def cost_of(parts: Sequence[ProbeReply | ProbeAnswer]) -> float | None:
    """Return the sum in US dollars; None if one is unknown."""
    costs = [part.cost for part in parts if part.cost is not None]
    return sum(costs) if len(costs) == len(parts) else None
