"""Export to opencode: a new session for its import, with the fields of surviving records."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.export.export import export_history
from core.formats.registry import load_conversation
from core.transcript.model import ToolResponse
from tests.builders import ai, call, conversation, human, response, tool
from tests.core.formats.exporting import compacted_export, edited_export, unchanged_export, with_text

TOKENS = {"input": 900, "output": 20, "reasoning": 0, "cache": {"read": 0, "write": 0}}


def _record(number: int, role: str, *parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    ids = {"sessionID": "ses_old", "messageID": f"msg_{number}"}
    numbered = [{"id": f"prt_{number}{index}", **ids, **part} for index, part in enumerate(parts)]
    info = {
        "id": f"msg_{number}",
        "sessionID": "ses_old",
        "role": role,
        "time": {"created": number},
        **fields,
    }
    return {"info": info, "parts": numbered}


def _tool(output: str) -> dict[str, Any]:
    state = {"status": "completed", "input": {"command": "make"}, "output": output, "title": "make"}
    state |= {"metadata": {"exit": 0, "output": output}, "time": {"start": 2, "end": 3}}
    return {"type": "tool", "callID": "c", "tool": "bash", "state": state}


def _source(folder: Path) -> Path:
    messages = [
        _record(1, "user", {"type": "text", "text": "Build it."}, agent="plan"),
        _record(2, "assistant", _tool("a long log"), mode="plan", parentID="msg_1", tokens=TOKENS),
        _record(3, "user", {"type": "text", "text": "And now?"}),
        _record(4, "assistant", {"type": "text", "text": "Done."}, parentID="msg_3", tokens=TOKENS),
    ]
    path = folder / "session.json"
    path.write_text(json.dumps({"info": {"id": "ses_old", "title": "Build"}, "messages": messages}))
    return path


@pytest.mark.parametrize("time", [{}, None, 3], ids=str)
def test_a_record_without_its_time_is_written(time: object, tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    path.write_text(
        json.dumps({"messages": [_record(1, "user", {"type": "text", "text": "Hi."}, time=time)]})
    )
    loaded = load_conversation(path)
    given = edited_export(loaded, {0: with_text(loaded.messages[0], 0, "Hello.")})
    session = json.loads(export_history(given, "opencode").data)
    assert session["info"]["time"] == {"created": 0, "updated": 0}


def test_an_edited_session_has_new_ids_and_the_fields_of_its_records(tmp_path: Path) -> None:
    loaded = load_conversation(_source(tmp_path))
    result = loaded.messages[2].blocks[0]
    assert isinstance(result, ToolResponse)
    shorter = replace(loaded.messages[2], blocks=(replace(result, result="a log"),))
    exported = export_history(edited_export(loaded, {2: shorter}), "opencode")
    written = json.loads(exported.data)
    infos = [record["info"] for record in written["messages"]]
    session = written["info"]["id"]
    assert session.startswith("ses_")
    assert session != "ses_old"
    assert {info["sessionID"] for info in infos} == {session}
    assert [info["id"] for info in infos] == sorted(info["id"] for info in infos)
    assert [info.get("parentID") for info in infos] == [None, infos[0]["id"], None, infos[2]["id"]]
    assert (infos[0]["agent"], infos[1]["mode"]) == ("plan", "plan")
    (part,) = written["messages"][1]["parts"]
    assert part["state"] | {"metadata": None} == _tool("a log")["state"] | {"metadata": None}
    assert part["state"]["metadata"] == {"exit": 0}
    assert infos[1]["tokens"] == TOKENS
    assert infos[3]["tokens"]["input"] == 0


def test_no_message_is_earlier_than_its_predecessor(tmp_path: Path) -> None:
    loaded = load_conversation(_source(tmp_path))
    compacted = compacted_export(loaded)
    assert compacted.compaction is not None
    first, *others = compacted.messages
    late = replace(first, timestamp="2026-01-01T00:00:00Z")
    compaction = replace(compacted.compaction, messages=(late, *others))
    exported = export_history(replace(compacted, compaction=compaction), "opencode")
    times = [record["info"]["time"]["created"] for record in json.loads(exported.data)["messages"]]
    assert times == sorted(times)
    assert times[0] > 4


def test_parallel_calls_hold_their_own_results() -> None:
    both = ai("I look", call("tide", "a", port="Brest"), call("moon", "b"), call("sun", "c"))
    answers = tool(response("b", "moon", "full"), response("a", "tide", "06:12"))
    source = conversation(human("hi"), both, answers, ai("done"))
    records = json.loads(export_history(unchanged_export(source), "opencode").data)["messages"]
    states = [part["state"] for part in records[1]["parts"][1:]]
    assert [state.get("output") for state in states] == ["06:12", "full", None]
    assert [state["status"] for state in states] == ["completed", "completed", "pending"]


@pytest.mark.skipif(shutil.which("opencode") is None, reason="opencode is not installed")
def test_opencode_imports_it_and_exports_the_same_messages(tmp_path: Path) -> None:
    path = tmp_path / "compacted.json"
    path.write_bytes(export_history(compacted_export(load_conversation(_source(tmp_path))), "opencode").data)
    written = json.loads(path.read_bytes())
    places = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}

    def run(*arguments: str) -> str:
        result = subprocess.run(
            ["opencode", *arguments], cwd=tmp_path, env=places, capture_output=True, check=True, timeout=60
        )
        return result.stdout.decode()

    run("import", str(path))
    assert json.loads(run("export", written["info"]["id"]))["messages"] == written["messages"]
