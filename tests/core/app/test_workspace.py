"""A workspace: files while they are read, calls in, events for the window out; panels."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.app.events import (
    CompactionRequest,
    ExportAnswer,
    OpenRequest,
    ReadingProgressEvent,
)
from core.app.loading import guess_cwd
from core.app.rpc import Call, call_of
from core.app.services.export import ExportService
from core.app.services.inspector import InspectorService
from core.app.services.lists import PanelService
from core.app.services.preview import OpenService, PreviewService
from core.app.services.repair import RepairService
from core.app.services.settings import SettingsService
from core.app.services.side_by_side import SideBySideService
from core.app.services.undo import UndoService
from core.common.errors import Cancelled, InputError
from core.common.json_value import Json
from core.common.number_format import UNKNOWN
from core.facts.model import FactKind
from core.formats.common import format
from core.formats.registry import load_conversation
from core.presentation.dialog_model import ExportRequest, FileOpenedEvent, SecretsCount
from core.presentation.model import (
    DOES_COMPACTING,
    DOES_EVERY_TURN,
    EVERY_TURN_KEY,
    FOCUS_KEY,
    ChecksPage,
    Notice,
    NoticeAction,
    RowsReadEvent,
    SettingControl,
    StatusPage,
    TuningPage,
)
from core.presentation.screen_model import Screen
from core.transcript.model import Message, ToolResponse
from core.transcript.scopes import ALL
from tests.core.app.recording_workspace import (
    BOTTOM,
    LIMIT,
    STRATEGY,
    RecordingHandler,
    control,
    last_event,
    run_call,
)
from tests.core.cli.running_cli import SESSION
from tests.support.forked_session import write
from tests.support.narrowing import known


def test_a_setting_changes_the_screen_and_can_be_undone(
    handler: RecordingHandler,
) -> None:
    changed = handler.screen(PreviewService.change, ((BOTTOM, 0.5),))
    assert known(handler.tuning.change).text.startswith("Keep Bottom 20 % → 50 %: ")
    assert changed.history.can_undo
    back = handler.screen(PreviewService.undo)
    assert (handler.setting(BOTTOM), back.history.can_undo, handler.tuning.change) == (
        "20 %",
        False,
        None,
    )
    assert back.history.can_redo
    again = handler.screen(PreviewService.redo)
    assert (
        handler.setting(BOTTOM),
        again.history.can_undo,
        again.history.can_redo,
    ) == (
        "50 %",
        True,
        False,
    )
    handler.screen(PreviewService.undo)
    assert not handler.screen(PreviewService.change, ((BOTTOM, 0.4),)).history.can_redo


def test_a_focus_goes_into_the_summary_and_stays_through_other_changes(
    handler: RecordingHandler,
) -> None:
    focused = handler.screen(PreviewService.set_focus, "the pool")
    assert focused.history.can_undo
    assert handler.screen(PreviewService.change, ((BOTTOM, 0.5),)).history.can_undo
    field = next(
        one
        for group in handler.tuning.groups
        for one in group.controls
        if one.key == FOCUS_KEY
    )
    assert field.value == "the pool"
    assert handler.screen(PreviewService.set_focus, "").history.can_undo


def test_what_happens_every_turn_is_shown_undone_and_exported(
    handler: RecordingHandler, tmp_path: Path
) -> None:
    handler.screen(
        PreviewService.change,
        ((STRATEGY, "high-density"), ("compression.context-limit", 4_000)),
    )
    titles = [group.title for group in handler.tuning.groups]
    each_turn = handler.screen(PreviewService.set_every_turn, True)
    assert "When it compacts" in titles
    assert "When it compacts" not in [group.title for group in handler.tuning.groups]
    field = handler.tuning.groups[0].controls[0]
    assert (field.key, field.value) == (EVERY_TURN_KEY, DOES_EVERY_TURN)
    handler(
        ExportService.export,
        ExportRequest(path=str(tmp_path / "out.md"), format="markdown"),
    )
    assert "high-density, every turn" in (tmp_path / "out.md").read_text()
    back = handler.screen(PreviewService.undo)
    assert (each_turn.history.can_undo, back.history.can_redo) == (True, True)
    assert handler.tuning.groups[0].controls[0].value == DOES_COMPACTING


def test_a_bad_value_is_refused_and_nothing_changes(handler: RecordingHandler) -> None:
    assert BOTTOM in handler(PreviewService.change, ((BOTTOM, 7.0),)).title
    handler.screen(PreviewService.change)
    assert handler.setting(BOTTOM) == "20 %"


@pytest.mark.parametrize("name", ["top-down-truncation", "high-density"])
def test_a_strategy_without_the_limit_that_it_needs_stays_chosen_and_says_so(
    name: str, transcript: Path
) -> None:
    early = RecordingHandler()
    early(PreviewService.change, ((STRATEGY, name),))
    opened = early.screen(OpenService.open, OpenRequest(str(transcript)))
    late = RecordingHandler()
    late.screen(OpenService.open, OpenRequest(str(transcript)))
    chosen = late.screen(PreviewService.change, ((STRATEGY, name),))
    for handler, screen in ((early, opened), (late, chosen)):
        assert screen.strategy == name
        notice = handler.notices[0]
        assert notice.title == f"{name} needs a context limit"
        assert notice.actions[0].label == "Set for this session"
        assert handler.setting(STRATEGY) == name
        found = handler.screen(PreviewService.change, ((LIMIT, 100_000),))
        assert found.strategy == name
        assert not any("needs a context limit" in one.title for one in handler.notices)


def test_compact_makes_a_run_that_undo_takes_back(handler: RecordingHandler) -> None:
    made = handler.screen(PreviewService.compact, CompactionRequest("the upload"))
    assert made.history.choices[0].label.startswith("run 1 · middle-out · ≈")
    assert "became one summary" in handler.notices[0].title
    assert handler.screen(PreviewService.change, ((BOTTOM, 0.1),)).history.run == ""
    handler(PreviewService.compact, CompactionRequest())
    assert handler.screen(PreviewService.restore_run, "1").history.run == "1"
    assert handler.screen(PreviewService.undo).history.run == "2"
    for _ in range(3):
        back = handler.screen(PreviewService.undo)
    assert back.history.choices == ()


def test_compact_without_anything_to_do_says_so(handler: RecordingHandler) -> None:
    handler(PreviewService.change, ((BOTTOM, 1.0),))
    assert (
        handler(PreviewService.compact, CompactionRequest()).title
        == "Nothing to compact."
    )


def test_scope_and_model_are_changes_like_others(handler: RecordingHandler) -> None:
    assert handler.screen(PreviewService.set_model, "gpt-4o").heading.model == "gpt-4o"
    assert known(handler.tuning.change).text.startswith("Model ")
    assert (
        handler.screen(PreviewService.set_scope, "current").heading.scope == "current"
    )


def test_the_result_is_written_and_reads_again(
    handler: RecordingHandler, tmp_path: Path
) -> None:
    target = tmp_path / "out.json"
    target.write_text("mine")
    request = ExportRequest(path=str(target), format="openai_chat")
    assert (
        handler.call(ExportService.export, request) == ExportAnswer()
    )  # the window asks first
    assert target.read_text() == "mine"
    [notice] = handler.call(
        ExportService.export, replace(request, overwrite=True)
    ).notices
    again = load_conversation(target)
    assert notice.title.startswith(f"Wrote out.json: {len(again.messages)} messages, ")
    assert notice.actions == (NoticeAction("Open it", "open", str(target)),)


@pytest.mark.req("REPAIR-6")
def test_a_mended_copy_is_written_and_its_changes_are_listed(
    handler: RecordingHandler, tmp_path: Path
) -> None:
    broken, copy = tmp_path / "broken.json", tmp_path / "copy.json"
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "run", "arguments": "{}"},
    }
    messages = [
        {"role": "user", "content": "Run it."},
        {"role": "assistant", "tool_calls": [call]},
    ]
    broken.write_text(json.dumps([*messages, {"role": "user", "content": "And?"}]))
    before = broken.read_bytes()
    handler(OpenService.open, OpenRequest(str(broken)))
    [notice] = handler.call(RepairService.repair, str(copy), "openai")
    assert notice.title == "Wrote a copy with 1 change."
    assert "#2 called c1 without an answer" in notice.details
    assert notice.details.endswith(notice.text)  # whole, where the row cuts it
    assert broken.read_bytes() == before
    assert len(load_conversation(copy).messages) == 4


def _line(
    kind: str, id_: str, parent: str | None, content: object, **more: object
) -> str:
    message = {"role": kind, "content": content}
    line = {"type": kind, "uuid": id_, "parentUuid": parent, "sessionId": "s"}
    return json.dumps({**line, "message": message, **more})


@pytest.mark.req("REPAIR-6")
def test_a_mended_copy_says_which_messages_it_leaves_out(
    handler: RecordingHandler, tmp_path: Path
) -> None:
    call = {
        "type": "tool_use",
        "id": "t1",
        "name": "Bash",
        "input": {"command": "make"},
    }
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "done"}
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b1"}
    broken = tmp_path / "broken.jsonl"
    lines = (
        _line("user", "u1", None, "Run it."),
        _line("assistant", "u2", "u1", [call]),
        json.dumps({**boundary, "sessionId": "s", "parentUuid": None}),
        _line("user", "s1", "b1", "It runs.", isCompactSummary=True),
        _line("user", "u3", "s1", [result]),
        _line("user", "u4", "u3", "And?"),
    )
    broken.write_text("\n".join(lines))
    handler(OpenService.open, OpenRequest(str(broken)))
    said = "Current context only: 2 other messages are left out."
    reports = handler.panels(ChecksPage)[-1].reports
    page = next(one.faults for one in reports if one.provider == "anthropic")
    assert page.outlook.endswith(said)
    copy = str(tmp_path / "copy.jsonl")
    [notice] = handler.call(RepairService.repair, copy, "anthropic")
    assert notice.text.startswith(said)


@pytest.mark.req("REPAIR-6")
def test_a_mended_copy_is_shown_in_the_list_and_not_written(
    handler: RecordingHandler, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.json"
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "run", "arguments": "{}"},
    }
    messages = [
        {"role": "user", "content": "Run it."},
        {"role": "assistant", "tool_calls": [call]},
    ]
    broken.write_text(json.dumps([*messages, {"role": "user", "content": "And?"}]))
    handler(OpenService.open, OpenRequest(str(broken)))
    files = sorted(tmp_path.iterdir())
    screen = handler.screen(SideBySideService.repaired, "openai")
    assert len(screen.source.rows) == 3
    assert len(screen.result.rows) == 4
    [notice] = handler._handler.display.notices
    assert notice.actions[0].label == "Save repaired copy…"
    assert sorted(tmp_path.iterdir()) == files
    handler(PreviewService.change, (), False)
    assert handler._handler.display.over is None


def test_what_needs_no_repair_is_said(
    handler: RecordingHandler, tmp_path: Path
) -> None:
    handler(OpenService.open, OpenRequest(SESSION))
    with pytest.raises(InputError, match="changes nothing"):
        handler.call(SideBySideService.repaired, "openai")


def test_a_compaction_is_undone_in_a_copy(
    handler: RecordingHandler, tmp_path: Path
) -> None:
    copy = tmp_path / "before.jsonl"
    handler(OpenService.open, OpenRequest(SESSION))
    [notice] = handler.call(UndoService.undo, str(copy), 1)
    assert notice.title == "Wrote the session as it was before compaction 1."
    assert "80 messages after the compaction are left out." in notice.text
    assert notice.actions == (NoticeAction("Open it", "open", str(copy)),)
    assert load_conversation(copy).recorded == ()


def test_secrets_are_counted_before_anything_is_written(
    handler: RecordingHandler,
) -> None:
    request = ExportRequest(path="", format="openai_chat", side="before")
    none = "No secrets found (keys, tokens, mail addresses)."
    assert handler.call(ExportService.count_secrets, request) == SecretsCount(
        0, none, none
    )


@pytest.mark.parametrize(
    "call",
    [
        call_of(InspectorService.body, "before", 0),
        call_of(InspectorService.explain_cut, "top"),
        call_of(PreviewService.compact, CompactionRequest()),
        call_of(ExportService.export, ExportRequest(path="x", format="markdown")),
    ],
)
def test_without_a_file_calls_say_so(call: Call) -> None:
    handler = RecordingHandler()
    run_call(handler._handler, call, handler.events.append)
    assert [event.title for event in handler.events] == ["No transcript is open."]


def test_what_ends_reading_early_forgets_the_file_or_shows_what_was_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "long.jsonl"
    said = ({"role": "user", "content": f"{number}"} for number in range(2000))
    records = (
        {"type": "user", "uuid": f"u{at}", "message": message}
        for at, message in enumerate(said)
    )
    path.write_text("\n".join(map(json.dumps, records)))
    handler = RecordingHandler()
    handler.reason = "cancel"
    handler(OpenService.open, OpenRequest(str(path)))
    assert not any(isinstance(event, Screen) for event in handler.events)
    handler.reason = "stop-reading"
    assert (
        len(handler.screen(OpenService.open, OpenRequest(str(path))).source.rows) < 2000
    )
    assert any(
        isinstance(event, Notice) and event.topic == "import"
        for event in handler.events
    )
    fractions = [
        event.fraction
        for event in handler.events
        if isinstance(event, ReadingProgressEvent)
    ]
    assert all(0 <= fraction <= 1 for fraction in fractions)


def test_a_strategy_that_needs_a_limit_asks_for_it_wherever_it_was_chosen(
    transcript: Path,
) -> None:
    by_value, by_line = RecordingHandler(transcript), RecordingHandler(transcript)
    chosen = by_value.screen(PreviewService.change, ((STRATEGY, "high-density"),))
    by_line(SettingsService.run_line, "/set compression.strategy high-density")
    assert by_value.notices == by_line.notices
    assert ([one.topic for one in by_line.notices], chosen.strategy) == (
        ["limit"],
        "high-density",
    )
    assert (
        by_line.screen(PreviewService.change, ((LIMIT, 8000),)).strategy
        == "high-density"
    )


@pytest.fixture
def forked(tmp_path: Path) -> str:
    return str(write(tmp_path))


def test_a_branch_and_a_scope_are_opened(forked: str) -> None:
    handler = RecordingHandler()
    screen = handler.screen(OpenService.open, OpenRequest(forked, branch=2))
    opened = last_event(handler, FileOpenedEvent)
    assert (opened.branching.branch, len(screen.source.rows)) == (2, 53)
    screen = handler.screen(OpenService.open, OpenRequest(forked, scope="before:2"))
    assert (screen.heading.scope, len(screen.source.rows)) == ("before:2", 54)


@pytest.mark.parametrize(
    "part", [{"branch": 3}, {"scope": "before:9"}, {"conversation": 9}]
)
def test_what_is_not_there_leaves_what_was_open(
    forked: str, part: dict[str, Any]
) -> None:
    handler = RecordingHandler(forked)
    assert handler(OpenService.open, OpenRequest(forked, **part)).severity == "error"
    assert len(handler.screen(PreviewService.set_scope, "all").source.rows) == 68


def test_the_page_of_a_recorded_compaction_is_there_in_every_scope(forked: str) -> None:
    handler = RecordingHandler(forked)
    whole = handler.call(InspectorService.explain_recorded, 2)
    handler(PreviewService.set_scope, "before:2")
    before = handler.call(InspectorService.explain_recorded, 2)
    assert whole.title == before.title == "Recorded 2 of 3"
    assert [section.title for section in whole.sections][:2] == [
        "In the lists",
        "Tokens",
    ]


SWITCH = "compression.density.file-dedupe"


@pytest.fixture
def faulty(transcript: Path, monkeypatch: pytest.MonkeyPatch) -> RecordingHandler:
    """A chat with a result without a call, which every API refuses."""
    monkeypatch.setattr("core.app.services.lists._FEW", 1)
    messages = json.loads(transcript.read_text())
    messages.insert(3, {"role": "tool", "tool_call_id": "nobody", "content": "lost"})
    transcript.write_text(json.dumps(messages))
    made = RecordingHandler(transcript)
    made(PreviewService.change, ((STRATEGY, "high-density"), (LIMIT, 100_000)))
    return made


def effects(page: TuningPage) -> set[str]:
    density = SWITCH.rpartition(".")[0]
    return {
        one.note.effect
        for group in page.groups
        for one in group.controls
        if one.key.startswith(density)
    }


def test_what_is_not_known_is_no_number_until_it_was_checked(
    faulty: RecordingHandler,
) -> None:
    first, checked = faulty.panels(StatusPage)
    validity = f"checks {UNKNOWN}"
    assert [
        validity in [part.text for part in page.parts] for page in (first, checked)
    ] == [
        True,
        False,
    ]
    assert len(faulty.panels(ChecksPage)) == 1  # by now it is known
    faulty(PreviewService.change, ((SWITCH, False),))
    early, late, *_ = faulty.panels(TuningPage)
    assert effects(early) <= {UNKNOWN, ""}
    assert UNKNOWN not in effects(late)
    faulty(PreviewService.change, ((SWITCH, True),))
    assert len(faulty.panels(StatusPage)) == 1


def test_what_is_newer_ends_checks_but_an_export_has_them(
    faulty: RecordingHandler, tmp_path: Path
) -> None:
    faulty.reason = "newer"
    with pytest.raises(Cancelled):
        faulty.call(PanelService.pages)
    faulty.reason = ""
    target = tmp_path / "report.html"
    faulty.call(ExportService.export, ExportRequest(path=str(target), format="html"))
    assert "nobody" in target.read_text().partition("Lint")[2]


@pytest.fixture
def sample() -> RecordingHandler:
    return RecordingHandler(SESSION)


@pytest.mark.req("REPAIR-8")
def test_what_the_agent_compacted_is_said_until_it_is_known(
    sample: RecordingHandler,
) -> None:
    counting, known = sample.call(InspectorService.compacted)
    assert ("Counting" in counting.text, "your 6 messages" in known.text) == (
        True,
        True,
    )
    assert counting.topic == known.topic
    sample.reason = "newer"
    sample(PreviewService.change, ((LIMIT, 100_000),))
    assert (
        len(sample.call(InspectorService.compacted)) == 2
    )  # known by now, so nothing newer ends it


def test_a_page_tells_how_many_facts_still_stand(sample: RecordingHandler) -> None:
    sample(OpenService.open, OpenRequest(SESSION, scope=ALL))
    page = sample.call(InspectorService.losses)
    assert {bar.kind for bar in page.bars} <= {kind.value for kind in FactKind}
    own = next(bar for bar in page.bars if bar.kind == FactKind.YOUR_MESSAGE)
    assert (
        own.counts[-1] == 1
    )  # "still there?": one word of it in the summary is not enough
    assert page.heading.startswith("1 of your messages gone")
    assert list(page.places.indices) == sorted(set(page.places.indices))
    assert sample.tuning.change is None


def test_the_effect_of_a_change_tells_the_losses_where_both_are_known(
    sample: RecordingHandler,
) -> None:
    def tells_losses() -> list[bool]:
        return [
            " · losses " in known(page.change).text
            for page in sample.panels(TuningPage)
        ]

    sample(OpenService.open, OpenRequest(SESSION, scope=ALL))
    sample.call(PanelService.pages)
    sample(PreviewService.change, ((BOTTOM, 0.1),))
    sample.call(PanelService.pages)
    sample(PreviewService.change, ((STRATEGY, "codex-remote-v2"),))
    assert tells_losses() == [False, True]
    sample(PreviewService.change, ((BOTTOM, 0.8),))
    sample(
        PreviewService.change, ((BOTTOM, 0.1),)
    )  # the one before was never looked at
    assert tells_losses() == [False]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(format, "_INTERVAL", 0.0)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A prompt, then calls: an assistant message on two lines, a result."""
    lines: list[Json] = [
        {"type": "user", "uuid": "u", "parentUuid": None, "message": {"content": "go"}}
    ]
    for turn in range(20):
        use = {
            "type": "tool_use",
            "id": f"t{turn}",
            "name": "Read",
            "input": {"file_path": "a.py"},
        }
        parent = {"parentUuid": "u"}
        for block in ({"type": "text", "text": f"look {turn}"}, use):
            message = {"id": f"m{turn}", "role": "assistant", "content": [block]}
            lines.append(
                {"type": "assistant", "uuid": f"a{turn}", "message": message, **parent}
            )
        result = {
            "content": [
                {"type": "tool_result", "tool_use_id": f"t{turn}", "content": "text"}
            ]
        }
        lines.append({"type": "user", "uuid": f"r{turn}", "message": result, **parent})
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


