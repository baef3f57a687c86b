"""The reference's boundary rules, their faults, and snapping, which corrects them."""

import pytest

from core.common.errors import InputError
from core.formats.writing.exporter import ExportInput, export_messages
from core.transcript.alignment import AlignmentStatus, align_histories, canonical_parts
from core.transcript.compaction import Cut
from core.transcript.model import (
    Conversation,
    Media,
    Message,
    RecordedCompaction,
    SourceDocument,
    Speaker,
    Thinking,
    ToolCall,
    ToolResponse,
    tool_responses,
)
from core.transcript.scopes import CLEARED_RESULT, history_of_scope, scopes
from core.transcript.tool_pairs import (
    CutRequest,
    adjust_for_tool_call_boundary,
    adjust_tail,
    find_backward_valid_split_point,
    find_forward_valid_split_point,
    find_pairs,
    snap_cut,
)
from tests.support.builders import ai, call, exchange, human, response, tool
from tests.support.builders import conversation as file_of
from tests.support.narrowing import known

LOOP = (human("go"), *exchange("1", "a"), *exchange("2", "b"), tool(response("3")))


def cut(
    history: tuple[Message, ...],
    asked: int,
    *,
    safe: bool = True,
    keep_low: bool = True,
) -> Cut:
    request = CutRequest(
        name="cut",
        requested=asked,
        requested_detail="asked",
        reference=adjust_for_tool_call_boundary(history, asked),
        keep_low=keep_low,
        allowed=(0, len(history)),
    )
    cut_made = known(snap_cut(request, find_pairs(history), safe=safe))
    return cut_made


@pytest.mark.req("REQ-CS-004.2")
def test_forward_skips_tool_messages_and_steps_back_once_before_an_unanswered_call() -> (
    None
):
    assert find_forward_valid_split_point(LOOP, 2) == 3
    history = (human("a"), ai("", call("x", "1")), human("b"))
    assert find_forward_valid_split_point(history, 2) == 1


@pytest.mark.req("REQ-CS-004.3")
def test_backward_stops_behind_a_message_that_needs_nothing() -> None:
    assert (
        find_backward_valid_split_point(
            (human("a"), tool(response("1")), tool(response("2"))), 3
        )
        == 1
    )


@pytest.mark.req("REQ-CS-004.1")
def test_adjust_goes_back_where_forward_runs_off_the_end() -> None:
    assert adjust_for_tool_call_boundary(LOOP, 5) == 4
    assert adjust_for_tool_call_boundary(LOOP, 0) == 0
    assert adjust_for_tool_call_boundary((), 3) == 3


def test_the_reference_can_part_a_call_from_its_result_and_safe_cannot() -> (
    None
):  # fix BD-01
    cut_made = cut(LOOP, 4, safe=False)
    assert (cut_made.index, cut_made.reference_orphans) == (4, ("2",))
    mended = cut(LOOP, 4)
    assert (mended.index, mended.reference) == (3, 4)
    assert [step.valid for step in mended.trace] == [None, False, True, True]


def test_sentences_name_messages_by_their_place_in_the_source() -> None:
    request = CutRequest(
        name="cut",
        requested=4,
        requested_detail="asked",
        reference=4,
        keep_low=True,
        allowed=(0, 6),
    )
    cut_made = known(
        snap_cut(request, find_pairs(LOOP), safe=True, display_index=lambda i: i + 100)
    )
    assert cut_made.trace[0].detail == "before #105"
    assert "#104" in cut_made.trace[-1].title


@pytest.mark.req("REQ-HD-008.2")
def test_the_tail_begins_with_the_call_and_not_with_its_result() -> None:
    assert adjust_tail(LOOP, 4) == 3
    unanswered = (human("a"), ai("", call("x", "1")), human("b"))
    assert adjust_tail(unanswered, 1) == 2


def _run(id_: str, result: str) -> tuple[Message, Message]:
    return exchange(id_, "read_file", result, path=id_)


def test_ids_key_order_and_shape_do_not_count() -> None:
    ours = Message(
        speaker=Speaker.AI,
        blocks=(Thinking("hm"), ToolCall("a", "grep", {"q": 1, "in": "x"})),
        id="one",
    )
    theirs = Message(
        speaker=Speaker.AI,
        blocks=(ToolCall("b", "grep", {"in": "x", "q": 1}),),
        timestamp="2026",
    )
    assert canonical_parts(ours) == canonical_parts(theirs)
    text = Message(
        speaker=Speaker.TOOL, blocks=(ToolResponse("a", "grep", "found\r\n"),)
    )
    listed = Message(
        speaker=Speaker.TOOL,
        blocks=(ToolResponse("b", "", [{"type": "text", "text": "found"}]),),
    )
    assert canonical_parts(text) == canonical_parts(listed)


