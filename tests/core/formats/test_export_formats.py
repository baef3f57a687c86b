"""Exports: names, Markdown, secrets, appended compactions, and what recordings of writers cannot
show."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from core.app.services.export import count_secrets, save_export, saved_notices
from core.common.errors import InputError
from core.common.json_value import Json
from core.common.paths import SAMPLES
from core.export.export import EXPORTERS, export_history, find_exporter
from core.formats.common.messages import INPUT_TOKEN_FIELDS
from core.formats.registry import load_conversation
from core.formats.writing.exporter import ExportInput
from core.formats.writing.recorded_compaction import boundary_warnings, without_usage
from core.formats.writing.redacted_output import (
    secret_lines,
    secret_locations_in,
    secrets_summary,
)
from core.presentation.dialog_model import ExportRequest
from core.presentation.opened_file import export_choices
from core.preview.preview import compute_preview
from core.reports.report_data import export_input
from core.settings_store.layers import SettingLayers
from core.transcript.compaction import (
    Compaction,
    CompactionMetadata,
    Fate,
    FateKind,
    FateStep,
)
from core.transcript.model import Media
from core.transcript.scopes import History, history_of_scope
from tests.core.cli.running_cli import SESSION, Cli
from tests.core.formats.codex_lines import answer, user
from tests.core.formats.exporting import (
    ACK,
    SUMMARY,
    compacted_export,
    corpus_files,
    export_and_load,
    load_written,
    unchanged_export,
)
from tests.core.formats.small_files import SMALL, written
from tests.support import forked_session
from tests.support.builders import (
    ai,
    call,
    conversation,
    exchange,
    human,
    response,
    tool,
)


def test_names_and_short_names_are_found_and_others_named() -> None:
    names = [find_exporter(name).name for name in ("openai", "anthropic", "md")]
    assert names == ["openai_chat", "anthropic_messages", "markdown"]
    with pytest.raises(InputError, match="docx"):
        find_exporter("docx")
    assert all(
        e.suffix.startswith(".") and e.label and e.about.endswith(".")
        for e in EXPORTERS
    )


def test_markdown_reads_well_and_marks_the_fold() -> None:
    source = conversation(
        human("question"), ai("", call("read", "a", path="x")), tool(response("a", result="```\ncode\n```")),
        ai("answer"), human("next"), ai("end"), human("bye"), ai("bye"),
    )  # fmt: skip
    text = export_history(compacted_export(source), "markdown").data.decode()
    assert "— context compacted (150k → 105k tokens) —" in text
    assert "## #2 Human (inserted)" in text
    assert "(was #7)" in text
    plain = export_history(unchanged_export(source), "markdown").data.decode()
    assert "````\n```\ncode\n```\n````" in plain
    assert '"path": "x"' in plain


def test_only_requests_before_the_first_change_keep_their_size(tmp_path: Path) -> None:
    source = load_conversation(SAMPLES / "fix-flaky-upload.jsonl")
    content = compacted_export(source)
    assert content.compaction is not None
    change = min(content.compaction.inserted)
    kept = [one for one in source.usage if one.message_index < change]
    assert 0 < len(kept) < len(source.usage)
    assert [*export_and_load(content, "claude_code", tmp_path).usage] == kept


def _nested(value: Json, *names: str) -> dict[str, Json]:
    for name in reversed(names):
        value = {name: value}
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize(
    ("format", "path", "name"),
    [
        ("claude_code", ("message", "usage"), "input_tokens"),
        ("pi_agent", ("message", "usage"), "totalTokens"),
        ("gemini_cli", ("tokens",), "input"),
        (
            "openhands",
            ("tool_call_metadata", "model_response", "usage"),
            "prompt_tokens",
        ),
        (
            "openhands",
            ("value", "usage_to_metrics", "agent", "accumulated_token_usage"),
            "per_turn_token",
        ),
        (
            "openhands",
            ("value", "stats", "usage_to_metrics", "a", "accumulated_token_usage"),
            "per_turn_token",
        ),
    ],
)
def test_each_agent_says_the_size_of_requests_at_its_place(
    format: str, path: tuple[str, ...], name: str
) -> None:
    record = _nested({name: 9, "output": 2}, *path)
    assert without_usage(record, format) == _nested({name: 0, "output": 2}, *path)
    silent = _nested({"output": 2}, *path)
    assert without_usage(silent, format) is silent


def test_messages_of_the_user_stay_apart_only_as_neighbours(
    tmp_path: Path,
) -> None:
    words = (("user", "a"), ("user", "b"), ("assistant", "c"), ("user", "d"))
    records = [{"role": role, "content": text} for role, text in words]
    source = load_written(
        tmp_path, {"system": "s", "messages": records, "model": "claude"}, lines=False
    )
    kept = (0, 1, 3)
    history = History("before:1", tuple(source.messages[index] for index in kept), kept)
    export = ExportInput(conversation=source, history=history)
    first, second = json.loads(export_history(export, "anthropic").data)["messages"]
    assert first == records[0]
    assert [part["text"] for part in second["content"]] == ["b", "d"]


def test_secrets_are_counted_and_written_over_on_request() -> None:
    key = "sk-" + "ant-" + "a1" * 20
    given = unchanged_export(
        conversation(human(f'key "{key}"'), human("mail jo@" + "acme-tools.net"))
    )
    for to in ("openai", "claude_code", "markdown"):
        plain, clean = export_history(given, to), export_history(given, to, redact=True)
        assert (plain.secrets, clean.secrets) == (2, 2)
        assert key.encode() in plain.data
        assert key.encode() not in clean.data
        assert "redaction is off" in plain.warnings[-1]
        assert b"[redacted:anthropic-key]" in clean.data


TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PASSWORD = "Hunter2" + "!x"
TALK = conversation(
    human("go on"),
    ai("", call("bash", "c", command=f"git push https://{TOKEN}@github.com/x/y")),
    tool(response("c", "bash", f"pushed with {TOKEN}")),
    human(f"DB_PASSWORD={PASSWORD}"),
)


def test_each_kind_is_named_with_its_messages_and_fields() -> None:
    found = secret_locations_in(enumerate(TALK.messages, 1))
    assert secret_lines(found) == (
        "2 × GitHub token ghp_…: #2 call bash command, #3 result",
        "1 × Password: #4 text",
    )
    assert secrets_summary(found) == "GitHub token (#2, #3), Password (#4)"


def test_an_export_says_where_and_never_what() -> None:
    for redact in (True, False):
        told = export_history(unchanged_export(TALK), "openai", redact=redact).warnings[
            -1
        ]
        assert "GitHub token (#2, #3), Password (#4)" in told
        assert TOKEN[:8] not in told
        assert PASSWORD not in told


def test_the_command_line_lists_them_on_standard_error(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "secret.json"
    path.write_text(
        json.dumps([{"role": "user", "content": f"DB_PASSWORD={PASSWORD}"}])
    )
    assert cli.run("convert", str(path), "--to", "markdown") == 0
    assert "The export holds 1 secret; redaction is off: Password (#1)." in cli.err


def test_the_dialog_is_told_where() -> None:
    told = count_secrets(
        compute_preview(TALK, SettingLayers().resolve()),
        ExportRequest(path="", format="openai_chat", side="before"),
    )
    assert told.count == 3
    assert told.finding_lines[-1] == "1 × Password: #4 text"


def test_old_rollouts_keep_their_shape_and_line_ends(tmp_path: Path) -> None:
    header = {"id": "old-1", "timestamp": "2025-06-01T00:00:00Z", "instructions": None}
    said = (
        user("one"),
        {"record_type": "state"},
        answer("yes"),
        user("two"),
        answer("no"),
        user("x"),
    )
    path = tmp_path / "old.jsonl"
    path.write_bytes(
        b"".join(json.dumps(one).encode() + b"\r\n" for one in (header, *said))
    )
    data = export_history(compacted_export(load_conversation(path)), "codex").data
    lines = [json.loads(line) for line in data.removesuffix(b"\r\n").split(b"\r\n")]
    assert len(lines) == data.count(b"\n")
    assert lines[0] == header
    assert not any("payload" in one for one in lines)
    assert SUMMARY.encode() in data


def test_a_source_that_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(written(SMALL["claude_code"]))
    source = load_conversation(path)
    path.write_text("{}")
    with pytest.raises(InputError, match="changed"):
        export_history(compacted_export(source), "claude_code")


@pytest.mark.parametrize("path", corpus_files("claude_code"))
def test_lines_of_claude_code_stay_but_for_usage_and_parents_which_are_earlier_lines(
    path: Path,
) -> None:
    source = load_conversation(path)
    there = {
        _without_parent(line)
        for line in path.read_text("utf-8", "replace").split("\n")
        if line.strip()
    }
    exported = export_history(compacted_export(source), "claude_code").data.decode(
        "utf-8", "replace"
    )
    lines = [line for line in exported.split("\n") if line]
    new = [line for line in lines if _without_parent(line) not in there]
    assert sum(SUMMARY in line or ACK in line for line in new) == 2
    assert all(
        "leafUuid" in line for line in new if SUMMARY not in line and ACK not in line
    )
    seen: set[str | None] = {None}
    linked = [
        one
        for one in map(json.loads, lines)
        if "parentUuid" in one and not one.get("isSidechain")
    ]
    for line in map(json.loads, lines):
        assert line not in linked or line["parentUuid"] in seen
        seen.add(line.get("uuid"))
    assert [one["parentUuid"] for one in linked].count(None) == 1 or len(
        source.messages
    ) < 3


def _without_parent(line: str) -> str:
    try:
        value = json.loads(line)
    except ValueError:
        return line
    if not isinstance(value, dict):
        return line
    message = value.get("message")
    if isinstance(message, dict) and isinstance(message.get("usage"), dict):
        known = {
            name: size
            for name, size in message["usage"].items()
            if name not in INPUT_TOKEN_FIELDS
        }
        value = {**value, "message": {**message, "usage": known}}
    return json.dumps(
        {key: field for key, field in value.items() if key != "parentUuid"}
    )


@pytest.mark.skipif(
    shutil.which("opencode") is None, reason="opencode is not installed"
)
def test_opencode_imports_it_and_exports_the_same_messages(tmp_path: Path) -> None:
    source, path = tmp_path / "session.json", tmp_path / "compacted.json"
    source.write_bytes(written(SMALL["opencode"]))
    path.write_bytes(
        export_history(compacted_export(load_conversation(source)), "opencode").data
    )
    sent = json.loads(path.read_bytes())
    own = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}

    def run(*arguments: str) -> str:
        command = ["opencode", *arguments]
        result = subprocess.run(
            command, cwd=tmp_path, env=own, capture_output=True, check=True, timeout=60
        )
        return result.stdout.decode()

    run("import", str(path))
    assert json.loads(run("export", sent["info"]["id"]))["messages"] == sent["messages"]


PI, OPENHANDS = "pi_agent", "openhands"


@pytest.mark.parametrize("path", corpus_files(PI))
def test_a_real_session_of_pi_takes_one(path: Path, tmp_path: Path) -> None:
    source = load_conversation(path)
    if len(source.messages) < 8:
        pytest.skip("too short to compact")
    path = tmp_path / "appended.jsonl"
    path.write_bytes(
        export_history(compacted_export(source), PI, append_boundary=True).data
    )
    again = load_conversation(path)
    assert len(again.messages) == len(source.messages)
    kept = again.recorded[-1].kept
    assert kept == tuple(range(kept[0], len(source.messages)))


def test_the_window_writes_it_and_offers_it_for_the_sources_own_format(
    tmp_path: Path,
) -> None:
    made = compute_preview(load_conversation(SESSION), SettingLayers().resolve())
    target = tmp_path / "out.jsonl"
    request = ExportRequest(path=str(target), format="claude_code", append=True)
    counted = count_secrets(made, request)
    content = export_input(made, result=True)
    saved, *warnings = saved_notices(content, request, save_export(content, request))
    assert saved.title.startswith(
        "Wrote out.jsonl: the source with the compaction after it, "
    )
    assert counted.refused == ""
    assert [one.title[:38] for one in warnings] == [
        "The boundary covers the whole session,"
    ]
    assert load_conversation(target).recorded[-1].boundary == len(
        load_conversation(SESSION).messages
    )
    for name, offered in (
        ("claude_code", ["claude_code"]),
        ("pi_agent", ["pi_agent"]),
        ("llxprt", []),
    ):
        assert [
            choice.value for choice in export_choices(name, EXPORTERS) if choice.appends
        ] == offered


def test_what_takes_no_record_says_so(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    event = {
        "source": "user",
        "message": "",
        "action": "message",
        "args": {"content": "Tidy up."},
    }
    path.write_text(json.dumps([{**event, "timestamp": "2025-01-27T22:44:56"}]))
    with pytest.raises(
        InputError, match="events have ids, so no compaction can be appended"
    ):
        export_history(
            compacted_export(load_conversation(path)), OPENHANDS, append_boundary=True
        )
    plain = unchanged_export(conversation(human("q")))
    for to in (PI, OPENHANDS, "codex_rollout"):
        with pytest.raises(InputError, match="no compaction can be appended"):
            export_history(plain, to, append_boundary=True)
    with pytest.raises(InputError, match="A compaction cannot be appended") as caught:
        export_history(plain, "markdown", append_boundary=True)
    assert "claude_code, codex_rollout, pi_agent or openhands" in caught.value.hint


def test_a_boundary_for_the_whole_of_a_compacted_session_is_warned_of() -> None:
    source = load_conversation(SESSION)
    for scope, is_said in (("all", True), ("current", False)):
        given = compacted_export(source, scope)
        warnings = export_history(given, "claude_code", append_boundary=True).warnings
        assert any("--scope current" in warning for warning in warnings) is is_said


@pytest.mark.parametrize(("conversation", "branch"), [(1, 2), (2, 1), (3, 1)])
def test_a_boundary_is_for_what_the_agent_goes_on_with(
    tmp_path: Path, conversation: int, branch: int
) -> None:
    source = load_conversation(
        forked_session.write(tmp_path), conversation=conversation, branch=branch
    )
    with pytest.raises(InputError, match="continue"):
        export_history(compacted_export(source), "claude_code", append_boundary=True)


def test_what_a_record_has_no_place_for_is_counted() -> None:
    source = conversation(human("Old."))
    fates = (Fate((FateStep("summary", FateKind.SUMMARISED, "Old."),)),)
    messages = (human("SUM"), ai("Understood."), human("A file"))
    made = Compaction(
        messages=messages,
        origins=((0,), (), ()),
        fates=fates,
        metadata=CompactionMetadata(
            original_message_count=1,
            compressed_message_count=3,
            strategy_used="one",
            llm_call_made=True,
        ),
        inserted=frozenset({0, 1, 2}),
    )
    given = ExportInput(
        conversation=source, history=history_of_scope(source, "all"), compaction=made
    )
    assert boundary_warnings(given) == (
        "1 more inserted message has no place in the record and will be missing.",
    )


def test_a_record_that_names_messages_says_what_it_keeps_of_more() -> None:
    source = conversation(human("go"), *exchange("a", "run"), ai("Done."))
    kinds = (FateKind.DROPPED, FateKind.DROPPED, FateKind.EDITED, FateKind.KEPT)
    made = Compaction(
        messages=(tool(response("a", "run", "short")), source.messages[3]),
        origins=((2,), (3,)),
        fates=tuple(Fate((FateStep("rule", kind, "Why."),)) for kind in kinds),
        metadata=CompactionMetadata(
            original_message_count=4,
            compressed_message_count=2,
            strategy_used="one",
            llm_call_made=False,
        ),
    )
    given = ExportInput(
        conversation=source, history=history_of_scope(source, "all"), compaction=made
    )
    assert boundary_warnings(given) == (
        "1 edited message is kept whole after the boundary, which only names them.",
        "1 more message is kept, so that no result is without its call.",
        "There is no summary; the line after the boundary only says so.",
    )


def test_markdown_says_what_a_viewer_may_load_and_embeds_no_image_of_another_host() -> (
    None
):
    fenced = "```html\n<img src=//a.example/x.png>\n```"
    texts = (
        "![x](https://a.example/x.png) and <script src=x>",
        fenced,
        "a < b, [a link](https://a.example)",
    )
    media = human("", Media("image/png", "https://a.example/y.png"))
    written = export_history(
        unchanged_export(conversation(*map(human, texts), media)), "markdown"
    )
    assert b"[image/png](https://a.example/y.png)" in written.data
    assert b"![image/png]" not in written.data
    assert written.warnings == (
        (
            "Kept as written: 2 images or HTML elements that a viewer of Markdown may load from "
            "other hosts."
        ),
    )
    harmless = export_history(
        unchanged_export(conversation(*map(human, texts[1:]))), "markdown"
    )
    assert harmless.warnings == ()
