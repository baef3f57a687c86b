"""Each command on the bundled samples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.cli.output import console
from core.export.export import EXPORTERS
from core.formats.writing.base import Exporter
from tests.core.cli.running_cli import CHAT, RECORDING, SESSION, Cli, orphan_file


def test_inspect_reads_like_a_report(cli: Cli) -> None:
    assert cli.run("inspect", SESSION) == 0
    for words in ("Claude Code", "by speaker", "by block", "pairs", "Recorded compactions", "Split under"):
        assert words in cli.out
    assert max(map(len, cli.out.splitlines())) <= 100


def test_inspect_warns_of_a_scope_that_is_only_a_part(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "roo.json"
    summary = {"role": "assistant", "content": "All so far.", "isSummary": True, "ts": 2}
    talk = [
        {"role": "user", "content": "hi", "ts": 1},
        summary,
        {"role": "user", "content": "go on", "ts": 3},
    ]
    path.write_text(json.dumps(talk))
    part = "Only a part: what recorded compaction 1 removed is not in the file."
    cli.run("inspect", str(path), "--scope", "before:1")
    assert part in cli.err
    assert cli.json("inspect", str(path), "--scope", "before:1")["warnings"][-1] == part
    assert cli.json("compact", str(path), "--scope", "before:1")["warnings"][-1] == part
    assert part not in cli.json("inspect", str(path), "--scope", "current")["warnings"]


def test_compact_writes_the_source_format_and_reads_it_again(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "shorter.jsonl"
    counted = ("--model", "gpt-4o")  # without a factor: what the source reported does not hold for the result
    expected = cli.json("compact", SESSION, "-s", "middle-out", *counted)["after"]
    assert cli.run("compact", SESSION, "-s", "middle-out", "-o", str(out)) == 0
    assert cli.out == ""
    found = cli.json("inspect", str(out), *counted)
    assert (found["format"], found["tokens"]["total"]) == ("claude_code", expected["tokens"])


def test_an_existing_file_needs_consent(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "there.md"
    out.write_text("mine")
    command = ("compact", CHAT, "-o", str(out), "--to", "markdown")
    assert "--yes" in cli.error_text(*command)
    monkeypatch.setattr(console, "can_ask", _yes)
    monkeypatch.setattr(console, "ask_yes_no", _no)
    cli.run(*command)
    assert (cli.code, out.read_text()) == (2, "mine")
    assert cli.run(*command, "--yes") == 0
    assert out.read_text() != "mine"


def _yes() -> bool:
    return True


def _no(question: str) -> bool:
    assert question.endswith("?")
    return False


def test_the_source_is_never_written(cli: Cli, tmp_path: Path) -> None:
    copy = tmp_path / "copy.json"
    copy.write_bytes(Path(CHAT).read_bytes())
    assert "transcript itself" in cli.error_text("compact", str(copy), "-o", str(copy), "--yes")
    assert copy.read_bytes() == Path(CHAT).read_bytes()


@pytest.mark.parametrize(
    "exporter", [one for one in EXPORTERS if not one.is_report], ids=lambda one: one.name
)
@pytest.mark.parametrize("source", [SESSION, CHAT, RECORDING], ids=lambda path: Path(path).stem)
def test_convert_writes_every_format(cli: Cli, exporter: Exporter, source: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert cli.run("convert", source, "--to", exporter.name, "-o", str(out)) == 0
    assert out.stat().st_size > 1000


@pytest.mark.parametrize("exporter", [one for one in EXPORTERS if one.is_report], ids=lambda one: one.name)
def test_convert_and_compact_write_every_report(cli: Cli, exporter: Exporter, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert cli.run("convert", SESSION, "--to", exporter.name, "-o", str(first)) == 0
    assert f"Wrote {first}: {exporter.label}, " in cli.err
    assert cli.run("compact", SESSION, "--to", exporter.name, "-o", str(second)) == 0
    assert first.read_bytes() == second.read_bytes()
    assert cli.run("convert", SESSION, "--to", exporter.name) == 0
    assert cli.out.encode() == first.read_bytes()


def test_secrets_go_as_the_format_says_or_as_asked(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "secret.json"
    turns = [
        {"role": role, "content": f"{i} jo@acme-tools.net"}
        for i in range(9)
        for role in ("user", "assistant")
    ]
    path.write_text(json.dumps(turns))
    for options, holds in (
        (("--to", "csv"), False),
        (("--to", "csv", "--no-redact"), True),
        (("--to", "markdown"), True),
        (("--to", "markdown", "--redact"), False),
    ):
        assert cli.run("convert", str(path), *options) == 0
        assert ("jo@acme-tools.net" in cli.out) is holds
        assert ("redaction is off" if holds else "written over") in cli.err


def test_lint_exits_1_where_there_are_errors(cli: Cli, tmp_path: Path) -> None:
    assert cli.run("lint", CHAT) == 0
    path = orphan_file(tmp_path)
    assert cli.run("lint", path) == 1
    assert "#2" in cli.out
    assert cli.json("lint", path, "--provider", "anthropic")["errors"] > 0
    assert cli.run("inspect", path) == 0
    assert cli.run("compact", path) == 0
