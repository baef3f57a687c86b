"""Where each agent's sessions are found, by path: on every platform, and where a variable moves
them."""

import json
import os
from pathlib import Path

import pytest

from core.formats.discovery.find_sessions import (
    SessionFile,
    find_sessions,
    session_folders,
)
from core.formats.discovery.session_contents import read_session_header
from core.formats.registry import FORMATS

ANYWHERE = {
    ".claude/projects/-w/a.jsonl": "Claude Code",
    ".codex/sessions/2026/07/01/rollout-a.jsonl.zst": "Codex",
    ".cursor/projects/w/agent-transcripts/a/a.jsonl": "Cursor",
    ".cursor/projects/w/agent-transcripts/b/subagents/c.txt": "Cursor",
    ".cursor/chats/f/a/store.db": "Cursor",
    ".local/share/opencode/opencode.db": "opencode",
    ".local/share/opencode/opencode-dev.db": "opencode",
    ".local/share/opencode/storage/session/p/ses_1.json": "opencode",
    ".local/share/kilo/kilo.db": "Kilo",
    ".local/share/mimocode/mimocode.db": "MiMo Code",
    ".local/share/icodemate/icodemate.db": "iCodeMate",
    ".gemini/tmp/p/chats/session-a.jsonl": "Gemini CLI",
    ".qwen/projects/w/chats/archive/a.jsonl": "Qwen Code",
    ".kimi-code/sessions/wd_w_1/session_a/agents/main/wire.jsonl": "Kimi",
    ".kimi/sessions/f/a/context.jsonl": "Kimi",
    ".factory/sessions/-w/a.jsonl": "Factory Droid",
    ".gemini/antigravity-cli/brain/a/.system_generated/logs/transcript_full.jsonl": "Antigravity",
    ".grok/sessions/%2Fw/a/chat_history.jsonl": "Grok Build",
    ".local/share/goose/sessions/sessions.db": "goose",
    ".hermes/state.db": "Hermes",
    ".hermes/sessions/session_a.json": "Hermes",
    ".kiro/sessions/cli/a.jsonl": "Kiro",
    ".kiro/sessions/w/sess_a/messages.jsonl": "Kiro",
    ".qwen/tmp/h/chats/session-a.json": "Qwen Code",
    ".local/share/goose/sessions/20260101_1.jsonl": "goose",
    ".crush/crush.db": "Crush",
    ".continue/sessions/a-1.json": "Continue",
    ".local/share/amp/threads/T-1.json": "Amp",
    ".copilot/session-state/a/events.jsonl": "Copilot CLI",
    ".pi/agent/sessions/w/a.jsonl": "Pi",
}
ON = {
    "linux": (".config", ".local/share", "zed"),
    "darwin": ("Library/Application Support", "Library/Application Support", "Zed"),
    "win32": ("AppData/Roaming", "AppData/Local", "Zed"),
}


def own_files(platform: str) -> dict[str, str]:
    roaming, local, zed = ON[platform]
    storage, tasks = "User/globalStorage", "tasks/1/api_conversation_history.json"
    editors = ("Code", "Code - Insiders", "VSCodium", "Windsurf", "Positron")
    windows = {
        "AppData/Roaming/Block/goose/data/sessions/sessions.db": "goose",
        "AppData/Local/Temp/VSGitHubCopilotLogs/traces/a.jsonl": "Visual Studio Copilot",
    }
    return {
        **(windows if platform == "win32" else {}),
        **{
            f"{roaming}/{one}/User/workspaceStorage/h/chatSessions/a.jsonl": "VS Code chat"
            for one in editors
        },
        **{
            f"{roaming}/{one}/{storage}/emptyWindowChatSessions/a.json": "VS Code chat"
            for one in editors
        },
        **{
            f"{roaming}/{one}/{storage}/saoudrizwan.claude-dev/{tasks}": "Cline"
            for one in editors
        },
        f"{roaming}/Cursor/User/globalStorage/state.vscdb": "Cursor",
        f"{roaming}/Code/{storage}/rooveterinaryinc.roo-cline/{tasks}": "Roo Code",
        f"{roaming}/Cursor/{storage}/kilocode.kilo-code/{tasks}": "Kilo",
        f"{roaming}/Kiro/{storage}/kiro.kiroagent/w/a.chat": "Kiro",
        f"{local}/{zed}/threads/threads.db": "Zed",
        f"{local}/kiro-cli/data.sqlite3": "Kiro",
    }


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in session_folders("linux") + session_folders("win32"):
        if folder.variable:
            monkeypatch.delenv(folder.variable, raising=False)
    monkeypatch.delenv("CRUSH_GLOBAL_DATA", raising=False)


def write(home: Path, name: str, text: str = "x") -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("platform", ON)
def test_every_agent_is_found(tmp_path: Path, platform: str) -> None:
    expected = ANYWHERE | own_files(platform)
    for name in expected:
        write(tmp_path, name)
    write(tmp_path, ".continue/sessions/sessions.json")
    write(tmp_path, ".cursor/projects/w/agent-transcripts/a/a.txt")
    write(
        tmp_path,
        ".gemini/antigravity-cli/brain/a/.system_generated/logs/transcript.jsonl",
    )
    found = find_sessions(tmp_path, session_folders(platform)).sessions
    assert {
        one.path.relative_to(tmp_path).as_posix(): one.agent for one in found
    } == expected


