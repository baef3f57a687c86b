"""The acknowledgement after a summary, and the text of a streamed answer."""

from __future__ import annotations

import pytest

from core.summarize.summary_request import continuation_text, first_task, reference_continuation


@pytest.mark.parametrize(
    ("todos", "task"),
    [("- [pending] a\r\n- b", "a"), ("- [x] a\u2028b", "a\u2028b"), ("\n only", "only"), ("]", "")],
)
def test_the_first_task_is_the_first_line_behind_its_bracket(todos: str, task: str) -> None:
    assert first_task(todos) == task


@pytest.mark.parametrize("variant", ["cs", "hd", "todo"])
def test_the_acknowledgement_names_the_open_task_and_no_tool(variant: str) -> None:  # fix SU-02
    assert "write the test" in continuation_text("- [pending] write the test")
    assert continuation_text("") not in (reference_continuation(variant, ""), "")
    assert "todo_read" not in continuation_text("- [pending] a")
