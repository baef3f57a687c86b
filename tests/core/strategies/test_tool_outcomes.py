"""No strategy tells the model that a call succeeded unless its result proves it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from core.api import compact
from core.facts.tool_outcome import Outcome, tool_outcome
from core.strategies.registry import COMPACTION_STRATEGIES
from core.transcript.model import ToolResponse
from tests.support.builders import ai, call

PAD = "\n".join(f"step {number} of the run" for number in range(80))
FAILURES = {
    "pytest": (
        f"{PAD}\nFAILED tests/test_x.py::test_a - AssertionError: 3 != 4",
        "AssertionError: 3 != 4",
    ),
    "cargo": (f"{PAD}\nerror[E0308]: mismatched types", "mismatched types"),
    "npm": (f"{PAD}\nnpm ERR! code ELIFECYCLE", "npm ERR! code ELIFECYCLE"),
    "make": (
        f"make: *** [Makefile:12: test] Error 1\n{PAD}",
        "make: *** [Makefile:12: test] Error 1",
    ),
    "crash": (f"Segmentation fault (core dumped)\n{PAD}", "Segmentation fault"),
    "http": (f"HTTP/1.1 503 Service Unavailable\n{PAD}", "503 Service Unavailable"),
    "hunks": (f"Hunk #1 FAILED at 12.\n{PAD}", "Hunk #1 FAILED at 12."),
    "json": (
        json.dumps({"ok": False, "error": "quota exceeded", "n": [*range(300)]}),
        "quota exceeded",
    ),
    "silent": (PAD, "output left out, 80 lines"),
}
_CLAIM = re.compile(r"success|\bok\b|none failed|\bpassed\b", re.IGNORECASE)
QUOTED = r"\"ok\": false"  # the beginning of a result, in a stub
SETTINGS = {
    "compression.context-limit": 9000,
    "compression.stub.tokens": 100,
    "compression.stub.keep-results": 1,
}


def _history() -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Get the build green."}
    ]
    runs = [(f"run {name}", output) for name, (output, _) in FAILURES.items()]
    reads = [(f"cat src/m{number}", f"value {number}\n" * 120) for number in range(12)]
    for number, (command, output) in enumerate((*runs, *reads)):
        function = {"name": "bash", "arguments": json.dumps({"command": command})}
        made = {"id": f"c{number}", "type": "function", "function": function}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [made]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": output},
        ]
    asked = {"role": "user", "content": "What is still red?"}
    return [*messages, {"role": "assistant", "content": "Looking."}, asked]


def _results(name: str) -> list[str]:
    made: Any = compact(_history(), strategy=name, settings=SETTINGS).messages
    return [json.dumps(message, ensure_ascii=False) for message in made]


@pytest.mark.req("LH-13", "LH-41", "REQ-HD-008.2")
@pytest.mark.parametrize("name", COMPACTION_STRATEGIES)
def test_no_strategy_claims_success_without_evidence(name: str) -> None:
    old = {json.dumps(message, ensure_ascii=False) for message in _history()}
    written = "\n".join(text for text in _results(name) if text not in old)
    assert not _CLAIM.findall(written.replace(QUOTED, ""))


@pytest.mark.req("LH-41", "REQ-HD-008.2")
@pytest.mark.parametrize("name", ["hybrid", "high-density", "stub-and-retrieve"])
def test_a_line_for_a_result_carries_its_error_or_says_how_much_is_left_out(
    name: str,
) -> None:
    made: Any = compact(_history(), strategy=name, settings=SETTINGS).messages
    lines = [message["content"] for message in made if message["role"] == "tool"]
    changed = 0
    for line, (output, expected) in zip(lines, FAILURES.values(), strict=False):
        changed += line != output
        assert (
            line == output
            or expected in line
            or (name == "stub-and-retrieve" and output == PAD)
        )
    assert changed >= 7


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        (ToolResponse("a", "bash", "Exit code: 0\nOutput:\nfine"), Outcome.SUCCEEDED),
        (
            ToolResponse("a", "bash", '{"output":"x","metadata":{"exit_code":0}}'),
            Outcome.SUCCEEDED,
        ),
        (
            ToolResponse(
                "a", "bash", "<returncode>0</returncode>\n<output>\nx\n</output>"
            ),
            Outcome.SUCCEEDED,
        ),
        (
            ToolResponse("a", "bash", "fine", extra={"is_error": False}),
            Outcome.SUCCEEDED,
        ),
        (
            ToolResponse("a", "bash", "fine", extra={"status": "completed"}),
            Outcome.UNKNOWN,
        ),
        (
            ToolResponse("a", "bash", '{"ok": true}'),
            Outcome.UNKNOWN,
        ),  # a program printed it
        (ToolResponse("a", "bash", "all good"), Outcome.UNKNOWN),
        (ToolResponse("a", "bash", "no such option\nexit code 2"), Outcome.FAILED),
        (
            ToolResponse("a", "bash", "x", extra={"metadata": {"exit": 1}}),
            Outcome.FAILED,
        ),
    ],
)
def test_only_an_exit_code_or_a_status_field_proves_success(
    response: ToolResponse, kind: Outcome
) -> None:
    (made,) = ai("", call("bash", "a", command="make")).blocks
    assert tool_outcome(made, response).kind is kind  # type: ignore[arg-type]
