"""TOML files of the user: errors with line numbers, edits key by key that keep comments."""

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
"""Parts of a key, outermost first: ("compression", "density", "file-dedupe")."""

TomlEdits: TypeAlias = Mapping[KeyPath, Json]
"""New values by key; None removes a key, and MovedFrom renames one."""


@dataclass(frozen=True, slots=True)
class MovedFrom:
    """The value of a key that had another name; the comment of its line goes with it."""

    path: KeyPath
    value: Json


MAX_BYTES = 1_000_000
"""Most bytes of a file."""
MAX_DEPTH = 100
"""Most levels of nested tables and lists: few enough for recursion."""
_MAX_PARSED = 1_000_000
"""Most characters parsed to find line numbers; a long statement is parsed anew with each of its
lines."""
_STATEMENT_END = re.compile("[\\]}]|'''|\"\"\"")
_LOCK_WAIT = 10.0
"""Seconds to wait for the lock of another program."""


class InvalidTomlError(InputError):
    """The file is not TOML; ``line`` counts from 1."""

    def __init__(self, path: Path, line: int, cause: str) -> None:
        super().__init__(
            f"{path}, line {line}: {cause}.", "Correct the line or delete the file."
        )
        self.line = line


@dataclass(frozen=True, slots=True)
class TomlDocument:
    text: str = ""
    table: Mapping[str, Json] = field(default_factory=dict)

    def leaves(self) -> Iterator[tuple[KeyPath, Json]]:
        """Yield every value that is not a table, with its path, in file order."""
        return _leaves(self.table, ())

    def lines(self) -> dict[KeyPath, int]:
        """Return the line, from 1, where each value and each table begins."""
        text = self.text
        lines_by_path: dict[KeyPath, int] = {}
        table: KeyPath = ()
        for number, statement, values in _statements(text):
            if statement.lstrip().startswith("["):
                table = _header_path(values)
                lines_by_path.setdefault(table, number)
                continue
            for depth in range(1, len(_header_path(values)) + 1):
                lines_by_path.setdefault(
                    (*table, *_header_path(values)[:depth]), number
                )
            for path, _ in _leaves(values, table):
                lines_by_path.setdefault(path, number)
        return lines_by_path

    def is_table(self, path: KeyPath) -> bool:
        value: Json = self.table
        for part in path:
            if isinstance(value, dict):
                value = value.get(part)
            else:
                value = None
        return isinstance(value, dict)

    def line(self, path: KeyPath) -> int:
        """Return the line where a value or table begins, 1 if it is not in the file."""
        return self.lines().get(path, 1)


def read(path: Path) -> TomlDocument:
    """Read a file, an empty document if there is none. Raises InvalidTomlError or InputError."""
    try:
        if path.exists() and not path.is_file():  # reading a pipe would block
            raise InputError(f"{path} cannot be read: it is not a file.", "Remove it.")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return TomlDocument()
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {_cause(error)}.", "Check the path."
        ) from None
    if len(data) > MAX_BYTES:
        raise InputError(
            f"{path} is longer than {MAX_BYTES:,} bytes.", "Shorten it or delete it."
        )
    return parse_toml(path, data)


def parse_toml(path: Path, data: bytes) -> TomlDocument:
    """Parse the bytes of a file. Raises InvalidTomlError, which names ``path``."""
    try:
        # Editors of Windows put a mark of three bytes in front.
        text = data.decode("utf-8-sig")
        table = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise InvalidTomlError(
            path, data.count(b"\n", 0, error.start) + 1, "it is not UTF-8"
        ) from None
    except RecursionError:
        raise InvalidTomlError(path, 1, "its values are nested too deep") from None
    except ValueError as error:
        raise _syntax_error(path, data, error) from None
    # The parser takes more levels than what walks its values.
    if _is_deep(table):
        raise InvalidTomlError(path, 1, "its values are nested too deep")
    return TomlDocument(text, table)


def _is_deep(table: Json) -> bool:
    level = [table]
    for _ in range(MAX_DEPTH):
        children = [
            one.values() if isinstance(one, dict) else one
            for one in level
            if isinstance(one, dict | list)
        ]
        level = [inner for values in children for inner in values]
    return bool(level)


def update_file(
    path: Path,
    edit: Callable[[TomlDocument], TomlEdits],
    *,
    replace_broken: bool = False,
) -> tuple[TomlDocument, Path | None]:
    """Read, edit and write a file under a lock.

    ``edit`` receives the document and returns the keys to change; unknown keys and comments stay. A
    file that is not TOML raises InvalidTomlError or, with ``replace_broken``, is copied and
    replaced. Returns the written document and the path of that copy. Raises InputError.
    """
    # Two windows may change different keys at the same time.
    with file_lock(path):
        broken_copy = None
        try:
            current = read(path)
        except InvalidTomlError:
            if not replace_broken:
                raise
            broken_copy = _copy_broken_file(path)
            current = TomlDocument()
        edited = with_edits(path, current, edit(current))
        if edited.text != current.text or broken_copy is not None:
            try:
                data = edited.text.encode("utf-8")
            except UnicodeEncodeError:
                cause = f"{path} cannot hold a character that is not Unicode."
                raise InputError(cause, "Type it again.") from None
            write_atomic(path, data, overwrite=True)
        return edited, broken_copy