def test_results_are_equal_by_what_they_say() -> None:
    def keys_of(result: object) -> tuple[bytes, ...]:
        return canonical_parts(
            Message(speaker=Speaker.TOOL, blocks=(ToolResponse("a", "", result),))
        )

    assert keys_of({"b": 1, "a": [2]}) == keys_of('{"a": [2], "b": 1}')
    assert keys_of([{"type": "input_text", "text": "x"}]) == keys_of("x")
    image = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"},
    }
    beside = Message(
        speaker=Speaker.TOOL,
        blocks=(ToolResponse("a", "", "x"), Media("", "data:image/png;base64,QUJD")),
    )
    assert (
        keys_of([{"type": "text", "text": "x"}, image])
        == canonical_parts(beside)
        != keys_of("x")
    )


def test_what_was_cut_out_and_put_in_stands_alone() -> None:
    first = [human("start"), *_run("1", "one"), *_run("2", "two"), human("end")]
    second = [human("start"), human("a summary"), *_run("2", "two"), human("end")]
    aligned = align_histories(first, second)
    assert list(aligned.second_index) == [0, -1, -1, 2, 3, 4]
    assert aligned.first[1:3] == (AlignmentStatus.ALONE, AlignmentStatus.ALONE)
    assert aligned.second[1] is AlignmentStatus.ALONE
    assert aligned.moved == 0


def test_a_shortened_result_is_edited() -> None:
    first = [human("start"), *_run("1", "a long answer"), *_run("2", "two")]
    second = [human("start"), *_run("1", "[cleared]"), *_run("2", "two")]
    aligned = align_histories(first, second)
    same, edited = AlignmentStatus.SAME, AlignmentStatus.EDITED
    assert aligned.first == (same, same, edited, same, same)
    assert list(aligned.second_index) == [0, 1, 2, 3, 4]


def test_a_long_session_of_repeats_is_aligned_in_reasonable_work() -> None:
    first = [human("[cleared]") for _ in range(20_000)]
    aligned = align_histories(first, first[:10_000])
    assert sum(match is AlignmentStatus.ALONE for match in aligned.first) == 10_000


SUMMARY = human("summary")


def _conversation(*recorded: RecordedCompaction, count: int = 6) -> Conversation:
    messages = tuple(human(f"m{number}") for number in range(count))
    return Conversation(
        format="claude_code",
        document=SourceDocument(name="a.jsonl"),
        messages=messages,
        recorded=recorded,
    )


def _folding(
    position: int, *kept: int, summary: Message = SUMMARY
) -> RecordedCompaction:
    return RecordedCompaction(
        kind="summary", boundary=position, summary=(summary,), kept=kept
    )


def test_current_is_summary_kept_and_later() -> None:
    history = history_of_scope(_conversation(_folding(2), _folding(4, 1, 3)), "current")
    assert history.indices == (-1, 1, 3, 4, 5)
    assert history.messages[0] == SUMMARY


def test_before_each_compaction() -> None:
    conversation = _conversation(_folding(2), _folding(4, 3))
    assert history_of_scope(conversation, "before:1").indices == (0, 1)
    assert history_of_scope(conversation, "before:2").indices == (-1, 2, 3)


@pytest.mark.parametrize(
    "scope", ["", "before:0", "before:3", "before:x", "before:01", "later"]
)
def test_other_scopes_name_those_there_are(scope: str) -> None:
    conversation = _conversation(_folding(2), _folding(4))
    assert scopes(conversation) == ("all", "current", "before:1", "before:2")
    with pytest.raises(InputError, match="2 recorded compactions") as caught:
        history_of_scope(conversation, scope)
    assert caught.value.hint == "Its scopes are: all, current, before:1, before:2."


def _clearing(position: int, *ids: str) -> RecordedCompaction:
    return RecordedCompaction(kind="microcompact", boundary=position, cleared=ids)


def _results(conversation: Conversation, scope: str) -> list[object]:
    history = history_of_scope(conversation, scope).messages
    return [
        response.result for message in history for response in tool_responses(message)
    ]


def test_cleared_results_are_placeholders_from_there_on() -> None:
    messages = (
        *exchange("a", "Read", "one"),
        *exchange("b", "Read", "two"),
        *exchange("c", "Read", "three"),
    )
    conversation = file_of(*messages, recorded=(_clearing(4, "a"), _clearing(6, "b")))
    assert _results(conversation, "all") == ["one", "two", "three"]
    assert _results(conversation, "before:1") == ["one", "two"]
    assert _results(conversation, "before:2") == [CLEARED_RESULT, "two", "three"]
    history = history_of_scope(conversation, "current")
    assert _results(conversation, "current") == [
        CLEARED_RESULT,
        CLEARED_RESULT,
        "three",
    ]
    assert history.indices == (0, 1, 2, 3, 4, 5)
    assert history.messages[5] is messages[5]


def test_an_export_writes_what_was_cleared_not_what_the_file_has() -> None:
    conversation = file_of(*exchange("a", "Read", "one"), recorded=(_clearing(2, "a"),))
    call, answer = export_messages(
        ExportInput(
            conversation=conversation, history=history_of_scope(conversation, "current")
        )
    )
    assert (call.is_unchanged, answer.is_unchanged) == (True, False)
    assert answer.origin is conversation.messages[1]
