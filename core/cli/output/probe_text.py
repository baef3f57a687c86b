"""The report of ``foldline probe`` as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.analysis.probes.model import (
    ProbeAnswer,
    ProbeKind,
    ProbeQuestion,
    dimension_scores,
    score_difference,
)
from core.analysis.probes.runner import MAX_FAILURES, expected_answer_count, sum_costs
from core.cli.output.console import aligned_table, titled_section, titled_table
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import dollar_text
from core.presentation.probe_page import answer_verdict, interval_text, score_table, signed_score

if TYPE_CHECKING:
    from core.analysis.probes.runner import ProbeProgress
    from core.cli.opened_transcript import OpenedConversation


_MAX_TEXT = 400
_KIND_WIDTH = max(map(len, ProbeKind))


def probe_report(opened: OpenedConversation, found: ProbeProgress, price: str) -> list[str]:
    """Return the report: the questions where no model was called, else scores and errors."""
    preview, answers = found.preview, found.answers
    name, mark = one_line_text(opened.conversation.document.name, 60), preview.count_method.mark
    before, after = (number_format.tokens(mark, one) for one in (preview.before_tokens, preview.after_tokens))
    rows, head = [("context", f"{before} → {after} tokens")], f"{name} · {preview.strategy.name}"
    if not answers:
        questions = _questions(found.plan.questions, found.plan.free_count)
        return [head, *aligned_table([*rows, ("price", price)]), *titled_section("Questions", questions)]
    rows.append(("answered by", f"{found.profile.name} ({found.profile.model})"))
    cost = sum_costs(answers)
    rows += [("answered", _answered(found)), ("cost", "not known" if cost is None else dollar_text(cost))]
    wrong = [
        answer
        for answer in answers
        if answer.score is not None and answer.score < 1 and not answer.is_uncompacted
    ]
    failed = [
        (answer.question.kind.value, one_line_text(f"{answer.failure}.", _MAX_TEXT))
        for answer in answers
        if answer.score is None
    ]
    return [
        head,
        *aligned_table(rows),
        *titled_section("Score by kind", _scores(answers)),
        *titled_section("Free questions, from 0 to 5", _free_grades(found)),
        *titled_section("Not right", _wrong([answer for answer in wrong if not answer.question.is_free])),
        *titled_table("Not answered", failed),
    ]


def _questions(questions: Sequence[ProbeQuestion], free: int) -> list[str]:
    lines = []
    for question in questions:
        text = one_line_text(question.text, _MAX_TEXT)
        expected = [("", f"→ {one_line_text(line, _MAX_TEXT)}") for line in question.expected.splitlines()]
        lines += aligned_table([(question.kind.value.ljust(_KIND_WIDTH), text)])
        lines += aligned_table(expected, indent="    ")
    more_text = f"  and {number_format.plural(free, 'free question')}, which the model writes"
    return [*lines, more_text] if free else lines


def _answered(found: ProbeProgress) -> str:
    answers, count = found.answers, expected_answer_count(found.plan)
    answered = sum(answer.score is not None for answer in answers)
    unasked = count - len(answers)
    stopped = f"; stopped after {MAX_FAILURES} failures in a row, {unasked:,} not asked" if unasked else ""
    return f"{answered:,} of {count:,}{stopped}"


def _scores(answers: Sequence[ProbeAnswer]) -> list[str]:
    head, rows = score_table(answers)
    lines = aligned_table(rows, (1, 2, 3, 4, 5), head=head)
    difference = score_difference(answers)
    if difference.n:
        interval, number = interval_text(difference), number_format.plural(difference.n, "question")
        beside = f"beside the uncompacted history, over {number}"
        lines.append(f"  {signed_score(difference.mean)} ({interval}) {beside}")
    return lines


def _free_grades(found: ProbeProgress) -> list[str]:
    scores = dimension_scores(found.answers)
    if not scores:
        return []
    rows = [(dimension.value, f"{mean.mean:.2f}", interval_text(mean)) for dimension, mean in scores]
    graded = number_format.plural(scores[0][1].n, "answer")
    judge = f"  graded by {found.judge.name} ({found.judge.model}), {graded}"
    return [*aligned_table(rows, (1, 2), head=("", "grade", "95 %")), judge]


def _wrong(answers: Sequence[ProbeAnswer]) -> list[str]:
    lines = []
    for answer in answers:
        head = (answer_verdict(answer).ljust(_KIND_WIDTH), answer.question.kind.value.ljust(_KIND_WIDTH))
        lines += aligned_table([(*head, one_line_text(answer.question.text, _MAX_TEXT))])
        texts = (("expected", " / ".join(answer.question.expected.splitlines())), ("given", answer.answer))
        rows = [(label, one_line_text(text, _MAX_TEXT)) for label, text in texts]
        lines += aligned_table(rows, indent="    ")
    return lines