def with_edits(path: Path, document: TomlDocument, edits: TomlEdits) -> TomlDocument:
    """Return the edited document. Raises InputError if the edit would lose other values."""
    import tomlkit.exceptions

    # The same edit is made on plain values, to find what the text would lose.
    expected = deepcopy(dict(document.table))
    try:
        tree = tomlkit.parse(document.text)
        for key, value in edits.items():
            _set_value(expected, key, value, dict)
            _set_value(tree, key, value, tomlkit.table)
            _remove_empty_tables(
                tree, value.path if isinstance(value, MovedFrom) else key
            )
        text = tomlkit.dumps(tree)
        table = tomllib.loads(text)
    except (
        tomlkit.exceptions.TOMLKitError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        RecursionError,
    ) as error:
        raise not_editable_error(path) from error
    edited = TomlDocument(text, table)
    # Tables without a value may come and go.
    if dict(edited.leaves()) != dict(_leaves(expected, ())):
        raise not_editable_error(path)
    return edited


def can_edit(document: TomlDocument, edits: TomlEdits) -> bool:
    """Return True if the edits lose nothing; tables below dotted keys cannot be added."""
    try:
        with_edits(Path(), document, edits)
    except InputError:
        return False
    return True


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Lock the folder of a file against other programs; creates the folder."""
    from filelock import FileLock, Timeout

    folder = path.resolve().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock", timeout=_LOCK_WAIT)
        lock.acquire()
    except Timeout:
        raise InputError(
            f"Another program has been writing in {folder} for {_LOCK_WAIT:g} seconds.",
            "Wait for it, or close it, then try again.",
        ) from None
    except (OSError, NotImplementedError) as error:
        raise InputError(
            f"{path} cannot be written: {_cause(error)}.",
            "Check the folder's permissions.",
        ) from None
    try:
        yield
    finally:
        lock.release()


def _set_value(
    table: Json, path: KeyPath, value: Json, new_table: Callable[[], Json]
) -> None:
    """Set or remove a key of nested tables; raises TypeError if a parent is a plain value."""
    if isinstance(value, MovedFrom):
        _set_value(table, path, _taken(table, value.path), new_table)
        value = value.value
    *parents, last = path
    for part in parents:
        if part not in table:
            # There is nothing to remove below a table that is not there.
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


def _remove_empty_tables(tree: Json, path: KeyPath) -> None:
    """Remove the tables around a key that hold nothing any more; one with a comment stays."""
    tables = [tree]
    for part in path[:-1]:
        inner = tables[-1].get(part)
        if not isinstance(inner, dict):
            return
        tables.append(inner)
    for outer, inner, part in reversed(
        list(zip(tables, tables[1:], path, strict=False))
    ):
        if not _is_empty(inner):
            return
        del outer[part]


def _is_empty(table: Json) -> bool:
    """Return whether a table of tomlkit has neither a key nor a comment."""
    trivia = getattr(table, "trivia", None)
    if table or trivia is None or trivia.comment:
        return False
    return not table.as_string().strip("{} \r\n")


def _taken(table: Json, path: KeyPath) -> Json:
    """Take the value of a key out of nested tables; raises KeyError or TypeError."""
    *parents, last = path
    for part in parents:
        table = table[part]
    container: Json = getattr(table, "value", table)  # of tomlkit's tables
    if hasattr(container, "item"):
        value = container.item(last)  # with the comment of its line
    else:
        value = container[last]
    del table[last]
    return value


def _copy_broken_file(path: Path) -> Path:
    """Copy a broken file to a free name: settings.broken.toml, settings.broken-2.toml."""
    data = path.read_bytes()
    for number in range(1, 1000):
        if number == 1:
            suffix = ""
        else:
            suffix = f"-{number}"
        copy_path = path.with_name(f"{path.stem}.broken{suffix}{path.suffix}")
        if not copy_path.exists():
            write_atomic(copy_path, data, overwrite=False)
            return copy_path
    raise InputError(
        f"{path} is broken and has been set aside too often.",
        "Delete the older copies.",
    )


def not_editable_error(path: Path) -> InputError:
    return InputError(
        f"{path} cannot be changed without loss; nothing was written.",
        "Edit it by hand.",
    )


def _syntax_error(path: Path, data: bytes, error: ValueError) -> InvalidTomlError:
    place = re.search(
        r"\s*\(at (?:line (\d+), column \d+|end of document)\)$", str(error)
    )
    if place and place[1]:
        line = int(place[1])
    else:
        line = data.count(b"\n") + (not data.endswith(b"\n"))
    if place:
        cause = str(error)[: place.start()]
    else:
        cause = "it holds a number that is too long"
    return InvalidTomlError(path, line, cause[:1].lower() + cause[1:])


def _cause(error: Exception) -> str:
    return (getattr(error, "strerror", "") or str(error)).rstrip(".").lower()


def _leaves(
    table: Mapping[str, Json], parents: KeyPath
) -> Iterator[tuple[KeyPath, Json]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*parents, key))
        else:
            yield (*parents, key), value


def _statements(text: str) -> Iterator[tuple[int, str, Mapping[str, Json]]]:
    """Yield every header and assignment: its first line number, its text, and its parsed values.

    The whole text is valid TOML, so a statement ends with the first line that makes it parse; one
    of several lines ends with a bracket or three quotes. Stops after _MAX_PARSED characters.
    """
    statement, start, parsed = "", 0, 0
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        start = start if statement else number
        statement += f"{line}\n"
        if number > start and not _STATEMENT_END.search(line):
            continue
        parsed += len(statement)
        if parsed > _MAX_PARSED:
            return
        try:
            values = tomllib.loads(statement)
        except ValueError:
            continue
        if values:
            yield start, statement, values
        statement = ""


def _header_path(values: Json) -> KeyPath:
    """Return the path to the first table or value that has siblings or no children."""
    parts: list[str] = []
    while isinstance(values, dict) and len(values) == 1:
        ((part, values),) = values.items()
        parts.append(part)
    return tuple(parts)
