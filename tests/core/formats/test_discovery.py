"""Sessions on this machine: found by folder, described by their heads, counted once."""

import errno
import gzip
import json
import os
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from core.app.services.sessions import SessionService
from core.app.workspace import Workspace
from core.common.errors import Cancelled
from core.common.json_value import Json
from core.common.paths import SAMPLES
from core.formats.discovery.find_sessions import (
    SessionFile,
    SessionFolder,
    find_sessions,
    session_folders,
)
from core.formats.discovery.session_contents import (
    SessionSizes,
    last_message,
    measure_session,
    read_session_header,
    without_wrapper,
)
from core.presentation.session_rows import session_row, sessions_page
from tests.core.cli.running_cli import Cli
from tests.core.formats import codex_lines as codex
from tests.core.formats.small_files import SMALL, saved, written

SAMPLE = SAMPLES / "fix-flaky-upload.jsonl"
FENCED = '```json\n{"id": 1}\n```'


@pytest.fixture
def acme(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    folder = home / ".claude/projects/-home-me-acme"
    folder.mkdir(parents=True)
    for name, when in (
        ("older.jsonl", 1_000),
        ("newer.jsonl", 2_000),
        ("torn.jsonl", 500),
    ):
        (folder / name).write_bytes(
            SAMPLE.read_bytes() if name != "torn.jsonl" else b"{not json"
        )
        os.utime(folder / name, (when, when))
    (folder / "empty.jsonl").touch()
    return home


def _found(acme: Path, name: str = "newer.jsonl") -> SessionFile:
    return next(one for one in find_sessions(acme).sessions if one.path.name == name)


def test_newest_first_and_empty_files_left_out(acme: Path) -> None:
    found = find_sessions(acme)
    assert [one.path.name for one in found.sessions] == [
        "newer.jsonl",
        "older.jsonl",
        "torn.jsonl",
    ]
    assert {one.agent for one in found.sessions} == {"Claude Code"}
    assert found.folders == (acme / ".claude/projects",)


def test_workspaces_of_cursor_with_sessions_and_lines_of_hermes_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("HERMES_HOME", raising=False)
    user = tmp_path / ".config/Cursor/User/workspaceStorage"
    tabs = {
        "tabs": [
            {
                "tabId": "t",
                "chatTitle": "T",
                "bubbles": [{"type": "user", "text": "which tides?"}],
            }
        ]
    }
    chats = {"workbench.panel.aichat.view.aichat.chatdata": tabs}
    for name, rows in (
        ("a", chats),
        ("b", {"composer.composerData": {"allComposers": [{"composerId": "c"}]}}),
    ):
        (user / name).mkdir(parents=True)
        (user / name / "workspace.json").write_text(
            '{"folder": "file:///home/ada/quay%20works"}'
        )
        with closing(sqlite3.connect(user / name / "state.vscdb")) as database:
            database.execute("CREATE TABLE ItemTable(key, value)")
            database.executemany(
                "INSERT INTO ItemTable VALUES (?, ?)",
                [(k, json.dumps(v)) for k, v in rows.items()],
            )
            database.commit()
    hermes = tmp_path / ".hermes/sessions/20260101_abc.jsonl"
    hermes.parent.mkdir(parents=True)
    hermes.write_text(
        json.dumps({"role": "session_meta", "tools": []})
        + '\n{"role": "user", "content": "hi"}\n'
    )
    found = find_sessions(tmp_path, session_folders("linux")).sessions
    shown = {
        (one.agent, (head := read_session_header(one)).prompt, head.project)
        for one in found
    }
    assert shown == {
        ("Cursor", "which tides?", "ada/quay works"),
        ("Hermes", "hi", ".hermes"),
    }


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        (
            "<system-reminder>Be kind.</system-reminder>\n<rules a='b'>No.</rules> count the tides",
            "count the tides",
        ),
        ("<user_query>\ncount the tides\n</user_query>", "count the tides"),
        ("<environment_context>/home</environment_context>", ""),
        ("<b>count", ""),
        (
            f"Conversation info (untrusted metadata):\n{FENCED}\n\nSender (untrusted metadata):\n{FENCED}\n\n"
            "[Telegram Ada id:7 2026-01-05 10:00 UTC] count the tides\n[message_id: 42]",
            "count the tides",
        ),
        ("[tides] are counted", "[tides] are counted"),
    ],
)
def test_a_first_prompt_is_what_the_user_typed(prompt: str, words: str) -> None:
    assert without_wrapper(prompt) == words


