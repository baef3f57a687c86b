"""A Claude Code session with everything that a session can hold besides messages, for pictures and
tests.

A fork, a sub-agent in the file and some in files of their own, a microcompaction, a compaction that
kept messages, one that grew, and a line that was cut off. Invented, as all our samples are.
"""

import json
from pathlib import Path
from typing import Any

NAME = "fix-flaky-upload.jsonl"
TASK = "Count the Python files under src and say which are the largest."


Line = dict[str, Any]


def user(uuid: str, parent: str | None, content: Any = "go on", **fields: Any) -> Line:
    message = {"role": "user", "content": content}
    return {
        "type": "user",
        "uuid": uuid,
        "parentUuid": parent,
        "message": message,
        **fields,
    }


def ai(
    uuid: str, parent: str | None, *blocks: Line, id: str = "", **fields: Any
) -> Line:
    usage = {
        "input_tokens": 5,
        "cache_read_input_tokens": 70,
        "cache_creation_input_tokens": 1,
    }
    message = {
        "id": id or f"msg_{uuid}",
        "model": "m-1",
        "content": list(blocks),
        "usage": usage,
    }
    return {
        "type": "assistant",
        "uuid": uuid,
        "parentUuid": parent,
        "message": message,
        **fields,
    }


def boundary(uuid: str, **metadata: Any) -> Line:
    line = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": uuid,
        "parentUuid": None,
    }
    return {**line, "compactMetadata": {"trigger": "auto", **metadata}}


def summary(uuid: str, parent: str) -> Line:
    return user(uuid, parent, "what happened", isCompactSummary=True)


def text(words: str) -> Line:
    return {"type": "text", "text": words}


def use(id: str, **fields: Any) -> Line:
    return {
        "type": "tool_use",
        "id": id,
        "name": "Bash",
        "input": {"command": "ls"},
        **fields,
    }


def result(id: str, content: Any = "out", **fields: Any) -> Line:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **fields}


SIDE: Line = {"isSidechain": True}


def task(id: str, prompt: str) -> Line:
    return use(id, name="Task", input={"prompt": prompt})


class _Chain:
    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.last: str | None = None

    def add_user(self, words: str, uuid: str = "", **fields: Any) -> str:
        return self._add(user(uuid or self._next(), self.last, words, **fields))

    def add_answer(self, *blocks: Line) -> str:
        line = ai(self._next(), self.last, *blocks, cwd="/repo", sessionId="retry")
        line["message"]["model"] = "claude-sonnet-4-5"
        return self._add(line)

    def add_read(self, name: str, size: int) -> None:
        id_ = f"toolu_{len(self.lines):03}"
        self.add_answer(
            text(f"{name} is next."),
            use(id_, name="Read", input={"file_path": f"/repo/src/{name}"}),
        )
        body = f"def part_{size}(queue):\n    return queue.retry({size})\n"
        self._add(user(self._next(), self.last, [result(id_, body * size)]))

    def add_line(self, line: Line) -> None:
        self.lines.append({**line, "logicalParentUuid": self.last})

    def _add(self, line: Line) -> str:
        self.lines.append(line)
        self.last = str(line["uuid"])
        return self.last

    def _next(self) -> str:
        return f"line-{len(self.lines)}"


def write(folder: Path) -> Path:
    path = folder / NAME
    agents = folder / path.stem / "subagents"
    agents.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "\n".join([*map(json.dumps, _session()), '{"type": "user", "mess']), "utf-8"
    )
    for number, module in enumerate(("client", "pool", "retry", "session")):
        line = user(
            "q",
            None,
            f"Explore src/{module}.py and list what it exports.",
            isSidechain=True,
        )
        line |= {
            "agentId": f"x{number}",
            "timestamp": f"2026-03-0{number + 1}T09:00:00Z",
        }
        (agents / f"agent-x{number}.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    return path


def _session() -> list[Line]:
    chain = _Chain()
    chain.add_user(
        "Make the upload test reliable on CI without touching the public API."
    )
    for number in range(24):
        chain.add_read(f"part{number % 7}.py", 12 + number % 5)
    fork = _sub_agent(chain)
    chain.add_user("Rewrite the client from scratch.")
    chain.add_answer(text("I begin with the client."))
    chain.last = fork
    chain.add_user("Add a test for the half-closed socket instead.")
    chain.add_line(_micro())
    first = f"line-{len(chain.lines)}"
    chain.add_read("part1.py", 8)
    segment = {"headUuid": first, "anchorUuid": "summary-1", "tailUuid": chain.last}
    chain.add_line(
        boundary(
            "boundary-1", preTokens=168_000, postTokens=38_000, preservedSegment=segment
        )
    )
    _go_on(chain, 1, "Goal: a reliable upload test. Files: src/part1.py, src/part2.py.")
    for number in range(6):
        chain.add_read(f"part{number}.py", 6)
    chain.add_line(
        boundary("boundary-2", trigger="manual", preTokens=71_000, postTokens=83_000)
    )
    _go_on(chain, 2, "Goal: a reliable upload test. All parts were read again.")
    chain.add_user("Now the documentation.")
    chain.add_answer(text("The retry policy is documented."))
    side: Line = {"isSidechain": True, "agentId": "counter"}
    return [
        *chain.lines,
        user("side-1", None, TASK, **side),
        ai("side-2", "side-1", text("Seven."), **side),
    ]


def _sub_agent(chain: _Chain) -> str:
    chain.add_answer(use("toolu_task", name="Task", input={"prompt": TASK}))
    line = user("told", chain.last, [result("toolu_task", "There are 7.")])
    chain.lines.append({**line, "toolUseResult": {"agentId": "counter"}})
    chain.last = "told"
    return "told"


def _micro() -> Line:
    ids = [f"toolu_{number:03}" for number in (1, 3, 5, 7)]
    metadata = {
        "trigger": "auto",
        "preTokens": 50_000,
        "tokensSaved": 4_000,
        "compactedToolIds": ids,
    }
    line: Line = {"type": "system", "subtype": "microcompact_boundary", "uuid": "micro"}
    return {**line, "parentUuid": None, "microcompactMetadata": metadata}


def _go_on(chain: _Chain, number: int, words: str) -> None:
    chain.last = f"boundary-{number}"
    intro = "This session goes on from an earlier one that ran out of context."
    chain.add_user(
        f"{intro}\n\n{words}", uuid=f"summary-{number}", isCompactSummary=True
    )
