"""Made-up agent loops of any length, like real ones: reads, edits, writes, shell, talk."""

import random

from core.transcript.model import Message
from tests.support.builders import ai, call, exchange, human, response, tool

_WORDS = (
    "retry",
    "upload",
    "session",
    "timeout",
    "pool",
    "socket",
    "header",
    "token",
    "cache",
    "flush",
)


def _text(dice: random.Random, words: int) -> str:
    return " ".join(dice.choice(_WORDS) for _ in range(words))


def agent_loop(messages: int, seed: int = 7) -> tuple[Message, ...]:
    """A history of ``messages`` messages; the same for the same seed."""
    dice = random.Random(seed)
    made: list[Message] = [
        human("Make the upload test reliable. Never touch the public API.")
    ]
    turn = 0
    while len(made) < messages:
        turn += 1
        path = f"src/part{dice.randrange(max(4, messages // 12))}/file{dice.randrange(9)}.py"
        made += _turn(dice, turn, path)
    return tuple(made[:messages])


def _turn(dice: random.Random, turn: int, path: str) -> tuple[Message, ...]:
    result = _text(dice, dice.randrange(20, 160))
    match dice.randrange(8):
        case 0:
            return human(_text(dice, 12)), ai(
                f"I decided on {_text(dice, 20)} because {_text(dice, 6)}."
            )
        case 1:
            return exchange(
                f"w{turn}", "write_file", "ok", file_path=path, content=result
            )
        case 2:
            return exchange(
                f"e{turn}",
                "Edit",
                "ok",
                file_path=path,
                old_string="a",
                new_string=result,
            )
        case 3:
            two = (
                call("grep", f"g{turn}", pattern="x"),
                call("Read", f"r{turn}", file_path=path),
            )
            return (
                ai("", *two),
                tool(response(f"g{turn}", "grep", result)),
                tool(response(f"r{turn}", "Read", result)),
            )
        case 4:
            block = f"--- {path} ---\n{result}\n--- End of content ---"
            return human(f"see\n{block}\n"), ai(_text(dice, 15))
        case 5:
            return exchange(
                f"b{turn}", "bash", f"error: {result}", command=f"pytest {path}"
            )
        case _:
            return exchange(f"r{turn}", "read_file", result, file_path=path)
