"""Every transcript format to every other and to itself: nothing is lost silently that the target
can hold."""

import gzip
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
import zstandard

from core.common.errors import CompactionFailed
from core.common.json_value import Json
from core.export.checked_saving import check_unsaved
from core.export.export import export_history
from core.formats.registry import load_conversation
from core.formats.writing.exporter import ExportInput
from core.formats.writing.format_capabilities import expected_messages
from core.lint.lint import default_provider, lint_messages
from core.preview.options import PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.strategies.registry import STRATEGIES
from core.transcript.model import (
    Code,
    Conversation,
    Media,
    Message,
    MessageFlag,
    Opaque,
    Speaker,
    SystemPart,
    Text,
    Thinking,
    ToolCall,
    tool_calls,
)
from core.transcript.scopes import history_of_scope
from tests.core.formats.converting import WRITTEN, export_to, lost_and_made_up, turns
from tests.core.formats.exporting import (
    CORPUS,
    compacted_export,
    corpus_files,
    edited_export,
    export_and_load,
    load_written,
    unchanged_export,
)
from tests.core.formats.small_files import SMALL, written
from tests.core.formats.test_real_files import COUNTS
from tests.core.strategies.strategy_running import values
from tests.support.builders import (
    ai,
    call,
    conversation,
    exchange,
    human,
    response,
    system,
    tool,
)
from tests.support.sampling import sampled

_Item = TypeVar("_Item")
PNG = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"},
}
SYSTEM, TOOLS, MODEL, TIMES = (
    "system prompt",
    "tool definition",
    "name of the model",
    "time of a message",
)
LARGEST = 400_000  # bytes of a corpus file that is converted here


def everything() -> Conversation:
    """One block of each kind, in each place that a format has for it."""
    signed = Thinking("Where is the log?", {"signature": "c2ln"})
    calls = ai(
        "Two reads.", call("read", "a", path="a.log"), call("read", "b", path="b.png")
    )
    image = response("b", "read", [{"type": "text", "text": "a chart"}, PNG])
    messages = (
        human(
            "Look at this.",
            Media("image/png", "QUJDRA=="),
            Text("And this."),
            timestamp=_time(1),
        ),
        replace(calls, blocks=(signed, *calls.blocks), timestamp=_time(2)),
        tool(response("a", "read", "line 1\nline 2"), image, timestamp=_time(3)),
        ai(
            "",
            call("grep", "c", q="x", deep={"k": [1, None, "ä"]}),
            thinking="unsigned",
            timestamp=_time(4),
        ),
        tool(response("c", "grep", {"rows": [1, 2]}), timestamp=_time(5)),
        ai("", call("run", "d", cmd="false"), timestamp=_time(6)),
        tool(
            response("d", "run", "exit code 1", error="exit code 1"), timestamp=_time(7)
        ),
        system("Be brief from here.", timestamp=_time(8)),
        human("Why? “Quoted”, 🙂\r\n<b>", timestamp=_time(9)),
        Message(
            speaker=Speaker.AI,
            blocks=(Code("print(1)", "python"), Opaque("odd", {"k": 1})),
            timestamp=_time(10),
        ),
        human("Thanks.", timestamp=_time(11)),
    )
    read = {
        "name": "read",
        "description": "Reads.",
        "input_schema": {"type": "object", "properties": {}},
    }
    part = SystemPart(("Be kind.", "Be exact."), (read,))
    return conversation(
        *messages,
        format="elsewhere",
        system=part,
        model="model-1",
        cwd="/home/ada/tides",
    )


def _time(minute: int) -> str:
    return f"2026-03-01T10:{minute:02}:00.000Z"


def _has_messages(path: Path) -> bool:
    """Return whether messages were counted in a file; one that was not counted has some."""
    counted: Sequence[int] = COUNTS.get(f"{path.parent.name}/{path.name}", (0, 0, 1))
    return bool(counted[2])


def _corpus() -> list[Path]:
    found: list[Path] = []
    for folder in sorted(CORPUS.iterdir()) if CORPUS.is_dir() else ():
        if folder.is_dir() and folder.name != "broken":
            small = [
                path
                for path in filter(_has_messages, folder.iterdir())
                if path.stat().st_size < LARGEST
            ]
            found += sorted(small, key=lambda path: path.stat().st_size)[:2]
    return found


