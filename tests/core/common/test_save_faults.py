"""Saves under failing disks, folders and clocks: one sentence, nothing lost, never over the
source."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from unittest.mock import Mock

import pytest

from core.app import pins
from core.common import atomic_file
from core.common.atomic_file import write_atomic
from core.common.errors import InputError
from core.export.export import EXPORTERS, export_history
from core.formats.common.open_document import is_same_or_grown
from core.formats.discovery.find_sessions import SessionFile
from core.formats.discovery.session_contents import SessionHeader
from core.formats.registry import load_conversation
from core.presentation.session_rows import session_row
from core.settings.profile import Profile
from core.settings.prompt_levels import save_override as save_prompt
from core.settings.schema import RETENTION
from core.settings_store.profile_store import ProfileStore
from core.settings_store.settings_file import SavedSettings
from core.transcript.model import Conversation, Message, Speaker, Text
from tests.core.cli.running_cli import CHAT, Cli
from tests.core.formats.exporting import unchanged_export
from tests.core.formats.small_files import SMALL, written
from tests.support.source_tree import ROOT

_MESSAGES = (Message(speaker=Speaker.HUMAN, blocks=(Text("go"),)),)
SAVES: dict[str, Callable[[Path], object]] = {
    "settings": lambda folder: SavedSettings(folder / "settings.toml").save(
        {RETENTION: 7}
    ),
    "profile": lambda folder: ProfileStore(folder).save(
        Profile(name="mine", provider="openai", model="new")
    ),
    "prompt": lambda folder: save_prompt("base", "text", "middle-out", "", "", folder),
    "marks": lambda folder: pins.save_section(
        pins.MARKS, _MESSAGES, {0: ""}, folder / "messages"
    ),
    "export": lambda folder: write_atomic(folder / "out.json", b"new", overwrite=True),
}


def saved_files(folder: Path) -> dict[str, bytes]:
    files = (
        path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"
    )
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize("call", ["open", "fsync", "replace"])
@pytest.mark.parametrize("name", SAVES)
def test_a_full_disk_at_any_step_leaves_every_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, call: str
) -> None:
    SAVES[name](tmp_path)
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.suffix == ".toml":
            path.write_text(path.read_text().replace("7", "3").replace("new", "old"))
    before = saved_files(tmp_path)
    real = getattr(os, call)

    def full(first: object, *others: object, **named: object) -> object:
        if call != "open" or str(first).endswith(".tmp"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(first, *others, **named)

    monkeypatch.setattr(os, call, full)
    with pytest.raises(InputError, match="is full; nothing was written"):
        SAVES[name](tmp_path)
    assert saved_files(tmp_path) == before


@pytest.mark.skipif(
    not hasattr(os, "fork"), reason="this system has no limits for a process"
)
def test_a_limit_of_the_system_is_met_in_the_middle_of_an_export(
    tmp_path: Path,
) -> None:
    chat, out = tmp_path / "chat.json", tmp_path / "out.html"
    chat.write_bytes(written(SMALL["openai_chat"]))
    out.write_text("old")
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "from core.cli.main import run_command_line; sys.exit(run_command_line(sys.argv[1:]))"
    )
    words = [
        sys.executable,
        "-c",
        code,
        "convert",
        str(chat),
        "--to",
        "html",
        "-o",
        str(out),
        "--yes",
    ]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(
        f"{out} could not be written: file too large."
    )
    assert saved_files(tmp_path).keys() == {"chat.json", "out.html"}
    assert out.read_text() == "old"


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="this system has no full disk to write to"
)
@pytest.mark.parametrize(
    "arguments", [["formats"], ["formats", "--help"], ["--version"]]
)
def test_standard_output_on_a_full_disk_is_said(arguments: list[str]) -> None:
    run = (
        f"import sys; from core.cli.main import run_command_line; "
        f"sys.exit(run_command_line({arguments!r}))"
    )
    with open("/dev/full", "wb") as full:
        words = [sys.executable, "-c", run]
        done = subprocess.run(
            words, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith(
        "Standard output cannot be written: no space left on device."
    )
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="this system has no full disk to write to"
)
def test_a_full_folder_for_temporary_files_is_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def on_a_full_disk(prefix: str) -> tuple[int, str]:
        path = tmp_path / f"{prefix}1"
        path.touch()
        return os.open("/dev/full", os.O_WRONLY), str(path)

    monkeypatch.setattr("core.export.checked_saving.tempfile.mkstemp", on_a_full_disk)
    said = cli.error_text(
        "compact",
        CHAT,
        "-s",
        "top-down-truncation",
        "--set",
        "compression.context-limit=3000",
        "-o",
        "-",
    )
    assert re.match(
        r"The folder for temporary files, .*, cannot be written: no space left on device\.",
        said,
    )
    assert "TMPDIR" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(
    not hasattr(os, "fork"), reason="this system has no other user to be"
)
def test_a_folder_of_somebody_else_is_refused_and_named(tmp_path: Path) -> None:
    for name, save in SAVES.items():
        folder, scratch = tmp_path / name, tmp_path / f"{name} before"
        folder.mkdir()
        scratch.mkdir()
        save(
            scratch
        )  # loads what is loaded late; the other user may not read Python's folder
        message = as_another_user(folder, save)
        assert str(folder) in message, name
        assert message.endswith("."), name
        assert "writ" in message or "created" in message, name
        assert saved_files(folder) == {}, name


def as_another_user(folder: Path, save: Callable[[Path], object]) -> str:
    """Return the error of a save into a folder that the user may not write to; root runs it as
    nobody."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if not child:
        words = "it was saved"
        try:
            os.chdir(folder)
            folder.chmod(0o555)
            if os.geteuid() == 0:
                for place in (folder, *folder.parents):
                    place.chmod(place.stat().st_mode | 0o55)
                os.setgid(65534)
                os.setuid(65534)
            save(folder)
        except InputError as error:
            words = str(error)
        finally:
            os.write(write_end, words.encode())
            os._exit(0)
    os.waitpid(child, 0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as reader:
        return reader.read().decode()


@pytest.mark.parametrize("change", ["gone", "another", "shorter", "a folder"])
def test_a_source_that_changed_is_never_mixed_into_an_export(
    tmp_path: Path, change: str
) -> None:
    for name in ("claude_code", "openai_chat", "codex_rollout"):
        source = tmp_path / f"{name}.jsonl"
        source.write_bytes(written(SMALL[name]))
        conversation = load_conversation(source)
        source.unlink()
        if change == "another":
            source.write_bytes(written(SMALL[name]).replace(b"tides", b"TIDES"))
        elif change == "shorter":
            source.write_bytes(written(SMALL[name])[:40])
        elif change == "a folder":
            source.mkdir()
        assert not is_same_or_grown(conversation.document)
        for exporter in EXPORTERS:
            if not exporter.is_report:
                _written_or_refused(conversation, exporter.name)


def _written_or_refused(conversation: Conversation, name: str) -> None:
    """Data read before is written; data that must be read again is refused."""
    refused, data = "", b""
    try:
        data = export_history(unchanged_export(conversation), name).data
    except InputError as error:
        refused = f"{error.message} {error.hint}"
    assert "after Foldline read it. Open it again" in refused or (
        data and b"TIDES" not in data
    ), name


def test_two_windows_keep_each_other_s_notes(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from core.app import pins\n"
        "from core.transcript.model import Message, Speaker, Text\n"
        "messages = [Message(Speaker.HUMAN, (Text('go'),))]\n"
        "for n in range(40):\n"
        "    pins.save_section(sys.argv[2], messages, {0: str(n)}, Path(sys.argv[1]))"
    )
    words = [sys.executable, "-c", code, str(tmp_path)]
    running = [subprocess.Popen([*words, name], cwd=ROOT) for name in ("marks", "pins")]
    assert [one.wait() for one in running] == [0, 0]
    (file,) = tmp_path.glob("*.json")
    noted = json.loads(file.read_text())
    assert {name: notes[0][2] for name, notes in noted.items()} == {
        "marks": "39",
        "pins": "39",
    }


def test_a_clock_that_goes_back_does_not_hide_a_change(tmp_path: Path) -> None:
    source = tmp_path / "chat.json"
    source.write_bytes(written(SMALL["openai_chat"]))
    conversation = load_conversation(source)
    source.write_bytes(written(SMALL["openai_chat"]).replace(b"42", b"43"))
    os.utime(source, (0, 0))
    assert not is_same_or_grown(conversation.document)


@pytest.mark.parametrize("changed", [-5e9, 0.0, 4e9, 1e13, 1e300])
def test_a_file_from_the_future_or_the_past_has_a_row(changed: float) -> None:
    found = SessionFile(Path("/x/a.jsonl"), "", 5, changed)
    assert session_row(
        found,
        SessionHeader(prompt="hi"),
        None,
        datetime(2026, 11, 22),
        Path("/home"),
        False,
    ).changed


def test_an_existing_file_is_replaced_only_when_allowed(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_bytes(b"old")
    target.chmod(0o640)
    with pytest.raises(atomic_file.TargetExistsError, match="exists already"):
        atomic_file.write_atomic(target, b"new", overwrite=False)
    assert target.read_bytes() == b"old"
    atomic_file.write_atomic(target, b"new", overwrite=True)
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_the_source_is_never_written_over(tmp_path: Path, link: object) -> None:
    source = tmp_path / "session.jsonl"
    source.write_bytes(b"{}\n")
    alias = tmp_path / "alias.jsonl"
    link(source, alias)  # type: ignore[operator]
    for name in (source, alias, tmp_path / "." / "session.jsonl"):
        with pytest.raises(InputError, match="never writes over its source"):
            atomic_file.write_atomic(name, b"x", overwrite=True, source=source)
    assert source.read_bytes() == b"{}\n"


def test_names_that_cannot_be_written_say_so(tmp_path: Path) -> None:
    cases = {
        tmp_path / "none" / "out.json": "does not exist",
        tmp_path: "is a folder",
        Path("/"): "not the name of a file",
        tmp_path / ("x" * 300): "too long",
        Path(os.devnull): "not a regular file",
    }
    for path, words in cases.items():
        with pytest.raises(InputError, match=words):
            atomic_file.write_atomic(path, b"x", overwrite=True)


def test_what_a_killed_save_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl", reason="locks of this kind are missing here")
    script = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom core.common import atomic_file\n"
        "os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)\n"
        "atomic_file.write_atomic(Path(sys.argv[1]), b'half', overwrite=True)\n"
    )
    killed = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "x")], timeout=60
    )
    assert killed.returncode == -signal.SIGKILL
    (left,) = tmp_path.iterdir()
    others = [tmp_path / name for name in (".x.0123abcd.tmp", "notes.foldline.tmp")]
    for one in others:
        one.write_bytes(b"somebody's")
    written = tmp_path / ".y.0123abcd.foldline.tmp"
    with written.open("wb") as file:  # another save, still running
        fcntl.flock(file, fcntl.LOCK_EX)
        atomic_file.write_atomic(tmp_path / "z", b"whole", overwrite=False)
        assert not left.exists()
        assert all(one.exists() for one in (*others, written))


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "is full; nothing was written"),
        (errno.EACCES, "is not writable"),
        (errno.EROFS, "read-only disk"),
        (errno.EIO, "could not be written: input/output error"),
    ],
)
def test_a_failing_disk_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, words: str
) -> None:
    target = tmp_path / "out.json"
    target.write_bytes(b"old")

    monkeypatch.setattr(os, "fsync", Mock(side_effect=OSError(code, os.strerror(code))))
    with pytest.raises(InputError, match=words):
        atomic_file.write_atomic(target, b"new", overwrite=True)
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_only_a_file_of_the_same_kind_is_replaced(tmp_path: Path) -> None:
    picture, text, empty = (
        tmp_path / "a.png",
        tmp_path / "talk.jsonl",
        tmp_path / "b.png",
    )
    picture.write_bytes(b"\x89PNG old")
    text.write_bytes(b"{}")
    empty.touch()
    for path in (picture, empty, tmp_path / "new.png"):
        atomic_file.write_same_type(path, b"\x89PNG new", "PNG")
        assert path.read_bytes() == b"\x89PNG new"
    with pytest.raises(
        InputError, match=r"talk\.jsonl exists already and is not a PNG"
    ):
        atomic_file.write_same_type(text, b"\x89PNG new", "PNG")
    with pytest.raises(InputError, match="transcript itself"):
        atomic_file.write_same_type(picture, b"\x89PNG new", "PNG", picture)
    assert text.read_bytes() == b"{}"


@pytest.mark.parametrize("name", ["", " ", "x/", "/tmp/"])
def test_a_name_that_names_no_file_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"empty|names a folder"):
        atomic_file.output_file_name(name)
    assert atomic_file.output_file_name("-") == "-"


def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(InputError, match="is read-only"):
        atomic_file.check_target(path, overwrite=True)
    with pytest.raises(InputError, match="is read-only"):
        atomic_file.write_atomic(path, b"new", overwrite=True)
    assert path.read_bytes() == b"old"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_bytes(b"old")
    (tmp_path / "link.json").symlink_to(real)
    atomic_file.write_atomic(tmp_path / "link.json", b"new", overwrite=True)
    assert (tmp_path / "link.json").is_symlink()
    assert real.read_bytes() == b"new"
