"""The presets without a model, by the numbers of the emulated agents, and their engine."""

import copy
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import InputError
from core.facts.sentences import plain_text
from core.presentation.preview_wording import trigger_words
from core.settings.schema import Mode
from core.strategies.base import (
    CheckPoint,
    EmulatedProgram,
    StrategyContext,
    Trigger,
    TriggerMode,
)
from core.strategies.draft import HistoryDraft, with_removed
from core.strategies.helpers import is_trigger_reached
from core.strategies.presets.clear_tool_results import ClearToolResults, OffloadResults
from core.strategies.presets.engine import (
    FOLDER,
    ClearThinking,
    compress,
    load_preset,
    preset_strategy,
)
from core.strategies.presets.keep_typed import DropOldestWork
from core.strategies.presets.preset import PassResult, Preset, PresetPass
from core.strategies.registry import COMPACTION_STRATEGIES, STRATEGIES, find_strategy
from core.strategies.stubs import expand_result, result_handle, stubbed_results
from core.transcript.compaction import Compaction, FateKind, FateStep, NoOpCode
from core.transcript.model import Message
from tests.core.histories import histories
from tests.core.strategies.strategy_running import (
    context,
    result_texts,
    run,
    tokens,
    values,
)
from tests.core.strategies.test_strategy_properties import check
from tests.support.builders import ai, call, exchange, human, response, talk, tool
from tests.support.narrowing import known

CLEARED = "[Old tool result content cleared]"
MECHANICAL = [
    one for one in STRATEGIES if one.emulates is not None and not one.requires_llm
]


def output(tokens: int) -> str:
    """Return a text of so many tokens by the tests' count, in lines of 20 characters."""
    return "nineteen characters\n" * (tokens // 5)


def loop(count: int, size: int, name: str = "Bash") -> tuple[Message, ...]:
    return tuple(
        message
        for n in range(count)
        for message in exchange(f"{name}{n}", name, output(size))
    )


def cleared(run: Compaction, placeholder: str) -> list[bool]:
    return [text.startswith(placeholder) for text in result_texts(run)]


def no_op(run: Compaction) -> str:
    return known(run.no_op).reason


# the presets


def timed(history: Sequence[Message], *clock: str) -> tuple[Message, ...]:
    start = len(history) - len(clock)
    late = (
        replace(one, timestamp=at)
        for one, at in zip(history[start:], clock, strict=True)
    )
    return (*history[:start], *late)


def test_a_reason_to_clear_nothing_names_all_tools_of_the_rule() -> None:
    history = (*loop(3, 100, "Task"), *loop(4, 100, "Skill"), *loop(2, 100, "Read"))
    paused = timed(history, "2026-11-20T10:00:00Z", "2026-11-20T11:30:00Z")
    result = run("claude-microcompact", paused)
    assert result.no_op is not None
    assert result.no_op.reason == (
        "None of the 9 results goes, 7 for this reason: results of Task and Skill are "
        "never cleared."
    )


def test_claude_microcompact_keeps_five_results_of_the_common_tools() -> None:
    history = (
        *loop(3, 100, "Task"),
        *loop(7, 100, "Read"),
        ai("Done."),
        human("Go on."),
    )
    paused = timed(history, "2026-11-20T10:00:00Z", "2026-11-20T11:30:00Z")
    result = run("claude-microcompact", paused)
    assert cleared(result, CLEARED) == [False] * 3 + [True] * 2 + [False] * 5
    assert result.fates[5].last.reason == "Results of Task are never cleared."
    assert (
        result.fates[7].last.reason
        == "Beyond the 5 newest results: the result of Read became a placeholder."
    )
    assert result.warnings == ()


@pytest.mark.parametrize(
    ("clock", "said"),
    [
        (
            ("2026-11-20T10:00:00Z", "2026-11-20T10:04:00Z"),
            "the last one here took 4 minutes.",
        ),
        (
            ("2026-11-20T10:00:00Z", ""),
            "how long the last pause was is not in this conversation.",
        ),
        (
            ("2026-11-20T10:00:00Z", "2026-11-20T10:04:00"),
            "how long the last pause was is not in",
        ),
    ],
)
def test_claude_microcompact_says_when_it_would_have_waited(
    clock: tuple[str, str], said: str
) -> None:
    history = timed((*loop(7, 100), ai("Done."), human("Go on.")), *clock)
    [warning] = run("claude-microcompact", history).warnings
    assert warning.startswith("By itself it compacts after a pause of 60 minutes; ")
    assert said in warning


def test_gemini_masking_leaves_both_ends_of_older_output() -> None:
    history = (*loop(4, 20_000), *exchange("q", "ask_user", output(20_000)))
    result = run(
        "gemini-masking", (*history, ai("Now the last."), *loop(1, 20_000, "grep"))
    )
    assert cleared(result, "<tool_output_masked>") == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]
    masked = result_texts(result)[0]
    assert masked.count("nineteen characters") == 24
    assert masked.endswith(
        "The whole output is in message #2 of the session.\n</tool_output_masked>"
    )
    assert result.fates[9].last.reason == "Results of ask_user are never cleared."
    assert result.fates[12].last.reason == "It is in the last turn."


