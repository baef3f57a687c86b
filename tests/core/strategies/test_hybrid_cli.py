"""``foldline compact -s hybrid``: the statistics in JSON, in the table and on standard error (seed 004)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.cli.arguments import DEBUG_VARIABLE
from core.strategies.hybrid.strategy import NAME
from tests.core.cli.running_cli import Cli


@pytest.fixture
def transcript(tmp_path: Path) -> str:
    """Write a chat with a long read, old messages and an unsent row."""
    call = {"id": "r", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a.py"}'}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Please look at the queue. " * 30},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "r", "content": "def first():\n" + "    pass\n" * 300},
        {"role": "display_only_data", "content": "[ui] spinner"},
        *({"role": "user" if n % 2 else "assistant", "content": f"word {n}"} for n in range(6)),
    ]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(messages))
    return str(path)


@pytest.mark.req("LH-52", "LH-53", "LH-21")
def test_json_holds_the_statistics(cli: Cli, transcript: str) -> None:
    assert cli.run("compact", transcript, "-s", NAME, "--set", "context-limit=200", "--json") == 0
    given = json.loads(cli.out)
    stats = given["stats"]
    assert (stats["original_tokens"], stats["compressed_tokens"]) == (
        given["before"]["tokens"],
        given["after"]["tokens"],
    )
    assert stats["compression_ratio"] == stats["compressed_tokens"] / stats["original_tokens"]
    assert {key: stats[key] for key in list(stats)[3:]} == {
        "tool_results_compressed": 1,
        "user_messages_compressed": 1,
        "assistant_messages_compressed": 0,
        "display_data_deleted": 1,
        "messages_protected": 5,
    }
    assert [call["profile"] for call in given["calls"]] == ["offline"]


@pytest.mark.req("LH-53")
def test_the_table_shows_them(cli: Cli, transcript: str) -> None:
    cli.run("compact", transcript, "-s", NAME, "--set", "context-limit=200")
    assert "Single messages" in cli.out
    rows = [line.split() for line in cli.out.splitlines()]
    assert ["tool", "results", "compressed", "1"] in rows
    assert ["messages", "protected", "5"] in rows


@pytest.mark.req("LH-56", "LH-60")
def test_verbose_tells_trigger_sizes_reduction_and_counts(
    cli: Cli, transcript: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DEBUG_VARIABLE, "")
    cli.run("compact", transcript, "-s", NAME, "--set", "context-limit=200")
    assert "trigger: 70 % of 200 = 140, reached at " in cli.err
    assert " tokens · −" in cli.err
    counts = "compressed: 1 tool results, 1 human and 0 ai messages; 1 display-only dropped, 5 protected"
    assert counts in cli.err