@pytest.mark.usefixtures("at_once")
def test_messages_are_handed_on_while_the_rest_is_read(session: Path) -> None:
    seen: list[Sequence[Message]] = []
    loaded = load_conversation(session, on_messages=seen.append)
    assert len(seen) > 10
    handed = [message for some in seen for message in some]
    for early, late in zip(handed, loaded.messages, strict=False):
        assert (
            isinstance(early.blocks[0], ToolResponse)
            or early.blocks[:1] == late.blocks[:1]
        )
    assert all(
        len(one.blocks) == 2 for one in handed if one.id.startswith("m")
    )  # never half a message


@pytest.mark.usefixtures("at_once")
def test_rows_come_uncounted_and_the_counted_ones_replace_them(session: Path) -> None:
    events = RecordingHandler(session).events
    (opened,) = [
        place
        for place, event in enumerate(events)
        if isinstance(event, FileOpenedEvent)
    ]
    parts = [event for event in events if isinstance(event, RowsReadEvent)]
    assert parts == [
        event for event in events[:opened] if isinstance(event, RowsReadEvent)
    ]
    early = [part for part in parts if set(part.rows.tokens) == {-1}]
    late = parts[len(early) :]
    assert early
    assert {part.generation for part in (*early, *late)} == {early[0].generation}
    assert [part.start for part in early] == [
        sum(len(p.rows) for p in early[:n]) for n in range(len(early))
    ]
    assert late[0].start == 0
    assert min(token for part in late for token in part.rows.tokens) >= 0
    assert isinstance(events[-1], Screen)
    assert events[-1].generation > early[0].generation
    assert sum(len(part.rows) for part in late) == len(events[-1].source.rows)


