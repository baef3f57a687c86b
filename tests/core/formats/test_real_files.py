"""Counts of real transcripts of the agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.formats.research import counts, load_conversations
from tests.core.unbroken import assert_pairs_hold

COUNTS = {
    "cline_session/02_cline-sdk-basic-compaction.json": (1, 10, 0, 0, 0, 0, 1),
    "cline_session/03_cline-sdk-session.json": (1, 32, 11, 11, 0, 0, 0),
    "cline_ui/01_roo-natural-mini-uncondensed.json": (1, 12, 8, 0, 8, 0, 0),
    "cline_ui/04_roo-natural-already-condensed.json": (1, 59, 29, 17, 12, 0, 1),
    "copilot_cli/02_agentv.jsonl": (1, 2, 0, 0, 0, 0, 0),
    "copilot_cli/05_agentv.jsonl": (1, 124, 68, 68, 0, 0, 0),
    "gemini_cli/02_entire-cli.json": (1, 0, 0, 0, 0, 0, 0),
    "goose/01_goose-session-analysis.jsonl": (1, 4, 1, 1, 0, 0, 0),
    "inspect_ai/03_inspect-streaming.eval": (4, 8, 0, 0, 0, 0, 0),
    "inspect_ai/06_inspect-images-tc.json": (1, 2, 0, 0, 0, 0, 0),
    "inspect_ai/08_inspect-security-guide.json": (3, 6, 0, 0, 0, 0, 0),
    "inspect_ai/09_docent-ctf.json": (2, 26, 11, 11, 0, 0, 0),
    "inspect_ai/12_scout-theory-of-mind.eval": (30, 60, 0, 0, 0, 0, 0),
    "mini_swe_agent/01_mini-local.traj.json": (1, 5, 0, 0, 0, 0, 0),
    "mini_swe_agent/03_mini-sqlfluff-2419.traj.json": (1, 87, 43, 42, 1, 0, 0),
    "mini_swe_agent/06_mini-pvlib-python-1606.traj.json": (1, 153, 76, 75, 1, 0, 0),
    "openhands/01_openhands-sdk-events.jsonl": (1, 5, 2, 3, 0, 1, 0),
    "openhands/03_openhands-basic-traj.json": (1, 4, 1, 1, 0, 0, 0),
    "pi_agent/02_pi-large-session.jsonl": (1, 914, 391, 373, 18, 0, 0),
    "swe_agent/02_sweagent-xml.traj": (1, 22, 0, 0, 0, 0, 0),
    "swe_agent/06_sweagent-fncall-src.traj": (1, 27, 13, 13, 0, 0, 8),
    "swe_agent/08_swesmith-pr_8316.traj": (1, 45, 22, 22, 0, 0, 0),
    "other/06_vscode-chatreplay.json": (3, 17, 3, 3, 0, 0, 0),
}
"""By file: conversations (the first 30); in all of them messages, calls, results, unanswered calls, results
without a call, and recorded compactions. They agreed with independent counts of the raw JSON."""
FORMATS = {"other": "vscode_chat_replay"}


@pytest.mark.parametrize("name", COUNTS)
def test_a_real_file_has_the_counts_of_its_raw_json(name: str, corpus: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "something.txt"  # the format is found by content
    elsewhere.write_bytes((corpus / name).read_bytes())
    conversations = load_conversations(elsewhere, 30)
    folder = name.split("/")[0]
    assert {one.format for one in conversations} == {FORMATS.get(folder, folder)}
    totals = map(sum, zip(*map(counts, conversations), strict=True))
    recorded = sum(len(one.recorded) for one in conversations)
    assert (len(conversations), *totals, recorded) == COUNTS[name]
    assert_pairs_hold(conversations[0])
