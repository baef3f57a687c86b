"""One small transcript of every format, and files that tests write and open."""

import json
from collections.abc import Mapping
from pathlib import Path

from core.common.json_value import Json
from core.formats.common.document import open_transcript
from core.formats.common.format import ReadRequest
from core.formats.registry import detect_format
from core.transcript.model import Conversation

_FILES = json.loads(
    Path(__file__)
    .with_name("recorded")
    .joinpath("files", "small.json")
    .read_text("utf-8")
)
SMALL: Mapping[str, Json] = {
    name: tuple(file["lines"]) if "lines" in file else file["value"]
    for name, file in _FILES.items()
}
"""A tuple is lines of JSON, anything else one JSON value."""


def written(value: Json) -> bytes:
    return (
        "\n".join(map(json.dumps, value))
        if isinstance(value, tuple)
        else json.dumps(value)
    ).encode()


def saved(folder: Path, value: Json, name: str = "run.json") -> Path:
    path = folder / name
    path.write_bytes(written(value))
    return path


def load_conversations(path: Path, most: int = 1000) -> list[Conversation]:
    opened = open_transcript(path)
    reader, _ = detect_format(opened)
    first = reader.read(opened, ReadRequest())
    numbers = range(2, min(most, first.siblings) + 1)
    return [first, *(reader.read(opened, ReadRequest(number)) for number in numbers)]
