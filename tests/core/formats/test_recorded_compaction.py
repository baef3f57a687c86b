"""Appends a compaction to its source as the agent records its own: Pi and OpenHands."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.app.services.export import count_secrets, save_export, saved_notices
from core.common.errors import InputError
from core.configuration.layers import SettingLayers
from core.export.export import EXPORTERS, ExportedFile, export_history
from core.formats.registry import load_conversation
from core.formats.writing.export_messages import ExportInput
from core.formats.writing.recorded_compaction import boundary_warnings
from core.presentation.dialog_model import ExportRequest
from core.presentation.opened_file import export_choices
from core.preview.preview import compute_preview
from core.reports.document import export_input
from core.transcript.compaction import Compaction, CompactionMetadata, Fate, FateKind, FateStep
from core.transcript.model import Conversation, tool_calls
from core.transcript.scopes import history_of_scope
from tests.builders import ai, conversation, human
from tests.core.cli.running_cli import SESSION
from tests.core.formats.exporting import (
    SUMMARY,
    compacted_export,
    corpus_files,
    edited_export,
    unchanged_export,
)
from tests.core.formats.pi_files import TALK, chained, session
from tests.core.formats.research import V1_PARALLEL, saved, v0, v0_run, v1, v1_run

PI, OPENHANDS = "pi_agent", "openhands"


def appended(given: ExportInput, folder: Path) -> tuple[ExportedFile, Conversation]:
    """Return what is written, and that read again."""
    exported = export_history(given, given.conversation.format, append_boundary=True)
    path = folder / "appended.jsonl"
    path.write_bytes(exported.data)
    return exported, load_conversation(path)


def said(messages: Any) -> list[Any]:
    return [(message.speaker, message.blocks) for message in messages]


def current(conversation: Conversation) -> list[Any]:
    return said(history_of_scope(conversation, "current").messages)


def expected(given: ExportInput) -> list[Any]:
    """Return the result without the answer to its summary, which no record of a compaction can hold."""
    answers = sorted(given.compaction.inserted)[1:] if given.compaction else ()
    return said(message for index, message in enumerate(given.messages) if index not in answers)


@pytest.mark.parametrize("tree", [True, False])
def test_pi_records_a_summary_before_the_end_that_stays(tmp_path: Path, tree: bool) -> None:
    source = load_conversation(session(tmp_path, *(chained(*TALK) if tree else TALK)))
    given = compacted_export(source)
    exported, again = appended(given, tmp_path)
    assert exported.data.startswith((tmp_path / "session.jsonl").read_bytes())
    assert said(again.messages) == said(source.messages)
    (one,) = again.recorded
    assert (one.position, one.kept, one.tokens_before) == (8, (6, 7), 150_000)
    assert current(again) == expected(given)[1:]
    (warning,) = exported.warnings
    assert warning.startswith("1 kept message is before others; Pi keeps only the end")


@pytest.mark.parametrize("path", corpus_files(PI))
def test_a_real_session_of_pi_takes_one(path: Path, tmp_path: Path) -> None:
    source = load_conversation(path)
    if len(source.messages) < 8:
        pytest.skip("too short to compact")
    _, again = appended(compacted_export(source), tmp_path)
    assert len(again.messages) == len(source.messages)
    kept = again.recorded[-1].kept
    assert kept == tuple(range(kept[0], len(source.messages)))


def runs(folder: Path) -> dict[str, Conversation]:
    files = {
        "v0": saved(folder, v0_run(5), name="v0"),
        "v0 runs": saved(folder, [{"history": v0_run(5)}, {"history": v0_run(1)}], lines=True, name="r"),
        "v1": saved(folder, v1_run(5), lines=True, name="v1"),
        "v1 list": saved(folder, {"instance_id": "i", "history": v1_run(5)}, name="v1-list"),
        "parallel": saved(folder, V1_PARALLEL, lines=True, name="parallel"),
    }
    return {name: load_conversation(path) for name, path in files.items()}


@pytest.mark.parametrize("kind", ["v0", "v0 runs", "v1", "v1 list", "parallel"])
def test_openhands_records_what_is_forgotten_and_where_the_summary_stands(kind: str, tmp_path: Path) -> None:
    source = runs(tmp_path)[kind]
    given = compacted_export(source)
    exported, again = appended(given, tmp_path)
    if kind in ("v1", "parallel"):
        assert exported.data.startswith(Path(source.document.path or "").read_bytes())
    assert (again.format, said(again.messages)) == (OPENHANDS, said(source.messages))
    assert (again.system, again.siblings, exported.warnings) == (source.system, source.siblings, ())
    assert current(again) == expected(given)
    assert len(again.recorded) == 1


def test_openhands_condenses_what_was_condensed_before(tmp_path: Path) -> None:
    fields = {"forgotten_event_ids": ["a0", "o0"], "summary": "One done.", "summary_offset": 2}
    events = [*v1_run(4), v1("Condensation", "k", "environment", **fields)]
    source = load_conversation(saved(tmp_path, events, lines=True, name="v1"))
    given = compacted_export(source, "current")
    assert [getattr(message.blocks[0], "text", "") for message in given.messages[1:3]] == [
        "One done.",
        SUMMARY,
    ]
    exported, again = appended(given, tmp_path)
    assert current(again) == [*expected(given)[:1], *expected(given)[2:]]
    assert "The file loses the earlier summary" in exported.warnings[0]
    assert len(again.recorded) == 2
    assert json.loads(exported.data.splitlines()[-1])["kind"] == "Condensation"


@pytest.mark.parametrize("kind", ["claude", "v1"])
def test_a_call_that_was_taken_out_of_what_stays_brings_its_result_along(kind: str, tmp_path: Path) -> None:
    source = load_conversation(SESSION) if kind == "claude" else runs(tmp_path)["v1"]
    at = next(index for index, one in enumerate(source.messages) if len(one.blocks) > 1 and tool_calls(one))
    words = replace(source.messages[at], blocks=source.messages[at].blocks[:1])
    exported, again = appended(edited_export(source, {at: words, at + 1: None}), tmp_path)
    both = said(source.messages[at : at + 2])
    assert [one for one in current(again) if one in both] == both
    assert "1 more message is kept" in " ".join(exported.warnings)


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
    task = {"content": "Tidy up.", "image_urls": None}
    old = load_conversation(saved(tmp_path, [v0(None, "user", action="message", args=task)], name="old"))
    with pytest.raises(InputError, match="events have ids; no compaction can be appended"):
        export_history(compacted_export(old), OPENHANDS, append_boundary=True)
    for to in (PI, OPENHANDS):
        with pytest.raises(InputError, match="no compaction can be appended"):
            export_history(unchanged_export(conversation(human("q"))), to, append_boundary=True)
    with pytest.raises(InputError, match="has no compaction boundary") as caught:
        export_history(unchanged_export(conversation(human("q"))), "markdown", append_boundary=True)
    assert "claude_code, codex_rollout, pi_agent or openhands" in caught.value.hint
    source = load_conversation(session(tmp_path, *chained(*TALK)))
    assert (
        "Nothing was compacted"
        in export_history(unchanged_export(source), PI, append_boundary=True).warnings[0]
    )


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