def test_opencode_prune_protects_two_turns_and_forty_thousand_tokens() -> None:
    newest = (
        human("two"),
        *loop(1, 9_000, "grep"),
        human("three"),
        *loop(1, 9_000, "glob"),
    )
    result = run(
        "opencode-prune",
        (human("one"), *loop(6, 15_000), *loop(1, 15_000, "skill"), *newest),
    )
    assert cleared(result, CLEARED) == [True] * 4 + [False] * 5
    assert result.fates[-1].last.reason == "It is in the newest 2 turns."
    assert (
        result.fates[12].last.reason
        == "The newest 40,000 tokens of tool output are protected."
    )


def test_cline_basic_goes_back_to_seven_tenths_of_its_trigger() -> None:
    history = (
        human("Build it."),
        *loop(10, 1000),
        ai("Half of it."),
        human("Go on."),
        *loop(5, 1000),
    )
    result = run("cline-basic", history, limit=15_000)
    assert result.target == 8_505
    assert tokens(result.messages) <= 8_505
    assert [result.fates[place].kind for place in (0, 21, 22)] == [FateKind.KEPT] * 3
    assert result.fates[1].kind is FateKind.DROPPED
    assert no_op(run("cline-basic", history, limit=50_000)).endswith(
        "within the target of 28,350."
    )


def test_codex_on_the_server_keeps_only_what_the_person_wrote() -> None:
    first, newest = human("word " * 80_000), human("Go on.")
    result = run("codex-remote-v2", (first, *loop(3, 500), newest))
    clipped, kept, note = result.messages
    assert tokens((clipped, kept)) <= 64_000
    assert kept == newest
    assert "encrypted item" in plain_text(note)
    kinds = [result.fates[place].kind for place in (0, 1, 7)]
    assert kinds == [FateKind.EDITED, FateKind.DROPPED, FateKind.KEPT]
    assert no_op(run("codex-remote-v2", (newest,))).startswith(
        "Every message is the person's own"
    )


OFFLOADED = "[Stored as r-"


def test_haystack_offload_puts_results_into_the_store_until_the_target_is_met() -> None:
    failed = (
        ai("", call("Bash", "f")),
        tool(response("f", "Bash", output(2_000), error="exit 1")),
    )
    history = (*failed, *loop(1, 100), *loop(5, 2_000), ai("Done."), human("Go on."))
    result = run("haystack-offload", history, limit=15_000)
    assert result.target == 6_000
    assert tokens(result.messages) <= 6_000 < tokens(result.messages) + 2_000
    assert cleared(result, OFFLOADED) == [False, False, True, True, True, True, False]
    reasons = [fate.last.reason for fate in result.fates]
    assert reasons[1] == "Its call failed, and errors stay."
    assert reasons[3] == "It has no more than 200 tokens."
    handle = result_handle(output(2_000))
    assert reasons[5] == f"Large; expand gives it back: {handle}."
    assert reasons[13] == "It is in the last step with results."
    assert expand_result(stubbed_results(history, result), handle) == output(2_000)
    early = run("haystack-offload", history, limit=30_000)
    assert cleared(early, OFFLOADED) == [False, False, True, False, False, False, False]
    assert (
        early.fates[7].last.reason
        == "It is newer than what had to go for the target of 12,000 tokens."
    )


