"""A file that its agent compacted opens in its current context, in every command that works on a
history."""

import json
from pathlib import Path

import pytest

from tests.core.cli.running_cli import CHAT, RECORDING, SESSION, Cli

LINE = "current context: 80 of 150 messages + its summary · --scope all takes the whole session"
OPEN_CURRENT = {
    "compact": ("-s", "middle-out"),
    "compare": ("-s", "none"),
    "sweep": ("-s", "middle-out", "--vary", "compression.preserve-threshold=0.1,0.3"),
    "backtest": ("-s", "middle-out", "--points", "1"),
    "ask": ("-s", "middle-out", "--dry-run"),
    "check": ("-s", "middle-out", "--min-needed", "0"),
}
READ_ALL = {
    "inspect": (),
    "facts": (),
    "lint": (),
    "repair": ("--dry-run",),
    "replay": ("-s", "none", "--set", "compression.context-limit=200000"),
}


def scope_of(output: dict[str, object]) -> object:
    files = output.get("files")
    return files[0]["scope"] if isinstance(files, list) and files else output["scope"]


@pytest.mark.parametrize("command", OPEN_CURRENT)
def test_it_works_on_the_current_context_and_says_so_in_a_line(
    cli: Cli, command: str
) -> None:
    options = OPEN_CURRENT[command]
    assert cli.run(command, SESSION, *options) == 0
    assert (cli.out + cli.err).splitlines().count(LINE) == 1
    assert scope_of(cli.json(command, SESSION, *options)) == "current"


@pytest.mark.parametrize("command", OPEN_CURRENT)
def test_scope_all_gives_the_whole_session_without_a_line(
    cli: Cli, command: str
) -> None:
    options = (*OPEN_CURRENT[command], "--scope", "all")
    assert cli.run(command, SESSION, *options) == 0
    assert "--scope all" not in cli.out + cli.err
    assert scope_of(cli.json(command, SESSION, *options)) == "all"


@pytest.mark.parametrize("command", OPEN_CURRENT)
def test_a_file_without_a_compaction_opens_whole(cli: Cli, command: str) -> None:
    options = OPEN_CURRENT[command]
    assert cli.run(command, CHAT, *options) == 0
    assert "current context" not in cli.out + cli.err
    assert scope_of(cli.json(command, CHAT, *options)) == "all"


@pytest.mark.parametrize("command", READ_ALL)
def test_what_reads_the_session_reads_all_of_it(cli: Cli, command: str) -> None:
    cli.run(command, SESSION, *READ_ALL[command])
    assert "--scope all" not in cli.out + cli.err
    repaired = (
        "current" if command == "repair" else "all"
    )  # a repair mends what the agent sends next
    assert cli.json(command, SESSION, *READ_ALL[command])["scope"] == repaired


def test_a_folder_says_of_how_many_files_it_is_the_current_context(
    cli: Cli, tmp_path: Path
) -> None:
    for path in (SESSION, RECORDING, CHAT):
        (tmp_path / Path(path).name).write_bytes(Path(path).read_bytes())
    line = (
        "2 of 3 files were compacted by the agent, so only the current context was taken; "
        "--scope all takes the whole session."
    )
    scopes = {
        "fix-flaky-upload.jsonl": "current",
        "support-desk.json": "all",
        "tide-tables.jsonl": "current",
    }
    for command in ("compare", "backtest", "check"):
        found = cli.json(command, str(tmp_path), *OPEN_CURRENT[command])
        assert line in cli.err.splitlines()
        rows = found["rows"] if command == "compare" else found["files"]
        assert {row["file"]: row["scope"] for row in rows} == scopes
        cli.run(command, str(tmp_path), *OPEN_CURRENT[command], "--scope", "all")
        assert line not in cli.err


def test_a_run_without_effect_exports_the_file_as_it_is(
    cli: Cli, tmp_path: Path
) -> None:
    out = tmp_path / "as-it-is.jsonl"
    assert cli.run("compact", SESSION, "-s", "none", "-o", str(out)) == 0
    assert out.read_bytes() == Path(SESSION).read_bytes()
    other = tmp_path / "sent.json"
    assert (
        cli.run("compact", SESSION, "-s", "none", "-o", str(other), "--to", "openai")
        == 0
    )
    assert (
        len(json.loads(other.read_text("utf-8"))["messages"]) == 81
    )  # what the agent sends next


def test_the_exported_command_repeats_the_scope(cli: Cli) -> None:
    for scope, written in (("current", False), ("all", True)):
        to = ("-s", "middle-out", "--scope", scope, "-o", "-", "--to", "command")
        assert cli.run("compact", SESSION, *to) == 0
        assert ("--scope all" in cli.out, "--scope current" in cli.out) == (
            written,
            False,
        )


def test_sizes_of_later_rounds_are_those_of_the_first(cli: Cli) -> None:
    found = cli.json("compact", SESSION, "-s", "middle-out", "--decay", "1")
    assert (found["scope"], found["decay"][0]["tokens"]) == (
        "current",
        found["after"]["tokens"],
    )
