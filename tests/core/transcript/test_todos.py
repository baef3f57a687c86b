"""Todo lists of conversations."""

from __future__ import annotations

import pytest

from core.transcript.todos import active_todos, last_todos
from tests.builders import ai, call, response, tool


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


def test_a_failed_call_changes_nothing() -> None:
    wrong = ai("", call("TodoWrite", "1", todos=[_todo("a", "pending")]))
    assert active_todos([wrong, tool(response("1", error="invalid"))]) == ""
