"""The JSON of ``foldline probe``."""

from __future__ import annotations

from core.analysis.probes.model import (
    GradeDimension,
    ProbeAnswer,
    ProbeEstimate,
    ProbeKindScore,
    ProbeQuestion,
)
from core.analysis.probes.runner import expected_answer_count, sum_costs
from core.analysis.probes.scores import dimension_scores, kind_scores, score_difference
from core.cli.output.json_output import head_json, rounded, sizes_json
from core.cli.output.probe_text import ProbeOutput
from core.common.json_value import Json
from core.presentation.preview_wording import warning_texts


def probe_json(output: ProbeOutput) -> dict[str, Json]:
    """Return the keys of ``probe --json``; null for what was not asked."""
    preview, answers = output.preview, output.answers
    warnings = (*warning_texts(output.opened.conversation), *preview.warnings, *output.plan.warnings)
    return {
        **head_json(output.opened, preview.history.scope),
        "strategy": preview.strategy.name,
        "mode": preview.mode,
        "answerer": {"profile": output.answerer.name, "model": output.answerer.model},
        "judge": {"profile": output.judge.name, "model": output.judge.model}
        if output.plan.free_count
        else None,
        "writer": {"profile": preview.writer.name, "model": preview.writer.model},
        **sizes_json(preview),
        "price": output.price,
        "asked": expected_answer_count(output.plan),
        "answered": sum(item.score is not None for item in answers) if answers else None,
        "cost": sum_costs(answers) if answers else None,
        "scores": [_score(item) for item in kind_scores(answers)] if answers else None,
        "difference": _estimate(score_difference(answers)) if output.plan.uncompacted and answers else None,
        "free": {item.value: _estimate(mean) for item, mean in dimension_scores(answers)} or None,
        "warnings": list(dict.fromkeys(warnings)),
        "questions": list(map(_question, output.plan.questions)),
        "answers": list(map(_answer, answers)),
    }


def _score(score: ProbeKindScore) -> Json:
    return {
        "kind": score.kind.value if score.kind else "all",
        "asked": score.question_count,
        "compacted": _estimate(score.compacted),
        "whole": _estimate(score.uncompacted) if score.uncompacted.n else None,
    }


def _estimate(estimate: ProbeEstimate) -> Json:
    return {
        "answered": estimate.n,
        "mean": rounded(estimate.mean),
        "low": rounded(estimate.low),
        "high": rounded(estimate.high),
    }


def _question(question: ProbeQuestion) -> Json:
    return {
        "kind": question.kind,
        "question": question.text,
        "expected": question.expected,
        "messages": question.messages,
    }


def _answer(answer: ProbeAnswer) -> Json:
    grades = {name.value: grade for name, grade in zip(GradeDimension, answer.grades, strict=False)}
    return {
        "kind": answer.question.kind,
        "free": answer.question.is_free,
        "over": "whole" if answer.is_uncompacted else "compacted",
        "question": answer.question.text,
        "expected": answer.question.expected,
        "given": answer.answer if answer.score is not None else None,
        "score": rounded(answer.score),
        "grades": grades or None,
        "failure": answer.failure or None,
        "cost": answer.cost,
    }
