"""Values of a wrong type or a huge size at every count, time and id of every format end no
reader."""

import copy
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.common.json_value import MAX_COUNT, Json
from core.formats.common.json_parsing import number_of, written_number
from core.formats.discovery.session_contents import sizes_of
from core.formats.registry import load_conversation
from core.lint.lint import PROVIDERS, lint_messages
from core.transcript.model import Conversation
from tests.core.formats.small_files import SMALL, written
from tests.core.formats.test_formats_odd import places, read
from tests.core.formats.test_recorded_readings import STORES, write_store
from tests.support.sampling import sampled

_KINDS = {
    "count": re.compile(
        r"tok|usage|count|size|limit|window|input|output|cache|total|cost|length", re.I
    ),
    "time": re.compile(r"time|date|created|updated|start|end|day|at$|_ts", re.I),
    "id": re.compile(
        r"id$|ids$|uuid|parent|call|index|number|epoch|trial|step|version", re.I
    ),
}
_HUGE: tuple[Json, ...] = (
    *(10**400, -(10**400), 1 << 63, float("inf"), float("nan"), -1, 0),
    *(
        True,
        "9" * 5000,
        "1e400",
        "\ud800",
        "",
        None,
        [],
        {},
        [10**400],
        {"input_tokens": 10**400},
    ),
)


def _with(value: Json, ways: list[tuple[str | int, ...]], new: Json) -> Json:
    made: Json = copy.deepcopy(list(value) if isinstance(value, tuple) else value)
    for *way, last in ways:
        holder = made
        for key in way:
            holder = holder[key]
        holder[last] = new
    return tuple(made) if isinstance(value, tuple) else made


def _cases(value: Json) -> Iterator[tuple[list[tuple[str | int, ...]], Json]]:
    """Yield places to change, all values of a kind together or each alone, and what is put
    there. A part has every place alone, and every huge value in one of the three kinds."""
    every = list(places(list(value) if isinstance(value, tuple) else value))
    turn, parts = 0, sampled(1, len(_KINDS))
    for number, pattern in enumerate(_KINDS.values()):
        ways = [
            way for way in every if isinstance(way[-1], str) and pattern.search(way[-1])
        ]
        leaves = [
            way
            for way in ways
            if not any(other[: len(way)] == way for other in every if other != way)
        ]
        yield from ((leaves, new) for new in _HUGE[number % parts :: parts])
        for way in ways:
            turn += 1
            yield [way], _HUGE[turn % len(_HUGE)]


def _use(conversation: Conversation | None) -> None:
    if conversation is not None:
        sizes_of(conversation)
        lint_messages(conversation.messages, PROVIDERS[0].name)


@pytest.mark.parametrize("name", SMALL)
def test_a_reader_raises_nothing_but_its_own_refusal(tmp_path: Path, name: str) -> None:
    path = tmp_path / "huge.json"
    for ways, new in _cases(SMALL[name]):
        path.write_bytes(written(_with(SMALL[name], ways, new)))
        _use(read(path, name))


def _database_case(path: Path) -> tuple[Any, str] | None:
    """Return the first recorded database of an agent, and its name."""
    for case in json.loads(path.read_text("utf-8"))["cases"]:
        for name, file in case["files"].items():
            if "sql" in file:
                return case, name
    return None


_IN_COLUMNS = (None, b"\xff\x00", 10**15, 1e300, "\0", '{"id": 1e400, "role": []}')
_DATABASES = [
    pytest.param(*found, id=path.stem)
    for path in STORES
    if (found := _database_case(path))
]


@pytest.mark.parametrize(("case", "name"), _DATABASES)
def test_a_database_with_any_value_in_any_column_is_read_or_refused(
    tmp_path: Path, case: Any, name: str
) -> None:
    write_store(case["files"], tmp_path)
    original = (tmp_path / name).read_bytes()
    with closing(sqlite3.connect(tmp_path / name)) as connection:
        tables = [
            row[0]
            for row in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            )
        ]
        columns = [
            (table, row[1])
            for table in tables
            for row in connection.execute(f"PRAGMA table_info({table})")
        ]
    parts = sampled(1, 3)  # two values for each column, each value in every third
    for number, (table, column) in enumerate(columns):
        for new in _IN_COLUMNS[number % parts :: parts]:
            (tmp_path / name).write_bytes(original)
            with closing(sqlite3.connect(tmp_path / name)) as connection:
                connection.execute(
                    f"UPDATE OR REPLACE {table} SET {column} = ?", (new,)
                )
                connection.commit()
            _use(read(tmp_path / name))


def test_a_count_is_believed_up_to_a_limit() -> None:
    assert [number_of(one) for one in (MAX_COUNT, 7.0, -3)] == [MAX_COUNT, 7, -3]
    assert [
        number_of(one) for one in (MAX_COUNT + 1, 1e400, float("nan"), True, "7", None)
    ] == [None] * 6
    assert [written_number(one) for one in ("-12", "9" * 20)] == [-12, int("9" * 20)]
    assert [written_number(one) for one in ("9" * 21, "9" * 5000, "1.5", "", "-")] == [
        None
    ] * 5


def test_a_session_whose_id_is_null_is_skipped_and_told(tmp_path: Path) -> None:
    """Crush's database allows it; without any other session the file is refused."""
    case, name = next(
        found
        for one in STORES
        if one.stem == "crush" and (found := _database_case(one))
    )
    write_store(case["files"], tmp_path)
    path = tmp_path / name
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO sessions (id, title) VALUES (NULL, 't')")
        connection.commit()
    assert ("session without an id", 1) in load_conversation(path).report.skipped
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM sessions WHERE id IS NOT NULL")
        connection.commit()
    assert read(path) is None
