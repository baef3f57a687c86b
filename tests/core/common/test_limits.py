"""Harmful input is refused in one sentence within a bounded time; faults are told without
secrets."""

import gzip
import io
import json
import os
import random
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from unittest.mock import Mock

import pytest
import zstandard

from core.cli.command_names import is_command
from core.cli.main import run_command_line
from core.common.crash_report import MAX_REPORTS, crash_report, save_report
from core.common.errors import InputError
from core.common.paths import display_name, state_dir
from core.export.export import export_history
from core.formats.common import compressed_files
from core.formats.registry import load_conversation
from core.presentation.dialog_model import FileOpenedEvent
from core.settings_store.settings_file import SavedSettings
from tests.core.app.recording_workspace import RecordingHandler, last_event
from tests.core.cli.running_cli import Cli
from tests.core.formats.exporting import unchanged_export
from tests.core.formats.small_files import SMALL, written

CHAT = written(SMALL["openai_chat"])
TRICKS = (
    "../../e.json",
    "/etc/e.json",
    "C:\\e.json",
    "a/../../e.json",
    "\u202elmth.json",
    "a\nb.json",
)


def zipped(contents: dict[str, bytes]) -> bytes:
    archive_file = io.BytesIO()
    with zipfile.ZipFile(archive_file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return archive_file.getvalue()


def refused(work: Callable[[], object]) -> str:
    with pytest.raises(InputError) as caught:
        work()
    message = str(caught.value)
    assert message.isprintable()
    assert caught.value.hint
    return message


@pytest.mark.parametrize("name", TRICKS)
def test_a_name_in_a_zip_is_never_a_place_on_the_disk(
    tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (folder / "x.zip").write_bytes(zipped({name: CHAT}))
    conversation = load_conversation(folder / "x.zip")
    assert conversation.messages
    export_history(unchanged_export(conversation), "openai_chat")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["x.zip"]


def test_what_has_to_be_held_in_memory_has_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compressed_files, "MAX_SIZE_IN_MEMORY", 2_000)
    large = json.dumps([{"role": "user", "content": "x" * 3_000}]).encode()
    (tmp_path / "x.json.gz").write_bytes(gzip.compress(large))
    (tmp_path / "x.zip").write_bytes(zipped({"a.json": large}))
    (tmp_path / "y.zip").write_bytes(zipped({"a.json.gz": gzip.compress(large)}))
    for name in ("x.json.gz", "x.zip", "y.zip"):
        read = partial(load_conversation, tmp_path / name)
        assert "too much to hold in memory" in refused(read)


def test_one_line_has_a_limit_wherever_it_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compressed_files, "MAX_LINE_SIZE", 2_000)
    long = b'{"role": "user", "content": "' + b"x" * 3_000 + b'"}\n'
    several = b'{"role": "user", "content": "x"}\n' * 300 + long
    (tmp_path / "x.jsonl").write_bytes(b"x" * 3_000)
    (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress(long))
    (tmp_path / "x.zst").write_bytes(zstandard.compress(long))
    (tmp_path / "x.zip").write_bytes(zipped({"a.jsonl": long}))
    (tmp_path / "y.jsonl").write_bytes(several)
    (tmp_path / "y.zip").write_bytes(zipped({"a.jsonl": several}))
    for name, line in [
        ("x.jsonl", 1),
        ("x.jsonl.gz", 1),
        ("x.zst", 1),
        ("x.zip", 1),
        ("y.jsonl", 301),
    ]:
        message = refused(lambda name=name: load_conversation(tmp_path / name))  # type: ignore[misc]
        assert f"Line {line} of {name}" in message
        assert "longer than" in message
    assert "Line 301" in refused(lambda: load_conversation(tmp_path / "y.zip"))
    # not packed, it may be one JSON value of any length
    (tmp_path / "whole.json").write_bytes(b"[" + long + b"]")
    assert len(load_conversation(tmp_path / "whole.json").messages) == 1


def test_a_large_file_of_a_zip_is_unpacked_as_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compressed_files, "MAX_SIZE_IN_MEMORY", 5_000)
    monkeypatch.setattr(compressed_files, "MAX_LINE_SIZE", 2_000)
    data = b"".join(
        b'{"role": "user", "content": "word %d"}\n' % number for number in range(1_000)
    )
    (tmp_path / "x.jsonl").write_bytes(data)
    (tmp_path / "x.zip").write_bytes(zipped({"a.jsonl": data}))
    plain, inside = (
        load_conversation(tmp_path / "x.jsonl"),
        load_conversation(tmp_path / "x.zip"),
    )
    assert inside.messages == plain.messages
    assert inside.document.data is None
    written, expected = (
        export_history(unchanged_export(one), "openai_chat") for one in (inside, plain)
    )
    assert written.data == expected.data


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(),
    reason="this system does not tell the peak of memory",
)
@pytest.mark.parametrize("packed", ["gzip", "zst", "zip"])
def test_a_packed_line_of_three_gigabytes_is_refused_in_little_memory(
    tmp_path: Path, packed: str
) -> None:
    path = tmp_path / "x.jsonl"
    head, block = (
        b'{"role": "user", "content": "',
        random.Random(1).randbytes(5_000).hex().encode() * 1_000,
    )
    pack = zstandard.compress if packed == "zst" else gzip.compress
    inside = pack(head) + pack(block) * 300  # 3 GB, as parts behind each other
    path.write_bytes(zipped({"x.gz": inside}) if packed == "zip" else inside)
    message = _peak(path)
    assert "x.jsonl" in message[0]
    assert "longer than 64 MB" in message[0]
    assert int(message[-1]) < 300_000


