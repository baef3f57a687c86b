"""Measures how often a model judges right, on shipped pairs of a faithful and a false rewording."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from core.common.atomic_file import write_atomic
from core.common.errors import FoldlineError
from core.common.json_value import Json
from core.common.paths import state_dir
from core.losses.judge.asking import PROMPT_VERSION
from core.losses.judge.model import (
    JudgeCalibration,
    Judgement,
    JudgeQuestion,
    JudgeVerdict,
)
from core.settings.profile import Profile

PAIRS = Path(__file__).with_name("calibration_pairs.toml")
_PAIRS_VERSION = 2  # what a model did on others says nothing of these
_FALSE = frozenset([JudgeVerdict.CHANGED, JudgeVerdict.OPPOSITE, JudgeVerdict.MISSING])


def calibration_questions() -> tuple[JudgeQuestion, ...]:
    """Return two questions of each pair: does the faithful text say it, and does the false one."""
    return tuple(
        JudgeQuestion(pair["statement"], pair[kind], kind)
        for pair in tomllib.loads(PAIRS.read_text("utf-8"))["pairs"]
        for kind in ("faithful", "false")
    )


def _calibration_of(judgements: Sequence[Judgement]) -> JudgeCalibration:
    verdicts: dict[str, dict[str, Judgement]] = {}
    for one in judgements:
        verdicts.setdefault(one.question.statement, {})[one.question.kind] = one
    pairs = verdicts.values()
    return JudgeCalibration(
        len(pairs),
        sum(pair["false"].verdict in _FALSE for pair in pairs),
        sum(pair["faithful"].verdict in _FALSE for pair in pairs),
        sum(bool(one.reason) for one in judgements),
    )


def known_calibration(profile: Profile) -> JudgeCalibration | None:
    """Return how the model of a profile did, None where it was not asked with these questions."""
    found = _known().get(_key(profile))
    try:
        if found is None:
            return None
        return JudgeCalibration(**found)
    except TypeError:
        return None


def remember_calibration(
    profile: Profile, judgements: Sequence[Judgement]
) -> JudgeCalibration:
    """Keep how a model did, from its judgements of all questions in any order, and return it."""
    calibration = _calibration_of(judgements)
    with suppress(OSError, FoldlineError):
        _path().parent.mkdir(parents=True, exist_ok=True)
        content = _known() | {_key(profile): asdict(calibration)}
        write_atomic(_path(), json.dumps(content, indent=1).encode(), overwrite=True)
    return calibration


def _path() -> Path:
    return state_dir() / "judge.json"


def _key(profile: Profile) -> str:
    return f"{profile.provider}/{profile.model} {PROMPT_VERSION}.{_PAIRS_VERSION}"


def _known() -> dict[str, Json]:
    try:
        found = json.loads(_path().read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
