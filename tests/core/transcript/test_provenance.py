"""An export with provenance is enough to restore its messages."""

from pathlib import Path
from typing import Any

import pytest

from core.formats.registry import load_conversation
from core.presentation.inspector_model import WhyPage, WhySection
from core.presentation.why import TITLE
from core.strategies.registry import COMPRESSION_STRATEGIES, STRATEGIES
from core.transcript.model import Message, Text, ToolCall, ToolResponse
from core.transcript.provenance import FIELD, has_provenance, restorable_places
from tests.core.cli.running_cli import SESSION, Cli

pytestmark = pytest.mark.req("LH-71")
LIMITED = ("--set", "context-limit=30000")
SOME = tuple(one.name for number, one in enumerate(STRATEGIES) if one.emulates is None or number % 6 == 0)
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
def exported(request: pytest.FixtureRequest, cli: Cli, tmp_path: Path) -> tuple[Any, Path]:
    """Return the output of compact, and the file it wrote."""
    out = tmp_path / "compacted.json"
    written = ("-o", str(out), "--to", "llxprt", "--provenance")
    return cli.json("compact", SESSION, "-s", request.param, *LIMITED, *written), out


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


def test_what_has_no_provenance_says_so(cli: Cli, tmp_path: Path) -> None:
    assert "no provenance" in cli.error_text("convert", SESSION, "--put-back", "3", "--to", "llxprt")
    words = cli.error_text(
        "compact", SESSION, "-o", str(tmp_path / "x.json"), "--to", "openai", "--provenance"
    )
    assert "llxprt" in words
    assert "Add -o FILE" in cli.error_text("compact", SESSION, "--provenance")


def _before(page: WhyPage) -> WhySection | None:
    return next((section for section in page.sections if section.title == TITLE), None)
