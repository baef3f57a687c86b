"""Alignment of two files of one session; equal content is equal in any format."""

from __future__ import annotations

from core.transcript.alignment import AlignmentStatus, align_histories, canonical_parts
from core.transcript.model import Media, Message, Speaker, Text, Thinking, ToolCall, ToolResponse


def _say(text: str, speaker: Speaker = Speaker.HUMAN) -> Message:
    return Message(speaker, (Text(text),))


def _run(id_: str, result: str, arguments: object = None) -> tuple[Message, Message]:
    call = Message(Speaker.AI, (ToolCall(id_, "read_file", arguments or {"path": id_}),))
    return call, Message(Speaker.TOOL, (ToolResponse(id_, "read_file", result),))


def test_ids_key_order_and_shape_do_not_count() -> None:
    ours = Message(Speaker.AI, (Thinking("hm"), ToolCall("a", "grep", {"q": 1, "in": "x"})), id="one")
    theirs = Message(Speaker.AI, (ToolCall("b", "grep", {"in": "x", "q": 1}),), timestamp="2026")
    assert canonical_parts(ours) == canonical_parts(theirs)
    text = Message(Speaker.TOOL, (ToolResponse("a", "grep", "found\r\n"),))
    listed = Message(Speaker.TOOL, (ToolResponse("b", "", [{"type": "text", "text": "found"}]),))
    assert canonical_parts(text) == canonical_parts(listed)


def test_results_are_equal_by_what_they_say() -> None:
    def keys_of(result: object) -> tuple[bytes, ...]:
        return canonical_parts(Message(Speaker.TOOL, (ToolResponse("a", "", result),)))

    assert keys_of({"b": 1, "a": [2]}) == keys_of('{"a": [2], "b": 1}')
    assert keys_of([{"type": "input_text", "text": "x"}]) == keys_of("x")
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}
    beside = Message(Speaker.TOOL, (ToolResponse("a", "", "x"), Media("", "data:image/png;base64,QUJD")))
    assert keys_of([{"type": "text", "text": "x"}, image]) == canonical_parts(beside) != keys_of("x")


def test_what_was_cut_out_and_put_in_stands_alone() -> None:
    first = [_say("start"), *_run("1", "one"), *_run("2", "two"), _say("end")]
    second = [_say("start"), _say("a summary"), *_run("2", "two"), _say("end")]
    aligned = align_histories(first, second)
    assert list(aligned.second_index) == [0, -1, -1, 2, 3, 4]
    assert list(aligned.first_index) == [0, -1, 3, 4, 5]
    assert aligned.first[1:3] == (AlignmentStatus.ALONE, AlignmentStatus.ALONE)
    assert aligned.second[1] is AlignmentStatus.ALONE
    assert aligned.moved == 0


def test_a_shortened_result_is_edited() -> None:
    first = [_say("start"), *_run("1", "a long answer"), *_run("2", "two")]
    second = [_say("start"), *_run("1", "[cleared]"), *_run("2", "two")]
    aligned = align_histories(first, second)
    assert aligned.first == (
        AlignmentStatus.SAME,
        AlignmentStatus.SAME,
        AlignmentStatus.EDITED,
        AlignmentStatus.SAME,
        AlignmentStatus.SAME,
    )
    assert list(aligned.second_index) == [0, 1, 2, 3, 4]


def test_a_long_session_of_repeats_is_aligned_in_reasonable_work() -> None:
    first = [_say("[cleared]") for _ in range(20_000)]
    aligned = align_histories(first, first[:10_000])
    assert sum(match is AlignmentStatus.ALONE for match in aligned.first) == 10_000