def test_haystack_offload_says_what_it_cannot_do() -> None:
    history = (human("Build it."), *loop(3, 2_000))
    assert no_op(run("haystack-offload", history, limit=50_000)).endswith(
        "within the target of 20,000."
    )
    tight = run("haystack-offload", history, limit=2_000)
    assert tight.target == 800
    assert no_op(run("haystack-offload", tight.messages, limit=2_000)) == (
        "No result may go: the last ones stay, as do small ones, errors and stubs."
    )


@pytest.mark.parametrize(
    ("name", "tokens"), [("codex-remote-v2", 244_800), ("haystack-offload", 190_400)]
)
def test_each_without_a_model_acts_where_its_program_does(
    name: str, tokens: int
) -> None:
    strategy, effective = find_strategy(name), values(compression_threshold=0.5)
    due = [
        is_trigger_reached(strategy, effective, size, 9, 272_000)
        for size in (tokens - 1, tokens)
    ]
    assert due == [False, True]


# the engine


def ruled(*passes: PresetPass, trigger: Trigger | None = None) -> Preset:
    always = Trigger(mode=TriggerMode.ALWAYS, threshold=1.0, is_fixed=True)
    return Preset(
        name="test",
        order=1,
        about="A test.",
        emulates=EmulatedProgram("a", "2026-11-21", "b"),
        trigger=trigger or always,
        passes=passes,
    )


@pytest.mark.parametrize("strategy", MECHANICAL, ids=lambda one: one.name)
def test_presets_run_alike_in_both_modes(strategy: object) -> None:
    name, history = (
        getattr(strategy, "name", ""),
        (*talk(4), *loop(12, 9_000), *talk(4)),
    )
    result = run(name, history, limit=50_000)
    assert result == run(name, history, limit=50_000, mode=Mode.REFERENCE)


class _Drops:
    def __init__(self, place: int) -> None:
        self.place = place

    def apply(self, context: StrategyContext, draft: HistoryDraft) -> PassResult:
        return PassResult(
            with_removed(
                draft, {self.place: FateStep("test", FateKind.DROPPED, "Gone.")}
            )
        )


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        (0, "The result would begin with a message of the model, which APIs refuse."),
        (2, "A call would be separated from its result."),
    ],
)
def test_a_result_that_an_api_would_refuse_is_refused(place: int, reason: str) -> None:
    history = (human("go"), *exchange("a", "bash", "x" * 400))
    result = compress(ruled(_Drops(place)), context(history))
    assert (known(result.no_op).code, known(result.no_op).reason) == (
        NoOpCode.NO_VALID_BOUNDARY,
        reason,
    )
    assert result.messages == history
    assert (
        no_op(compress(ruled(_Drops(0)), context((human("go"),))))
        == "Nothing would be left."
    )


small = st.integers(0, 4)
sizes = st.sampled_from((0, 5, 120, 400))
clears = st.builds(
    ClearToolResults,
    placeholder=st.sampled_from(
        ("[gone]", "[{lines} lines]", "<m>{preview} #{number}</m>")
    ),
    keep=small,
    keep_tokens=sizes,
    keep_turns=st.integers(0, 2),
    keep_last_turn=st.booleans(),
    minimum=sizes,
    except_tools=st.sampled_from(((), ("bash",))),
    head=st.integers(0, 20),
    tail=st.integers(0, 20),
    clear_inputs=st.booleans(),
)
typed = st.builds(DropOldestWork, st.sampled_from((0.0, 0.2, 0.6)), small)
offloads = st.builds(
    OffloadResults, st.sampled_from((0.0, 0.2, 0.6)), sizes, st.integers(1, 3), small
)
rules = st.lists(
    st.one_of(clears, typed, offloads, st.builds(ClearThinking, small)),
    min_size=1,
    max_size=3,
)


