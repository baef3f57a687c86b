"""What ``compact`` and ``compare`` say of the texts that must survive."""

from pathlib import Path
from shutil import copy

import pytest

from tests.core.cli.running_cli import SESSION, Cli

MIDDLE_OUT = ("compact", SESSION, "-s", "middle-out")
GONE = "half_close"


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def test_a_written_result_warns_of_musts_that_are_gone(
    cli: Cli, tmp_path: Path
) -> None:
    out = str(tmp_path / "out.jsonl")
    assert cli.run(*MIDDLE_OUT, "--must", GONE, "--must", "policy", "-o", out) == 0
    assert "must keep: ✕ 1 ✓ 1\n" in cli.err
    assert f"warning: must keep: “{GONE}” is gone" in cli.err
    assert "\n✓ policy · word for word" in cli.err


def test_a_written_result_has_the_summary_check_of_the_report(
    cli: Cli, tmp_path: Path
) -> None:
    cli.run(*MIDDLE_OUT, "-o", str(tmp_path / "out.jsonl"))
    written = cli.err.partition("summary check: ")[2].partition("\n")[0]
    cli.run(*MIDDLE_OUT)
    assert written.endswith("; 1 of your messages not word for word.")
    assert written in " ".join(cli.out.split())


def test_your_messages_stand_beside_what_must_be_kept(cli: Cli, tmp_path: Path) -> None:
    session = copy(SESSION, tmp_path)
    (tmp_path / ".foldline-must.txt").write_text(f"{GONE}\n", "utf-8")
    cli.run("compare", str(session), "-s", "middle-out")
    assert "must keep" in cli.out
    assert "your messages" in cli.out


def test_settings_of_an_aim_can_be_typed(cli: Cli) -> None:
    cli.run("compare", SESSION, "-s", "middle-out,excerpt", "--aim", "30k")
    assert "  excerpt: --set compression.excerpt.target=30000\n" in cli.out
    assert "  middle-out: --set compression." in cli.out
