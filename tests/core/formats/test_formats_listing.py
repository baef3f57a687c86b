"""The list of conversations of one file: titles, and messages as the reader counts them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.common.json_value import Json
from core.formats.registry import load_conversation
from tests.core.formats.research import load_conversations, saved, v0_run
from tests.core.formats.small_files import SMALL

SYSTEM = {"role": "system", "content": "Be brief."}
ASKED = {"role": "user", "content": [{"type": "text", "text": "Look at\nthe file."}]}
CALL = {"type": "tool_use", "id": "c1", "name": "look", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "ok"}
OPENAI = [
    SYSTEM,
    {"role": "developer", "content": "d"},
    ASKED,
    {"role": "assistant", "content": "Ok."},
    SYSTEM,
]
ANTHROPIC = [
    ASKED,
    {"role": "assistant", "content": [CALL]},
    {"role": "user", "content": [RESULT, {"type": "text", "text": "and?"}]},
    {"role": "user", "content": [RESULT]},
]

HELD = {
    "llxprt": "history",
    "openai_responses": "input",
    "langchain": "messages",
    "ai_sdk": "messages",
    "gemini": "contents",
    "openhands": "history",
}
"""Of formats whose file may be a bare list: the field that holds it where there are several."""
ALONE: tuple[str, ...] = ("openai_chat", "anthropic_messages", "atif", "swe_agent", "mini_swe_agent")
ALONE += ("cline_session", "opencode")


@pytest.mark.parametrize("lines", [True, False])
@pytest.mark.parametrize("talk", [OPENAI, ANTHROPIC])
def test_listed_messages_are_those_that_open(tmp_path: Path, talk: list[Json], lines: bool) -> None:
    path = saved(tmp_path, [{"messages": talk}, {"id": "b", "messages": talk[:3]}], lines=lines)
    found = load_conversations(path)
    listed = found[0].listed
    assert [one.messages for one in listed] == [len(one.messages) for one in found]
    assert [(one.number, one.title) for one in listed] == [(1, "Look at the file."), (2, "b")]


@pytest.mark.parametrize("lines", [True, False])
@pytest.mark.parametrize("name", [*HELD, *ALONE])
def test_every_format_lists_its_conversations(tmp_path: Path, name: str, lines: bool) -> None:
    one = {HELD[name]: list(SMALL[name]), "model": "m"} if name in HELD else SMALL[name]
    found = load_conversations(saved(tmp_path, [one, one], lines=lines))
    assert [each.format for each in found] == [name, name]
    for number, (listed, opened) in enumerate(zip(found[0].listed, found, strict=True), 1):
        assert (listed.number, listed.messages) in ((number, None), (number, len(opened.messages)))
        assert listed.title


def test_a_single_conversation_is_not_listed(tmp_path: Path) -> None:
    assert load_conversation(saved(tmp_path, {"messages": OPENAI})).listed == ()
    assert load_conversation(saved(tmp_path, OPENAI)).listed == ()


def test_events_are_counted_only_when_opened(tmp_path: Path) -> None:
    runs: list[Any] = [{"instance_id": n, "history": v0_run(n)} for n in (1, 2)]
    listed = load_conversation(saved(tmp_path, runs, lines=True)).listed
    assert [(one.title, one.messages) for one in listed] == [("instance 1", None), ("instance 2", None)]
