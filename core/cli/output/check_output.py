"""The results of ``foldline check`` as text and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from core.cli.output.check_reports import CheckedFile, false_lines
from core.cli.output.console import print_error, print_lines
from core.common import number_format
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.losses.evidence import MustStatus, said_musts
from core.losses.judge import known_calibration
from core.presentation.losses_json import judge_json, judgement_json
from core.presentation.losses_words import judged_sentence, losses_count, must_json
from core.settings.schema import LIMIT
from core.transcript.compaction import NoOpCode

if TYPE_CHECKING:
    from core.cli.checked_files import CheckWork
    from core.settings.profile import Profile

_MAX_TEXT = 120  # characters of a must


def check_json(
    files: Sequence[CheckedFile],
    work: CheckWork,
    judge: Profile | None,
    max_changed: int,
) -> dict[str, Json]:
    judged = judge and {
        "max_changed": max_changed,
        **judge_json(judge, known_calibration(judge)),
    }
    return {
        "strategy": work.strategy,
        "min_needed": work.min_needed,
        "max_lost": work.max_lost,
        "passed": not any(map(_has_failed, files)),
        "files": [_file_json(file, is_judged=judge is not None) for file in files],
        "judged": judged,
    }


def _has_failed(file: CheckedFile) -> bool:
    return bool(file.below) or bool(file.problem and not file.skipped)


def _file_json(file: CheckedFile, *, is_judged: bool) -> dict[str, Json]:
    before, after = file.tokens or (None, None)
    kept, needed = file.kept or (None, None)
    return {
        "file": file.file,
        "scope": file.scope or None,
        "needed": needed,
        "kept": kept,
        "missing": file.missing,
        "lost": file.lost,
        "tokens_before": before,
        "tokens_after": after,
        "no_op": file.no_op and file.no_op.reason,
        "below": file.below,
        "problem": file.problem or None,
        "skipped": file.skipped,
        "backtest": _backtest(file),
        "unchecked": file.unchecked or None,
        "must": list(map(must_json, file.musts)),
        "judgements": list(map(judgement_json, file.judgements)) if is_judged else None,
    }


def _backtest(file: CheckedFile) -> Json:
    names = "points", "needed", "kept"
    if file.backtest is None:
        return None
    return dict(zip(names, file.backtest, strict=True))


def print_checked(
    files: Sequence[CheckedFile], work: CheckWork, judge: Profile | None
) -> None:
    for file in files:
        if file.problem and not file.skipped:
            print_error(f"{file.file}: {file.problem}")
        if not file.problem:
            print_lines([figures_line(file, work.min_needed)])
        print_lines([*file.below, *(f"  {line}" for line in false_lines(file))])
        if file.unchecked:
            print_lines([file.unchecked])
    judgements = list(chain.from_iterable(file.judgements for file in files))
    if judge is not None and judgements:
        print_lines([judged_sentence(judgements, judge, known_calibration(judge))])
    checked = [file for file in files if not file.problem]
    verdict = _verdict(is_failed=any(map(_has_failed, files)))
    total = f"{verdict}: {_sum_of(checked, work.strategy)}"
    print_lines([*_never_said(checked), total])


def _verdict(*, is_failed: bool) -> str:
    return "failed" if is_failed else "passed"


def figures_line(file: CheckedFile, bar: float) -> str:
    """Return "passed: a.jsonl: kept 2 of 3 needed names (66 %), no losses, 1 of 1 must word for
    word.", from which a person sets the bars."""
    if file.no_op:
        figures = ["nothing was compacted"]
    else:
        figures = [_needed(file, bar), losses_count(file.lost or 0)]
    said = [one.status for one in said_musts(file.musts)]
    if said:
        found = said.count(MustStatus.WORD_FOR_WORD)
        musts = number_format.plural(len(said), "must")
        figures.append(f"{found:,} of {musts} word for word")
    verdict = _verdict(is_failed=_has_failed(file))
    return f"{verdict}: {file.file}: {', '.join(figures)}."


def _needed(file: CheckedFile, bar: float) -> str:
    """Return how many of the needed names are still there, by the backtest where nothing later
    was needed."""
    kept, used = file.kept or (0, 0)
    noun = "needed name"
    if not used and file.backtest is not None:
        _, used, kept = file.backtest
        noun = "name needed in its past"
    if not used:
        return "no name was needed later"
    share = kept / used
    if share < bar:
        percent = number_format.percent_below(share, bar)
    else:
        percent = number_format.percent(share, 0)
    names = number_format.plural(used, noun, noun.replace("name", "names"))
    return f"kept {kept:,} of {names} ({percent})"


def _never_said(checked: Sequence[CheckedFile]) -> list[str]:
    """Return a line for each must that no session says: it can fail in none."""
    said = set[str]()
    texts: dict[str, None] = {}
    for file in checked:
        texts |= dict.fromkeys(one.text for one in file.musts)
        said |= {one.text for one in said_musts(file.musts)}
    if len(checked) == 1:
        where = MustStatus.NOT_SAID.value
    else:
        where = f"said in none of {len(checked):,} sessions"
    return [
        f"“{one_line_text(text, _MAX_TEXT)}” is {where}, so it was not checked."
        for text in texts
        if text not in said
    ]


def _sum_of(checked: Sequence[CheckedFile], strategy: str) -> str:
    """Return "middle-out: 1 of 3 sessions below the bar; in 1 nothing was compacted." and, where
    nothing was tested so, how to make the strategy act."""
    below = sum(bool(file.below) for file in checked)
    idle = sum(bool(file.no_op) for file in checked)
    unchecked = sum(bool(file.unchecked) for file in checked)
    said = f"{strategy}: {below:,} of {number_format.plural(len(checked), 'session')} below the bar"
    if idle:
        said += f"; in {idle:,} nothing was compacted"
    if unchecked:
        said += f"; of {unchecked:,} it is not known what was needed"
    no_ops = [file.no_op.code for file in checked if file.no_op is not None]
    if NoOpCode.UNDER_TARGET in no_ops:
        said += f". To make {strategy} act there, lower the limit: --set {LIMIT}=N"
    return f"{said}."
