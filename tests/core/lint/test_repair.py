"""Mending what providers refuse."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.app.services.repair import plan_repair
from core.lint import repair_results
from core.lint.common_rules import RequestModel
from core.lint.lint import PROVIDERS, lint_messages
from core.lint.repair import FILE_RULES, RULES, repair_messages
from core.lint.repair_content import Repair, change_count
from core.transcript.compaction import FateKind
from core.transcript.model import (
    Media,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    ServerTool,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    tool_responses,
)
from core.transcript.scopes import ALL, history_of_scope
from tests.core.lint.image_headers import png
from tests.core.lint.provider_checker import fault
from tests.support.builders import (
    ai,
    call,
    conversation,
    exchange,
    human,
    response,
    system,
    talk,
    tool,
)
from tests.support.sampling import sampled
from tests.tools.repair_trials import (
    DAMAGES,
    WRITTEN_FORMATS,
    file_trial,
    histories,
    occurs,
    sample_in_order,
    smallest_in_order,
    trial,
)

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus"
REAL_FORMATS = (
    *(
        "claude_code",
        "codex_rollout",
        "openai_chat",
        "anthropic_messages",
        "openai_responses",
        "gemini_cli",
    ),
    *("pi_agent", "copilot_cli", "inspect_ai", "swe_agent", "mini_swe_agent"),
)
NAMES = tuple(provider.name for provider in PROVIDERS)
BEDROCK = RequestModel("anthropic.claude-sonnet-4-5", 200_000)
SIGNED = Thinking("so", {"signature": "s"})


def search(id_: str) -> ServerTool:
    raw = {
        "type": "server_tool_use",
        "id": id_,
        "name": "web_search",
        "input": {"q": "a"},
    }
    return ServerTool(
        "server_tool_use", raw, None, (ToolCall(id_, "web_search", {"q": "a"}),)
    )


def found(id_: str) -> ServerTool:
    raw = {"type": "web_search_tool_result", "tool_use_id": id_, "content": "hit"}
    return ServerTool(
        "web_search_tool_result", raw, None, (ToolResponse(id_, "web_search", "hit"),)
    )


def mended(provider: str, *messages: Message) -> Repair:
    repair = repair_messages(messages, provider, model=BEDROCK, leaves_out_images=True)
    result = repair.compaction.messages
    if not result:
        return repair  # nothing was left that could be sent
    assert fault(provider, result) == ""
    assert [
        one.text for one in lint_messages(result, provider) if one.severity == "error"
    ] == []
    again = repair_messages(result, provider, model=BEDROCK, leaves_out_images=True)
    assert again.changes == ()
    assert again.compaction.messages == result
    return repair


def rules(repair: Repair) -> list[str]:
    return list(dict.fromkeys(change.rule for change in repair.changes))


CALL, RESULT, END = (
    ai("", call("run", "x")),
    tool(response("x", "run", "words")),
    human("b"),
)
MARK = {"cache_control": {"type": "ephemeral"}}
UNREADABLE = Opaque("compaction", {"encrypted_content": {"a": 1}})
REASONING = Thinking("", {"id": "r"})
MADE = {"$made_id": True}
MADE_PAIR = (
    ai("", ToolCall("x", "run", {}, MADE)),
    tool(ToolResponse("x", "run", "ok", extra=MADE)),
)
CASES: dict[str, tuple[str, tuple[Message, ...]]] = {
    "repeated-id": (
        "anthropic",
        (human("a"), CALL, RESULT, *exchange("x", "run", "other"), END),
    ),
    "copied-result": ("anthropic", (human("a"), CALL, RESULT, RESULT, END)),
    "misplaced-result": ("openai", (human("a"), RESULT, CALL, END)),
    "unanswered-call": ("anthropic", (human("a"), CALL, END)),
    "orphan-result": ("openai", (human("a"), RESULT, ai("b"))),
    "server-tool": (
        "anthropic",
        (human("a"), ai("", search("s")), human("b"), ai("", found("s"))),
    ),
    "unsigned-thinking": (
        "anthropic",
        (human("a"), ai("b", thinking="so"), human("c")),
    ),
    "final-thinking": ("anthropic", (human("a"), ai("b", SIGNED), human("c"))),
    "thinking-first": (
        "anthropic",
        (human("a"), ai("b", SIGNED, call("run", "x")), RESULT, END),
    ),
    "empty": ("anthropic", (human("a"), ai("b", Text("  ")), human(" "), ai("c"))),
    "first-role": ("gemini", (ai("b"), human("c"))),
    "cache-marks": (
        "anthropic",
        tuple(human("", Text(f"{at}", MARK)) for at in range(6)),
    ),
    "function-name": (
        "gemini",
        (human("a"), CALL, tool(response("x", "walk")), ai("b")),
    ),
    "unreadable-item": ("responses", (human("", UNREADABLE), human("a"))),
    "repeated-item": (
        "responses",
        (human("a"), *[ai("", REASONING, Text(text)) for text in "bc"]),
    ),
    "lone-reasoning": ("responses", (human("a"), ai("b", REASONING), human("c"))),
    "harness-row": (
        "anthropic",
        (human("a"), ai("API Error", flags=MessageFlag.API_ERROR), human("b")),
    ),
    "images": (
        "anthropic",
        tuple(human("", Media("image/png", png())) for _ in range(21)),
    ),
    "missing-id": ("anthropic", (human("a"), *MADE_PAIR, ai("b"))),
    "unfit-name": (
        "anthropic",
        (
            human("a"),
            ai("", call("mcp.run", "a|b")),
            tool(response("a|b", "mcp.run")),
            END,
        ),
    ),
    "result-order": ("openai", (human("a"), CALL, human("hm"), RESULT, END)),
    "call-input": (
        "anthropic",
        (human("a"), ai("", ToolCall("x", "run", "{}")), RESULT, END),
    ),
    "unfit-image": ("gemini", (human("a", Media("image/tiff", "SUkqAA==")), ai("b"))),
    "unfit-role": ("anthropic", (human("a"), system("be brief"), ai("b"))),
}


@pytest.mark.req("REPAIR-1")
@pytest.mark.parametrize("rule", CASES)
def test_each_rule(rule: str) -> None:
    provider, messages = CASES[rule]
    assert rules(mended(provider, *messages)) == [rule]


def test_every_rule_of_the_table_has_a_case() -> None:
    with_own_words = {
        "unanswered-call": "misplaced-result",
        "orphan-result": "misplaced-result",
    }
    # faults of a file or of a request to one model, not of messages
    of_files = {
        "written-anew", "missing-signature", "split-responses", *FILE_RULES,
    }  # fmt: skip
    found = {with_own_words.get(name, name) for name in CASES} | of_files
    assert found == {rule.name for rule in RULES}
    assert all(
        rule.fault.endswith(".") and rule.mend.endswith(".") and rule.source
        for rule in RULES
    )


@pytest.mark.req("REPAIR-1")
def test_what_stands_there_after() -> None:
    def texts(messages: Sequence[Message]) -> list[str]:
        return [
            (
                f"{one.speaker}: "
                f"{[getattr(block, 'text', getattr(block, 'result', '')) for block in one.blocks]}"
            )
            for one in messages
        ]

    provider, messages = CASES["unanswered-call"]
    answered = mended(provider, *messages).compaction
    assert texts(answered.messages)[2] == "tool: ['No result was recorded.']"
    assert answered.inserted == {2}
    provider, messages = CASES["orphan-result"]
    noted = mended(provider, *messages).compaction
    assert (
        texts(noted.messages)[1]
        == "human: ['Result of a call that is not in this session: words']"
    )
    assert noted.fates[1].kind is FateKind.EDITED
    provider, messages = CASES["misplaced-result"]
    moved = mended(provider, *messages).compaction
    assert moved.origins == ((0,), (2,), (1,), (3,))
    assert moved.messages[2] is messages[1]


def test_all_thinking_of_a_turn_goes_or_none() -> None:
    turn = (
        ai("", SIGNED, call("run", "x")),
        tool(response("x", "run")),
        ai("b", SIGNED, Thinking("more")),
    )
    repair = mended("anthropic", human("a"), *turn, human("c"))
    left = [
        any(isinstance(block, Thinking) for block in one.blocks)
        for one in repair.compaction.messages
    ]
    assert left == [False, True, False, False, False]


def test_calls_without_thinking_are_closed_where_the_request_asks_for_it() -> None:
    def mended_loop(mode: str) -> list[Speaker]:
        model = RequestModel("claude-sonnet-4-5", 200_000, mode)
        repair = repair_messages((human("a"), CALL, RESULT), "anthropic", model=model)
        return [one.speaker for one in repair.compaction.messages[3:]]

    assert mended_loop("enabled") == [Speaker.AI, Speaker.HUMAN]
    assert mended_loop("adaptive") == mended_loop("") == []


def test_an_agent_may_still_write_behind_its_last_thinking() -> None:
    messages = (human("a"), ai("", SIGNED))
    assert repair_messages(messages, "anthropic", is_request=False).changes == ()


def test_open_calls_at_the_end_stay() -> None:
    for provider in NAMES:
        messages = (
            human("a"),
            ai("", call("run", "x"), call("run", "y")),
            tool(response("x", "run")),
        )
        assert repair_messages(messages, provider).changes == ()


def test_rows_of_the_agent_stay_in_its_own_session() -> None:
    _, messages = CASES["harness-row"]
    assert repair_messages(messages, "anthropic", is_request=False).changes == ()


def valid_history(random: Random) -> list[Message]:
    """Return a history that every provider takes."""
    history: list[Message] = [human("Begin.")]
    for turn in range(random.randint(1, 7)):
        ids = [f"c{turn}_{place}" for place in range(random.randint(0, 3))]
        calls = [call("run", id_) for id_ in ids]
        thought = [SIGNED] if random.random() < 0.3 else []
        history.append(ai("", *thought, Text(f"Step {turn}"), *calls))
        if ids:
            history.append(
                tool(*(response(id_, "run", f"out of {id_}") for id_ in ids))
            )
        # Thinking comes first in what the model says in a row.
        if not ids or random.random() < 0.5:
            history.append(human(f"Go on {turn}"))
    history += [ai("Done."), human("Thanks.")]
    return history


def drop(history: list[Message], random: Random) -> None:
    del history[random.randrange(len(history))]


def swap(history: list[Message], random: Random) -> None:
    a, b = random.randrange(len(history)), random.randrange(len(history))
    history[a], history[b] = history[b], history[a]


def duplicate(history: list[Message], random: Random) -> None:
    history.insert(random.randrange(len(history) + 1), random.choice(history))


def split(history: list[Message], random: Random) -> None:
    place = random.randrange(len(history))
    one = history[place]
    history[place : place + 1] = [replace(one, blocks=(block,)) for block in one.blocks]


def empty(history: list[Message], random: Random) -> None:
    place = random.randrange(len(history))
    history[place] = replace(
        history[place], blocks=random.choice([(), (Text(" "),), (Text(""),)])
    )


def take_a_block(history: list[Message], random: Random) -> None:
    place = random.randrange(len(history))
    history[place] = replace(history[place], blocks=history[place].blocks[1:])


RANDOM_DAMAGES: tuple[Callable[[list[Message], Random], None], ...] = (
    drop,
    swap,
    duplicate,
    split,
    empty,
    take_a_block,
)


@pytest.mark.req("REPAIR-2")
@pytest.mark.parametrize("provider", NAMES)
@given(seed=st.integers(0, 2**32))
def test_random_damage_ends_clean(provider: str, seed: int) -> None:
    random = Random(seed)
    history = valid_history(random)
    assert repair_messages(history, provider).changes == ()
    for _ in range(random.randint(1, 5)):
        if len(history) > 1:
            random.choice(RANDOM_DAMAGES)(history, random)
    mended(provider, *history)


@pytest.mark.req("REPAIR-2")
@pytest.mark.parametrize("provider", NAMES)
def test_a_history_in_order_stays_the_same_object_by_object(provider: str) -> None:
    messages = (human("a"), *exchange("x", "run"), *talk(4))
    repair = repair_messages(messages, provider)
    assert repair.changes == ()
    assert all(
        new is old
        for new, old in zip(repair.compaction.messages, messages, strict=True)
    )
    assert {fate.kind for fate in repair.compaction.fates} == {FateKind.KEPT}


def test_what_was_the_models_stays_the_models() -> None:
    provider, messages = CASES["server-tool"]
    joined = mended(provider, *messages).compaction.messages
    assert [one.speaker for one in joined] == [Speaker.HUMAN, Speaker.AI, Speaker.HUMAN]


@pytest.mark.req("REPAIR-1")
def test_a_result_of_a_server_that_moves_is_told_as_a_move() -> None:
    provider, messages = CASES["server-tool"]
    changes = mended(provider, *messages).changes
    assert [one.moves for one in changes if one.rule == "server-tool"] == [True]


@pytest.mark.req("REPAIR-2")
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_samples_are_in_order_again(damage: str) -> None:
    trials = [
        trial(history, provider, DAMAGES[damage]) for history, provider in histories()
    ]
    assert trials
    assert [one.after for one in trials] == [""] * len(trials)
    assert all(one.is_settled for one in trials)
    assert all(one.rules for one in trials if one.before)


@pytest.mark.req("REPAIR-2")
@pytest.mark.parametrize("format_name", WRITTEN_FORMATS)
def test_a_damaged_file_of_each_format_is_in_order_again(
    format_name: str, tmp_path: Path
) -> None:
    source = sample_in_order()
    # Each format is damaged in every third way; the table of robustness.md has all of them.
    parts = sampled(1, 3)
    names = tuple(DAMAGES)[WRITTEN_FORMATS.index(format_name) % parts :: parts]
    for name in (one for one in names if occurs(one, format_name)):
        done = file_trial(source, format_name, DAMAGES[name], tmp_path)
        assert (name, done.after, done.is_settled) == (name, "", True)
        assert done.rules or not done.before
    clean = file_trial(source, format_name, lambda _: None, tmp_path)
    assert (clean.before, clean.rules) == ("", ())
    assert (tmp_path / "mended").read_bytes() == (tmp_path / "broken").read_bytes()


@pytest.mark.req("REPAIR-2")
@pytest.mark.parametrize("folder", REAL_FORMATS)
def test_damaged_real_files_are_in_order_again(folder: str, tmp_path: Path) -> None:
    source = smallest_in_order(CORPUS / folder, tmp_path)
    if source is None:
        pytest.skip("no corpus beside the project")
    target = source.format if source.format in WRITTEN_FORMATS else "openai_chat"
    # Each file is damaged in every third way, two files in neighbouring ones.
    parts = sampled(1, 3)
    names = tuple(DAMAGES)[REAL_FORMATS.index(folder) % parts :: parts]
    for name in names:
        done = file_trial(source, target, DAMAGES[name], tmp_path)
        assert (name, done.after, done.is_settled) == (name, "", True)


@pytest.mark.req("REPAIR-1")
def test_a_result_stands_behind_the_message_of_its_own_call() -> None:
    first, second = (ai("", call("run", id_)) for id_ in "ab")
    answers = tool(response("b", "run"))
    result = mended(
        "anthropic", human("go"), first, second, answers, ai("done")
    ).compaction.messages
    ids = [
        block.call_id
        for one in result
        for block in one.blocks
        if isinstance(block, ToolResponse)
    ]
    assert ids == ["a", "b"]
    assert result[1] is first
    assert result[3] is second


@pytest.mark.req("REPAIR-3")
def test_of_a_compacted_session_the_current_context_is_mended() -> None:
    messages = (human("a"), *exchange("x", "run"), human("b"))
    recorded = RecordedCompaction(
        kind="summary", boundary=2, summary=(human("So far."),)
    )
    source = conversation(*messages, recorded=(recorded,))
    plan = plan_repair(source, history_of_scope(source, ALL), "openai_chat")
    assert [change.rule for change in plan.changes] == ["orphan-result"]
    assert (plan.scope, len(plan.content.history.messages), plan.left) == (
        "current",
        3,
        (),
    )
    in_order = replace(source, recorded=(replace(recorded, boundary=3),))
    kept = plan_repair(in_order, history_of_scope(in_order, ALL), "openai_chat")
    assert (kept.changes, kept.content.history.messages) == ((), messages)


@pytest.mark.req("REPAIR-1")
@pytest.mark.parametrize("provider", NAMES)
def test_a_note_stays_where_its_result_was(provider: str) -> None:
    history = (human("a"), ai("b"), RESULT, human("continue please"), ai("c"))
    repair = mended(provider, *history)
    assert repair.compaction.origins == ((0,), (1,), (2,), (3,), (4,))
    assert [one.moves for one in repair.changes] == [False]


@pytest.mark.req("REPAIR-1")
def test_a_note_keeps_its_place_in_its_message() -> None:
    lost = human("see:", response("y", "run", "words"), Text("continue please"))
    repair = mended("anthropic", human("a"), ai("b"), lost, ai("c"))
    texts = [getattr(one, "text", "") for one in repair.compaction.messages[2].blocks]
    assert texts[0] == "see:"
    assert texts[1].endswith("words")
    assert texts[2] == "continue please"


@pytest.mark.req("REPAIR-1")
def test_a_note_that_must_move_is_told_as_a_change() -> None:
    lost = tool(response("y", "run", "words"))
    repair = mended("openai", human("a"), CALL, lost, RESULT, END)
    assert repair.compaction.origins == ((0,), (1,), (3,), (2,), (4,))
    moves = [one.reason for one in repair.changes if one.moves]
    assert moves == ["#3 stands after #4 now; the API takes no note where it was."]
    assert change_count(repair.changes) == "2 changes, 1 of the order"


def test_a_message_is_looked_through_once_for_all_lost_results(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = list[Message]()

    def counted(message: Message) -> Iterator[ToolResponse]:
        looked.append(message)
        return tool_responses(message)

    monkeypatch.setattr(repair_results, "tool_responses", counted)
    lost = [tool(response(f"lost {number}", "run")) for number in range(50)]
    history = (human("a"), CALL, *lost, RESULT, END)
    repair_messages(history, "openai")
    assert len(looked) == len(history)


@pytest.mark.req("REPAIR-2")
@pytest.mark.parametrize("provider", NAMES)
@given(seed=st.integers(0, 2**32))
def test_no_message_moves_without_a_change_that_says_so(
    provider: str, seed: int
) -> None:
    random = Random(seed)
    history = valid_history(random)
    for _ in range(random.randint(1, 5)):
        if len(history) > 1:
            random.choice(RANDOM_DAMAGES)(history, random)
    repair = repair_messages(history, provider)
    order = [origin for origins in repair.compaction.origins for origin in origins]
    told = {one.index for one in repair.changes if one.moves}
    others = [origin for origin in order if origin not in told]
    assert others == sorted(others)
