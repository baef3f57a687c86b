"""The JSON of ``foldline probe``."""

from __future__ import annotations

from core.analysis.probes.model import (
    GradeDimension,
    ProbeAnswer,
    ProbeEstimate,
    ProbeKindScore,
    ProbeQuestion,
)
from core.analysis.probes.runner import cost_of, expected_answers
from core.analysis.probes.scores import dimension_scores, kind_scores, score_difference
from core.cli.output.json_values import head_json, sizes_json
from core.cli.output.notes import ProbeOutput
from core.common.json_value import Json
from core.presentation.opened_file import warning_texts


def probe_json(output: ProbeOutput) -> dict[str, Json]:
    """Return the keys of ``probe --json``; null for what was not asked."""
    preview, answers = output.preview, output.answers
    warnings = (*warning_texts(output.opened.conversation), *preview.warnings, *output.plan.warnings)
    return {
        **head_json(output.opened, preview.history.scope),
        "strategy": preview.strategy.name,
        "mode": preview.mode.value,
        "answerer": {"profile": output.answerer.name, "model": output.answerer.model},
        "judge": {"profile": output.judge.name, "model": output.judge.model} if output.plan.free else None,
        "writer": {"profile": preview.writer.name, "model": preview.writer.model},
        **sizes_json(preview),
        "price": output.price,
        "asked": expected_answers(output.plan),
        "answered": sum(one.score is not None for one in answers) if answers else None,
        "cost": cost_of(answers) if answers else None,
        "scores": [_score(one) for one in kind_scores(answers)] if answers else None,
        "difference": _estimate(score_difference(answers)) if output.plan.whole and answers else None,
        "free": {one.value: _estimate(mean) for one, mean in dimension_scores(answers)} or None,
        "warnings": list(dict.fromkeys(warnings)),
        "questions": [_question(one) for one in output.plan.questions],
        "answers": [_given(one) for one in answers],
    }


def _score(one: ProbeKindScore) -> Json:
    return {
        "kind": one.kind.value if one.kind else "all",
        "asked": one.question_count,
        "compacted": _estimate(one.compacted),
        "whole": _estimate(one.whole) if one.whole.n else None,
    }


def _estimate(one: ProbeEstimate) -> Json:
    return {"answered": one.n, "mean": _round(one.mean), "low": _round(one.low), "high": _round(one.high)}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _question(one: ProbeQuestion) -> Json:
    return {
        "kind": one.kind.value,
        "question": one.text,
        "expected": one.expected,
        "messages": list(one.messages),
    }


def _given(one: ProbeAnswer) -> Json:
    grades = {name.value: grade for name, grade in zip(GradeDimension, one.grades, strict=False)}
    return {
        "kind": one.question.kind.value,
        "free": one.question.free,
        "over": "whole" if one.whole else "compacted",
        "question": one.question.text,
        "expected": one.question.expected,
        "given": one.answer if one.score is not None else None,
        "score": _round(one.score),
        "grades": grades or None,
        "failure": one.failure or None,
        "cost": one.cost,
    }
