"""Formats what a model said of reworded sentences, for the dialog of the quiz, which shows it."""

from __future__ import annotations

from core.analysis.judge.asking import JudgeProgress
from core.analysis.judge.model import Judgement, JudgeVerdict
from core.common import number_format
from core.common.excerpts import one_line_text
from core.llm.destination import destination_of
from core.presentation.inspector_model import QuizPage, QuizRow
from core.presentation.losses_words import judged_sentence
from core.presentation.model import LabelledFigure, secrets_figure
from core.presentation.quiz_page import quiz_obstacle

_TITLE = "Do reworded sentences say the same?"
_CALIBRATE = "First put 60 shipped pairs to it, to see what its verdicts are worth"
_NOTHING = "Nothing is to be asked: what the result holds stands there word for word."
_TONES = {
    JudgeVerdict.SAME: "ok",
    JudgeVerdict.CHANGED: "warn",
    JudgeVerdict.OPPOSITE: "error",
    JudgeVerdict.MISSING: "warn",
    JudgeVerdict.UNKNOWN: "muted",
}
_MAX_TEXT = 600


def judge_obstacle(found: JudgeProgress) -> str:
    """Return why the profile cannot be asked about the shown result, or nothing."""
    return quiz_obstacle(found.preview, found.profile) or ("" if found.questions else _NOTHING)


def judge_offer(found: JudgeProgress) -> str:
    """Return "Ask a model · 26 sentences, at most $0.02"; without a price where no model is chosen,
    and "" where nothing is to be asked."""
    if not found.questions:
        return ""
    sentences = number_format.plural(len(found.questions), "sentence")
    price = "" if quiz_obstacle(found.preview, found.profile) else f", {found.price.text}"
    return f"Ask a model · {sentences}{price}"


def judge_page(found: JudgeProgress) -> QuizPage:
    reason, total = judge_obstacle(found), len(found.questions)
    sentences = number_format.plural(total, "sentence")
    ask = f"Ask {found.profile.name} · {sentences}, {found.price.text}"
    if reason:
        ask = f"Ask · {sentences}" if total else "Ask"
    said = {one.question: one for one in found.judgements}
    return QuizPage(
        title=_TITLE,
        facts=_facts(found, reason),
        button_text=ask,
        reason=reason,
        table_header=(),
        table=(),
        rows=tuple(
            QuizRow(
                one.kind,
                one_line_text(one.statement, _MAX_TEXT),
                _details(said.get(one)),
                said[one].verdict.value if one in said else "",
                _TONES[said[one].verdict] if one in said else "",
            )
            for one in found.questions
        ),
        status=_status(found, reason),
        baseline_text=_CALIBRATE,
        done=len(found.judgements),
        total=total,
        is_running=not found.is_over,
    )


def _facts(found: JudgeProgress, reason: str) -> tuple[LabelledFigure, ...]:
    if reason:
        return ()
    known = (
        found.calibration.text if found.calibration else "not asked yet: its verdicts are unproven"
    )
    return (
        LabelledFigure(
            "Goes to", f"{destination_of(found.profile).name}, as {found.profile.model}"
        ),
        LabelledFigure("Price", found.price.total_text()),
        secrets_figure(found.secrets),
        LabelledFigure("On 60 shipped pairs", known),
    )


def _details(judgement: Judgement | None) -> tuple[tuple[str, str, str], ...]:
    if judgement is None:
        return ()
    if judgement.quote:
        return (("quote", one_line_text(judgement.quote, _MAX_TEXT), ""),)
    return (("reason", judgement.reason, ""),) if judgement.reason else ()


def _status(found: JudgeProgress, reason: str) -> str:
    if reason:
        return reason
    if not found.judgements:
        return "Each verdict has a quote that is checked; without one it is “cannot tell”."
    return judged_sentence(found.judgements, found.profile, found.calibration)
