"""The dialog of questions and the line that leads to it, in words and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.analysis.compare.paid_compare import TotalCallCost
from core.analysis.probes.model import ProbeAnswer, ProbeQuestion
from core.analysis.probes.runner import MOST_FAILURES, ProbeRound, cost_of, expected_answers
from core.analysis.probes.scores import kind_scores, score_difference
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.number_format import dollar_text
from core.presentation.model import LabelledFigure
from core.presentation.probes.model import ProbeOffer, ProbePage, ProbeRow
from core.presentation.probes.wording import (
    FAILED,
    PARTLY,
    RIGHT,
    WRONG,
    answer_verdict,
    interval_text,
    signed_score,
)
from core.preview.options import Preview
from core.settings.profile import Profile

_LINK = "Ask a model what it still knows…"
_TITLE = "What a model still knows"
_SHORT_LINK = f"{_TITLE}{'…'}"
_BASELINE = "Ask the same over the uncompacted history, to compare"
_TONES = {RIGHT: "ok", PARTLY: "warn", WRONG: "error", FAILED: "muted"}
_LONG = 600
_UNWRITTEN = "The summary is not written yet: compact first."
_NOTHING = "Nothing was compacted that could be asked for."
_SHORT = {_UNWRITTEN: "compact first", _NOTHING: "nothing to ask for"}


@dataclass(frozen=True, slots=True)
class ProbeProgress:
    """A plan for a preview's result, who answers, what that costs, and the answers so far. ``secrets``
    were found in what goes out; ``is_over`` is False while a model is asked."""

    made: Preview
    plan: ProbeRound
    profile: Profile
    price: TotalCallCost
    secrets: int
    given: tuple[ProbeAnswer, ...] = ()
    is_over: bool = True
    was_cancelled: bool = False
    baseline: bool = False


def probe_obstacle(made: Preview, profile: Profile) -> str:
    """Why a profile cannot be asked about a preview, as a sentence; empty where it can."""
    if profile.is_offline:
        return f"The {profile.name} profile answers no questions: choose one with a model."
    if made.unwritten or made.draft:
        return _UNWRITTEN
    return _NOTHING if made.compaction.no_op is not None else ""


def probe_offer(made: Preview, profile: Profile, price: TotalCallCost | None) -> ProbeOffer:
    """The line under the facts; ``price`` is the most that all questions can come to."""
    if reason := probe_obstacle(made, profile):
        short = _SHORT.get(reason, f"not with {profile.name}")
        return ProbeOffer(_LINK, reason, short, _SHORT_LINK)
    if price is None:
        return ProbeOffer(_LINK, "")
    cost = _cost(price)
    return ProbeOffer(_LINK, f"{profile.name}: {cost}", cost, _SHORT_LINK)


def _cost(price: TotalCallCost) -> str:
    if price.dollars is None:
        return "price unknown"
    if not price.dollars:
        return "nothing to pay"
    return f"at most {dollar_text(price.dollars)}"


def probe_page(found: ProbeProgress) -> ProbePage:
    """The dialog's page."""
    total, given = expected_answers(found.plan), found.given
    whole = {one.question: one for one in given if one.whole}
    own = {one.question: one for one in given if not one.whole}
    reason = probe_obstacle(found.made, found.profile)
    if not found.plan.questions and reason != _UNWRITTEN:
        reason = _NOTHING  # whoever is asked
    head, table = _table(given)
    return ProbePage(
        _TITLE,
        _facts(found, reason),
        _ask(found, number_format.plural(total, "question"), reason),
        reason,
        head,
        table,
        tuple(_row(one, own.get(one), whole.get(one)) for one in found.plan.questions),
        _said(found, total, reason),
        found.baseline,
        _BASELINE,
        len(given),
        total,
        not found.is_over,
    )


def _ask(found: ProbeProgress, questions: str, reason: str) -> str:
    if reason:
        return f"Ask {questions}"
    name, cost = found.profile.name, _cost(found.price)
    return f"Ask {name} {questions} · {cost}"


def _facts(found: ProbeProgress, reason: str) -> tuple[LabelledFigure, ...]:
    made = found.made
    mark = made.method.mark
    sizes = (
        f"{number_format.tokens(mark, made.before_tokens)} → "
        f"{number_format.tokens(mark, made.after_tokens)} tokens"
    )
    facts = [LabelledFigure("Result", f"{made.beside or made.strategy.name}, {sizes}")]
    if reason:
        return tuple(facts)
    profile = found.profile
    where = profile.base_url or profile.provider
    facts.append(LabelledFigure("Goes to", f"{where}, as {profile.model}"))
    facts.append(LabelledFigure("Price", found.price.words))
    tone = "warn" if found.secrets else "ok"
    secrets = str(found.secrets) if found.secrets else "none"
    return (*facts, LabelledFigure("Secrets found in the text", secrets, tone))


def _row(question: ProbeQuestion, own: ProbeAnswer | None, whole: ProbeAnswer | None) -> ProbeRow:
    details = [("expected", one_line_text(" / ".join(question.expected.splitlines()), _LONG), "")]
    if own is not None:
        details.append(("given", _given(own), ""))
    if whole is not None:
        details.append(("uncompacted", _given(whole), answer_verdict(whole)))
    word = "" if own is None else answer_verdict(own)
    text = one_line_text(question.text, _LONG)
    return ProbeRow(question.kind.value, text, tuple(details), word, _TONES.get(word, ""))


def _given(one: ProbeAnswer) -> str:
    return one_line_text(f"{one.failure}." if one.score is None else one.answer, _LONG)


def _table(given: Sequence[ProbeAnswer]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Head and rows: kind, answers, score and interval, and the same over the uncompacted history."""
    scores = kind_scores(given)
    has_whole = any(one.whole.n for one in scores)
    more = ("uncompacted", "95 %") if has_whole else ()
    head = ("", "answered", "score", "95 %", *more)
    rows = []
    for one in scores:
        row = [one.kind.value if one.kind else "all", f"{one.compacted.n} of {one.asked}"]
        row += [number_format.score(one.compacted.mean), interval_text(one.compacted)]
        row += [number_format.score(one.whole.mean), interval_text(one.whole)] if has_whole else []
        rows.append(tuple(row))
    return head if rows else (), tuple(rows)


def _said(found: ProbeProgress, total: int, reason: str) -> str:
    """How far it is, what it cost, and how it stands beside the uncompacted history; before that, why
    nothing can be asked."""
    given = found.given
    if not given:
        words = "Cancelled." if found.was_cancelled else reason
        return words or " ".join(found.plan.warnings)
    came = sum(one.score is not None for one in given)
    if not found.is_over:
        return f"{len(given)} of {total} asked"
    text = f"{came} of {total} answered"
    if found.was_cancelled:
        text += ", then cancelled"
    elif len(given) < total:
        text += f", stopped after {MOST_FAILURES} failures in a row"
    cost = cost_of(given)
    text += ", cost not known." if cost is None else f", {dollar_text(cost)}."
    apart = score_difference(given)
    if apart.n:
        text += f" {signed_score(apart.mean)} ({interval_text(apart)}) beside the uncompacted history."
    return " ".join((text, *found.plan.warnings))
