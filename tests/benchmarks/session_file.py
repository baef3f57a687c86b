"""Writes a made-up Claude Code session of any size, for measuring what reading it costs.

Like real ones: about a fifth of the bytes is text that counts, the rest is what the agent keeps
beside it: results once more as ``toolUseResult``, progress records with whole messages in them,
screenshots in base64, file snapshots; and now and then one line of 12 MB.
"""

import base64
import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

_PARTS = (
    *("up", "load", "re", "try", "sock", "et", "tim", "er"),
    *("pool", "ing", "head", "tok", "en", "con", "fig"),
)
_VERBS = (
    "check",
    "raise",
    "wait for",
    "close",
    "open again",
    "count",
    "log",
    "drop",
    "keep",
    "measure",
)
_LINES = (
    "    def {a}_{b}(self, {c}: int = {n}) -> None:",
    '        self._{a} = {b}.{c}({n}, key="{a}")',
    "        if {a} is None or len({b}) > {n}:",
    '            raise ValueError(f"{a} {{{b}}} at {n}")',
    "        for {a}, {b} in enumerate({c}[{n}:]):",
    "    # {v} the {a} of {b} before {c}",
    "2026-01-0{d} 12:{n} INFO {a}.{b}: {v} {c} ({n} ms)",
    "tests/{a}/test_{b}.py::test_{c} PASSED [ {d}%]",
)


def _name(dice: random.Random) -> str:
    return "".join(dice.choices(_PARTS, k=dice.randrange(2, 4)))


