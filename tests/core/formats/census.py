"""Counts words: those in a raw file against those that its reader gives, skips or loses.

A text of at least three words counts. It is read where its words, three in a row, are in the
messages, the system part or a summary of any conversation and branch of the file; skipped where its
record is no message or its field is one that the agent does not send; else it is lost. ``python -m
tests.core.formats.census`` prints a row for each format, with ``-v`` what is lost, by field.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from core.common.errors import InputError
from core.common.json_value import MISSING, Json
from core.formats.common.open_document import document_lines, open_document, read_all
from core.formats.registry import load_conversation
from core.transcript.model import Conversation, Message
from tests.conftest import ROOT, SHARED
from tests.core.formats.census_fields import SKIPPED, UNSENT
from tests.core.formats.small_files import SMALL, written

PLACES = ("corpus", "stores", "faults")
SAMPLES = ROOT / "resources" / "samples"
_AIDER = (
    "# aider chat started at 2026-01-02 10:00:00\n\n#### rename it\n\nRenamed in it.\n"
)
REFUSED = "refused"
"""In place of a format: files that are no transcript, or that hold no message."""
LONG_TEXT = 40
"""Characters of a text that has a reason in ``SKIPPED`` where it is in no message."""
_MAX_LINES = 4  # of one record
MAX_CONVERSATIONS = 40
"""Of a JSON list with more, the first ones are counted."""
_WORD = re.compile(r"\w+")
_TAG = re.compile(r"</?\w+>")  # of a wrapper that readers take off
_TYPES = ("type", "kind", "role", "event", "content_type", "key")
_UNDISCRIMINATED = 60  # characters of a longer value, which names no type


@dataclass(slots=True, kw_only=True)
class Census:
    """Words of files of one format; ``lost`` has them by field, with the first text that was
    lost."""

    files: int = 0
    messages: int = 0
    read: int = 0
    skipped: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    samples: dict[str, str] = field(default_factory=dict)
    unexplained: dict[str, str] = field(default_factory=dict)
    unsent: Counter[str] = field(default_factory=Counter)

    def __iadd__(self, other: Census) -> Census:
        self.files, self.messages = (
            self.files + other.files,
            self.messages + other.messages,
        )
        self.read, self.skipped = self.read + other.read, self.skipped + other.skipped
        self.lost += other.lost
        self.unsent += other.unsent
        self.unexplained |= other.unexplained
        self.samples |= {
            name: text
            for name, text in other.samples.items()
            if name not in self.samples
        }
        return self


def shingles(text: str) -> tuple[list[str], list[int]]:
    """Return the words of a text, and three in a row each as a number."""
    words = _WORD.findall(_TAG.sub(" ", text).lower())
    return words, [
        hash(three) for three in zip(words, words[1:], words[2:], strict=False)
    ]


def uncovered(words: Sequence[str], found: Sequence[bool]) -> int:
    """Return how many words are in no found three."""
    return sum(not any(found[max(0, at - 2) : at + 1]) for at in range(len(words)))


def texts_in(value: Json, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts in a value with the path of their fields; JSON in a text is part of the
    value."""
    if isinstance(value, dict):
        kinds = [value[name] for name in _TYPES if isinstance(value.get(name), str)]
        own = path + "".join(
            f"[{kind}]" for kind in kinds[:2] if len(kind) < _UNDISCRIMINATED
        )
        for name, item in value.items():
            yield from texts_in(item, f"{own}.{name}")
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts_in(item, path)
    elif isinstance(value, str) and " " in value.strip():
        inner = _inner(value)
        if inner is not None:
            yield from texts_in(inner, path)
        else:
            yield path, value


def _inner(text: str) -> Json | None:
    if text[:1] in "[{" and text.rstrip()[-1:] in "]}":
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return None
    return None


