"""The key ``losses`` of the commands' JSON (LOSS-2.5.4)."""

from __future__ import annotations

from collections.abc import Sequence

from core.analysis.judge.model import Calibration, Judgement
from core.analysis.losses.model import Evidence, EvidenceStatus, Losses
from core.common.json_value import Json
from core.facts.model import FactKind
from core.settings.profile import Profile
from core.transcript.model import Message


def losses_json(losses: Losses, messages: Sequence[Message]) -> dict[str, Json]:
    """Return the losses; messages are indices from 0. ``items`` are what is gone or reworded, worst first,
    then what stands word for word; names that stand are only counted. Before the summary is written the
    status of what does not stand outside it is null. ``backtest`` and ``judged`` are null where nobody asked
    for them."""
    needed = losses.needed
    standing = [
        one
        for one in losses.items
        if one.status is EvidenceStatus.WORD_FOR_WORD and one.fact.kind is not FactKind.NAME
    ]
    items = [_item(one, losses, messages) for one in (*losses.worst_first, *standing)]
    return {
        "removed": {"tokens": losses.removed_tokens, "messages": losses.removed_messages},
        "kinds": [
            {
                "kind": one.kind.value,
                "total": one.total,
                "word_for_word": one.word_for_word,
                "reworded": one.reworded if losses.is_written else None,
                "gone": one.gone if losses.is_written else None,
            }
            for one in losses.kinds
        ],
        "items": items,
        "summary": {
            "sentences": losses.summary.sentences,
            "nowhere": [
                {"text": one.text, "sentence": one.sentence, "nearest": one.nearest or None}
                for one in losses.summary.nowhere
            ],
        },
        "needed_later": needed
        and {
            "used": needed.used,
            "kept": needed.kept,
            "kept_bare": needed.kept_bare,
            "gone": [{"text": one.text, "uses": one.uses, "message": one.message} for one in needed.gone],
        },
        "backtest": None,
        "judged": None,
    }


def _item(one: Evidence, losses: Losses, messages: Sequence[Message]) -> dict[str, Json]:
    fact, is_known = one.fact, losses.is_written or one.status is EvidenceStatus.WORD_FOR_WORD
    lines = [_line(messages, fact.first), _line(messages, fact.last)]
    return {
        "kind": fact.kind.value,
        "text": fact.text,
        "status": one.status.value if is_known else None,
        "message": fact.first,
        "lines": lines,
        "nearest": one.nearest or None,
        "needed": one.needed,
    }


def _line(messages: Sequence[Message], index: int) -> int:
    """Return the line of the file that holds a message, from 1; 0 where it has none."""
    sources = messages[index].sources if 0 <= index < len(messages) else ()
    return sources[0].line if sources else 0


def judged_json(
    judgements: Sequence[Judgement], profile: Profile, calibration: Calibration | None
) -> dict[str, Json]:
    """Return who judged, how that model did on the shipped pairs (null: unproven), and every verdict."""
    return {
        "judge": {"profile": profile.name, "model": profile.model},
        "calibration": calibration
        and {
            "pairs": calibration.pairs,
            "told_apart": calibration.told_apart,
            "faithful_wrong": calibration.faithful_wrong,
            "unanswered": calibration.unanswered,
        },
        "judgements": [
            {
                "kind": one.question.kind,
                "statement": one.question.statement,
                "message": one.question.message,
                "of_summary": one.question.is_summary,
                "verdict": one.verdict.value,
                "quote": one.quote or None,
                "reason": one.reason or None,
            }
            for one in judgements
        ],
    }
