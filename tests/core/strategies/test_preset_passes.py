"""The mechanical rules of presets on small histories: where each acts, where not, and why."""

from collections.abc import Sequence

from core.settings.schema import Values
from core.strategies.base import EmulatedProgram, Trigger, TriggerMode
from core.strategies.presets.clear_tool_results import ClearToolResults
from core.strategies.presets.engine import ClearThinking, compress
from core.strategies.presets.keep_typed import DropOldestWork
from core.strategies.presets.preset import Preset, PresetPass
from core.strategies.presets.split import ToolClass
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import (
    Message,
    MessageFlag,
    Text,
    ToolCall,
    ToolResponse,
    tool_calls,
)
from tests.core.strategies.strategy_running import context
from tests.support.builders import ai, exchange, flagged, human

LONG = "line\n" * 60
ALWAYS = Trigger(mode=TriggerMode.ALWAYS, threshold=1.0, is_fixed=True)
NOBODY = EmulatedProgram("nobody", "2026-11-21", "a test")


def of(*passes: PresetPass) -> Preset:
    return Preset(
        name="test",
        order=1,
        about="A test.",
        emulates=NOBODY,
        trigger=ALWAYS,
        passes=passes,
    )


def run(
    rule: PresetPass,
    history: Sequence[Message],
    limit: int | None = 1000,
    values: Values | None = None,
) -> Compaction:
    return compress(of(rule), context(history, values, limit=limit))


def loop(count: int, name: str = "bash", result: str = LONG) -> tuple[Message, ...]:
    return tuple(
        message
        for n in range(count)
        for message in exchange(f"{name}{n}", name, result)
    )


def results(messages: Sequence[Message]) -> list[object]:
    return [
        b.result
        for message in messages
        for b in message.blocks
        if isinstance(b, ToolResponse)
    ]


def reasons(run: Compaction) -> list[str]:
    return [fate.last.reason for fate in run.fates]


# clear-results


def test_all_results_but_the_newest_are_cleared_and_calls_stay() -> None:
    history = loop(5)
    result = run(ClearToolResults(placeholder="[gone]", keep=2), history)
    assert results(result.messages) == ["[gone]"] * 3 + [LONG] * 2
    assert [message for message in result.messages if any(tool_calls(message))] == [
        *history[::2]
    ]
    assert result.fates[5].kind is FateKind.EDITED
    assert (
        result.fates[5].last.reason
        == "Beyond the 2 newest results: the result of bash became a placeholder."
    )
    assert result.fates[7].last.reason == "It is among the 2 newest results."
    assert result.fates[0].last.reason == "No rule of test is about it."


def test_the_newest_tokens_stay_and_the_result_that_crosses_them_goes() -> None:
    size = context(()).estimate_tokens(loop(1)[1:])
    result = run(ClearToolResults(placeholder="[gone]", keep_tokens=2 * size), loop(4))
    assert results(result.messages) == ["[gone]"] * 2 + [LONG] * 2
    assert (
        reasons(result)[7]
        == f"The newest {2 * size:,} tokens of tool output are protected."
    )
    assert reasons(result)[1].startswith(
        f"Beyond the newest {2 * size:,} tokens of tool output: "
    )
    result = run(
        ClearToolResults(placeholder="[gone]", keep_tokens=2 * size - 1), loop(4)
    )
    assert results(result.messages) == ["[gone]"] * 3 + [LONG]


def test_the_newest_turns_of_the_person_are_left_alone() -> None:
    newest = (flagged(MessageFlag.META), human("three"), *loop(1))
    history = (human("one"), *loop(1), human("two"), *loop(1), *newest)
    result = run(ClearToolResults(placeholder="[gone]", keep_turns=2), history)
    assert results(result.messages) == ["[gone]", LONG, LONG]
    assert reasons(result)[5] == "It is in the newest 2 turns."
    assert (
        run(ClearToolResults(placeholder="[gone]", keep_turns=4), history).no_op
        is not None
    )