def talk_text(dice: random.Random, words: int) -> str:
    """About so many words of a person or a model."""
    said = (
        f"{dice.choice(_VERBS)} the {_name(dice)} before {_name(dice)}"
        for _ in range(words // 5 + 1)
    )
    return ". ".join(said).capitalize() + "."


def source_text(dice: random.Random, size: int) -> str:
    """About so many characters of code, logs and test output."""
    pool = [_line(dice) for _ in range(min(400, size // 40 + 1))]
    lines: list[str] = []
    while size > 0:
        lines.append(dice.choice(pool))
        size -= len(lines[-1]) + 1
    return "\n".join(lines)


def _line(dice: random.Random) -> str:
    names = {key: _name(dice) for key in "abc"}
    return dice.choice(_LINES).format(
        **names,
        v=dice.choice(_VERBS),
        n=dice.randrange(10, 99_999),
        d=dice.randrange(9),
    )


Record: TypeAlias = Mapping[str, Any]

HUGE = 12_000_000
"""Bytes of a line such as an agent writes for a whole build log."""
_EVERY_HUGE = 90_000_000  # bytes of the file between two of them
_COMMON = {
    **{
        "isSidechain": False,
        "userType": "external",
        "cwd": "/srv/app",
        "version": "2.0.0",
    },
    **{"sessionId": "11111111-1111-4111-8111-111111111111", "gitBranch": "main"},
}
_PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000005a0000003840802000000")


def write_session(path: Path, megabytes: float, seed: int = 7) -> int:
    """Write about so many megabytes; returns the number of records. The same for the same seed."""
    dice, number, size = random.Random(seed), 0, 0
    next_huge = _EVERY_HUGE // 3
    with path.open("w", encoding="utf-8") as file:
        while size < megabytes * 1e6:
            is_huge = size >= next_huge and megabytes * 1e5 > HUGE
            next_huge += _EVERY_HUGE if is_huge else 0
            for record in _step(dice, number, is_huge):
                line = _line_of(record, number)
                file.write(line)
                number, size = number + 1, size + len(line)
    return number


def write_messages(path: Path, messages: int, seed: int = 7) -> None:
    dice = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        for number in range(messages):
            if number % 40 == 0:
                record = _user(talk_text(dice, 30))
            elif number % 40 == 39:
                record = _assistant(
                    f"msg_{number}", {"type": "text", "text": talk_text(dice, 60)}
                )
            elif number % 2 == 0:
                record = _result(
                    f"toolu_{number // 2 - 1:012d}", source_text(dice, 300), {}
                )
            else:
                given = {
                    "file_path": f"/srv/app/part{dice.randrange(400)}.py",
                    "content": talk_text(dice, 9),
                }
                name = dice.choice(("Read", "Edit", "Write", "Grep"))
                call = {
                    "type": "tool_use",
                    "id": f"toolu_{number // 2:012d}",
                    "name": name,
                    "input": given,
                }
                record = _assistant(f"msg_{number}", call)
            file.write(_line_of(record, number))


def _line_of(record: Record, number: int) -> str:
    parent = f"00000000-0000-4000-8000-{number - 1:012d}" if number else None
    day = f"2026-01-{1 + number // 40000 % 28:02d}T00:00:00.000Z"
    uuid = f"00000000-0000-4000-8000-{number:012d}"
    common = {"parentUuid": parent, **_COMMON, "timestamp": day}
    return json.dumps({**common, **record, "uuid": uuid}) + "\n"


def _step(dice: random.Random, number: int, is_huge: bool) -> Iterator[Record]:
    if number == 0:
        yield _user("Make the upload test reliable. Never touch the public API.")
        return
    kind = dice.random()
    if kind < 0.04:
        yield _user(talk_text(dice, 40))
        yield _assistant(
            f"msg_{number}", {"type": "text", "text": talk_text(dice, 120)}
        )
        return
    id_, path = (
        f"toolu_{number:012d}",
        f"/srv/app/part{dice.randrange(400)}/file{dice.randrange(9)}.py",
    )
    if is_huge:
        yield from _call(dice, number, id_, "Bash", {"command": "make -j8 all 2>&1"})
        yield from _answer(id_, {"stdout": source_text(dice, HUGE // 2)})
    elif kind < 0.06:
        yield from _call(
            dice, number, id_, "Read", {"file_path": f"/srv/app/shot{number}.png"}
        )
        yield _screenshot(dice, id_)
    elif kind < 0.11:
        yield from _call(
            dice,
            number,
            id_,
            "Task",
            {"description": "look", "prompt": talk_text(dice, 80)},
        )
        yield from _progress(dice, id_)
        yield from _answer(id_, {"content": talk_text(dice, 300)})
    elif kind < 0.30:
        new = source_text(dice, 400)
        change = {
            "file_path": path,
            "old_string": source_text(dice, 300),
            "new_string": new,
        }
        yield from _call(dice, number, id_, "Edit", change)
        kept = {**change, "originalFile": source_text(dice, 6000)}
        yield _result(id_, f"The file {path} has been updated.", kept)
    else:
        yield from _call(dice, number, id_, "Read", {"file_path": path, "limit": 200})
        text = source_text(dice, dice.randrange(200, 9000))
        yield _result(
            id_, text, {"type": "text", "file": {"filePath": path, "content": text}}
        )
    if dice.random() < 0.05:
        snapshot = {
            "messageId": id_,
            "trackedFileBackups": {path: {"backupFileName": None, "version": 1}},
        }
        yield {
            "type": "file-history-snapshot",
            "snapshot": snapshot,
            "isSnapshotUpdate": False,
        }


def _call(
    dice: random.Random, number: int, id_: str, name: str, given: Record
) -> Iterator[Record]:
    """One assistant message on two lines, as the agent writes them."""
    yield _assistant(
        f"msg_{number}",
        {"type": "text", "text": talk_text(dice, dice.randrange(5, 60))},
    )
    yield _assistant(
        f"msg_{number}", {"type": "tool_use", "id": id_, "name": name, "input": given}
    )


def _answer(id_: str, result: Mapping[str, str]) -> Iterator[Record]:
    yield _result(id_, next(iter(result.values())), result)


def _progress(dice: random.Random, id_: str) -> Iterator[Record]:
    """What a sub-agent does, told with its whole messages each time."""
    told: list[Record] = []
    for step in range(dice.randrange(3, 9)):
        text = source_text(dice, 1500)
        told.append(_result(f"{id_}_{step}", text, {"content": text}))
        data = {
            "type": "agent_progress",
            "message": told[-1],
            "normalizedMessages": list(told),
            "prompt": "",
        }
        yield {
            "type": "progress",
            "data": data,
            "toolUseID": id_,
            "parentToolUseID": id_,
        }


def _screenshot(dice: random.Random, id_: str) -> Record:
    data = base64.b64encode(
        _PNG + dice.randbytes(dice.randrange(40_000, 220_000))
    ).decode()
    image = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": data},
    }
    kept = {
        "type": "image",
        "file": {"base64": data, "type": "image/png", "originalSize": len(data)},
    }
    return _result(id_, [image], kept)


def _user(text: str) -> Record:
    return {"type": "user", "message": {"role": "user", "content": text}}


def _result(id_: str, content: Any, kept: Record) -> Record:
    block = {"type": "tool_result", "tool_use_id": id_, "content": content}
    return {
        "type": "user",
        "message": {"role": "user", "content": [block]},
        "toolUseResult": kept,
    }


def _assistant(id_: str, block: Record) -> Record:
    usage = {"input_tokens": 9, "cache_read_input_tokens": 90_000, "output_tokens": 120}
    message = {
        "id": id_,
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
    }
    return {
        "type": "assistant",
        "message": {**message, "content": [block], "usage": usage},
    }
