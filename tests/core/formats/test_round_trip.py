"""Exports are read again before they are saved; facts, counts and findings describe the export."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import Cancelled
from core.common.json_value import MISSING, Json
from core.export.checked_saving import RoundTripError, check_unsaved, write_export
from core.export.export import ExportedFile, export_history
from core.facts.model import FactKind
from core.formats.registry import load_conversation
from core.formats.writing.exporter import ExportInput
from core.formats.writing.format_capabilities import CAPABILITIES, adapted_message
from core.lint.lint import lint_messages
from core.losses.evidence import EvidenceStatus
from core.losses.losses_of import losses_of
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview, with_restored
from core.reports.report_data import export_input
from core.strategies.registry import STRATEGIES
from core.strategies.tiered_outputs import OPENING
from core.tokens.counter import counter_for
from core.transcript.model import (
    Conversation,
    Message,
    Speaker,
    Text,
    Thinking,
    ToolResponse,
    joined_text,
    tool_responses,
)
from core.transcript.scopes import CURRENT
from tests.core.cli.running_cli import CHAT, SESSION, Cli
from tests.core.formats.codex_lines import answer, developer, item, meta, user
from tests.core.formats.converting import WRITTEN
from tests.core.formats.exporting import (
    compacted_export,
    edited_export,
    load_written,
    unchanged_export,
)
from tests.core.formats.test_conversions import everything
from tests.core.strategies.strategy_running import values
from tests.support import forked_session
from tests.support.builders import ai, call, conversation, human, response, system, tool

_talk = partial(conversation, format="elsewhere")
KEY = "sk-ant-api03-" + "Ab1" * 30


def saved(given: ExportInput, to: str, folder: Path, **options: Any) -> Conversation:
    """Save the export, which checks it, and open it."""
    made = export_history(given, to, **options)
    path = folder / "saved"
    write_export(made, path, overwrite=True, source=None)
    return load_conversation(path)


@pytest.mark.parametrize("to", ["openai_chat", "openai_responses", "codex_rollout"])
def test_a_system_message_in_front_is_not_taken_for_the_prompt(
    to: str, tmp_path: Path
) -> None:
    talk = _talk(
        system("What was done."),
        human("on"),
        ai("so"),
        system="Be kind.",
        format="elsewhere",
    )
    made = export_history(unchanged_export(talk), to)
    again = saved(unchanged_export(talk), to, tmp_path)
    assert again.messages[0].speaker is Speaker.HUMAN
    assert "What was done." not in "".join(again.system.texts)
    assert "system message in front as user" in " ".join(made.warnings)


ROLES = {
    "openai_chat": (Speaker.SYSTEM, ""),
    "openai_responses": (Speaker.SYSTEM, ""),
    "openhands": (Speaker.SYSTEM, ""),
    "codex_rollout": (
        Speaker.HUMAN,
        "Codex takes those of the system in front as its prompt",
    ),
    "anthropic_messages": (
        Speaker.HUMAN,
        "Anthropic messages has no messages of the system",
    ),
    "claude_code": (Speaker.HUMAN, "Claude Code has no messages of the system"),
    "gemini": (Speaker.HUMAN, "has no messages of the system"),
}


@pytest.mark.req("ION-14")
@pytest.mark.parametrize("to", ROLES)
def test_a_summary_speaks_as_the_system_where_the_format_takes_that_and_else_all_say_so(
    to: str, tmp_path: Path
) -> None:
    wanted = values(compression__strategy="tiered", context_limit=64_000)
    made = compute_preview(
        load_conversation(SESSION), wanted, PreviewOptions(target_format=to)
    )
    [place] = made.result.compaction.inserted
    role, why = ROLES[to]
    assert made.result.compaction.messages[place].speaker is Speaker.SYSTEM
    assert made.result.written_messages[place].speaker is role
    given = export_input(made, result=True)
    said = [
        [
            one
            for one in warnings
            if one.startswith("The summary is written as a message of the user: ")
        ]
        for warnings in (made.checks.warnings, export_history(given, to).warnings)
    ]
    assert said[0] == said[1]
    assert len(said[0]) == bool(why)
    assert why in "".join(said[0])
    again = saved(given, to, tmp_path)
    [summary] = [one for one in again.messages if OPENING in joined_text(one)]
    assert summary.speaker is role
    assert OPENING not in "".join(again.system.texts)


def _server_tools() -> Conversation:
    calls = ai(
        "I look.",
        call("web_search", "srvtoolu_1", query="tide"),
        call("code_execution", "srvtoolu_2"),
    )
    found = tool(
        response("srvtoolu_2", "", "42"),
        response("srvtoolu_1", "", [{"type": "text", "text": "6"}]),
    )
    return _talk(human("When?"), calls, found, ai("At six."))


SHAPES: dict[str, Callable[[], Conversation]] = {
    "every kind of block": everything,
    "one message": lambda: _talk(human("hi")),
    "one answer": lambda: _talk(ai("hi")),
    "server tools": _server_tools,
    "empty answers": lambda: _talk(human("a"), ai(""), human("b"), ai("", Text(""))),
    "a late answer": lambda: _talk(
        human("go"), ai("", call("run", "a")), human("and?"), ai("yes"), tool(response("a", "run", "ok"))
    ),
    "no call": lambda: _talk(human("go"), tool(response("x", "run", "late")), ai("so")),
    "words after a call": lambda: _talk(
        human("go"), ai("one", call("run", "a"), Text("two")), tool(response("a", "run", "ok"))
    ),
    "several texts": lambda: _talk(human("a \n", Text("\n b"), Text("c")), ai("d")),
}  # fmt: skip


@pytest.mark.parametrize("to", WRITTEN)
@pytest.mark.parametrize("shape", SHAPES)
def test_an_unusual_conversation_opens_again_from_every_format(
    shape: str, to: str, tmp_path: Path
) -> None:
    assert saved(unchanged_export(SHAPES[shape]()), to, tmp_path).messages


@pytest.mark.parametrize("to", WRITTEN)
def test_every_strategy_in_every_format_opens_again(to: str, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    source, stages, count = (
        saved(unchanged_export(load_conversation(SESSION)), to, own),
        StageCache(),
        0,
    )
    for strategy in STRATEGIES[WRITTEN.index(to) % 6 :: 6]:
        made = compute_preview(
            source, _little_room(strategy.name), PreviewOptions(checks=False), stages
        )
        if made.result.compaction.no_op is None:
            count += 1
            saved(export_input(made, result=True), to, tmp_path)
            if count == 1:
                saved(export_input(made, result=True), to, tmp_path, redact=True)
    assert count


def _little_room(strategy: str) -> Any:
    return values(compression__strategy=strategy, context_limit=60_000)


def test_a_branch_and_what_an_earlier_compaction_left_open_again(
    tmp_path: Path,
) -> None:
    path = forked_session.write(tmp_path)
    source = load_conversation(path)
    assert len(source.branches) > 1
    for number in range(1, len(source.branches) + 1):
        saved(
            compacted_export(load_conversation(path, branch=number)),
            "claude_code",
            tmp_path,
        )
    for name in ("none", "middle-out"):
        made = compute_preview(
            load_conversation(SESSION),
            _little_room(name),
            PreviewOptions(scope=CURRENT, checks=False),
        )
        assert saved(export_input(made, result=True), "claude_code", tmp_path).messages


def test_redacted_texts_are_compared_but_for_what_was_written_over(
    tmp_path: Path,
) -> None:
    calls = ai("", call("run", "a", command=f"export TOKEN={KEY}"))
    talk = _talk(
        human(f"my key is {KEY}, keep it"), calls, tool(response("a", "run", KEY))
    )
    made = export_history(unchanged_export(talk), "openai_chat", redact=True)
    write_export(made, tmp_path / "saved", overwrite=False, source=None)
    worse = replace(made, data=made.data.replace(b"keep it", b"lose it"))
    with pytest.raises(
        RoundTripError, match="message 1: words of the user with other content"
    ):
        check_unsaved(worse)


DIFFERENCES: dict[str, Callable[[list[Any]], Any]] = {
    "message 1: words of the user with other content": lambda m: m[0].update(content="hello"),
    "message 4: the role is user instead of assistant": lambda m: m[3].update(role="user"),
    "words of the assistant of message 4 is not in the file": lambda m: m.pop(),
    "message 3: a tool result with other content": lambda m: m[2].update(content="no"),
    "message 2: the id of a tool call is another one": lambda m: (
        m[1]["tool_calls"][0].update(id="b"), m[2].update(tool_call_id="b")
    ),
    "message 5 of the file, words of the user, was not to be written": lambda m: m.append(
        {"role": "user", "content": "more"}
    ),
}  # fmt: skip


@pytest.mark.parametrize("said", DIFFERENCES)
def test_the_first_difference_is_named_and_nothing_is_written(
    said: str, tmp_path: Path
) -> None:
    path = tmp_path / "out.json"
    calls = ai("I look.", call("run", "a", n=1))
    talk = _talk(human("hi"), calls, tool(response("a", "run", "ok")), ai("so"))
    made = export_history(unchanged_export(talk), "openai_chat")
    value = json.loads(made.data)
    DIFFERENCES[said](value["messages"])
    made = replace(made, data=json.dumps(value).encode())
    with pytest.raises(RoundTripError) as refused:
        write_export(made, path, overwrite=False, source=None)
    assert said in refused.value.message
    assert list(tmp_path.iterdir()) == []
    write_export(made, path, overwrite=False, source=None, force=True)
    assert path.read_bytes() == made.data


def test_reading_again_can_be_cancelled(tmp_path: Path) -> None:
    def cancel(fraction: float, text: str) -> None:
        raise Cancelled

    made = export_history(unchanged_export(load_conversation(SESSION)), "openai_chat")
    with pytest.raises(Cancelled):
        write_export(
            made, tmp_path / "out", overwrite=False, source=None, progress=cancel
        )
    assert list(tmp_path.iterdir()) == []


def _long_turn(at: int) -> tuple[Json, ...]:
    arguments = json.dumps({"command": f"{at}" * 20_000})
    calls = [
        {
            "id": f"c{at}",
            "type": "function",
            "function": {"name": "run", "arguments": arguments},
        }
    ]
    return (
        {"role": "user", "content": f"{at} " + "words\r\n" * 8_000},
        {
            "role": "assistant",
            "content": f"{at} " + "é [1] " * 8_000,
            "tool_calls": calls,
        },
        {
            "role": "tool",
            "tool_call_id": f"c{at}",
            "content": json.dumps({"b": "x" * 40_000, "a": at}),
        },
    )


BIG = (
    {"role": "system", "content": "Be kind."},
    *(one for at in range(3) for one in _long_turn(at)),
)
"""A talk of 700 kB as lines: texts with other line ends, calls whose arguments are written with
blanks."""


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> ExportedFile:
    source = load_written(tmp_path_factory.mktemp("big"), *BIG)
    return export_history(unchanged_export(source), "openai_chat")


@pytest.mark.parametrize("said", ["words", "é", "2" * 80, "x" * 40])
def test_the_last_of_long_texts_is_compared_to_its_end(
    said: str, big: ExportedFile
) -> None:
    inside = json.dumps(said)[1:-1].encode()
    at = big.data.rfind(inside)
    worse = big.data[:at] + b"z" * len(inside) + big.data[at + len(inside) :]
    with pytest.raises(RoundTripError, match="with other content"):
        check_unsaved(replace(big, data=worse))


@pytest.mark.parametrize("command", ["compact", "convert"])
def test_the_command_line_refuses_and_force_saves(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def spoil(*arguments: Any, **options: Any) -> ExportedFile:
        made = export_history(*arguments, **options)
        value = json.loads(made.data)
        value["messages"].pop()
        return replace(made, data=json.dumps(value).encode())

    monkeypatch.setattr("core.app.services.export.export_history", spoil)
    cli, out = Cli(capsys), tmp_path / "out.json"
    words = (command, CHAT, "--to", "openai", "-o")
    assert "opened again it would differ" in (
        said := cli.error_text(*words, str(out), "--quiet")
    )
    assert "--force" in said
    assert not out.exists()
    assert "opened again it would differ" in cli.error_text(*words, "-", "--quiet")
    assert cli.run(*words, str(out), "--force") == 0
    assert cli.run(*words, str(out), "--force") == 2  # which replaces no file
    assert json.loads(out.read_bytes())["messages"]


def test_what_the_person_said_in_front_is_no_system_prompt_of_a_rollout(
    tmp_path: Path,
) -> None:
    source = load_written(
        tmp_path,
        meta(),
        item(developer("Rules.")),
        item(user("go")),
        item(answer("done")),
    )
    told = Message(speaker=Speaker.SYSTEM, blocks=(Text("A summary."),))
    again = saved(edited_export(source, {0: told}), "codex_rollout", tmp_path)
    assert again.system == source.system
    assert again.messages[0].blocks == told.blocks


ERROR = "ZeroDivisionError: zebra quokka failure in module walrus.py line 4711"


def _exchange(
    number: int, text: str, **fields: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    use = {
        "type": "tool_use",
        "id": f"t{number}",
        "name": "Bash",
        "input": {"command": f"make step{number}"},
    }
    result = {
        "type": "tool_result",
        "tool_use_id": f"t{number}",
        "content": text,
        **fields,
    }
    return {"role": "assistant", "content": [use]}, {
        "role": "user",
        "content": [result],
    }


@pytest.fixture
def session(tmp_path: Path) -> Conversation:
    turns = [_exchange(at, "ok " * 300) for at in range(14)]
    turns[1] = _exchange(1, ERROR, is_error=True)
    messages = [
        {"role": "user", "content": "Fix it"},
        *(one for turn in turns for one in turn),
    ]
    request = {
        "system": "s",
        "messages": [*messages, {"role": "assistant", "content": "Done."}],
    }
    return load_written(tmp_path, request, lines=False)


def _made(
    source: Conversation,
    strategy: str = "high-density",
    limit: int = 20_000,
    **asked: Any,
) -> tuple[Preview, StageCache]:
    stages = StageCache()
    effective = values(compression__strategy=strategy, context_limit=limit)
    return compute_preview(source, effective, PreviewOptions(**asked), stages), stages


def test_a_failed_result_that_was_cleared_has_lost_its_error(
    session: Conversation,
) -> None:
    made, stages = _made(session, "mask-observations")
    assert (
        ERROR.encode()
        not in export_history(
            export_input(made, result=True), "anthropic_messages"
        ).data
    )
    (error,) = [
        one
        for one in losses_of(made, stages).items
        if one.fact.kind is FactKind.OPEN_ERROR
    ]
    assert error.status is EvidenceStatus.GONE


@pytest.mark.parametrize(
    "strategy", ["high-density", "tiered", "middle-out", "mask-observations", "pi"]
)
def test_tokens_and_findings_are_those_of_the_file(
    strategy: str, tmp_path: Path
) -> None:
    source = load_conversation(SESSION)
    made, _ = _made(source, strategy, 60_000)
    path = tmp_path / "out.jsonl"
    path.write_bytes(
        export_history(export_input(made, result=True), source.format).data
    )
    written, removed = (
        load_conversation(path).messages,
        (Text("[Earlier messages were removed.]"),),
    )
    again = [one for one in written if one.blocks != removed]
    counter = made.sizes.sizing.counter(counter_for(made.sizes.model_limit.model))
    assert made.sizes.message_tokens_after == counter.messages(again)
    rules = {
        one.provider: [found.rule for found in one.after] for one in made.checks.lint
    }
    assert rules["anthropic"] == [
        found.rule
        for found in lint_messages(written, "anthropic", source=source.messages)
    ]


def test_a_chosen_format_decides_what_is_counted() -> None:
    turns = (ai("so", thinking="long thought " * 50), human("and?")) * 20
    source = conversation(human("q"), *turns, ai("done"), format="elsewhere")
    own = _made(source, "top-down-truncation", 1_000)[0]
    other = _made(source, "top-down-truncation", 1_000, target_format="openai_chat")[0]
    assert not any(
        isinstance(block, Thinking)
        for one in other.result.written_messages
        for block in one.blocks
    )
    assert other.sizes.after_tokens < own.sizes.after_tokens
    assert [one.speaker for one in other.result.written_messages] == [
        one.speaker for one in own.result.written_messages
    ]


def test_what_is_put_back_is_judged_as_it_is_written(session: Conversation) -> None:
    made, stages = _made(session, "mask-observations")
    index = next(at for at, one in enumerate(made.messages) if ERROR in str(one))
    back = with_restored(made, frozenset({index}))
    (error,) = [
        one
        for one in losses_of(back, stages).items
        if one.fact.kind is FactKind.OPEN_ERROR
    ]
    assert error.status is not EvidenceStatus.GONE
    assert back.sizes.after_tokens > made.sizes.after_tokens


def test_a_format_with_a_field_for_errors_keeps_them(tmp_path: Path) -> None:
    """llxprt writes the error beside the result, so its words count as kept."""
    talk = conversation(
        human("Fix it"),
        ai("", call("run", "a")),
        tool(response("a", "run", ERROR, error=ERROR)),
        ai("so"),
    )
    edited = replace(
        talk.messages[2],
        blocks=(replace(response("a", "run", "[cleared]"), error=ERROR),),
    )
    own = next(tool_responses(adapted_message(edited, CAPABILITIES["llxprt"], edited)))
    assert (own.result, own.error) == ("[cleared]", ERROR)
    other = next(
        tool_responses(adapted_message(edited, CAPABILITIES["claude_code"], edited))
    )
    assert (other.result, other.error) == ("[cleared]", "[cleared]")
    chat = next(
        tool_responses(adapted_message(edited, CAPABILITIES["openai_chat"], None))
    )
    assert chat == ToolResponse("a", "run", "[cleared]", MISSING)
