"""Opens an agent's SQLite database without writing to it or locking it."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from core.common.atomic_file import temporary_file_errors
from core.common.confined_path import ConfinedPath
from core.common.errors import InputError
from core.common.json_value import MISSING, Json
from core.formats.common import compressed_files, late
from core.formats.common.json_parsing import parse_bytes

if TYPE_CHECKING:
    import sqlite3  # late where it is used: few files are databases

SQLITE_SIGNATURE = b"SQLite format 3\x00"
_BUSY_SECONDS = 3.0

Row: TypeAlias = dict[str, Any]
"""Values by the names of their columns; text is in UTF-8, a blob is bytes."""


class Database:
    """A database that is only read; ``columns`` are all "table.column"."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        # Rows with broken text would end the whole query.
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        self._connection = connection
        names = [
            row[0]
            for row in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            )
        ]
        # Versions of an agent differ by columns, so they tell whose database it is.
        self.columns = frozenset(
            f"{name}.{row[0]}"
            for name in names
            for row in connection.execute(
                "SELECT name FROM pragma_table_info(?)", (name,)
            )
        )

    def rows(
        self,
        table: str,
        names: str,
        condition: str = "",
        *values: Json,
        **expressions: str,
    ) -> Iterator[Row]:
        """Yield rows with the columns ``names`` (separated by blanks); None for columns that the
        agent's version does not have. ``condition`` is what follows the name of the table,
        ``expressions`` are further columns that the database computes."""
        columns = names.split()
        chosen = [
            # A missing column is null, so that readers need no cases for each version.
            name if f"{table}.{name}" in self.columns else f"NULL AS {name}"
            for name in columns
        ]
        chosen += expressions.values()
        columns += expressions
        query = f'SELECT {", ".join(chosen)} FROM "{table}" {condition}'
        for row in self._connection.execute(query, values):
            yield dict(zip(columns, row, strict=True))

    def row(self, table: str, names: str, condition: str = "", *values: Json) -> Row:
        """Return the first row, with None in every column if there is none."""
        return next(
            self.rows(table, names, condition, *values), dict.fromkeys(names.split())
        )

    def has_rows(self, table: str) -> bool:
        return (
            self._connection.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone()
            is not None
        )


def json_of(value: Any) -> Json:
    """Return the JSON in a column of text or bytes; MISSING if it is none."""
    data = value.encode("utf-8", "replace") if isinstance(value, str) else value
    parsed = parse_bytes(data) if isinstance(data, bytes) else None
    return MISSING if parsed is None or parsed.error else parsed.value


@contextmanager
def open_database(path: Path) -> Iterator[Database]:
    """Open a database read-only. Raises InputError for one that is damaged or in use, or has a cell
    above MAX_LINE_SIZE where it is read."""
    try:
        with _connect(path) as connection:
            # One cell could fill the memory, as one line of a file could.
            connection.setlimit(
                late.sqlite3.SQLITE_LIMIT_LENGTH, compressed_files.MAX_LINE_SIZE
            )
            yield Database(connection)
    except late.sqlite3.DataError as error:  # "string or blob too big"
        raise large_cell_error(path.name) from error
    except late.sqlite3.Error as error:
        raise InputError(
            f"{path.name} cannot be read as an SQLite database: {error}.",
            "Close the agent and try again; if that does not help, the file is damaged.",
        ) from error


def large_cell_error(name: str) -> InputError:
    limit = compressed_files.MAX_LINE_SIZE >> 20
    return InputError(
        f"A row of {name} is larger than {limit} MB, the most that is read as one record.",
        "Choose another conversation of the file with --conversation.",
    )


@contextmanager
def _connect(path: Path) -> Iterator[sqlite3.Connection]:
    """Connect without a lock if all is in the file itself, else as a reader beside the agent, else
    to a copy.

    The newest records are in the log (-wal), and an index to it (-shm) must not be created here. A
    journal (-journal) of an agent that was killed holds what has to be put back before anything is
    read.
    """
    beside = [path.with_name(f"{path.name}{ending}") for ending in ("-wal", "-journal")]
    # An empty log beside the database is what a clean exit leaves.
    unfinished = [one for one in beside if _size(one)]
    # SQLite opens by name, and follows links.
    is_confined = isinstance(path, ConfinedPath)
    has_index = path.with_name(f"{path.name}-shm").exists()
    if not is_confined and (beside[0] not in unfinished or has_index):
        uri = (
            # An immutable database is read without a lock, so that the agent is never disturbed.
            f"{path.absolute().as_uri()}?mode=ro{'' if unfinished else '&immutable=1'}"
        )
        with closing(
            late.sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS)
        ) as connection:
            # Probably a log that belongs to another version of the file cannot be read in place.
            if not unfinished or _is_readable(connection):
                yield connection
                return

    # A copy can be repaired; the database of the agent is never written.
    with late.TemporaryDirectory(prefix="foldline-") as folder:
        copy = _copied(path, unfinished, Path(folder))
        with closing(late.sqlite3.connect(copy)) as connection:
            yield connection


def _copied(path: Path, beside: Sequence[Path], folder: Path) -> Path:
    """Copy a database and what lies beside it. Raises InputError if an agent writes to them
    meanwhile."""
    files = (path, *beside)
    try:
        before = [_state(one) for one in files]
        for one in files:
            with one.open("rb") as source, (folder / one.name).open("xb") as copy:
                late.shutil.copyfileobj(source, copy)
        # The agent may have written in between, and a mixed copy is damaged.
        is_same = [_state(one) for one in files] == before
    except OSError as error:
        # A full disk is said as such, not as a busy agent.
        if error.errno == errno.ENOSPC:
            with temporary_file_errors():
                raise
        is_same = False
    if not is_same:
        if beside:
            changes = f" has unfinished changes in {beside[0].name} and"
        else:
            changes = ""
        problem = (
            f"{path.name}{changes} could not be copied{' with it' if beside else ''}."
        )
        raise InputError(problem, "Close the agent and try again.")
    return folder / path.name


def _state(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _is_readable(connection: sqlite3.Connection) -> bool:

    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except late.sqlite3.Error:
        return False
    return True
