"""A made-up conversation as rows: user, model and tools, always the same."""

from __future__ import annotations

import random
from array import array
from dataclasses import dataclass

from core.presentation.model import KINDS, SPEAKERS, MessageRows

FILES = ("src/queue/worker.py", "src/queue/backoff.py", "tests/test_worker.py", "src/http/session.py")
CALLS = (
    ("read_file", "{file}:1-140"),
    ("bash", "pytest -q {file}"),
    ("edit_file", "{file} @@ -88,7 +88,15"),
    ("grep", "retry|timeout {file}"),
    ("write_file", "{file}"),
)
RESULTS = (
    '"""Worker loop.""" import asyncio',
    "38 passed, 1 skipped in 9.41s",
    "Applied 1 edit: 12 lines added",
)
ASKS = (
    "The retry test fails one time in ten, please find out why",
    "good, now add a test for the closed socket",
)
SAYS = (
    "The suite is green here; the failure needs two workers",
    "Retries now happen only before the first byte",
)


@dataclass(frozen=True, slots=True)
class FakeRow:
    """One row."""

    kind: str
    text: str
    tokens: int
    lead: str = ""
    error: bool = False


SPEAKER_OF = {
    "human": "human",
    "ai": "ai",
    "call": "ai",
    "tool": "tool",
    "system": "system",
    "summary": "human",
}


def rows(lines: list[FakeRow]) -> MessageRows:
    """Return the column form of ``lines``."""
    return MessageRows(
        speakers=bytes(SPEAKERS.index(SPEAKER_OF[line.kind]) for line in lines),
        kinds=bytes(KINDS.index(line.kind) for line in lines),
        errors=bytes(line.error for line in lines),
        mono=bytes(line.kind in ("call", "tool") for line in lines),
        tokens=array("q", (line.tokens for line in lines)),
        lead=tuple(line.lead for line in lines),
        text=tuple(line.text for line in lines),
    )


def _pair(luck: random.Random) -> list[FakeRow]:
    name, shape = luck.choice(CALLS)
    error = luck.random() < 0.06
    heavy = luck.random() < 0.09
    tokens = luck.randint(1_800, 5_000) if heavy else luck.randint(9, 640)
    call = FakeRow("call", shape.format(file=luck.choice(FILES)), luck.randint(26, 420), name)
    text = "E ConnectionResetError: [Errno 104] peer" if error else luck.choice(RESULTS)
    return [call, FakeRow("tool", text, tokens, error=error)]


def lines(count: int, seed: int = 7) -> list[FakeRow]:
    """Return ``count`` rows, the same for the same seed. Calls and results alternate in pairs."""
    luck = random.Random(seed)
    result: list[FakeRow] = []
    while len(result) < count:
        paste = luck.random() < 0.05
        result.append(
            FakeRow("human", luck.choice(ASKS), luck.randint(3_000, 6_000) if paste else luck.randint(12, 90))
        )
        for _ in range(luck.randint(2, 9)):
            if luck.random() < 0.25:
                result.append(FakeRow("ai", luck.choice(SAYS), luck.randint(40, 640)))
            result += _pair(luck)
    return result[:count]


def valid(items: list[FakeRow]) -> bytes:
    """Return one byte per boundary 0..n: 1 unless it would separate a call from its result."""
    parted = [0] + [int(line.kind == "tool") for line in items[1:]] + [0]
    return bytes(1 - one for one in parted)


def partners(items: list[FakeRow]) -> dict[int, tuple[int, ...]]:
    """Return the other half of each pair, by index."""
    result: dict[int, tuple[int, ...]] = {}
    for index, line in enumerate(items):
        if line.kind == "tool" and index:
            result[index] = (index - 1,)
            result[index - 1] = (index,)
    return result
