"""Compactions appended to their source as the agent records its own; the recordings of writers show each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.app.services.export import count_secrets, save_export, saved_notices
from core.common.errors import InputError
from core.configuration.layers import SettingLayers
from core.export.export import EXPORTERS, export_history
from core.formats.registry import load_conversation
from core.formats.writing.base import ExportInput
from core.formats.writing.recorded_compaction import boundary_warnings
from core.presentation.dialog_model import ExportRequest
from core.presentation.opened_file import export_choices
from core.preview.preview import compute_preview
from core.reports.document import export_input
from core.transcript.compaction import Compaction, CompactionMetadata, Fate, FateKind, FateStep
from core.transcript.scopes import history_of_scope
from tests import forked_session
from tests.builders import ai, conversation, human
from tests.core.cli.running_cli import SESSION
from tests.core.formats.exporting import compacted_export, corpus_files, unchanged_export

PI, OPENHANDS = "pi_agent", "openhands"


@pytest.mark.parametrize("path", corpus_files(PI))
def test_a_real_session_of_pi_takes_one(path: Path, tmp_path: Path) -> None:
    source = load_conversation(path)
    if len(source.messages) < 8:
        pytest.skip("too short to compact")
    path = tmp_path / "appended.jsonl"
    path.write_bytes(export_history(compacted_export(source), PI, append_boundary=True).data)
    again = load_conversation(path)
    assert len(again.messages) == len(source.messages)
    kept = again.recorded[-1].kept
    assert kept == tuple(range(kept[0], len(source.messages)))


def test_the_window_writes_it_and_offers_it_for_the_sources_own_format(tmp_path: Path) -> None:
    made = compute_preview(load_conversation(SESSION), SettingLayers().resolve())
    target = tmp_path / "out.jsonl"
    request = ExportRequest(str(target), "claude_code", append=True)
    counted = count_secrets(made, request)
    content = export_input(made, result=True)
    saved, *warnings = saved_notices(content, request, save_export(content, request))
    assert saved.title.startswith("Wrote out.jsonl: the source with the compaction behind it, ")
    assert counted.refused == ""
    assert [one.title[:38] for one in warnings] == ["The boundary covers the whole session,"]
    assert load_conversation(target).recorded[-1].position == len(load_conversation(SESSION).messages)
    for name, offered in (("claude_code", ["claude_code"]), ("pi_agent", ["pi_agent"]), ("llxprt", [])):
        assert [choice.value for choice in export_choices(name, EXPORTERS) if choice.appends] == offered


def test_what_takes_no_record_says_so(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    event = {"source": "user", "message": "", "action": "message", "args": {"content": "Tidy up."}}
    path.write_text(json.dumps([{**event, "timestamp": "2025-01-27T22:44:56"}]))
    with pytest.raises(InputError, match="events have ids; no compaction can be appended"):
        export_history(compacted_export(load_conversation(path)), OPENHANDS, append_boundary=True)
    plain = unchanged_export(conversation(human("q")))
    for to in (PI, OPENHANDS, "codex_rollout"):
        with pytest.raises(InputError, match="no compaction can be appended"):
            export_history(plain, to, append_boundary=True)
    with pytest.raises(InputError, match="has no compaction boundary") as caught:
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
    source = load_conversation(forked_session.write(tmp_path), conversation=conversation, branch=branch)
    with pytest.raises(InputError, match="continue"):
        export_history(compacted_export(source), "claude_code", append_boundary=True)


def test_what_a_record_has_no_place_for_is_counted() -> None:
    source = conversation(human("Old."))
    fates = (Fate((FateStep("summary", FateKind.SUMMARISED, "Old."),)),)
    messages = (human("SUM"), ai("Understood."), human("A file"))
    made = Compaction(
        messages, ((0,), (), ()), fates, CompactionMetadata(1, 3, "one", True), inserted=frozenset({0, 1, 2})
    )
    given = ExportInput(source, history_of_scope(source, "all"), made)
    assert boundary_warnings(given) == (
        "1 more inserted message has no place in the record and will be missing.",
    )
