"""Detection of failed tool calls."""

from __future__ import annotations

import pytest

from core.common.json_value import Json
from core.transcript.tool_outcomes import is_failed_result
from tests.builders import response


@pytest.mark.parametrize(
    "result",
    [{"error": "no space"}, {"success": False}, {"exit_code": 2}, '{"error": "no space"}', "Error: x"],
)
def test_a_result_that_says_so_is_a_failure(result: Json) -> None:
    assert is_failed_result(response("w", "write_file", result))


@pytest.mark.parametrize(
    "result", [{"error": None}, {"exit_code": 0}, '{"error": null}', "no errors found", None]
)
def test_any_other_result_is_none(result: Json) -> None:
    assert not is_failed_result(response("w", "write_file", result))
