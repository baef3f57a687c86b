"""Formats the quiz dialog and the line that opens it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.analysis.quiz.model import (
    QuizAnswer,
    QuizEstimate,
    QuizKind,
    QuizQuestion,
    kind_scores,
    score_difference,
)
from core.analysis.quiz.questions import MAX_QUESTIONS
from core.analysis.quiz.runner import (
    MAX_FAILURES,
    QuizProgress,
    QuizRound,
    expected_answer_count,
    sum_costs,
)
from core.analysis.quiz.written import Stretch
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import dollar_text
from core.llm.destination import destination_of
from core.presentation.inspector_model import QuizPage, QuizRow
from core.presentation.losses_words import proven_words
from core.presentation.model import LabelledFigure, secrets_figure
from core.presentation.preview_wording import request_sizes_text
from core.preview.options import Preview
from core.settings.profile import Profile

RIGHT, PARTLY, WRONG = "right", "partly right", "wrong"
FAILED, UNGRADED = "not answered", "not graded"


def answer_verdict(answer: QuizAnswer) -> str:
    if answer.score is None:
        return UNGRADED if answer.answer else FAILED
    if answer.score == 1:
        return RIGHT
    return PARTLY if answer.score > 0 else WRONG


def interval_text(estimate: QuizEstimate) -> str:
    """Return the interval as "0.50 to 1.00", or a dash."""
    if estimate.low is None or estimate.high is None:
        return number_format.UNKNOWN
    return f"{estimate.low:.2f} to {estimate.high:.2f}".replace("-", number_format.MINUS)


def signed_score(value: float | None) -> str:
    if value is None:
        return number_format.UNKNOWN
    text = f"{value:+.2f}".replace("-", number_format.MINUS)
    return f"±{text[1:]}" if text[1:] == "0.00" else text


_TITLE = "What a model still knows"
_BASELINE = "Ask the same over the uncompacted history, to compare"
_WRITTEN = "Questions that the model writes"
_TONES = {RIGHT: "ok", PARTLY: "warn", WRONG: "error", FAILED: "muted", UNGRADED: "muted"}
_MAX_TEXT = 600
_UNWRITTEN = "The summary is not written yet: compact first."
_NO_QUESTIONS = "Nothing was compacted that could be asked for."


def quiz_obstacle(preview: Preview, profile: Profile) -> str:
    """Return why a profile cannot be asked about a preview, or nothing."""
    if profile.is_offline:
        return f"The {profile.name} profile answers no questions: choose one with a model."
    if fault := destination_of(profile).fault:
        return fault
    if preview.summary.unwritten or preview.summary.provisional:
        return _UNWRITTEN
    return _NO_QUESTIONS if preview.result.compaction.no_op is not None else ""


def quiz_page(progress: QuizProgress) -> QuizPage:
    total, answers = expected_answer_count(progress.plan), progress.answers
    reason = quiz_obstacle(progress.preview, progress.profile)
    if not total and reason != _UNWRITTEN:
        reason = _NO_QUESTIONS  # for any profile
    head, table = score_table(answers)
    questions = number_format.plural(total, "question")
    ask = f"Ask {progress.profile.name} {questions} · {progress.price.text}"
    if reason:
        ask = f"Ask {questions}" if total else "Ask"
    return QuizPage(
        title=_TITLE,
        facts=_facts(progress, reason),
        button_text=ask,
        reason=reason,
        table_header=head,
        table=table,
        rows=tuple(_rows(progress.plan, answers)),
        status=_status_text(progress, total, reason),
        baseline_text=_BASELINE,
        written_text=_WRITTEN,
        most_written=MAX_QUESTIONS,
        done=len(answers),
        total=total,
        is_running=not progress.is_over,
    )


def _facts(progress: QuizProgress, reason: str) -> tuple[LabelledFigure, ...]:
    preview, profile = progress.preview, progress.profile
    name = preview.result.result_source or preview.strategy.name
    result = LabelledFigure("Result", f"{name}, {request_sizes_text(preview)}")
    if reason:
        return (result,)
    return (
        result,
        LabelledFigure("Goes to", f"{destination_of(profile).name}, as {profile.model}"),
        LabelledFigure("Price", progress.price.total_text()),
        secrets_figure(progress.secrets),
        LabelledFigure("Answers graded by", grader_text(progress)),
        *_writer(progress),
    )


def _writer(progress: QuizProgress) -> Iterator[LabelledFigure]:
    if count := len(progress.plan.stretches):
        what = f"{count:,}, by {progress.judge.name}, each from a stretch of what did not stay"
        yield LabelledFigure("Written questions", what)


def grader_text(progress: QuizProgress) -> str:
    """Return who grades, and what its verdicts are worth: "haiku (claude-haiku, unproven)"."""
    return f"{progress.judge.name} ({progress.judge.model}, {proven_words(progress.calibration)})"


def _rows(plan: QuizRound, answers: Sequence[QuizAnswer]) -> Iterator[QuizRow]:
    """Yield a row per question. One that the model writes comes with its answer, in the order of
    the stretches."""
    uncompacted = {answer.question: answer for answer in answers if answer.is_uncompacted}
    compacted = [answer for answer in answers if not answer.is_uncompacted]
    waiting = [
        QuizQuestion(QuizKind.RECALL, _text_of(one), (), one.messages) for one in plan.stretches
    ]
    for at, question in enumerate((*plan.questions, *waiting)):
        answer = compacted[at] if at < len(compacted) else None
        asked = answer.question if answer is not None and answer.question.text else question
        yield _row(asked, answer, uncompacted.get(asked))


def _text_of(stretch: Stretch) -> str:
    first, last = (number_format.message_number(stretch.messages[at]) for at in (0, -1))
    return (
        f"A question that the model writes from {first if first == last else f'{first} to {last}'}"
    )


def _row(
    question: QuizQuestion, compacted: QuizAnswer | None, uncompacted: QuizAnswer | None
) -> QuizRow:
    texts = ("expected", " / ".join(question.points)), ("source", question.quote)
    details = [(label, one_line_text(text, _MAX_TEXT), "") for label, text in texts if text]
    if compacted is not None:
        details += [("given", answer_text(compacted), ""), *_grades(compacted)]
    if uncompacted is not None:
        details.append(("uncompacted", answer_text(uncompacted), answer_verdict(uncompacted)))
    word = "" if compacted is None else answer_verdict(compacted)
    text = one_line_text(question.text, _MAX_TEXT)
    return QuizRow(question.kind.value, text, tuple(details), word, _TONES.get(word, ""))


def _grades(answer: QuizAnswer) -> Iterator[tuple[str, str, str]]:
    """Yield what the judge says of each expected point: its quote of the answer, or why there is
    none."""
    if answer.failure and answer.answer:
        yield "reason", f"{answer.failure}.", ""
        return
    for point, one in zip(answer.question.points, answer.judgements, strict=False):
        said = one.quote or (f"{one.reason}." if one.reason else point)
        yield "quote" if one.quote else "graded", one_line_text(said, _MAX_TEXT), one.verdict.value


def answer_text(answer: QuizAnswer) -> str:
    """Return an answer, or why there is none, on one line."""
    return one_line_text(answer.answer or f"{answer.failure}.", _MAX_TEXT)


def score_table(
    answers: Sequence[QuizAnswer],
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return head and rows: kind, answers, score, interval, also over the uncompacted history."""
    scores = kind_scores(answers)
    has_uncompacted = any(score.uncompacted.n for score in scores)
    head = ("", "graded", "score", "95 %", *(("uncompacted", "95 %") if has_uncompacted else ()))
    rows = []
    for score in scores:
        kind = score.kind.value if score.kind else "all"
        row = [kind, f"{score.compacted.n} of {score.question_count}"]
        for part in (score.compacted, score.uncompacted) if has_uncompacted else (score.compacted,):
            row += [number_format.score(part.mean), interval_text(part)]
        rows.append(tuple(row))
    return head if rows else (), tuple(rows)


def _status_text(progress: QuizProgress, total: int, reason: str) -> str:
    """Return progress, cost and difference to the uncompacted history, or the obstacle."""
    answers, warnings = progress.answers, progress.plan.warnings
    if not answers:
        return ("Cancelled." if progress.was_cancelled else reason) or " ".join(warnings)
    if not progress.is_over:
        return f"{len(answers)} of {total} asked"
    text = f"{sum(answer.score is not None for answer in answers)} of {total} graded"
    if progress.was_cancelled:
        text += ", then cancelled"
    elif len(answers) < total:
        text += f", stopped after {MAX_FAILURES} failures in a row"
    cost, difference = sum_costs(answers), score_difference(answers)
    text += ", cost not known." if cost is None else f", {dollar_text(cost)}."
    if difference.n:
        interval = interval_text(difference)
        text += f" {signed_score(difference.mean)} ({interval}) beside the uncompacted history."
    return " ".join((text, *warnings))
