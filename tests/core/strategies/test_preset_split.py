"""Cuts of presets, each rule by its numbers, and what they put back."""

import pytest

from core.facts.sentences import plain_text
from core.strategies.presets.preset_summary import (
    ReinjectRule,
    TouchedFile,
    reinjected_messages,
    touched_files,
)
from core.strategies.presets.split import (
    KeptBesideSummary,
    SplitRule,
    SummarisedRange,
    divide_history,
    is_typed,
    split_input,
)
from core.transcript.compaction import FateKind, NoOp, NoOpCode
from core.transcript.model import Media, Message, MessageFlag, Speaker
from tests.core.strategies.strategy_running import ScriptedSummariser, compact, tokens
from tests.support.builders import ai, exchange, flagged, human, response, talk

LOOP = (
    human("go"),
    *exchange("a", "bash", "x" * 400),
    *exchange("b", "bash", "x" * 400),
    ai("done"),
)


def cut(rule: SplitRule, messages: tuple[Message, ...]) -> SummarisedRange:
    result = divide_history(rule, split_input(messages, tokens, lambda place: place))
    assert isinstance(result, SummarisedRange), result.reason
    return result


def test_newest_tokens_reach_back_to_the_message_that_fills_them() -> None:
    messages = talk(10)
    each = tokens(messages[-1:])
    assert (
        cut(SplitRule(KeptBesideSummary.NEWEST_TOKENS, tokens=each * 3), messages).end
        == 7
    )
    assert (
        cut(
            SplitRule(KeptBesideSummary.NEWEST_TOKENS, tokens=each * 3 + 1), messages
        ).end
        == 6
    )
    whole = SplitRule(KeptBesideSummary.NEWEST_TOKENS, tokens=10**6)
    refused = divide_history(whole, split_input(messages, tokens, lambda place: place))
    assert isinstance(refused, NoOp)
    assert (refused.code, refused.reason[-1]) == (NoOpCode.TAIL_COVERS_ALL, ".")


def test_newest_exchanges_begin_with_what_a_person_typed() -> None:
    messages = (*talk(4), human("next"), *exchange("a", "bash", "x" * 400), ai("done"))
    result = cut(SplitRule(KeptBesideSummary.NEWEST_EXCHANGES, tokens=130), messages)
    assert result.end == 4
    assert "the message of the person" in result.split.cuts[0].trace[1].detail
    assert (
        cut(SplitRule(KeptBesideSummary.NEWEST_EXCHANGES, tokens=5), messages).end == 4
    )


def test_the_newest_share_is_cut_before_the_person() -> None:
    result = cut(SplitRule(KeptBesideSummary.NEWEST_SHARE, share=0.3), talk(10))
    assert (result.split.cuts[0].requested, result.end) == (7, 8)


@pytest.mark.parametrize(("keep", "end"), [(1, 5), (2, 3), (3, 3), (4, 1)])
def test_newest_messages_keep_the_call_of_a_result(keep: int, end: int) -> None:
    assert (
        cut(SplitRule(KeptBesideSummary.NEWEST_MESSAGES, messages=keep), LOOP).end
        == end
    )


def test_typed_is_what_a_person_wrote() -> None:
    assert is_typed(human("go"))
    for other in (
        ai("go"),
        human(""),
        human("", response("a")),
        human("<state_snapshot>\nold\n</state_snapshot>"),
        flagged(MessageFlag.META),
        flagged(MessageFlag.COMMAND),
    ):
        assert not is_typed(other)


LONG = "word " * 6000


def read(id: str, path: str, text: str, /, **lines: int) -> tuple[Message, Message]:
    return exchange(id, "Read", text, file_path=path, **lines)


def back(
    *messages: Message, files: int = 5, each: int = 5000, total: int = 50_000
) -> list[str]:
    rule = ReinjectRule(files=files, file_tokens=each, total_tokens=total)
    return [
        plain_text(message)
        for message in reinjected_messages(rule, messages, "", tokens)
    ]


def test_a_whole_read_shows_the_content_and_a_partial_one_keeps_what_was_seen() -> None:
    messages = (
        *read("1", "/a.py", "all of a"),
        *read("2", "/b.py", "b", offset=5, limit=2),
    )
    assert touched_files(messages) == (
        TouchedFile("/a.py", False, "all of a", was_read=True),
        TouchedFile("/b.py", was_read=True),
    )
    assert (
        touched_files((*messages, *read("3", "/a.py", "a part", offset=2, limit=2)))[
            -1
        ].content
        == "all of a"
    )


def test_what_changed_since_it_was_seen_is_stale_and_what_was_written_is_not() -> None:
    seen = read("1", "/a.py", "old")
    edit = exchange(
        "2", "Edit", "ok", file_path="/a.py", old_string="o", new_string="n"
    )
    write = exchange("3", "Write", "ok", file_path="/a.py", content="new")
    assert touched_files((*seen, *edit)) == (
        TouchedFile("/a.py", True, "old", True, was_read=True),
    )
    assert "it was changed after that:\n\nold" in back(*seen, *edit)[0]
    assert touched_files(edit) == (TouchedFile("/a.py", True, None, True),)
    assert touched_files((*seen, *edit, *write)) == (
        TouchedFile("/a.py", True, "new", was_read=True),
    )


def test_claude_code_puts_files_and_tasks_back_after_the_summary() -> None:
    messages = (human("go"), *read("1", "/a.py", "all of a"), ai("done " * 400))
    result = compact("claude-code", messages, todos="- [pending] push")
    summary, file, tasks = result.messages
    assert (plain_text(file), file.flags) == (
        "For reference, /a.py as it was last seen before the summary:\n\nall of a",
        MessageFlag.META,
    )
    assert plain_text(tasks).endswith("- [pending] push")
    assert result.origins == ((0, 1, 2, 3), (), ())
    assert result.inserted == {0, 1, 2}
    assert summary.speaker is Speaker.HUMAN


def test_codex_keeps_the_words_of_the_person_before_the_note() -> None:
    worked = exchange("1", "shell", LONG, command="make")
    messages = (human("Fix it."), *worked, human("Never push."), ai("ok"))
    recorder = ScriptedSummariser("1. Progress and key decisions: all")
    result = compact("codex-local", messages, recorder)
    assert [
        at for at, fate in enumerate(result.fates) if fate.kind is FateKind.KEPT
    ] == [0, 3]
    assert result.messages[:2] == (messages[0], messages[3])
    assert result.origins == ((0,), (3,), (1, 2, 4))
    assert (
        recorder.requests[0].messages == messages
    )  # retained messages are summarised too


def test_goose_keeps_the_newest_text_of_the_person_after_the_summary() -> None:
    picture = human("and this", Media("image/png", "AAAA"))
    messages = (
        human("first"),
        ai("a " * 900),
        human("Now test it."),
        ai("b"),
        picture,
        ai("c"),
    )
    result = compact("goose-middle-out-ladder", messages)
    assert [message.speaker for message in result.messages] == [
        Speaker.HUMAN,
        Speaker.AI,
        Speaker.HUMAN,
    ]
    assert result.messages[2] == messages[2]
    assert result.origins == ((0, 1, 3, 4, 5), (), (2,))
    assert result.inserted == {0, 1}
