"""Each bundled sample shows what its line on the start screen says."""

from __future__ import annotations

from typing import Any

from core.common.paths import SAMPLES
from core.settings.keys import TOP_PRESERVE
from tests.core.cli.running_cli import Cli


def compacted(cli: Cli, name: str, *options: str) -> Any:
    return cli.json("compact", str(SAMPLES / name), *options)


def test_stale_reads_are_pruned_each_with_its_reason(cli: Cli) -> None:
    fates = compacted(cli, "fix-flaky-upload.jsonl", "-s", "high-density")["fates"]
    pruned = [one["reason"] for one in fates if one["fate"] == "pruned"]
    assert len(pruned) == 8
    assert all(reason.startswith("Superseded by the write in #") for reason in pruned)


def lost(found: Any) -> list[int]:
    """Return the numbers of the messages whose constraints are lost."""
    facts = found["fidelity"]["lost"]
    return [one["messages"][0] + 1 for one in facts if one["category"] == "user message"]


def test_two_wishes_are_gone_and_one_comes_back(cli: Cli) -> None:
    assert lost(compacted(cli, "support-desk.json")) == [19, 30]
    assert lost(compacted(cli, "support-desk.json", "--set", f"{TOP_PRESERVE}=0.45")) == [30]


def test_a_cut_moves_so_that_a_call_keeps_its_result(cli: Cli) -> None:
    top = cli.json("inspect", str(SAMPLES / "tide-tables.jsonl"))["split"]["trace"][0]
    assert (top["asked"] + 1, top["index"] + 1) == (7, 8)
