"""Limits of providers on images and bytes of a request."""

import base64
from dataclasses import replace
from pathlib import Path

import pytest

from core.common.json_value import Json
from core.formats.registry import load_conversation
from core.lint.common_rules import RequestModel
from core.lint.lint import PROVIDERS, lint_history, lint_messages, lint_verdict
from core.lint.provider_limits import (
    media_text,
    media_use,
    megabytes,
    provider_limits,
)
from core.lint.repair import repair_messages
from core.transcript.model import (
    Conversation,
    Media,
    Message,
    RecordedCompaction,
    SourceDocument,
    Speaker,
    ToolResponse,
    tool_responses,
)
from core.transcript.scopes import history_of_scope
from tests.core.lint.image_headers import png
from tests.support.builders import ai, call, human, response, tool

SHORT, LONG = RequestModel("claude", 200_000), RequestModel("claude", 1_000_000)
FAULT = Path(__file__).parents[4] / "shared/faults/an_24541_120images.json"
pytestmark = pytest.mark.req("REPAIR-4")


def image(width: int = 40, height: int = 30, size: int = 0) -> Message:
    return human("", Media("image/png", png(width, height, size)))


def found(
    provider: str, *messages: Message, model: RequestModel = SHORT
) -> list[tuple[str, str, int]]:
    findings = lint_messages((human("look"), *messages), provider, model=model)
    return [(one.severity, one.rule.partition(".")[2], one.index) for one in findings]


def test_images_of_a_request_are_counted_by_the_window() -> None:
    many = [image()] * 120
    assert found("anthropic", *many[:100]) == []
    assert found("anthropic", *many) == [("error", "media-count", -1)]
    assert found("anthropic", *many, model=LONG) == []
    assert found("anthropic", *many, model=RequestModel()) == [
        ("warning", "media-count", -1)
    ]
    assert found("anthropic", *many * 6, model=LONG) == [("error", "media-count", -1)]
    assert found("openai", *many * 5) == [("warning", "media-count", -1)]


def test_pixels_are_judged_by_the_number_of_images() -> None:
    large, huge = image(3_000, 20), image(40, 9_000)
    assert found("anthropic", large, huge) == [("error", "media-pixels", 2)]
    (finding,) = lint_messages((human("look"), huge), "anthropic", model=SHORT)
    assert "40 × 9,000" in finding.text
    assert found("anthropic", large, *[image()] * 20) == [("error", "media-pixels", 1)]
    assert found("gemini", large, huge) == []


def test_bytes_are_those_of_the_whole_image_and_request() -> None:
    million = 1_048_576
    assert found("anthropic", image(size=5 * million)) == []
    assert found("anthropic", image(size=5 * million + 4)) == [
        ("error", "media-bytes", 1)
    ]
    assert found("anthropic", *[image(size=4 * million)] * 9) == [
        ("error", "request-bytes", -1)
    ]
    assert found("openai", *[image(size=4 * million)] * 13) == [
        ("warning", "media-bytes", -1)
    ]
    assert found("gemini", human("x" * 20 * million), human("é")) == [
        ("error", "request-bytes", -1)
    ]
    assert (
        media_text([image(size=4 * million)] * 9, "anthropic")
        == "9 images, 36 MB of 32 MB"
    )
    assert media_text([human("none")], "anthropic") == ""
    assert [megabytes(size) for size in (0, 1, 4 * million)] == [
        "0 MB",
        "0.1 MB",
        "4 MB",
    ]


def test_limits_of_another_service_are_told_by_the_models_name() -> None:
    bedrock = RequestModel("us.anthropic.claude-sonnet-4-5-v1:0", 200_000)
    message = human("", *[Media("image/png", png())] * 21)
    assert found("anthropic", message, model=bedrock) == [("warning", "media-count", 0)]
    assert found("anthropic", message) == []