@given(histories(), rules, st.sampled_from((50, 300, 1000)))
def test_whatever_the_numbers_a_result_keeps_its_promises(
    messages: tuple[Message, ...], passes: list[PresetPass], limit: int
) -> None:
    before = copy.deepcopy(messages)
    preset = ruled(*passes)
    result = compress(preset, context(messages, values(), limit=limit))
    check(messages, result)
    assert messages == before
    assert compress(preset, context(messages, values(), limit=limit)) == result


FILES = sorted(FOLDER.glob("*.toml"))

TOML = """
order = 999
about = "Clears old results."
[emulates]
program = "Some agent"
as_of = 2026-11-21
source = "its documentation"
[trigger]
tokens = 100_000
[[passes]]
kind = "clear-results"
placeholder = "[gone]"
keep = 1
"""


def written(folder: Path, text: str = TOML) -> Path:
    path = folder / "new.toml"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_becomes_a_strategy_that_says_whom_it_emulates(path: Path) -> None:
    result = preset_strategy(load_preset(path))
    assert result.name == path.stem
    assert result.name in COMPACTION_STRATEGIES
    assert result.emulates is not None
    assert result.emulates.program
    assert result.emulates.source.endswith(".")
    assert date.fromisoformat(result.emulates.as_of) <= date(2026, 12, 31)
    assert result.trigger.is_fixed
    assert result.requires_llm == bool(result.prompts)


def test_a_file_more_is_a_strategy_more(tmp_path: Path) -> None:
    made = preset_strategy(load_preset(written(tmp_path)))
    assert (made.name, made.about) == ("new", "Clears old results.")
    history = tuple(
        message for n in range(3) for message in exchange(str(n), "bash", "line\n" * 60)
    )
    result = made.compress(context(history))
    assert result.metadata.strategy_used == "new"
    assert [
        place for place, fate in enumerate(result.fates) if fate.kind == "edited"
    ] == [1, 3]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("tokens = 100_000", "100,000 tokens"),
        ("share = 0.9", "90 %"),
        ("margin = 33_000", "limit − 33,000"),
        ("messages = 240", "> 240 messages"),
        ("idle_minutes = 60", "after a pause of 60 min"),
        ('mode = "every turn"', "every turn"),
        ('mode = "never"', "never"),
    ],
)
def test_a_trigger_is_one_size_or_none(tmp_path: Path, keys: str, words: str) -> None:
    text = TOML.replace("tokens = 100_000", f'{keys}\ncheck = "after tool results"')
    trigger = load_preset(written(tmp_path, text)).trigger
    assert trigger_words(trigger) == words
    assert trigger.check is CheckPoint.AFTER_TOOLS


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("order = 999", "", "order"),
        ("order = 999", "order = 1\nothers = 2", "others"),
        ('source = "its documentation"', "", "source"),
        ("as_of = 2026-11-21", "as_of = 3", "3 must be a str"),
        ("tokens = 100_000", 'mode = "at night"', "at night"),
        ('kind = "clear-results"', 'kind = "wipe"', "wipe"),
        ("keep = 1", "keep = 1.5", "1.5 must be a int"),
        ("keep = 1", "kept = 1", "kept"),
        ("keep = 1", 'classes = ["cook"]', "cook"),
        ("keep = 1", '[split]\nkeep = "nothing"', "split and summary go together"),
        ("keep = 1", "keep = = 1", "Invalid value"),
    ],
)
def test_what_is_wrong_is_named_with_its_file(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        load_preset(written(tmp_path, TOML.replace(old, new)))
    assert caught.value.message.startswith("new.toml is not a preset: ")