def _share(every: Sequence[_Item], path: Path) -> Sequence[_Item]:
    """Return all, or what one file of a folder is tried with: together its files have all."""
    files = [one for one in _corpus() if one.parent == path.parent]
    parts = sampled(1, len(files))
    return every[files.index(path) % parts :: parts]


def _params(paths: Sequence[Path]) -> list[object]:
    skip = pytest.mark.skip(reason="no corpus beside the project")
    return [
        pytest.param(path, id=f"{path.parent.name}-{path.name[:2]}") for path in paths
    ] or [pytest.param(CORPUS, marks=skip)]


@pytest.mark.parametrize("to", WRITTEN)
def test_every_kind_of_block_arrives_or_is_named(to: str, tmp_path: Path) -> None:
    assert lost_and_made_up(everything(), to, tmp_path) == ([], [])


@pytest.mark.parametrize("to", WRITTEN)
def test_what_stands_beside_the_messages_arrives_or_is_named(
    to: str, tmp_path: Path
) -> None:
    source = everything()
    path, warnings = export_to(unchanged_export(source), to, tmp_path)
    again = load_conversation(path)
    assert again.format == to
    assert (
        "\n".join(again.system.texts).split() == ["Be", "kind.", "Be", "exact."]
        or SYSTEM in warnings
    )
    assert len(again.system.tools) == 1 or TOOLS in warnings
    assert again.model == source.model or MODEL in warnings
    assert (
        again.messages[0].timestamp.startswith("2026-03-01T10:01") or TIMES in warnings
    )
    failed = [
        block
        for message in again.messages
        for block in message.blocks
        if getattr(block, "error", "") == "exit code 1"
    ]
    assert failed or "error mark of a tool result" in warnings


@pytest.mark.parametrize("to", WRITTEN)
def test_a_model_that_answered_nothing_arrives_or_is_named(
    to: str, tmp_path: Path
) -> None:
    source = conversation(human("go"), format="elsewhere", model="model-1")
    path, warnings = export_to(unchanged_export(source), to, tmp_path)
    assert load_conversation(path).model == source.model or MODEL in warnings


def test_words_behind_a_call_are_expected_in_front_of_it() -> None:
    both = ai("", call("run", "a"), Text("I look."))
    source = conversation(
        human("go"), both, tool(response("a", "run")), format="elsewhere"
    )
    _, expected, _ = expected_messages(unchanged_export(source), "openai_chat")
    assert [*map(type, expected.blocks)] == [Text, ToolCall]
    assert check_unsaved(export_history(unchanged_export(source), "openai"))


@pytest.mark.parametrize(
    ("to", "named"), [("anthropic", "(mood, detail)"), ("openai", "(mood)")]
)
def test_further_fields_are_named_but_for_those_with_a_place(
    to: str, named: str
) -> None:
    said = human("go", extra={"mood": "calm", "detail": "low"})
    made = export_history(unchanged_export(conversation(said, format="elsewhere")), to)
    assert f"further fields {named}." in made.warnings[0]


@pytest.mark.parametrize("to", ["anthropic_messages", "openai_chat"])
@pytest.mark.parametrize("is_nested", [True, False])
def test_a_definition_is_renamed_as_its_calls_are(
    is_nested: bool, to: str, tmp_path: Path
) -> None:
    tool: dict[str, Json] = {"name": "mcp.run", "parameters": {"type": "object"}}
    definition = {"type": "function", "function": tool} if is_nested else tool
    source = conversation(
        human("go"), *exchange("a", "mcp.run"), system=SystemPart(("s",), (definition,))
    )
    written, _ = export_to(
        unchanged_export(replace(source, format="elsewhere")), to, tmp_path
    )
    again = load_conversation(written)
    (called,) = tool_calls(again.messages[1])
    assert called.name == "mcp_run"
    assert '"mcp_run"' in json.dumps(again.system.tools)


@pytest.mark.parametrize("path", _params(_corpus()))
def test_a_real_transcript_becomes_every_format(path: Path, tmp_path: Path) -> None:
    source = load_conversation(path)
    speaks_of_mini = (
        source.format == "mini_swe_agent"
    )  # as messages of OpenAI, whose format that is
    for to in _share(WRITTEN, path) if source.messages else ():
        assert (to, *lost_and_made_up(source, to, tmp_path)) == (to, [], [])
        written = tmp_path / "written"
        if (
            written.stat().st_size
            and load_conversation(written, format=to).messages
            and not speaks_of_mini
        ):
            assert load_conversation(written).format == to


