"""What ``compact`` adds to items of openai-agents has the shortest form that the API takes."""

from typing import Any

from core.api import compact


def response_items() -> list[dict[str, Any]]:
    """Twenty questions with answers as the API returns them."""
    given: list[dict[str, Any]] = []
    for turn in range(20):
        part = {
            "type": "output_text",
            "text": f"Did step {turn} " + "ok " * 80,
            "annotations": [],
        }
        answer = {
            "type": "message",
            "role": "assistant",
            "id": f"msg_{turn}",
            "content": [part],
        }
        given += [{"role": "user", "content": f"Turn {turn}: " + "word " * 100}, answer]
    return given


def test_an_added_answer_is_text_not_a_list_of_parts() -> None:
    result = compact(response_items(), strategy="middle-out", limit=6000).messages
    added = [item for item in result if item not in response_items()]
    assert {item["role"] for item in added} == {"user", "assistant"}
    assert all(isinstance(item["content"], str) for item in added)
