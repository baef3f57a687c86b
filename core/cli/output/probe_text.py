"""The report of ``foldline probe`` as text."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.probes.model import ProbeAnswer, ProbeKind, ProbeQuestion
from core.analysis.probes.runner import MOST_FAILURES, cost_of, expected_answers
from core.analysis.probes.scores import dimension_scores, kind_scores, score_difference
from core.cli.output.notes import ProbeOutput
from core.cli.output.table import aligned_table, titled_section
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import dollar_text
from core.presentation.probes.wording import answer_verdict, interval_text, signed_score

_LONG = 400
_KIND = max(map(len, ProbeKind))


def probe_report(found: ProbeOutput) -> list[str]:
    """Return the report: the questions where no model was called, else scores and errors."""
    preview, name = found.preview, one_line_text(found.opened.conversation.document.name, 60)
    mark = preview.method.mark
    text = [f"{name} · {preview.strategy.name}"]
    sizes = (
        f"{number_format.tokens(mark, preview.before_tokens)} → "
        f"{number_format.tokens(mark, preview.after_tokens)} tokens"
    )
    rows = [("context", sizes)]
    if not found.answers:
        text += aligned_table([*rows, ("price", found.price)])
        return text + titled_section("Questions", _questions(found.plan.questions, found.plan.free))
    rows.append(("answered by", f"{found.answerer.name} ({found.answerer.model})"))
    text += aligned_table([*rows, ("answered", _answered(found)), ("cost", _cost(found.answers))])
    text += titled_section("Score by kind", _scores(found))
    text += titled_section("Free questions, from 0 to 5", _free(found))
    wrong = [one for one in found.answers if one.score is not None and one.score < 1 and not one.whole]
    text += titled_section("Not right", _wrong([one for one in wrong if not one.question.free]))
    return text + titled_section("Not answered", _failed([one for one in found.answers if one.score is None]))


def _questions(questions: Sequence[ProbeQuestion], free: int) -> list[str]:
    found = []
    for one in questions:
        found += aligned_table([(one.kind.value.ljust(_KIND), one_line_text(one.text, _LONG))])
        found += aligned_table(
            [("", f"→ {one_line_text(line, _LONG)}") for line in one.expected.splitlines()], indent="    "
        )
    more = f"  and {number_format.plural(free, 'free question')}, which the model writes"
    return [*found, more] if free else found


def _answered(found: ProbeOutput) -> str:
    answers, count = found.answers, expected_answers(found.plan)
    answered = sum(one.score is not None for one in answers)
    unasked = count - len(answers)
    stopped = f"; stopped after {MOST_FAILURES} failures in a row, {unasked:,} not asked" if unasked else ""
    return f"{answered:,} of {count:,}{stopped}"


def _cost(answers: Sequence[ProbeAnswer]) -> str:
    cost = cost_of(answers)
    return "not known" if cost is None else dollar_text(cost)


def _scores(found: ProbeOutput) -> list[str]:
    scores = kind_scores(found.answers)
    has_whole = any(one.whole.n for one in scores)
    rows = []
    for one in scores:
        row = [one.kind.value if one.kind else "all", f"{one.compacted.n} of {one.question_count}"]
        row += [number_format.score(one.compacted.mean), interval_text(one.compacted)]
        rows.append(
            [*row, number_format.score(one.whole.mean), interval_text(one.whole)] if has_whole else row
        )
    head = ["", "answered", "score", "95 %"] + (["uncompacted", "95 %"] if has_whole else [])
    lines = aligned_table(rows, (1, 2, 3, 4, 5), head=head)
    apart = score_difference(found.answers)
    if apart.n:
        words = f"  {signed_score(apart.mean)} ({interval_text(apart)}) beside the uncompacted history, "
        lines.append(f"{words}over {number_format.plural(apart.n, 'question')}")
    return lines


def _free(found: ProbeOutput) -> list[str]:
    scores = dimension_scores(found.answers)
    if not scores:
        return []
    rows = [(one.value, f"{mean.mean:.2f}", interval_text(mean)) for one, mean in scores]
    graded = number_format.plural(scores[0][1].n, "answer")
    judge = f"  graded by {found.judge.name} ({found.judge.model}), {graded}"
    return [*aligned_table(rows, (1, 2), head=("", "grade", "95 %")), judge]


def _wrong(answers: Sequence[ProbeAnswer]) -> list[str]:
    found = []
    for one in answers:
        head = (answer_verdict(one).ljust(_KIND), one.question.kind.value.ljust(_KIND))
        found += aligned_table([(*head, one_line_text(one.question.text, _LONG))])
        expected = " / ".join(one.question.expected.splitlines())
        rows = [("expected", one_line_text(expected, _LONG)), ("given", one_line_text(one.answer, _LONG))]
        found += aligned_table(rows, indent="    ")
    return found


def _failed(answers: Sequence[ProbeAnswer]) -> list[str]:
    return aligned_table(
        [(one.question.kind.value, one_line_text(f"{one.failure}.", _LONG)) for one in answers]
    )