@pytest.mark.parametrize(
    "to", [name for name in WRITTEN if name != "anthropic_messages"]
)
def test_settings_of_a_request_and_a_document_of_text_are_told(
    to: str, tmp_path: Path
) -> None:
    source = {"type": "text", "media_type": "text/plain", "data": "High at noon."}
    asked = {
        "role": "user",
        "content": [{"type": "document", "title": "Tides", "source": source}],
    }
    request = {
        "system": "s",
        "max_tokens": 9,
        "messages": [asked, {"role": "assistant", "content": "ok"}],
    }
    path, warnings = export_to(
        unchanged_export(load_written(tmp_path, request, lines=False)), to, tmp_path
    )
    assert "The settings of the request (max_tokens) are not carried over." in warnings
    if to != "claude_code":  # which holds the document as it is
        assert "Documents of plain text became texts of their messages (1)." in warnings
        words = load_conversation(path, format=to).messages[0].blocks[0]
        assert isinstance(words, Text)
        assert words.text == "Tides\n\nHigh at noon."


def test_what_an_export_cannot_hold_is_said_once_for_each_kind() -> None:
    assert export_history(unchanged_export(everything()), "llxprt").warnings == (
        "Left out because llxprt has no place for it: system prompt, tool definition, "
        "name of the model, odd.",
        "Written differently for llxprt: system message as human.",
    )


def _compacted(
    source: Conversation, strategy: str, stages: StageCache
) -> ExportInput | None:
    asked = values(compression__strategy=strategy, context_limit=4_000)
    try:
        made = compute_preview(source, asked, PreviewOptions(checks=False), stages)
    except CompactionFailed:
        return None
    assert made.result.compaction is not None
    return (
        None
        if made.result.compaction.no_op
        else ExportInput(
            conversation=source,
            history=made.source.history,
            compaction=made.result.compaction,
        )
    )


def _errors(messages: Sequence[Message], provider: str) -> Counter[str]:
    return Counter(
        found.rule
        for found in lint_messages(messages, provider)
        if found.severity == "error"
    )


@pytest.mark.parametrize(
    "path", _params([path for path in _corpus() if path.parent.name in WRITTEN])
)
def test_a_compaction_of_a_real_transcript_opens_again(
    path: Path, tmp_path: Path
) -> None:
    source = load_conversation(path)
    provider, stages = default_provider(source.format), StageCache()
    strategies = _share(STRATEGIES, path)
    results = (_compacted(source, one.name, stages) for one in strategies)
    for given in (one for one in results if one is not None):
        path, warnings = export_to(given, source.format, tmp_path)
        again = load_conversation(path)
        assert again.format == source.format
        front = ["user"] if "a short user message was put before it" in warnings else []
        assert turns(again.messages) == front + turns(given.messages)
        assert not _errors(again.messages, provider) - _errors(
            source.messages, provider
        )


@pytest.mark.parametrize(
    "to",
    [
        "anthropic_messages",
        "claude_code",
        "gemini",
        "gemini_cli",
        "pi_agent",
        "openhands",
    ],
)
def test_where_an_answer_would_come_first_the_user_says_that_more_was_there(
    to: str, tmp_path: Path
) -> None:
    talk = conversation(
        human("q"), ai("a"), human("why?"), ai("so"), format="elsewhere"
    )
    path, _ = export_to(unchanged_export(talk), to, tmp_path)
    own = tmp_path / "own"
    path.rename(own)
    path, warnings = export_to(
        edited_export(load_conversation(own), {0: None}), to, tmp_path
    )
    again = load_conversation(path)
    assert [message.speaker.value for message in again.messages] == [
        "human",
        "ai",
        "human",
        "ai",
    ]
    assert "answer as the first message" in warnings


FILES = corpus_files("claude_code", "openai_chat", "anthropic_messages")
OPENAI, ANTHROPIC = "openai_chat", "anthropic_messages"


def _values(data: bytes) -> list[Any]:
    text = data.decode("utf-8", "replace")
    try:
        return [json.loads(text)]
    except ValueError:
        return [json.loads(line) for line in text.split("\n") if line.strip()]


@pytest.mark.parametrize("path", corpus_files(*WRITTEN))
def test_an_unchanged_conversation_is_the_same_file(path: Path, tmp_path: Path) -> None:
    conversation = load_conversation(path, conversation=1)  # also if it has no message
    exported = export_history(unchanged_export(conversation), conversation.format)
    if not conversation.branches:
        assert _values(exported.data) == _values(path.read_bytes())
        return
    again = tmp_path / path.name  # what was withdrawn is not written
    again.write_bytes(exported.data)
    opened = load_conversation(again)
    assert [one.blocks for one in opened.messages] == [
        one.blocks for one in conversation.messages
    ]
    assert not opened.branches


