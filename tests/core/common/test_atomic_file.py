"""Atomic writes that never overwrite the source."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from core.common import atomic_file
from core.common.errors import InputError


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
    killed = subprocess.run([sys.executable, "-c", script, str(tmp_path / "x")], timeout=60)
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
    picture, text, empty = tmp_path / "a.png", tmp_path / "talk.jsonl", tmp_path / "b.png"
    picture.write_bytes(b"\x89PNG old")
    text.write_bytes(b"{}")
    empty.touch()
    for path in (picture, empty, tmp_path / "new.png"):
        atomic_file.write_same_type(path, b"\x89PNG new", "PNG")
        assert path.read_bytes() == b"\x89PNG new"
    with pytest.raises(InputError, match=r"talk\.jsonl exists already and is no PNG"):
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
