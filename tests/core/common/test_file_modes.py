"""What is written of a transcript is not readable by more people than the transcript."""

import os
import stat
from pathlib import Path

import pytest

from core.common.atomic_file import write_atomic
from core.common.crash_report import save_report
from core.common.csv_text import escape_formula
from core.mcp.folders import output_folder
from core.mcp.manual_compaction import ManualCompactions
from core.mcp.tools import run_tool
from tests.core.cli.running_cli import CHAT, Cli

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are those of Unix")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def private(tmp_path: Path) -> Path:
    os.umask(0o022)
    path = tmp_path / "chat.json"
    path.write_bytes(Path(CHAT).read_bytes())
    path.chmod(0o600)
    return path


def test_an_export_is_as_private_as_its_source(
    private: Path, cli: Cli, tmp_path: Path
) -> None:
    for name in ("new.html", "old.html"):
        target = tmp_path / name
        if name.startswith("old"):
            target.write_text("<html>")
        assert (
            cli.run("convert", str(private), "--to", "html", "-o", str(target), "--yes")
            == 0
        )
        assert mode(target) == 0o600, name


def test_an_export_of_an_open_file_stays_open(private: Path, tmp_path: Path) -> None:
    private.chmod(0o644)
    target = tmp_path / "new"
    write_atomic(target, b"x", overwrite=False, source=private)
    assert mode(target) == 0o644


def test_a_crash_report_is_read_by_its_owner_alone(
    private: Path, tmp_path: Path
) -> None:
    path = save_report("text", tmp_path / "faults")
    assert path is not None
    assert mode(path) == 0o600


def test_what_the_server_writes_is_as_private_as_its_source(
    private: Path, tmp_path: Path
) -> None:
    sessions = ManualCompactions(folder=output_folder(tmp_path))
    arguments = {"path": str(private), "out": "out.json"}
    answer = run_tool(sessions, "compact", arguments)
    assert not answer.is_error, answer.text
    assert mode(tmp_path / "out.json") == 0o600


@pytest.mark.parametrize("text", ["=1", "＝1", "＋1", "－1", "＠x"])
def test_no_text_of_a_transcript_is_a_formula(text: str) -> None:
    assert escape_formula(text) == f"'{text}"
