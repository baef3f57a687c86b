"""``compact --aim``: the settings that reach a size, and what is said of a result that is too
large."""

import os
from pathlib import Path
from shutil import copy

import pytest

from core.app.services.compare import CompareService
from core.app.services.settings import SettingsService
from core.common.paths import SAMPLES
from core.presentation.compare.model import StrategyCards
from tests.core.app.recording_workspace import RecordingHandler
from tests.core.cli.running_cli import SESSION, Cli

BEFORE = (SESSION, "--scope", "before:1")


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def test_an_aim_is_reached_by_settings_that_are_named(cli: Cli) -> None:
    found = cli.json("compact", *BEFORE, "-s", "middle-out", "--aim", "30k")
    assert found["after"]["tokens"] <= 30_000
    key, given = "compression.preserve-threshold", found["settings"]
    assert given[key]["layer"] == "session"
    assert "These settings leave at most 30,000 tokens: --set" in cli.err
    assert f"--set {key}={given[key]['value']:g}" in cli.err


def test_an_aim_out_of_reach_says_the_least_and_who_does_it(cli: Cli) -> None:
    found = cli.json("compact", *BEFORE, "-s", "middle-out", "--aim", "19k")
    least = f"cannot reach 19,000 · least {found['after']['tokens']:,} with --set "
    assert f"middle-out {least}" in found["warnings"][-1]
    assert "foldline compare FILE --aim 19000" in cli.err
    assert "These settings leave" not in cli.err


@pytest.mark.parametrize("strategy", ["middle-out", "excerpt"])
def test_no_strategy_reaches_an_aim_below_the_system_part(
    cli: Cli, strategy: str
) -> None:
    assert cli.run("compact", *BEFORE, "-s", strategy, "--aim", "15k") == 0
    assert "(18,112 system prompt and tools) with --set " in cli.err
    assert "No strategy can." in cli.err
    assert "foldline compare" not in cli.err


def test_a_result_above_the_limit_names_the_aim_that_fits(cli: Cli) -> None:
    limit = ("--set", "context-limit=30000")
    assert cli.run("compact", *BEFORE, "-s", "middle-out", *limit) == 0
    assert "--aim 30000 looks for settings of middle-out that leave less." in cli.err


@pytest.mark.parametrize("aim", ["much", "0", "120%"])
def test_an_aim_that_is_no_size_is_refused(cli: Cli, aim: str) -> None:
    assert f"--aim cannot be {aim!r}." in cli.error_text(
        "compact", *BEFORE, "--aim", aim
    )


def test_an_aim_is_searched_with_what_the_run_keeps_first(cli: Cli) -> None:
    words = ("compact", *BEFORE, "-s", "excerpt", "--aim", "24k", "--pin", "2-60")
    found = cli.json(*words)
    tokens = found["after"]["tokens"]
    assert (
        tokens <= 24_000
        or f"cannot reach 24,000 · least {tokens:,}" in (found["warnings"][-1])
    )
    assert ("These settings leave at most 24,000 tokens" in cli.err) is (
        tokens <= 24_000
    )


def test_an_aim_is_refused_where_nothing_is_compacted(cli: Cli) -> None:
    every = ("compact", *BEFORE, "-s", "high-density", "--every-turn", "--aim", "20k")
    assert "--aim sets the size of a compaction" in cli.error_text(*every)


def test_texts_of_a_pipe_reach_the_strategy_and_the_report(
    cli: Cli, tmp_path: Path
) -> None:
    read, write = os.pipe()
    os.write(write, b"I'd prefer one owner\n")
    os.close(write)
    words = ("compact", *BEFORE, "-s", "excerpt", "--must-file", f"/dev/fd/{read}")
    found = cli.json(*words)
    assert [one["text"] for one in found["must"]] == ["I'd prefer one owner"]


def test_a_missed_aim_is_said_in_the_same_words_everywhere(
    cli: Cli, tmp_path: Path
) -> None:
    session = str(copy(SAMPLES / "support-desk.json", tmp_path))
    window = RecordingHandler(Path(session))
    cards: StrategyCards = window(CompareService.cards, False, 1_000)
    (card,) = (one for one in cards.cards if one.name == "middle-out")
    assert card.misses_aim
    window(SettingsService.run_line, "/set compression.strategy middle-out")
    assert window(CompareService.aimed, 1_000).no_result == card.no_result
    assert cli.run("compare", session, "-s", "middle-out", "--aim", "1k") == 0
    assert card.no_result in cli.out
    assert cli.run("compact", session, "-s", "middle-out", "--aim", "1k") == 0
    assert card.no_result in cli.err
