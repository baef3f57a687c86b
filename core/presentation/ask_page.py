"""Formats what a model said of reworded sentences, and what it found in the result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.common import number_format
from core.common.excerpts import one_line_text
from core.llm.destination import destination_of
from core.losses.judge import JudgeProgress
from core.losses.judge_questions import (
    Judgement,
    JudgeQuestion,
    JudgeVerdict,
)
from core.presentation.inspector_model import AskPage, AskRow
from core.presentation.losses_words import judged_sentence
from core.presentation.model import LabelledFigure, secrets_figure
from core.preview.options import Preview
from core.settings.profile import Profile

_TITLE = "Does it say the same? Does a model find it?"
_CALIBRATE = "First put 60 shipped pairs to it, to see what its verdicts are worth"
_NOTHING = "Nothing is to be asked: what the result holds stands there word for word."
_UNWRITTEN = "The summary is not written yet: compact first."
_UNCHANGED = "Nothing was compacted that could be asked for."
_TONES = {
    JudgeVerdict.SAME: "ok",
    JudgeVerdict.CHANGED: "warn",
    JudgeVerdict.OPPOSITE: "error",
    JudgeVerdict.MISSING: "warn",
    JudgeVerdict.UNKNOWN: "muted",
    JudgeVerdict.FOUND: "ok",
    JudgeVerdict.PARTLY_FOUND: "warn",
    JudgeVerdict.NOT_FOUND: "error",
}
_MAX_TEXT = 600


def ask_obstacle(found: JudgeProgress) -> str:
    """Return why the profile cannot be asked about the shown result, or nothing."""
    return profile_obstacle(found.preview, found.profile) or (
        "" if found.questions else _NOTHING
    )


def profile_obstacle(preview: Preview, profile: Profile) -> str:
    """Return why a profile cannot be asked about a preview, or nothing."""
    if profile.is_offline:
        return (
            f"The {profile.name} profile answers no questions: choose one with a model."
        )
    if fault := destination_of(profile).fault:
        return fault
    if preview.summary.unwritten or preview.summary.provisional:
        return _UNWRITTEN
    return _UNCHANGED if preview.result.compaction.no_op is not None else ""


def ask_offer(found: JudgeProgress) -> str:
    """Return "Ask a model · 26 sentences, 3 questions, at most $0.02"; without a price where no
    model is chosen, and "" where nothing is to be asked."""
    if not found.questions:
        return ""
    if profile_obstacle(found.preview, found.profile):
        price = ""
    else:
        price = f", {found.price.text}"
    return f"Ask a model · {asked_text(found.questions)}{price}"


def asked_text(questions: Sequence[JudgeQuestion]) -> str:
    """Return "26 sentences, 3 questions"."""
    finds = sum(bool(one.points) for one in questions)
    sentences = len(questions) - finds
    counts = ((sentences, "sentence"), (finds, "question"))
    return ", ".join(
        number_format.plural(count, word) for count, word in counts if count
    )


def ask_page(found: JudgeProgress) -> AskPage:
    reason, total = ask_obstacle(found), len(found.questions)
    asked = asked_text(found.questions)
    ask = f"Ask {found.profile.name} · {asked}, {found.price.text}"
    said = {one.question: one for one in found.judgements}
    return AskPage(
        title=_TITLE,
        facts=_facts(found, reason),
        button_text=_offline_button(asked) if reason else ask,
        reason=reason,
        rows=tuple(_row(one, said.get(one)) for one in found.questions),
        status=_status(found, reason),
        option_text=_CALIBRATE,
        done=len(found.judgements),
        total=total,
        is_running=not found.is_over,
    )


def _offline_button(asked: str) -> str:
    if asked:
        return f"Ask · {asked}"
    return "Ask"


def _row(question: JudgeQuestion, said: Judgement | None) -> AskRow:
    text = one_line_text(question.statement, _MAX_TEXT)
    details = (*_expected(question, said), *_details(said))
    if said is None:
        return AskRow(question.kind, text, details)
    return AskRow(
        question.kind, text, details, said.verdict.value, _TONES[said.verdict]
    )


def _expected(
    question: JudgeQuestion, said: Judgement | None
) -> Iterator[tuple[str, str, str]]:
    """Yield the points that an answer has to have, the missing ones marked."""
    for point in question.points:
        is_missing = said is not None and point in said.missing
        yield (
            "expected",
            one_line_text(point, _MAX_TEXT),
            "missing" if is_missing else "",
        )


def _facts(found: JudgeProgress, reason: str) -> tuple[LabelledFigure, ...]:
    if reason:
        return ()
    if found.calibration:
        known = found.calibration.text
    else:
        known = "not asked yet: its verdicts are unproven"
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
        label = "answer" if judgement.question.points else "quote"
        return ((label, one_line_text(judgement.quote, _MAX_TEXT), ""),)
    if judgement.reason:
        return (("reason", judgement.reason, ""),)
    return ()


def _status(found: JudgeProgress, reason: str) -> str:
    if reason:
        return reason
    if not found.judgements:
        return (
            "Each verdict has a quote that is checked; without one it is “cannot tell”. What a model "
            "finds is compared word for word with the source."
        )
    return judged_sentence(found.judgements, found.profile, found.calibration)
