"""Other parts of a file: conversations, branches, recorded compactions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.cli.running_cli import Cli
from tests.forked_session import TASK, write


@pytest.fixture
def session(tmp_path: Path) -> str:
    return str(write(tmp_path))


def test_inspect_lists_conversations_and_branches(cli: Cli, session: str) -> None:
    found = cli.json("inspect", session)
    assert (found["conversations"], found["conversation"], found["branch"]) == (6, 1, 1)
    second = found["conversation_list"][1]
    expected = {"number": 2, "title": TASK, "messages": 2, "kind": "sub-agent", "call_id": "toolu_task"}
    assert second == expected
    assert [one["messages"] for one in found["branches"]] == [68, 53]


@pytest.mark.parametrize(
    ("option", "number", "messages"),
    [("--branch", 2, 53), ("--conversation", 2, 2), ("--conversation", 4, 1)],
)
def test_another_branch_or_conversation_is_chosen(
    cli: Cli, session: str, option: str, number: int, messages: int
) -> None:
    found = cli.json("inspect", session, option, str(number))
    assert (found[option.removeprefix("--")], found["messages"]) == (number, messages)


def test_a_number_that_is_not_there_is_one_sentence(cli: Cli, session: str) -> None:
    assert "has 2 branches, not 3" in cli.error_text("inspect", session, "--branch", "3")
    assert "holds 6 conversations, not 7" in cli.error_text("lint", session, "--conversation", "7")
