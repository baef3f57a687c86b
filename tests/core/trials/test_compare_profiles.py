"""``foldline compare --profile A --profile B``: the summaries of several models beside each other."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.settings.profile import OFFLINE
from core.strategies.names import EXCERPT, MIDDLE_OUT
from core.trials.trial import trial_of
from tests.core.cli.running_cli import SESSION, Cli
from tests.support.loopback import run_loopback
from tests.support.two_models import INVENTED_NAMES, Servers, save_profile, two_models

SMALL = ("--set", "compression.context-limit=4000")
BOTH = ("--profile", "first", "--profile", "second")


@pytest.fixture
def servers() -> Iterator[Servers]:
    with two_models() as found:
        yield found


def test_each_profile_has_a_row_of_its_own_summary(cli: Cli, servers: Servers) -> None:
    found = cli.json("compare", SESSION, "-s", MIDDLE_OUT, *BOTH)
    rows = {row["name"]: row for row in found["rows"]}
    assert set(rows) == {"middle-out · first", "middle-out · second"}
    assert [row["profile"] for row in rows.values()].count("second") == 1
    made_up = [row["nowhere"] for row in rows.values()]
    assert max(made_up) - min(made_up) == INVENTED_NAMES
    assert rows["middle-out · second"]["nowhere"] == max(made_up)
    assert [len(server.log) for server in servers] == [1, 1]
    assert found["summaries"] == "first, second"


def test_the_table_names_strategy_and_profile(cli: Cli, servers: Servers) -> None:
    assert cli.run("compare", SESSION, "-s", f"none,{MIDDLE_OUT}", *BOTH) == 0
    lines = cli.out.splitlines()
    assert "summaries by first, second" in lines[0]
    assert "priced as" not in lines[0]
    assert any(line.startswith("middle-out · first") for line in lines)
    assert any(line.startswith("none") for line in lines)


def test_the_price_of_each_stands_before_the_one_question(
    cli: Cli, servers: Servers
) -> None:
    cli.run("compare", SESSION, "-s", MIDDLE_OUT, *BOTH)
    first, second, both = cli.err.splitlines()
    assert first.startswith("first: 1 call,")
    assert second.startswith("second: 1 call,")
    assert "2 calls" in both


def test_without_a_yes_no_paid_profile_is_called(cli: Cli) -> None:
    with run_loopback() as server:
        save_profile("first", server.base_url("openai"))
        save_profile("second", "https://models.example/v1")
        assert cli.run("compare", SESSION, "-s", MIDDLE_OUT, *BOTH) == 2
    assert "Agree with --yes" in cli.err
    assert not server.log


def test_offline_is_a_profile_to_compare_and_costs_nothing(
    cli: Cli, servers: Servers
) -> None:
    profiles = ("--profile", f"{OFFLINE},first")
    found = cli.json("compare", SESSION, "-s", MIDDLE_OUT, *profiles)
    costs = {row["profile"]: row["summary_cost"] for row in found["rows"]}
    assert costs[OFFLINE] == 0
    assert [len(server.log) for server in servers] == [1, 0]


def test_comparing_profiles_switches_the_summary_of_excerpt_on(
    cli: Cli, servers: Servers
) -> None:
    found = cli.json("compare", SESSION, "-s", EXCERPT, *SMALL, *BOTH)
    assert {row["name"] for row in found["rows"]} == {
        "excerpt · first",
        "excerpt · second",
    }
    assert "compression.excerpt.summary was switched on" in cli.err
    assert all(len(server.log) == 1 for server in servers)


def test_two_rows_of_profiles_are_compared_by_their_facts(
    cli: Cli, servers: Servers
) -> None:
    pair = ("--against", "middle-out · first", "middle-out · second")
    assert cli.run("compare", SESSION, *pair, "-s", MIDDLE_OUT, *BOTH) == 0
    assert "Gone with middle-out · first, not with middle-out · second" in cli.out


def test_strategies_without_a_summary_are_refused_with_profiles(
    cli: Cli, servers: Servers
) -> None:
    text = cli.error_text("compare", SESSION, "-s", "top-down-truncation", *BOTH)
    assert "No summary is asked for by top-down-truncation" in text


def test_a_folder_has_a_mean_of_each_profile(
    cli: Cli, servers: Servers, tmp_path: Path, serial: list[str]
) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    for name in ("a.jsonl", "b.jsonl"):
        (folder / name).write_bytes(Path(SESSION).read_bytes())
    assert cli.run("compare", str(folder), "-s", MIDDLE_OUT, *BOTH, "--csv") == 0
    rows = list(csv.DictReader(io.StringIO(cli.out)))
    assert [row["name"] for row in rows].count("middle-out · second") == 2
    assert [row["profile"] for row in rows].count("first") == 2
    assert "first: 2 calls" in cli.err
    assert [len(server.log) for server in servers] == [2, 2]


def test_the_name_of_a_program_is_no_profile() -> None:
    command = "program: node mine.js · fast"
    assert (trial_of(command).strategy, trial_of(command).profile) == (command, "")