def test_every_file_of_a_folder_that_a_reader_knows_is_listed(
    tmp_path: Path, cli: Cli
) -> None:
    for name in ("a.traj", "b.json", "c.jsonl.gz"):
        data = written(SMALL["swe_agent"])
        (tmp_path / name).write_bytes(
            gzip.compress(data) if name.endswith(".gz") else data
        )
    (tmp_path / "d.eval").write_bytes(b"no log")
    (tmp_path / "e.txt").write_bytes(b"words")
    rows = cli.json("sessions", str(tmp_path), "--json")["sessions"]
    assert {Path(row["path"]).name: row["agent"] for row in rows} == {
        **dict.fromkeys(("a.traj", "b.json", "c.jsonl.gz"), "SWE-agent"),
        "d.eval": None,
    }
    assert (
        cli.json("sessions", str(tmp_path), "--agent", "swe-agent", "--json")["found"]
        == 3
    )


def test_nothing_is_opened_to_find(acme: Path) -> None:
    for path in acme.rglob("*.jsonl"):
        os.mkfifo(
            path.with_name(f"pipe-{path.name}")
        )  # opening one would wait for ever
    assert len(find_sessions(acme).sessions) == 3


def test_folders_in_a_circle_end(acme: Path) -> None:
    loop = acme / ".claude/projects/loop"
    loop.symlink_to(acme / ".claude/projects")
    places = [SessionFolder("Any", ".claude/projects", ("**/*.jsonl",))]
    names = [one.path.name for one in find_sessions(acme, places).sessions]
    assert sorted(set(names)) == ["newer.jsonl", "older.jsonl", "torn.jsonl"]


def test_looking_can_be_cancelled(acme: Path) -> None:
    def cancel() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        find_sessions(acme, check=cancel)


def test_a_head_has_the_first_prompt_and_the_project(acme: Path) -> None:
    head = read_session_header(_found(acme))
    assert head.prompt.startswith("tests/upload is flaky")
    assert head.project.count("/") == 1
    assert not head.problem


def test_a_broken_session_says_why(acme: Path) -> None:
    head = read_session_header(_found(acme, "torn.jsonl"))
    assert "torn.jsonl" in head.problem
    assert measure_session(_found(acme, "torn.jsonl")) is None


def test_the_next_request_holds_the_system_prompt(tmp_path: Path) -> None:
    prompt = codex.meta(base_instructions={"text": "Be brief. " * 50})
    path = saved(tmp_path, (prompt, codex.item(codex.user("Hi"))))
    sizes = measure_session(SessionFile(path, "Codex", path.stat().st_size, 1))
    assert sizes is not None
    assert sizes.context > sizes.tokens + 100


def _long(folder: Path, last: str, *more: Json) -> SessionFile:
    """Write a session of several MB that ends with these words, and more lines."""
    texts = ("Begin", *("x" * 9_000 for _ in range(400)), last)
    path = saved(
        folder, (codex.meta(), *(codex.item(codex.user(text)) for text in texts), *more)
    )
    return SessionFile(path, "Codex", path.stat().st_size, 1)


def test_what_was_said_last_comes_from_the_end_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = _long(tmp_path, "then open the\nPR")
    whole = "core.formats.discovery.session_contents.load_conversation"
    monkeypatch.setattr(whole, None)
    assert last_message(found) == "then open the PR"


@pytest.mark.parametrize(
    ("results", "size", "last"),
    [
        (1, 200_000, "then open the PR"),
        (40, 4_000, "then open the PR"),
        (300, 9_000, ""),
        (1, 2_000_000, ""),
    ],
)
def test_words_of_the_beginning_are_never_told_as_the_last(
    tmp_path: Path, results: int, size: int, last: str
) -> None:
    """If results fill the end, more of it is read; earlier words stay unknown."""
    outputs = [codex.item(codex.output("c", "x" * size))] * results
    assert last_message(_long(tmp_path, "then open the PR", *outputs)) == last


@pytest.mark.parametrize(
    ("context", "stands", "tone"),
    [
        (
            20_000,
            "At 10 % of 200,000, 150,000 tokens below the trigger of middle-out.",
            "",
        ),
        (
            148_203,
            "At 74 % of 200,000, 21,797 tokens below the trigger of middle-out.",
            "warn",
        ),
        (
            171_000,
            "At 86 % of 200,000, 1,000 tokens above the trigger of middle-out.",
            "error",
        ),
    ],
)
def test_a_row_says_how_far_the_trigger_is(
    context: int, stands: str, tone: str
) -> None:
    found = SessionFile(Path("/s/one.jsonl"), "Codex", 9, 1.0)
    sizes = SessionSizes(9, context, context, 200_000, "≈", 0)
    row = session_row(found, None, sizes, datetime(2026, 11, 22), Path("/s"), True)
    assert (row.trigger.distance, row.context.tone) == (stands, tone)


