"""The report of ``foldline probe`` as text."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.probes.model import ProbeAnswer, ProbeKind, ProbeQuestion
from core.analysis.probes.runner import MOST_FAILURES, asked, cost_of
from core.analysis.probes.scores import difference, dimension_scores, kind_scores
from core.cli.output.notes import ProbeOutput
from core.cli.output.table import section, table
from core.common import number_format
from core.common.excerpts import clean
from core.common.number_format import dollars
from core.presentation.probes.wording import interval, signed, verdict

_LONG = 400
_KIND = max(map(len, ProbeKind))


def report(found: ProbeOutput) -> list[str]:
    """All lines of the report: questions where nothing was called, else scores and what went wrong."""
    made, name = found.made, clean(found.opened.conversation.document.name, 60)
    mark = made.method.mark
    text = [f"{name} · {made.strategy.name}"]
    sizes = (
        f"{number_format.tokens(mark, made.before_tokens)} → "
        f"{number_format.tokens(mark, made.after_tokens)} tokens"
    )
    rows = [("context", sizes)]
    if not found.given:
        text += table([*rows, ("price", found.price)])
        return text + section("Questions", _questions(found.plan.questions, found.plan.free))
    rows.append(("answered by", f"{found.answerer.name} ({found.answerer.model})"))
    text += table([*rows, ("answered", _answered(found)), ("cost", _cost(found.given))])
    text += section("Score by kind", _scores(found))
    text += section("Free questions, from 0 to 5", _free(found))
    wrong = [one for one in found.given if one.score is not None and one.score < 1 and not one.whole]
    text += section("Not right", _wrong([one for one in wrong if not one.question.free]))
    return text + section("Not answered", _failed([one for one in found.given if one.score is None]))


def _questions(questions: Sequence[ProbeQuestion], free: int) -> list[str]:
    found = []
    for one in questions:
        found += table([(one.kind.value.ljust(_KIND), clean(one.text, _LONG))])
        found += table([("", f"→ {clean(line, _LONG)}") for line in one.expected.splitlines()], indent="    ")
    more = f"  and {number_format.plural(free, 'free question')}, which the model writes"
    return [*found, more] if free else found


def _answered(found: ProbeOutput) -> str:
    given, every = found.given, asked(found.plan)
    came = sum(one.score is not None for one in given)
    left = every - len(given)
    stopped = f"; stopped after {MOST_FAILURES} failures in a row, {left:,} not asked" if left else ""
    return f"{came:,} of {every:,}{stopped}"


def _cost(given: Sequence[ProbeAnswer]) -> str:
    cost = cost_of(given)
    return "not known" if cost is None else dollars(cost)


def _scores(found: ProbeOutput) -> list[str]:
    scores = kind_scores(found.given)
    has_whole = any(one.whole.n for one in scores)
    rows = []
    for one in scores:
        row = [one.kind.value if one.kind else "all", f"{one.compacted.n} of {one.asked}"]
        row += [number_format.score(one.compacted.mean), interval(one.compacted)]
        rows.append([*row, number_format.score(one.whole.mean), interval(one.whole)] if has_whole else row)
    head = ["", "answered", "score", "95 %"] + (["uncompacted", "95 %"] if has_whole else [])
    made = table(rows, (1, 2, 3, 4, 5), head=head)
    apart = difference(found.given)
    if apart.n:
        words = f"  {signed(apart.mean)} ({interval(apart)}) beside the uncompacted history, "
        made.append(f"{words}over {number_format.plural(apart.n, 'question')}")
    return made


def _free(found: ProbeOutput) -> list[str]:
    judged = dimension_scores(found.given)
    if not judged:
        return []
    rows = [(one.value, f"{mean.mean:.2f}", interval(mean)) for one, mean in judged]
    graded = number_format.plural(judged[0][1].n, "answer")
    judge = f"  graded by {found.judge.name} ({found.judge.model}), {graded}"
    return [*table(rows, (1, 2), head=("", "grade", "95 %")), judge]


def _wrong(given: Sequence[ProbeAnswer]) -> list[str]:
    found = []
    for one in given:
        head = (verdict(one).ljust(_KIND), one.question.kind.value.ljust(_KIND))
        found += table([(*head, clean(one.question.text, _LONG))])
        expected = " / ".join(one.question.expected.splitlines())
        rows = [("expected", clean(expected, _LONG)), ("given", clean(one.answer, _LONG))]
        found += table(rows, indent="    ")
    return found


def _failed(given: Sequence[ProbeAnswer]) -> list[str]:
    return table([(one.question.kind.value, clean(f"{one.failure}.", _LONG)) for one in given])
