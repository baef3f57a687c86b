"""Small test runs of research agents, and their corpus files."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from core.common.json_value import Json
from core.formats.common.document import open_transcript
from core.formats.common.format import ReadRequest
from core.formats.registry import detect_format
from core.transcript.model import Conversation, tool_calls, tool_responses
from core.transcript.tool_pairs import find_pairs

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus"
SWE = "swe_agent"


def corpus_of(*folders: str) -> list[Any]:
    """All files of some corpus folders as parameters; one that skips where there is no corpus."""
    files = [path for folder in folders for path in sorted((CORPUS / folder).glob("*"))]
    skip = pytest.mark.skip(reason="no corpus beside the project")
    return [pytest.param(path, id=path.name) for path in files] or [pytest.param(CORPUS, marks=skip)]


def load_conversations(path: Path, most: int = 1000) -> list[Conversation]:
    """The conversations of a file, in its order; the file itself is opened once."""
    opened = open_transcript(path)
    reader, _ = detect_format(opened)
    first = reader.read(opened, ReadRequest())
    numbers = range(2, min(most, first.siblings) + 1)
    return [first, *(reader.read(opened, ReadRequest(number)) for number in numbers)]


def counts(conversation: Conversation) -> tuple[int, int, int, int, int]:
    """Messages, calls, results, unanswered calls, results of no call."""
    messages = conversation.messages
    pairs = find_pairs(messages)
    calls = sum(1 for message in messages for _ in tool_calls(message))
    results = sum(1 for message in messages for _ in tool_responses(message))
    return len(messages), calls, results, len(pairs.unanswered), len(pairs.orphans)


def saved(folder: Path, value: Json, *, lines: bool = False, name: str = "run.json") -> Path:
    """A file with this value, or with each value of a list on a line."""
    path = folder / name
    path.write_text("\n".join(map(json.dumps, value)) if lines else json.dumps(value), "utf-8")
    return path


def zipped(folder: Path, files: dict[str, Json], *, packed: int = zipfile.ZIP_DEFLATED) -> Path:
    path = folder / "log.eval"
    with zipfile.ZipFile(path, "w", packed) as archive:
        for name, value in files.items():
            archive.writestr(name, json.dumps(value))
    return path


def bash(id: str, command: str) -> Json:
    arguments = json.dumps({"command": command})
    return {"id": id, "type": "function", "function": {"name": "bash", "arguments": arguments}}


def swe_record(role: str, content: Json, kind: str, **fields: Json) -> dict[str, Json]:
    return {"role": role, "content": content, "agent": "main", "message_type": kind, **fields}


def swe_run(steps: int = 3, **fields: Json) -> dict[str, Json]:
    """Return a run of SWE-agent with calls; every step has the messages sent at it."""
    history = [
        swe_record("system", "You fix bugs.", "system_prompt"),
        swe_record("user", "Fix it.", "observation"),
    ]
    trajectory: list[Json] = []
    for number in range(steps):
        query = json.loads(json.dumps(history))
        words, seen, id_ = f"Look at {number}.", f"line {number}", f"c{number}"
        action = {"thought": words, "action": f"cat {number}"}
        calls = [bash(id_, f"cat {number}")]
        history.append(swe_record("assistant", words, "action", **action, tool_calls=calls))
        history.append(swe_record("tool", seen, "observation", tool_call_ids=[id_]))
        trajectory.append({**action, "observation": seen, "response": words, "state": {}, "query": query})
    info = {"exit_status": "submitted", "submission": "diff"}
    return {"environment": "e", "trajectory": trajectory, "history": history, "info": info, **fields}


def v1(kind: str, id: str, source: str, **fields: Json) -> dict[str, Json]:
    return {"id": id, "timestamp": "2026-03-01T10:00:00", "source": source, **fields, "kind": kind}


def v1_text(text: str) -> list[Json]:
    return [{"cache_prompt": False, "type": "text", "text": text}]


def v1_message(id: str, role: str, text: str) -> dict[str, Json]:
    source = "agent" if role == "assistant" else "user"
    inner = {"role": role, "content": v1_text(text)}
    return v1("MessageEvent", id, source, llm_message=inner, activated_skills=[], extended_content=[])


def v1_action(id: str, call: str, answer: str, thought: str = "", command: str = "ls") -> dict[str, Json]:
    """A call of the terminal; those of one answer are parallel."""
    return v1(
        "ActionEvent",
        id,
        "agent",
        thought=v1_text(thought) if thought else [],
        reasoning_content=None,
        thinking_blocks=[],
        action={"command": command, "kind": "TerminalAction"},
        tool_name="terminal",
        tool_call_id=call,
        tool_call={"id": call, "name": "terminal", "arguments": json.dumps({"command": command})},
        llm_response_id=answer,
    )


def v1_observation(
    id: str, call: str, action: str, text: str = "ok", *, failed: bool = False
) -> dict[str, Json]:
    seen = {"content": v1_text(text), "is_error": failed, "kind": "TerminalObservation"}
    fields = {"tool_name": "terminal", "tool_call_id": call, "action_id": action}
    return v1("ObservationEvent", id, "environment", **fields, observation=seen)


def v1_run(rounds: int = 4) -> list[Json]:
    """A session of OpenHands 1: system prompt, task, rounds of one call each, state updates between."""
    prompt = {"type": "text", "text": "You are OpenHands."}
    events: list[Json] = [v1("SystemPromptEvent", "sys", "agent", system_prompt=prompt, tools=[])]
    events.append(v1_message("u0", "user", "Tidy up."))
    for n in range(rounds):
        events.append(v1_action(f"a{n}", f"c{n}", f"r{n}", f"Round {n}."))
        events.append(v1("ConversationStateUpdateEvent", f"s{n}", "environment", key="x", value=n))
        events.append(v1_observation(f"o{n}", f"c{n}", f"a{n}", f"seen {n}"))
    return [*events, v1_message("u1", "assistant", "Done.")]


V1_PARALLEL = [
    v1_message("u0", "user", "Go."),
    v1_action("a1", "c1", "r", "Both."),
    v1_action("a2", "c2", "r"),
    v1_observation("o1", "c1", "a1"),
    v1_observation("o2", "c2", "a2"),
    v1_message("u1", "assistant", "Ok."),
]
"""Two calls at once, then both results."""


def v0(id: int | None, source: str, **fields: Json) -> dict[str, Json]:
    """An event of OpenHands 0; very old files have no ids."""
    own = {} if id is None else {"id": id}
    return {**own, "timestamp": "2025-01-27T22:44:56", "source": source, "message": "", **fields}


def v0_call(call: str, answer: str, *others: str, command: str = "ls") -> Json:
    """The metadata of an action that the model asked for as a tool call."""
    calls = [bash(one, command) for one in (call, *others)]
    message = {"role": "assistant", "content": "Let me look.", "tool_calls": calls}
    response = {"id": answer, "model": "m", "choices": [{"message": message}], "usage": {"prompt_tokens": 40}}
    return {"function_name": "bash", "tool_call_id": call, "model_response": response}


def v0_action(
    id: int, call: str, answer: str, *others: str, thought: str = "Let me look."
) -> dict[str, Json]:
    args = {"command": "ls", "thought": thought}
    return v0(id, "agent", action="run", args=args, tool_call_metadata=v0_call(call, answer, *others))


def v0_observation(id: int, cause: int, call: str = "", text: str = "ok") -> dict[str, Json]:
    metadata = {"tool_call_metadata": {"function_name": "bash", "tool_call_id": call}} if call else {}
    return v0(id, "agent", cause=cause, observation="run", content=text, extras={}, **metadata)


def v0_run(rounds: int = 4) -> list[Json]:
    """A session of OpenHands 0 with ids from 0."""
    task = {"content": "Tidy up.", "image_urls": None}
    events: list[Json] = [v0(0, "user", action="message", args=task)]
    events.append(v0(1, "environment", cause=0, observation="agent_state_changed", content="", extras={}))
    for n in range(rounds):
        events.append(v0_action(2 + 2 * n, f"c{n}", f"r{n}", thought=f"Round {n}."))
        events.append(v0_observation(3 + 2 * n, 2 + 2 * n, f"c{n}", f"seen {n}"))
    done = {"final_thought": "Done.", "thought": ""}
    return [*events, v0(2 + 2 * rounds, "agent", action="finish", args=done)]


def sample(id: Json = 1, epoch: int = 1, messages: Sequence[Json] = (), **fields: Json) -> dict[str, Json]:
    own = {"id": id, "epoch": epoch, "input": "task", "target": "t", "messages": list(messages)}
    return {**own, "output": {"model": "m"}, "scores": {}, "events": [], "attachments": {}, **fields}


def chat(role: str, content: Json, id: str = "", **fields: Json) -> dict[str, Json]:
    return {**({"id": id} if id else {}), "role": role, "content": content, **fields}
