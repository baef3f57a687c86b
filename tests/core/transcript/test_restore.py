"""Messages are put back into results and exports, and pins keep or drop them before."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.app.events import OpenRequest
from core.app.services.preview import OpenService, PreviewService
from core.common.errors import FoldlineError
from core.common.paths import state_dir
from core.formats.registry import load_conversation
from core.presentation.filter_query import UserMarks
from core.presentation.model import FATES
from core.presentation.screen_model import Screen
from core.preview.preview import compute_preview
from core.settings.schema import LIMIT, STRATEGY
from core.strategies.names import EXCERPT
from core.strategies.registry import COMPACTION_STRATEGIES, STRATEGIES
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Message, MessageFlag, Text, ToolCall, ToolResponse
from core.transcript.pins import RULE, restore_messages
from core.transcript.provenance import FIELD, message_provenance, restorable_indices
from core.transcript.tool_pairs import find_pairs
from tests.core.app.recording_workspace import RecordingHandler
from tests.core.cli.running_cli import CHAT, SESSION, Cli
from tests.core.histories import histories, loose_ends
from tests.core.strategies.strategy_running import values
from tests.support.builders import SURVIVING, conversation, exchange, human, talk

TALK = (human("go"), *exchange("a", "bash", "line\n" * 200, command="make"), *talk(20))
pytestmark = pytest.mark.req("LH-71")


def compacted(name: str, messages: tuple[Message, ...], limit: int = 600) -> Compaction:
    effective = values(compression__strategy=name, context_limit=limit)
    return compute_preview(conversation(*messages), effective).result.compaction


def again(run: Compaction, messages: tuple[Message, ...], *indices: int) -> Compaction:
    return restore_messages(run, messages, find_pairs(messages), indices)


def test_a_message_of_the_summarised_middle_comes_back_behind_the_summary_in_its_order() -> (
    None
):
    run = compacted(COMPACTION_STRATEGIES[0], TALK)
    first, second = 8, 10
    restored = again(run, TALK, second, first)
    place = restored.messages.index(TALK[first])
    assert restored.messages[place : place + 2] == (TALK[first], TALK[second])
    assert restored.origins[place] == (first,)
    assert min(restored.inserted) < place < restored.messages.index(TALK[-1])
    assert restored.fates[first].last.rule == RULE
    assert (
        restored.metadata.compressed_message_count
        == run.metadata.compressed_message_count + 2
    )


@pytest.mark.parametrize("name", [one.name for one in STRATEGIES if one.requires_llm])
def test_a_summary_goes_with_the_last_message_that_it_stood_for(name: str) -> None:
    run = compacted(name, TALK, limit=1500)
    changed = [
        index for index, fate in enumerate(run.fates) if fate.kind is not FateKind.KEPT
    ]
    assert again(run, TALK, *changed).messages == TALK
    if len(changed) > 2 and run.inserted:
        assert again(run, TALK, changed[0]).inserted


def test_a_call_comes_back_with_its_result() -> None:
    run = compacted(COMPACTION_STRATEGIES[1], TALK)
    assert {run.fates[1].kind, run.fates[2].kind} == {FateKind.DROPPED}
    restored = again(run, TALK, 2)
    assert restored.messages.index(TALK[2]) == restored.messages.index(TALK[1]) + 1


@given(histories(), st.sampled_from(COMPACTION_STRATEGIES), st.data())
def test_put_back_keeps_every_rule_of_a_result(
    messages: tuple[Message, ...], name: str, data: st.DataObject
) -> None:
    try:
        run = compacted(name, messages)
    except FoldlineError:
        return
    wanted = data.draw(st.sets(st.integers(0, max(0, len(messages) - 1)), max_size=4))
    restored = again(run, messages, *wanted)
    if run.no_op is not None:
        assert restored is run
        return
    places = [source for sources in restored.origins for source in sources]
    assert len(places) == len(set(places))
    assert set(places) == {
        i for i, one in enumerate(restored.fates) if one.kind in SURVIVING
    }
    for index in wanted & set(range(len(messages))):
        assert restored.fates[index].kind is FateKind.KEPT
        assert messages[index] in restored.messages
    assert loose_ends(restored.messages) <= loose_ends(messages)


def test_the_command_line_puts_back_by_number(cli: Cli) -> None:
    arguments = (
        "compact",
        SESSION,
        "--set",
        "compression.strategy=" + COMPACTION_STRATEGIES[0],
    )
    plain, back = cli.json(*arguments), cli.json(*arguments, "--put-back", "40-41,#44")
    assert back["after"]["messages"] >= plain["after"]["messages"] + 3
    assert {back["fates"][index]["fate"] for index in (39, 40, 43)} == {"kept"}
    assert {back["fates"][index]["rule"] for index in (39, 40, 43)} == {RULE}


PRUNING = ("high-density", "stub-and-retrieve")
"""They find more to do in the long sample with its many results."""
SOME = tuple(
    one.name
    for number, one in enumerate(STRATEGIES)
    if one.emulates is None or number % 6 == 0
)
"""The strategies, and every sixth preset: the others produce the same fates."""


def bones(message: Message) -> list[tuple[str, str]]:
    """Return speaker and content of a message, without what formats write differently."""
    found = [(message.speaker.value, "")]
    for block in message.blocks:
        match block:
            case Text():
                found.append(("text", block.text))
            case ToolCall():
                found.append(("call", block.id))
            case ToolResponse():
                found.append(("response", block.call_id))
    return found


@pytest.fixture(params=SOME)
def exported(
    request: pytest.FixtureRequest, cli: Cli, tmp_path: Path
) -> tuple[Any, Path, str]:
    out = tmp_path / "compacted.json"
    written = ("-o", str(out), "--to", "llxprt", "--provenance")
    source, limit = (SESSION, 30_000) if request.param in PRUNING else (CHAT, 3_000)
    limited = ("--set", f"compression.context-limit={limit}")
    return (
        cli.json(
            "compact", source, "--scope", "all", "-s", request.param, *limited, *written
        ),
        out,
        source,
    )


def test_all_of_it_put_back_is_the_source(
    exported: tuple[Any, Path, str], cli: Cli, tmp_path: Path
) -> None:
    output, out, source = exported
    whole, again = tmp_path / "whole.json", load_conversation(out)
    assert any(map(message_provenance, again.messages)) == bool(again.messages)
    messages = load_conversation(source).messages
    unsent = {
        index for index, one in enumerate(messages) if one.flags & MessageFlag.API_ERROR
    }
    gone = unsent | {
        index for index, fate in enumerate(output["fates"]) if fate["fate"] != "kept"
    }
    assert len(restorable_indices(again)) == len(gone)
    assert (
        cli.run(
            "convert", str(out), "--put-back", "all", "--to", "llxprt", "-o", str(whole)
        )
        == 0
    )
    own = [
        one
        for one in load_conversation(whole).messages
        if not one.extra[FIELD].get("inserted")
    ]
    # What an export leaves out stays out; a row that the strategy removed itself comes back.
    left_out = {index for index in unsent if output["fates"][index]["fate"] == "kept"}
    sent = [one for index, one in enumerate(messages) if index not in left_out]
    assert list(map(bones, own)) == list(map(bones, sent))


def test_one_message_comes_back_and_the_rest_stays(cli: Cli, tmp_path: Path) -> None:
    out, back = tmp_path / "short.json", tmp_path / "back.json"
    name = COMPACTION_STRATEGIES[0]
    cli.run(
        "compact", SESSION, "-s", name, "-o", str(out), "--to", "llxprt", "--provenance"
    )
    number = restorable_indices(load_conversation(out))[3] + 1
    assert (
        cli.run(
            "convert",
            str(out),
            "--put-back",
            str(number),
            "--to",
            "llxprt",
            "-o",
            str(back),
        )
        == 0
    )
    before, after = load_conversation(out).messages, load_conversation(back).messages
    assert len(before) < len(after) <= len(before) + 4
    assert number - 1 in [
        index for one in after for index in one.extra[FIELD]["sources"]
    ]


def test_what_has_no_provenance_says_so(cli: Cli, tmp_path: Path) -> None:
    assert "no provenance" in cli.error_text(
        "convert", SESSION, "--put-back", "3", "--to", "llxprt"
    )
    words = cli.error_text(
        "compact",
        SESSION,
        "-o",
        str(tmp_path / "x.json"),
        "--to",
        "openai",
        "--provenance",
    )
    assert "llxprt" in words
    assert "Add -o FILE" in cli.error_text("compact", SESSION, "--provenance")


PINNED = (STRATEGY, EXCERPT), (LIMIT, 4000)


def is_kept(screen: Screen, index: int) -> bool:
    return screen.source.fates[index] == FATES.index("kept")


def test_a_pin_is_told_obeyed_and_taken_off_again(handler: RecordingHandler) -> None:
    assert not is_kept(handler.screen(PreviewService.change, PINNED), 2)
    assert is_kept(handler.pin(2, "keep"), 2)
    assert handler.marks() == UserMarks(keep=(2,))
    assert not is_kept(handler.pin(2, "keep"), 2)
    assert handler.marks() == UserMarks()


def test_one_kind_takes_the_place_of_the_other_and_a_note_stays_beside_it(
    handler: RecordingHandler,
) -> None:
    handler(PreviewService.change, PINNED)
    handler.pin(2, "keep")
    handler.pin(2, "note", "the only list")
    assert handler.marks() == UserMarks(keep=(2,), notes=((2, "the only list"),))
    screen = handler.pin(2, "drop")
    assert handler.marks() == UserMarks(drop=(2,), notes=((2, "the only list"),))
    assert screen.source.fates[2] == screen.source.fates[1] == FATES.index("dropped")
    handler.pin(2, "drop")
    assert handler.marks() == UserMarks(notes=((2, "the only list"),))
    handler.pin(2, "note")
    assert handler.marks() == UserMarks()


def test_pins_are_found_again_and_nothing_lies_beside_the_transcript(
    handler: RecordingHandler, transcript: Path
) -> None:
    handler(PreviewService.change, PINNED)
    handler.pin(2, "drop")
    handler.pin(3, "note", "ask again")
    other = RecordingHandler()
    other(OpenService.open, OpenRequest(str(transcript)))
    assert other.marks() == UserMarks(drop=(2,), notes=((3, "ask again"),))
    assert [path.name for path in transcript.parent.iterdir()] == [transcript.name]
    [file] = [
        path
        for path in state_dir().rglob("*.json")
        if "pins" in path.read_text("utf-8")
    ]
    text = file.read_text("utf-8")
    assert "ask again" in text
    assert "Question" not in text
    assert set(json.loads(text)) == {"pins"}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def test_the_command_line_takes_pins_for_one_run(run: Cli) -> None:
    tight = ("compact", CHAT, "-s", EXCERPT, "--set", "compression.context-limit=600")
    plain = run.json(*tight)
    changed = [
        one["index"] for one in plain["fates"] if one["fate"] not in ("kept", "dropped")
    ]
    first = changed[0]
    result = run.json(*tight, "--pin", str(first + 1))
    assert result["fates"][first]["fate"] == "kept"
    assert result["fates"][first]["reason"] == "A pin keeps it whole."
    gone = run.json(*tight, "--drop-pin", str(first + 1))
    assert gone["fates"][first]["fate"] == "dropped"
