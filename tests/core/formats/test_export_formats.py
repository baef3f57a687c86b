"""Exports: names, Markdown, secrets, and what recordings of writers cannot show (lines, real sessions)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from core.app.services.export import count_secrets
from core.common.errors import InputError
from core.configuration.layers import SettingLayers
from core.export.export import EXPORTERS, export_history, find_exporter
from core.formats.common.messages import INPUT_TOKEN_FIELDS
from core.formats.registry import load_conversation
from core.formats.writing.redacted_output import secret_lines, secret_locations_in, secrets_summary
from core.presentation.dialog_model import ExportRequest
from core.preview.preview import compute_preview
from tests.builders import ai, call, conversation, human, response, tool
from tests.core.cli.running_cli import Cli
from tests.core.formats.codex_lines import answer, user
from tests.core.formats.exporting import ACK, SUMMARY, compacted_export, corpus_files, unchanged_export
from tests.core.formats.small_files import SMALL, written


def test_names_and_short_names_are_found_and_others_named() -> None:
    names = [find_exporter(name).name for name in ("openai", "anthropic", "md")]
    assert names == ["openai_chat", "anthropic_messages", "markdown"]
    with pytest.raises(InputError, match="docx"):
        find_exporter("docx")
    assert all(e.suffix.startswith(".") and e.label and e.about.endswith(".") for e in EXPORTERS)


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


def test_secrets_are_counted_and_written_over_on_request() -> None:
    key = "sk-" + "ant-" + "a1" * 20
    given = unchanged_export(conversation(human(f'key "{key}"'), human("mail jo@" + "acme-tools.net")))
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
        told = export_history(unchanged_export(TALK), "openai", redact=redact).warnings[-1]
        assert "GitHub token (#2, #3), Password (#4)" in told
        assert TOKEN[:8] not in told
        assert PASSWORD not in told


def test_the_command_line_lists_them_on_standard_error(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "secret.json"
    path.write_text(json.dumps([{"role": "user", "content": f"DB_PASSWORD={PASSWORD}"}]))
    assert cli.run("convert", str(path), "--to", "markdown") == 0
    assert "The export holds 1 secret; redaction is off: Password (#1)." in cli.err


def test_the_dialog_is_told_where() -> None:
    told = count_secrets(
        compute_preview(TALK, SettingLayers().resolve()), ExportRequest("", "openai_chat", "before")
    )
    assert told.count == 3
    assert told.finding_lines[-1] == "1 × Password: #4 text"


def test_old_rollouts_keep_their_shape_and_line_ends(tmp_path: Path) -> None:
    header = {"id": "old-1", "timestamp": "2025-06-01T00:00:00Z", "instructions": None}
    said = (user("one"), {"record_type": "state"}, answer("yes"), user("two"), answer("no"), user("x"))
    path = tmp_path / "old.jsonl"
    path.write_bytes(b"".join(json.dumps(one).encode() + b"\r\n" for one in (header, *said)))
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
def test_lines_of_claude_code_stay_but_for_usage_and_parents_which_are_earlier_lines(path: Path) -> None:
    source = load_conversation(path)
    there = {_without_parent(line) for line in path.read_text("utf-8", "replace").split("\n") if line.strip()}
    exported = export_history(compacted_export(source), "claude_code").data.decode("utf-8", "replace")
    lines = [line for line in exported.split("\n") if line]
    new = [line for line in lines if _without_parent(line) not in there]
    assert sum(SUMMARY in line or ACK in line for line in new) == 2
    assert all("leafUuid" in line for line in new if SUMMARY not in line and ACK not in line)
    seen: set[str | None] = {None}
    linked = [one for one in map(json.loads, lines) if "parentUuid" in one and not one.get("isSidechain")]
    for line in map(json.loads, lines):
        assert line not in linked or line["parentUuid"] in seen
        seen.add(line.get("uuid"))
    assert [one["parentUuid"] for one in linked].count(None) == 1 or len(source.messages) < 3


def _without_parent(line: str) -> str:
    try:
        value = json.loads(line)
    except ValueError:
        return line
    if not isinstance(value, dict):
        return line
    message = value.get("message")
    if isinstance(message, dict) and isinstance(message.get("usage"), dict):
        known = {name: size for name, size in message["usage"].items() if name not in INPUT_TOKEN_FIELDS}
        value = {**value, "message": {**message, "usage": known}}
    return json.dumps({key: field for key, field in value.items() if key != "parentUuid"})


@pytest.mark.skipif(shutil.which("opencode") is None, reason="opencode is not installed")
def test_opencode_imports_it_and_exports_the_same_messages(tmp_path: Path) -> None:
    source, path = tmp_path / "session.json", tmp_path / "compacted.json"
    source.write_bytes(written(SMALL["opencode"]))
    path.write_bytes(export_history(compacted_export(load_conversation(source)), "opencode").data)
    sent = json.loads(path.read_bytes())
    own = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}

    def run(*arguments: str) -> str:
        command = ["opencode", *arguments]
        result = subprocess.run(command, cwd=tmp_path, env=own, capture_output=True, check=True, timeout=60)
        return result.stdout.decode()

    run("import", str(path))
    assert json.loads(run("export", sent["info"]["id"]))["messages"] == sent["messages"]
