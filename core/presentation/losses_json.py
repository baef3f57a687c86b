"""The key ``losses`` of the commands' JSON (LOSS-2.5.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from core.common.json_value import Json
from core.facts.model import FactKind
from core.losses.evidence import Evidence, EvidenceStatus, Losses
from core.losses.needed_later import NeededLater
from core.presentation.losses_words import sentence_json
from core.settings.profile import Profile
from core.transcript.model import Conversation, Message
from core.trials.requested_analyses import NONE_REQUESTED, RequestedAnalyses

if TYPE_CHECKING:
    from core.losses.judge import JudgeProgress
    from core.losses.judge_questions import JudgeCalibration, Judgement
    from core.trials.side_by_side import ExplainedCompaction
    from core.trials.trial import Backtest


def losses_json(
    losses: Losses,
    messages: Sequence[Message],
    analyses: RequestedAnalyses = NONE_REQUESTED,
) -> dict[str, Json]:
    """Return the losses; messages are indices from 0. ``items`` are what is gone or reworded, worst
    first, then what stands word for word; names that stand are only counted. Before the summary is
    written the status of what does not stand outside it is null. ``backtest`` and ``judged`` are
    null where nobody asked for them."""
    standing = [
        one
        for one in losses.items
        if one.status is EvidenceStatus.WORD_FOR_WORD
        and one.fact.kind is not FactKind.NAME
    ]
    is_written = losses.is_written
    items = [
        evidence_json(one, messages, is_written=is_written)
        for one in (*losses.worst_first, *standing)
    ]
    return {
        "removed": {
            "tokens": losses.removed_tokens,
            "messages": losses.removed_messages,
        },
        "kinds": kinds_json(losses),
        "items": items,
        "summary": {
            "sentences": losses.summary.sentences,
            "nowhere": [
                {
                    "text": one.text,
                    "sentence": one.sentence,
                    "nearest": one.nearest or None,
                }
                for one in losses.summary.nowhere
            ],
            "said_by_nobody": [
                {
                    "text": one.text,
                    "quoted": one.is_quoted,
                    "nearest": one.nearest or None,
                }
                for one in losses.summary.unsaid
            ],
        },
        "needed_later": needed_json(losses.needed),
        "backtest": analyses.backtest and backtest_json(analyses.backtest),
        "judged": analyses.judged and judged_json(analyses.judged),
    }


def backtest_json(backtest: Backtest) -> Json:
    """Return the figures over all points; None without any."""
    if backtest.share is None:
        return None
    return {
        "points": len(backtest.points),
        "needed": backtest.needed,
        "kept": backtest.kept,
    }


def kinds_json(losses: Losses) -> Json:
    return [
        {
            "kind": one.kind.value,
            "total": one.total,
            "word_for_word": one.word_for_word,
            "reworded": one.reworded if losses.is_written else None,
            "gone": one.gone if losses.is_written else None,
        }
        for one in losses.kinds
    ]


def needed_json(
    needed: NeededLater | None, index_of: Callable[[int], int] = int
) -> Json:
    """``index_of`` maps the index of a message to the one that is shown."""
    if needed is None:
        return None
    return {
        "used": needed.used,
        "kept": needed.kept,
        "kept_bare": needed.kept_bare,
        "gone": [
            {
                "text": one.text,
                "uses": one.uses,
                "message": _index(index_of(one.message)),
            }
            for one in needed.gone
        ],
    }


def evidence_json(
    evidence: Evidence, messages: Sequence[Message], *, is_written: bool
) -> dict[str, Json]:
    fact = evidence.fact
    is_known = is_written or evidence.status is EvidenceStatus.WORD_FOR_WORD
    return {
        "kind": fact.kind.value,
        "text": fact.text,
        "status": evidence.status.value if is_known else None,
        "message": _index(fact.first),
        "lines": [_line(messages, fact.first), _line(messages, fact.last)],
        "nearest": evidence.nearest or None,
        "sentences": list(map(sentence_json, evidence.sentences)) if is_known else [],
        "needed": evidence.needed,
    }


def _index(index: int) -> int | None:
    return index if index >= 0 else None


def _line(messages: Sequence[Message], index: int) -> int:
    """Return the line of the file that holds a message, from 1; 0 where it has none."""
    if 0 <= index < len(messages):
        sources = messages[index].sources
    else:
        sources = ()
    if sources:
        return sources[0].line
    return 0


def judged_json(judged: JudgeProgress) -> dict[str, Json]:
    """Return who judged, how that model did on the shipped pairs (null: unproven), and every
    verdict."""
    return {
        **judge_json(judged.profile, judged.calibration),
        "judgements": list(map(judgement_json, judged.judgements)),
    }


def judge_json(
    profile: Profile, calibration: JudgeCalibration | None
) -> dict[str, Json]:
    return {
        "judge": {"profile": profile.name, "model": profile.model},
        "calibration": calibration and asdict(calibration),
    }


def judgement_json(judgement: Judgement) -> dict[str, Json]:
    return {
        "kind": judgement.question.kind,
        "statement": judgement.question.statement,
        "message": judgement.question.message,
        "of_summary": judgement.question.is_summary,
        "verdict": judgement.verdict.value,
        "quote": judgement.quote or None,
        "reason": judgement.reason or None,
        "expected": judgement.question.points,
        "missing": judgement.missing,
    }


def explained_json(
    explained: ExplainedCompaction, conversation: Conversation
) -> dict[str, Json]:
    """Return the losses of a recorded compaction; messages are indices in the whole session, null
    for those that only an earlier summary holds."""
    losses = explained.losses
    return {
        "unknown": explained.obstacle or None,
        "summary_fault": explained.fault or None,
        "kinds": kinds_json(losses) if losses else None,
        "not_word_for_word": [
            evidence_json(one, conversation.messages, is_written=True)
            for one in explained.worst
        ],
        "needed_later": needed_json(losses.needed, explained.session_index)
        if losses
        else None,
        "needed_with_supplement": explained.supplemented.kept
        if explained.supplemented
        else None,
    }
