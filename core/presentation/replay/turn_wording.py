"""Wording of a replay at one turn; fast, since it follows the playhead."""

from __future__ import annotations

from core.common import number_format
from core.common.number_format import UNKNOWN
from core.presentation.model import LabelledFigure
from core.presentation.replay.model import ReplayPage, ReplayTrackRow


def size_at(line: ReplayTrackRow, turn: int) -> str:
    """Return the tokens of a line at a turn, or a dash."""
    return number_format.count(line.sizes[turn - 1]) if 0 < turn <= len(line.sizes) else UNKNOWN


def turn_facts(page: ReplayPage, name: str, turn: int) -> tuple[LabelledFigure, ...]:
    """Return the requests since the last compaction, and the next one."""
    line = next((row for row in page.lines if row.name == name), None)
    if line is None or not 0 < turn <= len(line.sizes):
        return ()
    last_turn = max((row for row in line.compaction_turns if row <= turn), default=0)
    since = LabelledFigure(
        "Requests since the last compaction", str(turn - last_turn) if last_turn else "none so far"
    )
    following = [row for row in line.compaction_turns if row > turn]
    if following:
        return since, LabelledFigure("Next compaction", f"turn {following[0]}")
    return since, LabelledFigure(
        "Next trigger, at this pace", _next_trigger_text(page, line, turn, last_turn)
    )


def _next_trigger_text(page: ReplayPage, line: ReplayTrackRow, turn: int, last_turn: int) -> str:
    """Return the turn that reaches the trigger at the pace since the last compaction."""
    start = max(1, last_turn)
    grown = line.sizes[turn - 1] - line.sizes[start - 1]
    if page.trigger is None or turn <= start or grown <= 0:
        return UNKNOWN
    missing = page.trigger - line.sizes[turn - 1]
    trigger_turn = turn + max(0, -int(-missing * (turn - start) // grown))
    return (
        f"≈ turn {number_format.count(trigger_turn)}"
        if trigger_turn <= page.turns
        else f"≈ turn {number_format.count(trigger_turn)}, after the end"
    )
