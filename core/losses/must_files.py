"""The texts that must survive: as files hold them, one a line, beside a session and in its project
(``.foldline-must.txt``), read and never written; and as typed, in the state folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from core.common.atomic_file import create_parent_folder, write_atomic
from core.common.errors import InputError
from core.common.paths import state_dir
from core.transcript.alignment import session_file
from core.transcript.model import Conversation

FILE_NAME = ".foldline-must.txt"
MAX_MUSTS, MAX_CHARACTERS = 200, 500
_MAX_BYTES = 1_000_000
_COMMENT = "#"


@dataclass(frozen=True, slots=True)
class MustFile:
    """The texts of a file, and how many lines are left out because they are too many or too
    long."""

    path: Path
    musts: tuple[str, ...]
    left_out: int = 0


def read_must_file(path: Path) -> MustFile:
    """Return the texts of a file. Raises InputError where it cannot be read or is no UTF-8."""
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror}.", "Name a text file."
        ) from None
    except UnicodeDecodeError:
        raise InputError(
            f"{path} is not UTF-8.", "Save it as UTF-8, one text a line."
        ) from None
    lines = dict.fromkeys(line.strip() for line in text.splitlines())
    texts = [line for line in lines if line and not _is_comment(line)]
    fitting = [line for line in texts if len(line) <= MAX_CHARACTERS][:MAX_MUSTS]
    return MustFile(path, tuple(fitting), len(texts) - len(fitting))


def _is_comment(line: str) -> bool:
    """A number like #123 is a text, "# …" is none."""
    return line == _COMMENT or line.startswith(f"{_COMMENT} ")


def must_files(conversation: Conversation) -> list[MustFile]:
    """Read the files beside a session and in its project, both upwards, at most to the home folder;
    the nearest first. Raises InputError for one that cannot be read."""
    folders = dict.fromkeys(
        folder for start in _starts(conversation) for folder in _upwards(start)
    )
    paths = (folder / FILE_NAME for folder in folders)
    return [read_must_file(path) for path in paths if path.is_file()]


def _starts(conversation: Conversation) -> Iterator[Path]:
    document = conversation.document
    if document.data is None and document.absolute_path:
        yield Path(document.absolute_path).parent
    if conversation.cwd and Path(conversation.cwd).is_absolute():
        yield Path(conversation.cwd)


def _upwards(folder: Path) -> Iterable[Path]:
    home = Path.home()
    folders = (folder, *folder.parents)
    below = list(takewhile(lambda one: one != home, folders))
    if len(below) < len(folders):
        return (*below, home)
    return below


def joined_musts(
    files: Iterable[MustFile], more: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return the texts of all files, then ``more``, each once."""
    return tuple(
        dict.fromkeys((*(text for file in files for text in file.musts), *more))
    )


@dataclass(frozen=True, slots=True)
class TypedMusts:
    """The texts that a person typed for a session, and those of files that are ignored there."""

    texts: tuple[str, ...] = ()
    ignored: frozenset[str] = frozenset()

    def with_text(self, text: str) -> TypedMusts:
        """Return the same with a text, which is ignored no longer."""
        text = text.strip()
        if text in self.texts or not text:
            texts = self.texts
        else:
            texts = (*self.texts, text)
        return TypedMusts(texts, self.ignored - {text})

    def without(self, text: str) -> TypedMusts:
        """Return the same without a typed text, or with one of a file ignored."""
        if text in self.texts:
            return TypedMusts(
                tuple(one for one in self.texts if one != text), self.ignored
            )
        return TypedMusts(self.texts, self.ignored | {text})

    def joined(self, files: Iterable[MustFile]) -> tuple[str, ...]:
        """Return the texts of the files that are not ignored, then the typed ones, each once."""
        found = joined_musts(files, self.texts)
        return tuple(
            text for text in found if text not in self.ignored or text in self.texts
        )


_STATE_FOLDER = "musts"


def load_typed_musts(conversation: Conversation) -> TypedMusts:
    """Return what was typed for a session; a file that cannot be read counts as missing."""
    try:
        saved: Any = json.loads(_state_file(conversation).read_text("utf-8"))
        texts, ignored = saved["texts"], saved["ignored"]
    except (OSError, ValueError, TypeError, KeyError):
        return TypedMusts()
    if not isinstance(texts, list) or not isinstance(ignored, list):
        return TypedMusts()
    return TypedMusts(tuple(map(str, texts)), frozenset(map(str, ignored)))


def session_musts(conversation: Conversation) -> tuple[str, ...]:
    """Return the texts that must survive in a session, of files and as typed. Raises InputError
    for a file that cannot be read."""
    return load_typed_musts(conversation).joined(must_files(conversation))


def save_typed_musts(conversation: Conversation, musts: TypedMusts) -> None:
    """Save what was typed for a session. Raises InputError where it cannot be written."""
    file = _state_file(conversation)
    if musts == TypedMusts() and not file.exists():
        return
    create_parent_folder(file)
    saved = {"texts": list(musts.texts), "ignored": sorted(musts.ignored)}
    write_atomic(file, json.dumps(saved, ensure_ascii=False).encode(), overwrite=True)


def _state_file(conversation: Conversation) -> Path:
    return session_file(conversation.messages, state_dir() / _STATE_FOLDER)