def _service() -> SessionService:
    return SessionService(Workspace(lambda _: None, str))


def test_the_last_message_is_read_of_listed_sessions_only(acme: Path) -> None:
    service, path = _service(), str(_found(acme).path)
    assert service.last_message(path) == ""
    next(service.sessions(()))
    assert service.last_message(path).startswith("last message: “")


def test_sessions_are_listed_then_read_then_counted(acme: Path) -> None:
    parts = list(map(sessions_page, _service().sessions(())))
    assert [row.prompt for row in parts[0].rows] == ["", "", ""]
    assert [part.is_over for part in parts[:-1]] == [False] * (len(parts) - 1)
    rows = {part.start + at: row for part in parts for at, row in enumerate(part.rows)}
    assert [rows[index].messages for index in range(3)] == ["150", "150", "–"]
    assert parts[-1].foot == "Looked in ~/.claude · 1 unreadable"
    assert parts[-1].searched.startswith("Foldline looked in ~/.claude, ~/.codex")
    assert parts[-1].is_over


def test_the_command_line_lists_them(acme: Path, cli: Cli) -> None:
    assert cli.run("sessions") == 0
    assert cli.out.index("tests/upload is flaky") < cli.out.index("torn.jsonl")
    assert "3 sessions in 1 folder." in cli.out
    value = cli.json("sessions", "--newest", "1")
    assert value["found"] == 3
    assert [one["messages"] for one in value["sessions"]] == [150]
    assert json.dumps(value)
    assert "Claude Code" in cli.error_text("sessions", "--agent", "Nobody")
    assert "--newest: '-1' is below 0" in cli.error_text("sessions", "--newest", "-1")
    assert "is not a folder" in cli.error_text("sessions", "n" * 300)


def test_no_sessions_say_the_way_out(tmp_path: Path, cli: Cli) -> None:
    cli.run("sessions")
    assert (
        cli.out
        == "No sessions were found.\nName a folder to look in: foldline sessions FOLDER.\n"
    )
    assert "is not a folder" in cli.error_text("sessions", str(tmp_path / "nowhere"))
    cli.run("sessions", str(SAMPLES))
    assert "tests/upload is flaky" in cli.out


def test_a_folder_that_may_not_be_read_is_named(
    acme: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = tmp_path / "locked"
    locked.mkdir()
    scandir = os.scandir

    def refuse(path: Path) -> Any:  # as the system does for anybody but root
        if Path(path) == locked:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = find_sessions(acme, extra_folders=[locked])
    assert found.problems == (f"{locked} cannot be read: Permission denied.",)
    assert found.sessions


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (("--agent", "claude-code"), ["newer", "older", "torn"]),
        (("--since", "1970-01-01T00:30+00:00"), ["newer"]),
        (("--since", "2d"), []),
        (("--project", "/home/dev/acme-uploader"), ["newer", "older"]),
        (("--project", "/home/dev"), ["newer", "older"]),
        (("--project", "/home/dev/acme"), []),
        (("--project", "acme-uploader"), ["newer", "older"]),
        (("--search", "IS FLAKY again"), ["newer", "older"]),
        (("--search", "{NOT"), ["torn"]),
        (("--search", "no such words"), []),
    ],
)
def test_sessions_are_chosen(
    acme: Path, cli: Cli, options: tuple[str, ...], names: list[str]
) -> None:
    found = cli.json("sessions", *options)
    assert [Path(one["path"]).stem for one in found["sessions"]] == names
    assert found["found"] == len(names)
    assert cli.run("sessions", *options) == 0
    assert bool(names) is ("None of 3 sessions" not in cli.out)


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz"])
def test_a_text_is_found_across_parts_and_as_json_writes_it(
    home: Path, cli: Cli, ending: str
) -> None:
    said = {"role": "user", "content": "x" * 1_048_540 + 'Größe "A"\nnext'}
    data = json.dumps(said).encode()
    path = home / f"work/one.{ending}"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(data) if ending.endswith("gz") else data)
    for text, count in (("xx größen", 0), ("GRÖßE", 1), ('größe "a"\nNEXT', 1)):
        assert (
            cli.json("sessions", str(path.parent), "--no-counts", "--search", text)[
                "found"
            ]
            == count
        )


def test_a_time_that_is_none_is_refused(acme: Path, cli: Cli) -> None:
    refused = cli.error_text("sessions", "--since", "last week")
    assert (
        "--since: 'last week' is neither an age nor a date. Write 30m, 12h, 2d, 3w or"
        in refused
    )
