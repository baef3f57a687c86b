"""Pairs of calls and responses, and the boundaries that do not separate them."""

from __future__ import annotations

import pytest

from core.common.json_value import Json
from core.transcript.todos import active_todos, last_todos
from core.transcript.tool_pairs import find_pairs, is_failed_result
from tests.builders import ai, call, human, response, tool


def test_a_call_and_its_response_are_a_pair_that_blocks_the_boundary_between() -> None:
    pairs = find_pairs([human("a"), ai("", call("bash", "1")), tool(response("1")), human("b")])
    assert [(pair.call, pair.response) for pair in pairs.pairs] == [(1, 2)]
    assert list(pairs.valid) == [1, 1, 0, 1, 1]


def test_an_id_used_again_is_joined_turn_by_turn() -> None:
    turn = [ai("", call("bash", "1")), tool(response("1"))]
    pairs = find_pairs([*turn, *turn])
    assert [(pair.call, pair.response) for pair in pairs.pairs] == [(0, 1), (2, 3)]
    assert pairs.valid[2]


def test_parallel_calls_block_until_the_last_answer() -> None:
    pairs = find_pairs([ai("", call("a", "1"), call("b", "2")), tool(response("1")), tool(response("2"))])
    assert list(pairs.valid) == [1, 0, 0, 1]
    assert [pair.id for pair in pairs.pairs_across(2)] == ["2"]


def test_answers_that_come_before_their_call_all_belong_to_it() -> None:
    early = tool(response("1"), response("1"))
    pairs = find_pairs([early, human("a"), ai("", call("bash", "1"))])
    assert [(pair.call, pair.response) for pair in pairs.pairs] == [(2, 0), (2, 0)]
    assert not pairs.orphans


@pytest.mark.parametrize(
    "result",
    [{"error": "no space"}, {"success": False}, {"exit_code": 2}, '{"error": "no space"}', "Error: x"],
)
def test_a_result_that_says_so_is_a_failure(result: Json) -> None:
    assert is_failed_result(response("w", "write_file", result))


def _todo(content: str, status: str) -> dict[str, str]:
    return {"content": content, "status": status}


@pytest.mark.req("REQ-HD-011.2")
def test_in_progress_comes_first_and_completed_is_left_out() -> None:
    todos = [_todo("a", "pending"), _todo("b", "completed"), _todo("c", "in_progress")]
    assert active_todos([ai("", call("TodoWrite", "1", todos=todos))]) == "- [in_progress] c\n- [pending] a"


def test_the_last_list_wins_over_earlier_ones() -> None:
    first = ai("", call("todo_write", "1", todos=[_todo("old", "pending")]))
    last = ai("", call("todo_write", "2", todos='[{"content": "new", "status": "pending"}]'))
    assert active_todos([first, last]) == "- [pending] new"


def test_tasks_are_followed_by_the_numbers_their_tool_gave() -> None:
    messages = [
        ai("", call("TaskCreate", "1", subject="one"), call("TaskCreate", "2", subject="two")),
        tool(response("1", result="Task #7 created"), response("2", result=[{"text": "Task #8 created"}])),
        ai("", call("TaskUpdate", "3", taskId="7", status="completed")),
        ai("", call("TaskUpdate", "4", taskId="8", status="in_progress")),
    ]
    assert active_todos(messages) == "- [in_progress] two"
    assert len(last_todos(messages)) == 2
