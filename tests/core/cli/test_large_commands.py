"""What commands leave out so that large sessions and many sessions stay cheap."""

import json
import shutil
import tracemalloc
from pathlib import Path

import pytest

from core.export.export import export_history
from core.formats.registry import load_conversation
from core.formats.writing.exporter import ExporterOutput, OutputShape
from core.formats.writing.redacted_output import strict_output
from tests.benchmarks.session_file import write_session
from tests.core.cli.running_cli import SESSION, Cli
from tests.core.formats.exporting import compacted_export


def test_watch_measures_the_newest_and_says_how_many_are_older(
    cli: Cli, tmp_path: Path
) -> None:
    for number in range(3):
        shutil.copy(SESSION, tmp_path / f"{number}.jsonl")
    assert cli.run("watch", str(tmp_path), "--once", "--newest", "2", "--json") == 0
    assert len([json.loads(line) for line in cli.out.splitlines()]) == 2
    assert "1 older session not measured (--newest 0 measures all)." in cli.err
    assert cli.run("watch", str(tmp_path), "--once", "--newest", "0", "--json") == 0
    assert (cli.out.count("\n"), cli.err) == (3, "")
    assert "--newest: '-1' is below 0" in cli.error_text(
        "watch", str(tmp_path), "--newest", "-1"
    )


def test_a_written_result_computes_no_checks_that_nobody_sees(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.preview.preview.marginal_effects", None)
    assert (
        cli.run(
            "compact", SESSION, "-s", "high-density", "-o", str(tmp_path / "out.jsonl")
        )
        == 0
    )


def test_an_export_reads_the_lines_of_its_source_as_it_writes_them(
    tmp_path: Path,
) -> None:
    path = tmp_path / "session.jsonl"
    write_session(path, 8)
    export = compacted_export(load_conversation(path))
    export_history(export, "claude_code")  # loads the modules
    tracemalloc.start()
    written = export_history(export, "claude_code")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak - 4 * len(written.data) < path.stat().st_size / 2


def test_written_lines_are_checked_one_record_at_a_time() -> None:
    record = json.dumps({"role": "user", "text": "né 🙂 " * 40}, ensure_ascii=False)
    output = ExporterOutput(f"{record}\n".encode() * 10_000, OutputShape.LINES)
    tracemalloc.start()
    checked = strict_output(output)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert checked is output
    assert peak < len(output.data) / 2
