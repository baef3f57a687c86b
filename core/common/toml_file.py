"""A TOML file of the person: faults named with their line, changed key by key, comments kept."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from core.common.atomic_file import write_atomic
from core.common.errors import InputError
from core.common.json_value import Json

KeyPath: TypeAlias = tuple[str, ...]
"""The parts of a key, outermost first: ("compression", "density", "fileDedupe")."""

TomlEdits: TypeAlias = Mapping[KeyPath, Json]
"""New values by key; None takes a key away."""

LONGEST = 1_000_000
"""Bytes of a file that is read."""
DEEPEST = 100
"""Levels of tables and lists that are read: few enough that everything may call itself for each."""
_PATIENCE = 1_000_000
"""Characters that are tried to find where statements begin, for one of many lines is tried line by line."""
_MAY_END = re.compile("[\\]}]|'''|\"\"\"")
_WAIT = 10.0
"""Seconds to wait for another program that writes in the same folder."""


class InvalidTomlError(InputError):
    """The file is no TOML; ``line`` counts from 1."""

    def __init__(self, path: Path, line: int, cause: str) -> None:
        super().__init__(f"{path}, line {line}: {cause}.", "Mend the line or delete the file.")
        self.line = line


@dataclass(frozen=True, slots=True)
class TomlDocument:
    """The text of a file and what it says."""

    text: str = ""
    table: Mapping[str, Json] = field(default_factory=dict)

    def leaves(self) -> Iterator[tuple[KeyPath, Json]]:
        """Every value that is no table, with its path, in the order of the file."""
        return _leaves(self.table, ())

    def lines(self) -> dict[KeyPath, int]:
        """The line, from 1, where each value and each table begins."""
        return _lines(self.text)

    def is_table(self, path: KeyPath) -> bool:
        """True where a table stands at a path, in which a value would take the place of others."""
        found: Json = self.table
        for part in path:
            found = found.get(part) if isinstance(found, dict) else None
        return isinstance(found, dict)

    def line(self, path: KeyPath) -> int:
        """The line where a value or table begins; 1 for one that is nowhere."""
        return self.lines().get(path, 1)


def read(path: Path) -> TomlDocument:
    """The file, or an empty document where there is none. Raises InvalidTomlError or InputError."""
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise InputError(f"{path} cannot be read: it is no file.", "Remove what is in its place.")
        with path.open("rb") as file:
            data = file.read(LONGEST + 1)
    except FileNotFoundError:
        return TomlDocument()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {_cause(error)}.", "Check the path.") from None
    if len(data) > LONGEST:
        raise InputError(f"{path} is longer than {LONGEST:,} bytes.", "Mend it or delete it.")
    return parse_toml(path, data)


def parse_toml(path: Path, data: bytes) -> TomlDocument:
    """The bytes of a file; ``path`` is named where they are no TOML (InvalidTomlError)."""
    try:
        text = data.decode("utf-8-sig")
        table = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise InvalidTomlError(path, data.count(b"\n", 0, error.start) + 1, "it is not UTF-8") from None
    except RecursionError:
        raise InvalidTomlError(path, 1, "its values are nested too deep") from None
    except ValueError as error:
        raise _broken(path, data, error) from None
    if _is_deep(table):
        raise InvalidTomlError(path, 1, "its values are nested too deep")
    return TomlDocument(text, table)


def _is_deep(value: Json) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
    return bool(level)


def update_file(
    path: Path, edit: Callable[[TomlDocument], TomlEdits], *, put_broken_aside: bool = False
) -> tuple[TomlDocument, Path | None]:
    """Read, change and write a file while no other program does.

    ``edit`` is told what the file says now and returns the keys to change; everything else, unknown
    keys and comments included, stays. A broken file raises InvalidTomlError, or is copied beside itself
    and begun anew. Returns what was written and where a broken file went. Raises InputError.
    """
    with file_lock(path):
        aside = None
        try:
            found = read(path)
        except InvalidTomlError:
            if not put_broken_aside:
                raise
            aside, found = _copy_aside(path), TomlDocument()
        written = with_edits(path, found, edit(found))
        if written.text != found.text or aside is not None:
            write_atomic(path, _encoded(path, written.text), overwrite=True)
        return written, aside


def with_edits(path: Path, document: TomlDocument, edits: TomlEdits) -> TomlDocument:
    """The document with keys changed. Raises InputError where that cannot be done without loss."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    expected = deepcopy(dict(document.table))
    try:
        tree = tomlkit.parse(document.text)
        for key, value in edits.items():
            _put(expected, key, value, dict)
            _put(tree, key, value, tomlkit.table)
        text = tomlkit.dumps(tree)
        table = tomllib.loads(text)
    except (TOMLKitError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise not_editable_error(path) from error
    written = TomlDocument(text, table)
    if dict(written.leaves()) != dict(_leaves(expected, ())):  # tables without a value may come and go
        raise not_editable_error(path)
    return written


def can_edit(document: TomlDocument, edits: TomlEdits) -> bool:
    """True where these edits can be made without loss; new tables below dotted keys cannot."""
    try:
        with_edits(Path(), document, edits)
    except InputError:
        return False
    return True


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Hold the folder of a file against every other program; creates the folder."""
    from filelock import FileLock, Timeout

    folder = path.resolve().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock", timeout=_WAIT)
        lock.acquire()
    except Timeout:
        raise InputError(f"Another program has been writing in {folder} for {_WAIT:g} seconds.") from None
    except (OSError, NotImplementedError) as error:
        raise InputError(
            f"{path} cannot be written: {_cause(error)}.", "Check the folder's permissions."
        ) from None
    try:
        yield
    finally:
        lock.release()


def _put(table: Json, path: KeyPath, value: Json, new_table: Callable[[], Json]) -> None:
    """Set or remove a key of nested tables; raises TypeError where a plain value stands in its way."""
    *parents, last = path
    for part in parents:
        if part not in table:
            if value is None:
                return
            table[part] = new_table()
        table = table[part]
        if not isinstance(table, dict):
            raise TypeError(part)
    if value is not None:
        table[last] = value
    elif last in table:
        del table[last]


def _copy_aside(path: Path) -> Path:
    """Keep a broken file under a name of its own: settings.broken.toml, settings.broken-2.toml."""
    data = path.read_bytes()
    for number in range(1, 1000):
        suffix = "" if number == 1 else f"-{number}"
        aside = path.with_name(f"{path.stem}.broken{suffix}{path.suffix}")
        if not aside.exists():
            write_atomic(aside, data, overwrite=False)
            return aside
    raise InputError(f"{path} is broken and has been set aside too often.", "Delete the older copies.")


def _encoded(path: Path, text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"{path} cannot hold a character that is not Unicode.", "Type it anew.") from None


def not_editable_error(path: Path) -> InputError:
    """The error of a file in which a value has no place."""
    return InputError(f"{path} cannot be changed without loss; nothing was written.", "Edit it by hand.")


def _broken(path: Path, data: bytes, error: ValueError) -> InvalidTomlError:
    found = re.search(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$", str(error))
    line = int(found[1]) if found and found[1] else data.count(b"\n") + (not data.endswith(b"\n"))
    cause = str(error)[: found.start()] if found else "it holds a number that is too long"
    return InvalidTomlError(path, line, cause[:1].lower() + cause[1:])


def _cause(error: Exception) -> str:
    return (getattr(error, "strerror", "") or str(error)).rstrip(".").lower()


def _leaves(table: Mapping[str, Json], above: KeyPath) -> Iterator[tuple[KeyPath, Json]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*above, key))
        else:
            yield (*above, key), value


def _lines(text: str) -> dict[KeyPath, int]:
    found: dict[KeyPath, int] = {}
    table: KeyPath = ()
    for number, statement, says in _statements(text):
        if statement.lstrip().startswith("["):
            table = _header(says)
            found.setdefault(table, number)
            continue
        for depth in range(1, len(_header(says)) + 1):
            found.setdefault((*table, *_header(says)[:depth]), number)
        for path, _ in _leaves(says, table):
            found.setdefault(path, number)
    return found


def _statements(text: str) -> Iterator[tuple[int, str, Mapping[str, Json]]]:
    """Every header and every assignment: its first line, its text, and what it says by itself.

    The text as a whole is TOML, so that a statement ends with the first line that makes it parse; one
    that goes on for lines ends with a bracket or three quotes. Where that takes too long, the rest is
    without lines.
    """
    statement, start, tried = "", 0, 0
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        start = start if statement else number
        statement += f"{line}\n"
        if number > start and not _MAY_END.search(line):
            continue
        tried += len(statement)
        if tried > _PATIENCE:
            return
        try:
            says = tomllib.loads(statement)
        except ValueError:
            continue
        if says:
            yield start, statement, says
        statement = ""


def _header(says: Json) -> KeyPath:
    """The path to the first table or value with another beside it, or with nothing below."""
    parts: list[str] = []
    while isinstance(says, dict) and len(says) == 1:
        ((part, says),) = says.items()
        parts.append(part)
    return tuple(parts)
