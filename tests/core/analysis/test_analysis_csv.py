"""Replay and sweep as CSV."""

from __future__ import annotations

import csv
import io

from core.analysis.compare.model import BASELINE
from core.analysis.replay.replay import COLUMNS, replay_csv
from core.analysis.sweep.model import SettingAxis, SweepPoint, SweepResult
from core.analysis.sweep.sweep import sweep_csv
from core.strategies import top_down
from core.transcript.compaction import FateKind
from tests.core.analysis.replaying import replay_session, session


def rows(data: bytes) -> list[dict[str, str]]:
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def test_a_replay_is_a_row_for_every_turn_of_every_strategy() -> None:
    found = rows(replay_csv(replay_session(session(6), BASELINE, top_down.NAME)))
    assert len(found) == 12
    assert list(found[0]) == list(COLUMNS)
    assert found[5] == dict(zip(COLUMNS, (BASELINE, "6", "12", "11000", "1", "", "", "", ""), strict=True))
    assert list(found[10].values()) == [top_down.NAME, "5", "10", "5000", "0", "9000", "5000", "0", "0.0"]


def test_a_sweep_is_a_row_for_every_point() -> None:
    fates = {FateKind.KEPT: 3, FateKind.DROPPED: 1}
    points = (
        SweepPoint((True, 0.1), 100, 4, 0.5, fates, on_front=True),
        SweepPoint((False, 0.1), 0, 0, error="It needs a limit."),
    )
    found = rows(
        sweep_csv(
            SweepResult(
                "x", (SettingAxis("switch", (True, False)), SettingAxis("share", (0.1,))), points, (200, 4)
            )
        )
    )
    assert found[0] | {} == {
        "switch": "true",
        "share": "0.1",
        "tokens": "100",
        "messages": "4",
        "fidelity": "0.5",
        "kept": "3",
        "edited": "0",
        "pruned": "0",
        "summarised": "0",
        "dropped": "1",
        "calls": "0",
        "cost": "",
        "best": "1",
        "no_op": "",
        "error": "",
    }
    assert found[1]["error"] == "It needs a limit."
    assert (found[1]["tokens"], found[1]["best"]) == ("", "")
