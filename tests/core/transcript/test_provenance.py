"""An export with provenance is enough to restore its messages."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.app.services.export import ExportService
from core.configuration.layers import SettingLayers
from core.export.export import EXPORTERS
from core.formats.registry import load_conversation
from core.presentation.export.model import ExportRequest
from core.presentation.model import WhyPage, WhySection
from core.presentation.opened_file import export_choices
from core.presentation.why import why_message
from core.presentation.why_wording import TITLE
from core.preview.preview import compute_preview
from core.strategies.registry import COMPRESSION_STRATEGIES, STRATEGIES
from core.transcript.model import Message, Text, ToolCall, ToolResponse
from core.transcript.provenance import (
    FIELD,
    MessageProvenance,
    has_provenance,
    message_provenance,
    restorable_places,
)
from tests.core.app.recording_session import RecordingHandler
from tests.core.cli.running_cli import SESSION, Cli

pytestmark = pytest.mark.req("LH-71")
LIMITED = ("--set", "context-limit=30000")
SOME = tuple(one.name for number, one in enumerate(STRATEGIES) if one.emulates is None or number % 3 == 0)
"""The strategies, and every third preset: the others produce the same fates."""


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
def exported(request: pytest.FixtureRequest, cli: Cli, tmp_path: Path) -> tuple[Any, Path]:
    """Return the output of compact, and the file it wrote."""
    out = tmp_path / "compacted.json"
    arguments = ("compact", SESSION, "-s", request.param, *LIMITED)
    assert cli.run(*arguments, "-o", str(out), "--to", "llxprt", "--provenance") == 0
    return cli.json(*arguments), out


def test_all_of_it_put_back_is_the_source(exported: tuple[Any, Path], cli: Cli, tmp_path: Path) -> None:
    output, out = exported
    whole, again = tmp_path / "whole.json", load_conversation(out)
    assert has_provenance(again) == bool(again.messages)
    assert len(restorable_places(again)) == sum(fate["fate"] != "kept" for fate in output["fates"])
    assert cli.run("convert", str(out), "--put-back", "all", "--to", "llxprt", "-o", str(whole)) == 0
    own = [one for one in load_conversation(whole).messages if not one.extra[FIELD].get("inserted")]
    assert list(map(bones, own)) == list(map(bones, load_conversation(SESSION).messages))


def test_one_message_comes_back_and_the_rest_stays(cli: Cli, tmp_path: Path) -> None:
    out, back = tmp_path / "short.json", tmp_path / "back.json"
    name = COMPRESSION_STRATEGIES[0]
    cli.run("compact", SESSION, "-s", name, "-o", str(out), "--to", "llxprt", "--provenance")
    number = restorable_places(load_conversation(out))[3] + 1
    assert cli.run("convert", str(out), "--put-back", str(number), "--to", "llxprt", "-o", str(back)) == 0
    before, after = load_conversation(out).messages, load_conversation(back).messages
    assert len(before) < len(after) <= len(before) + 4
    assert number - 1 in [index for one in after for index in one.extra[FIELD]["sources"]]


def test_what_is_back_is_told_once_and_is_not_put_back_again(
    exported: tuple[Any, Path], cli: Cli, tmp_path: Path
) -> None:
    out, once, twice = exported[1], tmp_path / "once.json", tmp_path / "twice.json"
    for source, target in ((out, once), (once, twice)):
        cli.run("convert", str(source), "--put-back", "all", "--to", "llxprt", "-o", str(target))
    places = [index for one in load_conversation(once).messages for index in one.extra[FIELD]["sources"]]
    assert len(places) == len(set(places))
    assert restorable_places(load_conversation(once)) == ()
    assert once.read_bytes() == twice.read_bytes()


def test_what_has_no_provenance_says_so(cli: Cli, tmp_path: Path) -> None:
    assert "no provenance" in cli.error_text("convert", SESSION, "--put-back", "3", "--to", "llxprt")
    words = cli.error_text(
        "compact", SESSION, "-o", str(tmp_path / "x.json"), "--to", "openai", "--provenance"
    )
    assert "llxprt" in words
    assert "Add -o FILE" in cli.error_text("compact", SESSION, "--provenance")


def test_a_file_that_lost_messages_is_refused(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "short.json"
    cli.run("compact", SESSION, "-o", str(out), "--to", "llxprt", "--provenance")
    out.write_text(json.dumps(json.loads(out.read_text())[2:]))
    assert "incomplete" in cli.error_text("convert", str(out), "--put-back", "all", "--to", "llxprt")


@pytest.mark.parametrize("odd", [5, "x", {}, [True], [{"index": 0, "fate": [], "entry": {}}]])
@pytest.mark.parametrize("field", ["sources", "originals", "removed"])
def test_a_note_of_other_types_is_as_one_that_is_not_there(tmp_path: Path, field: str, odd: object) -> None:
    path = tmp_path / "odd.json"
    entry = {"speaker": "human", "blocks": [{"type": "text", "text": "hi"}], FIELD: {field: odd}}
    path.write_text(json.dumps([entry, entry]))
    conversation = load_conversation(path)
    assert [message_provenance(message) for message in conversation.messages] == [
        MessageProvenance((), {}, {})
    ] * 2
    assert restorable_places(conversation) == ()


def test_the_window_writes_it_where_it_is_asked_to(handler: RecordingHandler, tmp_path: Path) -> None:
    out = tmp_path / "short.json"
    assert [choice.value for choice in export_choices("claude_code", EXPORTERS) if choice.provenance] == [
        "llxprt"
    ]
    answer = handler.call(ExportService.export, ExportRequest(str(out), "llxprt", provenance=True))
    assert has_provenance(load_conversation(out))
    assert not [notice for notice in answer.notices if FIELD in notice.title]
    request = ExportRequest("", "openai_chat", provenance=True)
    secrets = handler.call(ExportService.count_secrets, request)
    assert "no place for provenance" in secrets.refused


def test_the_why_tab_says_what_a_message_was_before(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "short.json"
    cli.run("compact", SESSION, *LIMITED, "-o", str(out), "--to", "llxprt", "--provenance")
    preview = compute_preview(load_conversation(out), SettingLayers().resolve())
    found = [_before(why_message(preview, "before", index)) for index in range(len(preview.messages))]
    [section] = [one for one in found if one is not None]
    known = [index for index, one in enumerate(found) if one is not None]
    sources = message_provenance(preview.messages[known[0]])
    assert sources is not None
    first = min(sources.sources) + 1
    text = "".join(span.text for span in section.text)
    assert text.startswith(f"Stands for #{first}–#")
    assert f"{len(sources.sources)} summarised" in text
    assert f"short.json --put-back {first} --to llxprt" in section.mono


def _before(page: WhyPage) -> WhySection | None:
    return next((section for section in page.sections if section.title == TITLE), None)