@pytest.mark.req("REPAIR-5")
def test_the_oldest_images_go_until_no_limit_is_broken() -> None:
    million = 1_048_576
    cases = {
        "too many": ([image()] * 120, range(20)),
        "too large": ([image(), image(9_000), image(size=6 * million)], (1, 2)),
        "too large for so many": ([image(3_000), *[image()] * 24], (0,)),
        "too many bytes": ([image(size=4 * million)] * 9, range(2)),
    }
    for messages, left_out in cases.values():
        found = repair_messages(
            [human("look"), *messages], "anthropic", model=SHORT, leaves_out_images=True
        )
        assert [change.index - 1 for change in found.changes] == [*left_out]
        after = found.compaction.messages
        assert lint_messages(after, "anthropic", model=SHORT) == ()
        assert (
            repair_messages(
                after, "anthropic", model=SHORT, leaves_out_images=True
            ).changes
            == ()
        )
    assert repair_messages([image()] * 120, "anthropic", model=SHORT).changes == ()


def test_images_in_results_and_links_count_too() -> None:
    parts = [
        {
            "type": "image",
            "source": {
                "type": "base64",
                "media_type": "image/png",
                "data": png(50, 60),
            },
        },
        {"type": "text", "text": "ok"},
        {
            "type": "image",
            "source": {"type": "url", "url": "https://example.org/a.png"},
        },
    ]
    use = media_use(
        [Message(speaker=Speaker.TOOL, blocks=(ToolResponse("x", "shot", parts),))]
    )
    assert [(one.width, one.height, one.bytes > 0) for one in use.images] == [
        (50, 60, True),
        (0, 0, False),
    ]
    assert (
        media_use(
            [
                Message(
                    speaker=Speaker.TOOL,
                    blocks=(ToolResponse("x", "shot", {"base64": png()}),),
                )
            ]
        ).images
        == ()
    )


def _picture(data: str, mime: str = "image/png") -> dict[str, Json]:
    source: Json = {"type": "base64", "media_type": mime, "data": data}
    return {"type": "image", "source": source}


@pytest.mark.req("REPAIR-1")
def test_broken_and_wrongly_named_images_of_results_are_mended() -> None:
    jpeg = base64.b64encode(b"\xff\xd8\xff\xe0" + bytes(40)).decode()
    link: Json = {"type": "image", "source": {"type": "url", "url": "https://a.org"}}
    result: Json = [_picture("iVBOR*0K"), _picture(jpeg), _picture(png()), link]
    faulty = ai("", call("shot")), tool(response("shot", result=result)), ai("x")
    assert found("anthropic", *faulty) == [
        ("error", "media-data", 2),
        ("error", "media-type", 2),
    ]
    repair = repair_messages((human("look"), *faulty), "anthropic")
    (mended,) = tool_responses(repair.compaction.messages[2])
    left_out = {"type": "text", "text": "[image left out]"}
    said = _picture(jpeg, "image/jpeg")
    assert mended.result == [left_out, said, _picture(png()), link]


def test_a_compacted_session_is_measured_as_it_is_sent() -> None:
    messages = (*[image()] * 120, human("go on"))
    summary = human("what happened")
    recorded = (RecordedCompaction(kind="summary", boundary=120, summary=(summary,)),)
    session = Conversation(
        format="claude_code",
        document=SourceDocument(name="s"),
        messages=messages,
        reported_limit=200_000,
    )
    compacted = replace(session, recorded=recorded)
    whole = [
        lint_history(one, history_of_scope(one, "all"), "anthropic")
        for one in (session, compacted)
    ]
    assert [[one.rule for one in findings] for findings in whole] == [
        ["anthropic.media-count"],
        [],
    ]


def test_every_row_names_its_source_and_the_verdict_claims_no_more_than_was_checked() -> (
    None
):
    names = {provider.name for provider in PROVIDERS}
    for row in provider_limits():
        assert row.provider in names
        assert row.source
        assert row.date
        assert row.most > 0
        assert row.status == "reported" or row.status.startswith("documented")
    text = "order, ids and content are in order for Anthropic"
    assert lint_verdict(lint_messages((human("a"),), "anthropic"), "anthropic") == text


def test_the_session_that_was_refused_is_found() -> None:
    if not FAULT.exists():
        pytest.skip("needs ../shared/faults")
    conversation = load_conversation(FAULT)
    (finding,) = lint_history(
        conversation, history_of_scope(conversation, "all"), "anthropic"
    )
    assert finding.rule == "anthropic.media-count"
    assert "120 images" in finding.text