@pytest.mark.parametrize(
    ("text", "cwd"),
    [
        ('{"type": "user", "cwd":"/srv/\\"a\\""}', '/srv/"a"'),
        ("{}", ""),
        ('{"cwd": "\\x"}', ""),
    ],
)
def test_the_beginning_of_a_file_tells_where_its_session_worked(
    tmp_path: Path, text: str, cwd: str
) -> None:
    (tmp_path / "session.jsonl").write_text(text)
    assert guess_cwd(str(tmp_path / "session.jsonl")) == cwd
    assert guess_cwd(str(tmp_path / "none")) == ""


def test_a_project_file_is_a_layer_of_the_window(
    handler: RecordingHandler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "foldline.toml"

    def shown() -> SettingControl:
        return control(handler.call(SettingsService.page), BOTTOM)

    assert [layer for layer, _ in shown().layers] == ["session", "saved", "default"]
    path.write_text(f"{BOTTOM} = 0.4\n")
    assert (shown().value, shown().layer) == (0.4, "project")
    assert f"project file {path}" in handler.call(SettingsService.page).path
    handler.call(PreviewService.change, ((BOTTOM, 0.5),))
    assert shown().note.text.startswith("set by hand · the project file has 40 %")
    handler.call(PreviewService.change, ((BOTTOM, None),))
    path.write_text(f'{BOTTOM} = 0.4\ncompression.profile = "haiku"\n')
    page = handler.call(SettingsService.page)
    assert page.problems[0].startswith(
        f"{path}, line 2: compression.profile cannot be set by a project"
    )
    assert shown().layer == "default"