def _peak(path: Path) -> list[str]:
    """Return the error output of ``foldline inspect`` and its peak memory in kB."""
    script = (
        "import sys\n"
        "from core.cli.main import run_command_line\n"
        "code = run_command_line(sys.argv[1:])\n"
        "lines = open('/proc/self/status').read().splitlines()\n"
        "print(code, *[line.split()[1] for line in lines if line.startswith('VmHWM')], sep='\\n')\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, "inspect", str(path)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    *_, code, peak = ran.stdout.split()
    assert code == "2", ran.stdout
    return [ran.stderr, peak]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = " + "[" * 5_000, "nested too deep"),
        ("a." * 3_000 + "b = 1", "nested too deep"),
        ("a = 1\n" * 200_000, "longer than 1,000,000 bytes"),
        ("a = " + "9" * 5_000, "too long"),
    ],
)
def test_a_settings_file_made_to_harm_is_told(
    tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "settings.toml").write_text(text)
    (problem,) = SavedSettings(tmp_path / "settings.toml").load().problems
    assert words in problem


def test_a_pipe_in_the_place_of_settings_is_not_waited_for(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no pipes with names")
    os.mkfifo(tmp_path / "settings.toml")
    (problem,) = SavedSettings(tmp_path / "settings.toml").load().problems
    assert "is not a file" in problem


def test_names_and_sentences_are_one_line_that_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "a\u202egnp\n\x1b[31m<b>.json"
    path.write_text(json.dumps({**json.loads(CHAT), "model": "x\u202e\x1b[31m<b>y"}))
    handler = RecordingHandler(path)
    opened = last_event(handler, FileOpenedEvent)
    assert opened.path == str(path)
    assert opened.name == display_name(path) == "a gnp [31m<b>.json"
    models = [text for one in opened.models for text in (one.label, one.hint)]
    texts = (
        opened.title,
        *(part.label for part in opened.title_parts),
        opened.report.title,
        *models,
    )
    assert opened.models[0].label.startswith("x [31m<b>y")
    assert all(text.isprintable() for text in texts)
    path.write_bytes(b"no json")
    assert RecordingHandler(path).events[-1].title.isprintable()


KEY = "ghp_" + "a1B2" * 9


def fault(words: str = f"the token {KEY}") -> Exception:
    try:
        raise KeyError(words)
    except KeyError as error:
        return error


def test_a_report_names_version_and_place_and_no_secret(home: Path) -> None:
    text = crash_report(fault(f"{home}/x {KEY}"), "Open")
    assert text.startswith("Foldline ")
    assert "While: Open" in text
    assert "in fault" in text
    assert "[redacted:github-token]" in text
    assert KEY not in text
    assert str(home) not in text


def test_the_newest_reports_are_kept(tmp_path: Path) -> None:
    places = [
        save_report(f"report {number}", tmp_path) for number in range(MAX_REPORTS + 3)
    ]
    left = sorted(tmp_path.iterdir())
    assert len(left) == MAX_REPORTS
    assert left[-1] == places[-1]
    assert left[-1].read_text() == f"report {MAX_REPORTS + 2}"


def test_a_fault_on_the_command_line_says_where_its_details_lie(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Mock(side_effect=RuntimeError(f"Bearer {KEY}"))
    monkeypatch.setattr(import_module("core.cli.formats"), "format_rows", broken)
    output = cli.error_text("formats")
    assert "--verbose" in output
    (kept,) = (state_dir() / "faults").iterdir()
    assert str(kept) in output
    assert KEY not in output + kept.read_text()
    assert "While: foldline formats" in kept.read_text()
    assert cli.run("formats", "--verbose") == 2
    assert "Traceback" in cli.err


def test_a_mistyped_command_is_no_file_to_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert is_command(["comapct", "session.jsonl"])
    assert run_command_line(["comapct", "session.jsonl"]) == 2
    assert (
        "comapct is neither a command nor a file. Did you mean compact?"
        in capsys.readouterr().err
    )
    Path("comapct").touch()
    assert not is_command(["comapct"])
    assert not is_command(["replays.jsonl"])


def test_a_zip_of_many_files_is_looked_through_in_time(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(
        zipped({f"{number}.txt": b"" for number in range(3_000)})
    )
    started = time.process_time()
    refused(lambda: load_conversation(tmp_path / "x.zip"))
    assert time.process_time() - started < 15  # quadratic: a minute


def test_a_million_lines_of_a_plain_word_cost_little_memory(tmp_path: Path) -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("this system does not tell the peak of memory")
    path, idle = tmp_path / "x.jsonl", tmp_path / "idle.jsonl"
    idle.write_bytes(b"word\n")
    base = int(_peak(idle)[-1])
    for head, line in [
        (b"", b"word"),
        (b'{"role": "user"}\n', b"word"),
        (b"[\n", b'"word",'),
    ]:
        path.write_bytes(head + (line + b"\n") * 1_000_000)
        message = _peak(path)
        assert "x.jsonl is" in message[0]
        assert int(message[-1]) - base < 10 * path.stat().st_size / 1024


def test_links_are_read_through_and_never_followed_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_bytes(CHAT)
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    assert load_conversation(tmp_path / "link.json").messages
    (tmp_path / "round.json").symlink_to(tmp_path / "round.json")
    refused(lambda: load_conversation(tmp_path / "round.json"))