_MOVED = (
    ("XDG_DATA_HOME", "data", "data/opencode/opencode.db"),
    ("OPENCODE_DB", "my.db", "my.db"),
    ("KIMI_SHARE_DIR", "kimi", "kimi/sessions/f/a/context.jsonl"),
    ("GOOSE_PATH_ROOT", "goose", "goose/data/sessions/sessions.db"),
    ("HERMES_HOME", "hermes", "hermes/state.db"),
    ("CONTINUE_GLOBAL_DIR", "more", "more/sessions/a-1.json"),
    ("CODEX_HOME", "codex", "codex/sessions/rollout-a.jsonl"),
    ("XDG_CONFIG_HOME", "config", "config/Cursor/User/globalStorage/state.vscdb"),
    ("CLAUDE_CONFIG_DIR", "claude", "claude/projects/w/a.jsonl"),
    ("LLXPRT_LOG_HOME", "llxprt", "llxprt/tmp/p/chats/a.jsonl"),
    ("XDG_DATA_HOME", "data", "data/kiro-cli/data.sqlite3"),
    ("XDG_DATA_HOME", "data", "data/zed/threads/threads.db"),
    ("XDG_DATA_HOME", "data", "data/amp/threads/T-1.json"),
)
_MOVED_ON_WINDOWS = (
    ("APPDATA", "roam", "roam/Cursor/User/globalStorage/state.vscdb"),
    ("APPDATA", "roam", "roam/Block/goose/data/sessions/sessions.db"),
    ("APPDATA", "roam", "roam/Positron/User/workspaceStorage/h/chatSessions/a.json"),
    ("LOCALAPPDATA", "local", "local/Zed/threads/threads.db"),
    ("LOCALAPPDATA", "local", "local/Temp/VSGitHubCopilotLogs/traces/a.jsonl"),
)


@pytest.mark.parametrize(
    ("platform", "variable", "value", "file"),
    [("linux", *one) for one in _MOVED]
    + [("win32", *one) for one in _MOVED_ON_WINDOWS],
)
def test_a_variable_moves_the_sessions(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    platform: str,
    variable: str,
    value: str,
    file: str,
) -> None:
    path = write(tmp_path / "else", file)
    monkeypatch.setenv(variable, str(tmp_path / "else" / value))
    assert [
        one.path for one in find_sessions(tmp_path, session_folders(platform)).sessions
    ] == [path]


def test_projects_of_crush_are_where_it_noted_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = write(tmp_path, "work/one/.crush/crush.db").parents[1]
    noted = {"projects": [{"path": str(project), "data_dir": str(project / ".crush")}]}
    write(tmp_path, ".local/share/crush/projects.json", json.dumps(noted))
    found = find_sessions(tmp_path).sessions
    assert [(one.agent, one.path.parent.name) for one in found] == [("Crush", ".crush")]
    monkeypatch.setenv("CRUSH_GLOBAL_DATA", str(tmp_path / "moved"))
    assert not find_sessions(tmp_path).sessions
    write(tmp_path, "moved/projects.json", json.dumps(noted))
    assert len(find_sessions(tmp_path).sessions) == 1


def test_a_chat_of_aider_is_found_in_a_folder_that_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "repo/.aider.chat.history.md")
    assert [
        one.path
        for one in find_sessions(tmp_path, (), extra_folders=[tmp_path]).sessions
    ] == [path]


def test_a_database_is_as_new_as_its_log(tmp_path: Path) -> None:
    path = write(tmp_path, ".local/share/opencode/opencode.db")
    os.utime(path, (1000, 1000))
    os.utime(write(tmp_path, ".local/share/opencode/opencode.db-wal"), (2000, 2000))
    assert [one.modified_at for one in find_sessions(tmp_path).sessions] == [2000]


@pytest.mark.parametrize(
    ("file", "project", "is_sub_agent"),
    [
        (".cursor/projects/home-a-w/agent-transcripts/c1/c1.jsonl", "home-a-w", False),
        (
            ".cursor/projects/home-a-w/agent-transcripts/c1/subagents/c2.jsonl",
            "home-a-w",
            True,
        ),
        (
            ".kimi-code/sessions/wd_w_1/session_1/agents/main/wire.jsonl",
            "session_1",
            False,
        ),
        (
            ".kimi-code/sessions/wd_w_1/session_1/agents/agent-1/wire.jsonl",
            "agent-1",
            True,
        ),
    ],
)
def test_folders_name_the_project_and_sub_agents(
    tmp_path: Path, file: str, project: str, is_sub_agent: bool
) -> None:
    content = {"content": [{"type": "text", "text": "look"}]}
    path = write(tmp_path, file, json.dumps({"role": "user", "message": content}))
    header = read_session_header(SessionFile(path, "", 1, 1.0))
    assert (header.project, header.is_sub_agent) == (project, is_sub_agent)


def test_an_agent_has_one_name() -> None:
    labels = {one.label for one in FORMATS}
    families = "Kilo, MiMo Code, iCodeMate, Roo Code, Oh My Pi, OpenClaw, Visual Studio Copilot"
    labels |= set(families.split(", "))  # which use the format of another agent
    assert {folder.agent for folder in session_folders()} <= labels