def test_only_the_tools_that_are_named_or_of_a_class_count() -> None:
    history = (
        *loop(1, "Read"),
        *loop(1, "web_search"),
        *loop(1, "browse"),
        *loop(1, "run_shell_command"),
    )
    rule = ClearToolResults(
        placeholder="[gone]", classes=(ToolClass.SHELL,), tools=("Read", "WebSearch")
    )
    result = run(rule, history)
    assert results(result.messages) == ["[gone]", "[gone]", LONG, "[gone]"]
    assert reasons(result)[5] == "Results of browse are never cleared."
    result = run(
        ClearToolResults(placeholder="[gone]", except_tools=("browse",)), history
    )
    assert results(result.messages) == ["[gone]", "[gone]", LONG, "[gone]"]


def test_the_placeholder_tells_lines_number_and_both_ends() -> None:
    text = "a" * 50 + "b" * 500 + "c" * 50
    rule = ClearToolResults(
        placeholder="[{lines} lines, #{number}: {preview}]", head=50, tail=50
    )
    [shown] = results(run(rule, exchange("x", "bash", text)).messages)
    assert (
        shown == f"[1 lines, #2: {'a' * 50}\n[… 500 characters left out …]\n{'c' * 50}]"
    )


def test_inputs_go_with_their_results_where_the_rule_says_so() -> None:
    history = exchange("a", "bash", LONG, command="make " * 40)
    result = run(ClearToolResults(placeholder="[gone]", clear_inputs=True), history)
    assert result.messages[0].blocks == (ToolCall("a", "bash", {}),)
    assert reasons(result)[0] == "The arguments of its calls went with their results."
    assert (
        run(ClearToolResults(placeholder="[gone]"), history).messages[0] is history[0]
    )


def test_observations_that_a_harness_wrote_as_text_count_as_results() -> None:
    seen = human(LONG, flags=MessageFlag.META, extra={"message_type": "observation"})
    result = run(
        ClearToolResults(placeholder="[{lines} lines]", keep=1),
        (human("go"), ai("ls"), seen, ai("cat"), seen),
    )
    assert result.messages[2].blocks == (Text("[60 lines]"),)
    assert result.messages[4] is seen


# clear-thinking


def test_old_thinking_goes_whole() -> None:
    only = ai(thinking="hm")
    history = (ai("a", thinking=LONG), only, ai("b", thinking=LONG), ai("c"))
    result = run(ClearThinking(1), history)
    assert result.messages == (ai("a"), only, history[2], history[3])
    assert reasons(result)[0] == "Thinking goes beyond the newest turn with any."
    nothing = run(ClearThinking(3), history)
    assert nothing.no_op is not None
    assert nothing.no_op.reason == "No thinking lies beyond the newest 3 turns."


# keep-typed


def worked(*, texts: int = 4) -> tuple[Message, ...]:
    result: list[Message] = []
    for n in range(texts):
        result += [
            human(f"Please do {n}."),
            *exchange(f"r{n}", "Read", LONG, file_path=f"src/{n}.py"),
        ]
        result += [
            *exchange(f"b{n}", "bash", LONG, command=f"make {n}"),
            ai(f"Did {n}."),
        ]
    return tuple(result)


def test_older_work_goes_until_the_target_is_met() -> None:
    history = worked()
    result = run(DropOldestWork(0.5, 1), history, limit=700)
    kinds = [fate.kind for fate in result.fates]
    assert result.target == 350
    assert context(()).estimate_tokens(result.messages) <= 350
    assert kinds[:6] == [FateKind.KEPT, *[FateKind.DROPPED] * 5]
    assert kinds[-3:] == [FateKind.KEPT] * 3
    assert reasons(result)[0] == "Typed by a person: it always stays."
    assert reasons(result)[1].startswith(
        "Oldest first until under 350 tokens, calls with their results;"
    )
    assert reasons(result)[-1] == "It is among the newest 1 texts of the model."
    assert (
        reasons(result)[-2]
        == "It is newer than what had to go for the target of 350 tokens."
    )


def test_a_gap_tells_what_the_tools_did() -> None:
    history = (human("go"), *worked(texts=1), *loop(1, "grep"), human("and now?"))
    result = run(DropOldestWork(0.0, 0), history)
    assert result.inserted == {2}
    [text] = result.messages[2].blocks
    assert text == Text(
        "<SYSTEM_NOTICE>\nWork was left out here to make room.\nFiles read: src/0.py\n"
        "Commands called: make 0\nOther tools: grep (1)\n</SYSTEM_NOTICE>"
    )
    assert result.target == 0


# several passes
