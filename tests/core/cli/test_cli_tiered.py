"""tiered on the command line: its tiers in text and JSON, its warnings, its exit codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.settings.keys import COMPACTION_MODEL, LIMIT, OUTPUT_RESERVE
from core.strategies.tiered import strategy as tiered
from tests import loopback
from tests.core.analysis.chat_folder import chat
from tests.core.cli.running_cli import CHAT, SESSION, Cli
from tests.core.cli.test_cli_model import local
from tests.core.strategies.tiered_running import SEVEN
from tests.loopback import Reply, run_loopback

RUN = ("compact", SESSION, "-s", tiered.NAME, "--set", f"{LIMIT}=50500")


@pytest.mark.req("ION-69")
def test_json_has_the_size_after_each_tier_and_what_it_changed(cli: Cli) -> None:
    found = cli.json(*RUN)
    tiers = [(tier["number"], tier["name"]) for tier in found["tiers"]]
    assert tiers == [(1, "truncate"), (2, "remove"), (3, "summarise")]
    sizes = [found["before"]["tokens"], *(tier["tokens"] for tier in found["tiers"])]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == found["after"]["tokens"]
    assert all(tier["messages"] for tier in found["tiers"])
    assert found["summary"]["sections"][0] == "TASK STATE"
    assert found["target"] == 20_700


@pytest.mark.req("ION-62")
def test_under_the_target_it_says_that_no_compaction_is_needed(cli: Cli) -> None:
    assert cli.run("compact", CHAT, "-s", tiered.NAME, "--set", f"{LIMIT}=200000") == 0
    assert "No compaction needed" in cli.err


@pytest.mark.req("ION-61")
def test_an_invalid_summary_keeps_tier_2_and_says_so(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "summary.txt"
    path.write_text(SEVEN.replace("5. DECISIONS", "5. CHOICES"))
    found = cli.json(*RUN, "--summary-file", str(path))
    assert cli.code == 0
    assert found["summary"] is None
    assert "lacks the section DECISIONS" in found["tiers"][2]["note"]
    assert any("The result of tier 2 is kept." in warning for warning in found["warnings"])


def test_where_nothing_was_saved_before_it_failed_the_exit_code_is_3(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(chat(40, "word"))
    with run_loopback(loopback.UNAUTHORISED) as server:
        local(server)
        run = ("compact", str(path), "-s", tiered.NAME, "--set", f"{LIMIT}=1000", "--profile", "local")
        assert cli.run(*run, "--set", f"{OUTPUT_RESERVE}=0") == 3
    assert "The conversation is unchanged." in cli.err


@pytest.mark.req("ION-28")
def test_the_model_that_was_chosen_is_called_and_named(cli: Cli) -> None:
    with run_loopback(Reply(SEVEN)) as server:
        local(server)
        found: Any = cli.json(*RUN, "--profile", "local", "--set", f"{COMPACTION_MODEL}=small")
        cli.run(*RUN, "--profile", "local", "--set", f"{COMPACTION_MODEL}=small")
    assert {asked.body["model"] for asked in server.log} == {"small"}
    assert {(asked.body["temperature"], asked.body["max_tokens"]) for asked in server.log} == {(0.0, 8000)}
    assert [call["model"] for call in found["calls"]] == ["small"]
    assert f"set by {COMPACTION_MODEL}" in cli.out