def said_texts(value: object) -> Iterator[str]:
    """Yield all texts of a value of the transcript model: of its blocks, not of what is kept beside
    them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from said_texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from said_texts(item)
    elif (
        value is not None
        and value is not MISSING
        and hasattr(value, "__dataclass_fields__")
    ):
        for name in value.__dataclass_fields__:
            if name not in ("extra", "sources", "source", "document"):
                yield from said_texts(getattr(value, name))


def _kept(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        yield from (text for _, text in texts_in(dict(message.extra)))
        for block in message.blocks:
            yield from (text for _, text in texts_in(dict(getattr(block, "extra", {}))))


def conversations(path: Path) -> Iterator[Conversation]:
    """Yield every conversation of a file, each with its branches."""
    first = load_conversation(path)
    numbers = [
        first.number,
        *(n for n in range(1, first.siblings + 1) if n != first.number),
    ]
    for number in numbers:
        one = (
            first
            if number == first.number
            else load_conversation(path, conversation=number)
        )
        yield one
        for branch in range(2, len(one.branches) + 1):
            yield load_conversation(path, conversation=number, branch=branch)


def raw_records(path: Path) -> Iterator[tuple[int, Json]]:
    """Yield the values of a file with their lines; 0 for one that has no line of its own."""
    head = path.read_bytes()[:16]
    if head.startswith(b"SQLite format 3"):
        yield from ((0, row) for row in _rows(path))
    elif head.startswith(b"PK"):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                yield from ((0, value) for value in _values(archive.read(name)))
    else:
        document = open_document(path)
        if len(values := list(_values(read_all(document)))) == 1:
            yield 0, values[0]
            return
        lines = list(document_lines(document))
        while lines:
            count, values = _first_record([line.data for line in lines[:_MAX_LINES]])
            yield from ((lines[0].number, value) for value in values)
            del lines[:count]


def _first_record(lines: Sequence[bytes]) -> tuple[int, list[Json]]:
    """Return how many lines the first record takes, which may have line breaks in a text, and its
    value."""
    for count in range(1, len(lines) + 1):
        with suppress(ValueError, RecursionError):
            return count, [json.loads(b"\n".join(lines[:count]), strict=False)]
        if not lines[0].startswith(b"{"):
            break
    return 1, list(_values(lines[0]))


def _values(data: bytes) -> Iterator[Json]:
    """Yield the JSON in bytes; of other text its lines."""
    text = data.decode("utf-8", "replace")
    try:
        yield json.loads(text)
    except (ValueError, RecursionError):
        yield from (line for line in text.splitlines() if line.strip())


def _rows(path: Path) -> Iterator[Json]:
    with closing(sqlite3.connect(":memory:")) as memory:
        memory.deserialize(path.read_bytes())
        memory.text_factory = lambda data: data.decode("utf-8", "replace")
        names = [
            row[0]
            for row in memory.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            )
        ]
        for table in names:
            cursor = memory.execute(f'SELECT * FROM "{table}"')
            columns = [f"{table}.{column[0]}" for column in cursor.description]
            for row in cursor:
                cells = (
                    one.decode("utf-8", "replace") if isinstance(one, bytes) else one
                    for one in row
                )
                yield dict(zip(columns, cells, strict=True))


def census_of(path: Path) -> tuple[str, Census] | None:
    """Return the format and the words of a file; None for one that is refused."""
    with TemporaryDirectory() as folder:
        return _census_of(shortened(path, Path(folder)))


def shortened(path: Path, folder: Path) -> Path:
    """Return a file, or in place of a long list of conversations one with the first of them."""
    try:
        is_long = load_conversation(path).siblings > MAX_CONVERSATIONS
    except InputError:
        return path
    if not is_long or not isinstance(values := next(_values(path.read_bytes())), list):
        return path
    short = folder / path.name
    short.write_text(json.dumps(values[:MAX_CONVERSATIONS]))
    return short


def _read_of(found: Sequence[Conversation]) -> tuple[set[int], set[int], set[int]]:
    """Return the words in threes that were read, those that are kept beside, and the lines."""
    read, kept, lines = set[int](), set[int](), set[int]()
    for one in found:
        about = (
            one.title,
            one.model,
            one.cwd,
            one.session_id,
            one.listed,
            one.branches,
        )
        for text in said_texts((one.messages, one.system, one.recorded, about)):
            read.update(shingles(text)[1])
            for _, inner in texts_in(_inner(text)):
                read.update(shingles(inner)[1])
        for text in _kept(one.messages):
            kept.update(shingles(text)[1])
        own = (
            *one.messages,
            *(message for each in one.recorded for message in each.summary),
        )
        lines |= {source.line for message in own for source in message.sources}
        lines |= {line for line, *_ in one.layout.get("system", ())}
    return read, kept, lines


def _census_of(path: Path) -> tuple[str, Census] | None:
    try:
        found = list(conversations(path))
    except InputError:
        return None
    result = Census(files=1, messages=sum(len(one.messages) for one in found))
    read, kept, lines = _read_of(found)
    notes = [
        note for one in found for note in (*one.report.warnings, *one.report.repaired)
    ]
    warned = {note.line for note in notes}
    whole = any(
        one.document.data is not None for one in found
    )  # its lines are not those of the file
    format = found[0].format
    unsent = [re.compile(pattern) for pattern in UNSENT.get(format, ())]
    explained = [re.compile(pattern) for pattern in SKIPPED.get(format, {})]
    for line, value in raw_records(path):
        is_skipped = bool(line) and not whole and (line not in lines or line in warned)
        for name, text in texts_in(value):
            words, threes = shingles(text)
            missing = (
                uncovered(words, [three in read for three in threes]) if threes else 0
            )
            result.read += len(words) - missing
            if not missing:
                continue
            sample = f"{path.name}:{line}: {' '.join(text.split())[:160]}"
            is_unsent = any(pattern.search(name) for pattern in unsent)
            is_kept = not uncovered(
                words, [three in kept or three in read for three in threes]
            )
            if is_skipped or is_unsent or is_kept:
                result.skipped += missing
                result.unsent[
                    name if is_skipped or is_unsent else f"{name} (kept beside)"
                ] += missing
            else:
                result.lost[name] += missing
                result.samples.setdefault(name, sample)
            has_reason = is_unsent or any(
                one.search(f"{name}: {text}") for one in explained
            )
            is_cut = isinstance(value, str) and text.startswith(
                "{"
            )  # a record that is no JSON
            if len(text) >= LONG_TEXT and not has_reason and not is_cut:
                result.unexplained.setdefault(name, sample)
    return format, result


def files() -> list[Path]:
    return [
        path
        for place in PLACES
        for path in sorted((SHARED / place).rglob("*"))
        if path.is_file()
    ]


def own_files(folder: Path) -> list[Path]:
    """Return our samples, and a small transcript of every format, written to a folder."""
    for name, value in SMALL.items():
        (folder / f"{name}.json").write_bytes(written(value))
    (folder / "aider.md").write_text(_AIDER)
    return [*sorted(folder.iterdir()), *sorted(SAMPLES.glob("*.json*"))]


def _databases(path: Path, folder: Path) -> Iterator[Path]:
    """Yield the databases that a file of SQL describes, one after each mark ``-- @db NAME``."""
    _, *sections = re.split(
        r"^-- @db (\S+).*$", path.read_text("utf-8"), flags=re.MULTILINE
    )
    for number, script in enumerate(sections[1::2] or [path.read_text("utf-8")]):
        made = folder / f"{path.stem}-{number}.db"
        with closing(sqlite3.connect(made)) as database:
            database.executescript(script)
        yield made


def census(paths: Sequence[Path]) -> dict[str, Census]:
    total: dict[str, Census] = {}
    with TemporaryDirectory() as folder:
        for path in paths:
            for one in (
                _databases(path, Path(folder)) if path.suffix == ".sql" else (path,)
            ):
                format, found = census_of(one) or (REFUSED, Census(files=1))
                total.setdefault(format, Census())
                total[format] += found
    return dict(sorted(total.items(), key=lambda one: (one[0] == REFUSED, one[0])))


@cache
def word_census() -> Mapping[str, Census]:
    """Return the census of all transcripts beside the project."""
    return census(files())


def table(total: Mapping[str, Census]) -> list[str]:
    """Return the rows of a table in Markdown."""
    rows = [
        "| format | files | messages | words read | skipped | lost |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, one in total.items():
        counts = (one.files, one.messages, one.read, one.skipped, one.lost.total())
        shown = name if name == REFUSED else f"`{name}`"
        rows.append(f"| {shown} | {' | '.join(f'{count:,}' for count in counts)} |")
    return rows


def main(arguments: Sequence[str]) -> None:
    names = [one for one in arguments if not one.startswith("-")]
    chosen = [Path(name) for name in names if Path(name).is_file()] or [
        path
        for path in files()
        if not names or any(name in str(path) for name in names)
    ]
    total = census(chosen)
    print("\n".join(table(total)))
    if "-v" in arguments:
        for name, one in total.items():
            for place, count in one.lost.most_common(12):
                print(f"{name:18} lost {count:7,} {place}   {one.samples[place]}")
    if "-s" in arguments:
        for name, one in total.items():
            for place, count in one.unsent.most_common(12):
                print(f"{name:18} skipped {count:7,} {place}")
    for name, one in total.items():
        for place, sample in one.unexplained.items():
            print(f"{name:18} without a reason {place}   {sample}")


if __name__ == "__main__":
    main(sys.argv[1:])