def _zipped(data: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("first.json", written(SMALL["goose"]))
        archive.writestr("own.json", data)
    return made.getvalue()


PACK = {
    "gzip": gzip.compress,
    "zst": zstandard.ZstdCompressor().compress,
    "zip": _zipped,
}


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("name", [name for name in WRITTEN if name in SMALL])
def test_a_packed_transcript_is_written_like_one_that_is_not(
    name: str, packing: str, tmp_path: Path
) -> None:
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.write_bytes(written(SMALL[name]))
    packed.write_bytes(PACK[packing](plain.read_bytes()))
    source = load_conversation(packed, conversation=2 if packing == "zip" else 1)
    unpacked = load_conversation(plain)
    expected = (
        export_history(unchanged_export(unpacked), name).data
        if unpacked.branches
        else plain.read_bytes()
    )
    assert export_history(unchanged_export(source), name).data == expected
    assert _same_ids(export_history(compacted_export(source), name).data) == _same_ids(
        export_history(compacted_export(unpacked), name).data
    )


def test_a_key_in_a_log_printed_for_people_goes(tmp_path: Path) -> None:
    said = {
        "role": "user",
        "content": "-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----",
    }
    path = tmp_path / "printed"
    path.write_text("\n".join(json.dumps(one, indent=2) for one in (said, said)))
    exported = export_history(
        unchanged_export(load_conversation(path)), OPENAI, redact=True
    )
    assert (exported.secrets, b"MII" in exported.data) == (2, False)


def _same_ids(data: bytes) -> bytes:
    return re.sub(rb"[0-9a-f-]{24,36}", b"id", data)


@pytest.mark.parametrize("path", [*FILES, *corpus_files("openhands")])
def test_taking_out_nothing_but_the_last_message_keeps_all_other_fields(
    path: Path, tmp_path: Path
) -> None:
    conversation = load_conversation(path)
    last = len(conversation.messages) - 1
    if last < 1:
        pytest.skip("too few messages")
    again = export_and_load(
        edited_export(conversation, {last: None}), conversation.format, tmp_path
    )
    assert _without_sources(again.messages) == _without_sources(
        conversation.messages[:last]
    )
    assert again.system == conversation.system
    assert again.model == conversation.model or not again.model


def _without_sources(messages: Sequence[Message]) -> list[Any]:
    return [
        (m.speaker, m.blocks, m.flags, m.id, m.timestamp, m.extra) for m in messages
    ]


@pytest.mark.parametrize("path", FILES)
def test_a_compacted_conversation_opens_again(path: Path) -> None:
    source = load_conversation(path)
    check_unsaved(export_history(compacted_export(source), source.format))


@pytest.mark.parametrize(
    "odd",
    [
        {"role": "tool", "tool_call_id": {}, "content": "ok"},
        [],
        "text",
        {"role": "user", "content": {}},
    ],
)
@pytest.mark.parametrize("to", ["claude_code", OPENAI, ANTHROPIC, "llxprt", "markdown"])
def test_an_odd_message_is_written_everywhere(
    odd: Any, to: str, tmp_path: Path
) -> None:
    path = tmp_path / "odd.json"
    path.write_text(
        json.dumps(
            [{"role": "user", "content": "hi"}, odd, {"role": "user", "content": "and"}]
        )
    )
    assert export_history(compacted_export(load_conversation(path), keep=1), to).data


def test_errors_of_the_api_are_not_written_as_words_of_the_assistant(
    tmp_path: Path,
) -> None:
    error = replace(ai("API Error: 529 overloaded"), flags=MessageFlag.API_ERROR)
    source = conversation(
        human("go"), ai("On it."), error, human("and?"), error, format="claude_code"
    )
    for target in (
        "anthropic_messages",
        "openai_chat",
        "openai_responses",
        "gemini",
        "llxprt",
    ):
        made = export_history(
            ExportInput(conversation=source, history=history_of_scope(source, "all")),
            target,
        )
        assert b"529" not in made.data
        left_out = "Left out: errors of the API, which the agent never sends again (2)."
        assert left_out in made.warnings
        assert len(made.source.messages) == 3
