"""Reference mode through the driver of the golden cases, with numbers of the reference's description."""

from __future__ import annotations

from typing import Any

from tests.golden.engine import run_orchestration

Entry = dict[str, Any]


def entry(speaker: str, *blocks: Entry) -> Entry:
    return {"speaker": speaker, "blocks": list(blocks)}


def text(speaker: str, letter: str, count: int = 200) -> Entry:
    return entry(speaker, {"type": "text", "text": letter * count})


def turn(id_: str, name: str, result: str) -> tuple[Entry, Entry]:
    called = {"type": "tool_call", "id": id_, "name": name, "parameters": {"file_path": "/w/a"}}
    answer = {"type": "tool_response", "callId": id_, "toolName": name, "result": result}
    return entry("ai", called), entry("tool", answer)


TALK = [text("human", "x"), text("ai", "y")] * 10  # 1,000 tokens
PRUNABLE = [text("human", "g", 2), *turn("r1", "read_file", "R" * 1600), *turn("w1", "write_file", "ok")]
PRUNABLE += TALK[:8]


def drive(history: list[Entry], *steps: Entry, variant: str = "hd", **given: Any) -> list[Entry]:
    """Return the events and the state after each step."""
    wanted = [{"dirty": None} for _ in steps]
    case = {"variant": variant, "strategy": "orchestration", "steps": list(steps), **given}
    found: list[Entry] = run_orchestration(history, case, {"steps": wanted})["steps"]
    return found


SEND: Entry = {"op": "beforeSend", "pending": 0}


def test_an_entry_added_during_the_summary_is_gone_and_counted() -> None:
    late = text("human", "z", 28)
    (step,) = drive(TALK, SEND, addsDuringLLM=[late])
    assert (step["historyLength"], step["totalTokens"], step["dirty"]) == (10, 420, False)
    assert step["events"] == ["compress-start", "llm", "compress-end"]


def test_a_stale_count_compresses_what_pruning_freed_and_makes_it_longer() -> None:
    steps = drive(PRUNABLE, {"op": "setLastPrompt", "n": 900}, SEND, settings={"strategy": "high-density"})
    assert steps[1]["events"] == ["density-run", "density-applied", "compress-start", "compress-end"]
    assert steps[1]["totalTokens"] == 422  # 416 before: "ok" became a line


def test_another_strategy_consumes_the_mark() -> None:
    change = {"op": "setSetting", "key": "strategy", "value": "high-density"}
    steps = drive(PRUNABLE, SEND, change, SEND, settings={"contextLimit": 5000})
    assert [step["events"] for step in steps] == [[], [], []]
    assert not steps[0]["dirty"]


def test_a_no_op_comes_back_on_every_send() -> None:
    steps = drive([text("human", "x", 2000), text("ai", "y", 2000)], SEND, SEND, SEND)
    assert [step["events"] for step in steps] == [["compress-start", "compress-end"]] * 3


def test_other_speakers_are_refused_and_still_make_dirty() -> None:
    steps = drive(TALK[:2], SEND, {"op": "add", "entry": text("system", "s")})
    assert (steps[1]["historyLength"], steps[1]["totalTokens"], steps[1]["dirty"]) == (2, 100, True)
