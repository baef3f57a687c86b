"""``foldline replay`` and ``foldline sweep``: tables and JSON."""

from __future__ import annotations

from core.analysis.model import BASELINE
from tests.core.cli.running_cli import SESSION, Cli

LIMITED = ("--set", "context-limit=30000")
REPLAY = ("replay", SESSION, "-s", "middle-out", "-s", "top-down-truncation", *LIMITED)
SWEEP = ("sweep", SESSION, "-s", "middle-out", "--vary", "compression-preserve-threshold=10%:30%:10%")


def test_a_replay_shows_a_line_per_strategy_and_its_compactions(cli: Cli) -> None:
    assert cli.run(*REPLAY) == 0
    assert "57 turns" in cli.out
    assert "limit 30,000 (set by context-limit)" in cli.out
    assert "all summaries offline · prices of claude-sonnet-4-5" in cli.out
    names = [line.split()[0] for line in cli.out.splitlines()[5:8]]
    assert names == [BASELINE, "middle-out", "top-down-truncation"]
    assert "Compactions" in cli.out
    assert "→" in cli.out


def test_the_json_of_a_replay_adds_up(cli: Cli) -> None:
    found = cli.json(*REPLAY)
    assert found["limit"] == {"tokens": 30_000, "source": "set by context-limit"}
    assert found["summaries"] == "offline"
    for track in found["tracks"]:
        assert len(track["sizes"]) == len(found["turns"]) == 57
        assert track["sent"] == sum(track["sizes"])
        assert track["over"] == sum(size > 30_000 for size in track["sizes"])
        assert track["calls"] >= sum(run["calls"] for run in track["compactions"])
    none, middle, top = found["tracks"]
    assert (none["compactions"], none["trigger"], none["cost"]) == ([], None, None)
    assert middle["calls"] > 0 == top["calls"]
    assert all(run["before"] >= middle["trigger"] > run["after"] for run in middle["compactions"])


def test_the_json_of_a_sweep_names_the_best(cli: Cli) -> None:
    found = cli.json(*SWEEP, "--vary", "compression.mode=safe,reference")
    assert [axis["key"] for axis in found["axes"]] == ["compression-preserve-threshold", "compression.mode"]
    assert len(found["points"]) == 6
    assert list(found["points"][1]["at"].values()) == [0.1, "reference"]
    assert all(sum(point["fates"].values()) == found["before"]["messages"] for point in found["points"])
    best = [found["points"][number] for number in found["best"]]
    assert best
    smallest = min(found["points"], key=lambda point: (point["tokens"], point["lost"]))
    assert smallest["tokens"] in {point["tokens"] for point in best}
