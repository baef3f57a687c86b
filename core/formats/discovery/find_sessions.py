"""Finds session files in the folders of agents on Linux, macOS and Windows, newest first,
unopened."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.common.errors import InputError
from core.formats.common.databases import open_database
from core.formats.common.json_parsing import parse_bytes


@dataclass(frozen=True, slots=True)
class SessionFolder:
    """Where an agent keeps its sessions: ``folder`` below the home folder, or ``subfolder`` in the
    folder that the environment variable ``variable`` names. ``patterns`` are globs below the
    folder; without a ``folder`` the variable names the file itself. ``platform`` is that of
    sys.platform, "" for all."""

    agent: str
    folder: str
    patterns: tuple[str, ...]
    variable: str = ""
    subfolder: str = ""
    platform: str = ""

    def root(self, home: Path, environ: Mapping[str, str] = os.environ) -> Path:
        if self.variable:
            configured_folder = environ.get(self.variable, "").strip()
        else:
            configured_folder = ""
        if configured_folder:
            return Path(configured_folder) / self.subfolder
        return home / self.folder


def _user_data(
    agent: str, name: str, *patterns: str, is_local: bool = False
) -> Iterator[SessionFolder]:
    """Yield the folder of a program's data on each platform. ``is_local``: data that Windows does
    not roam; on Linux its name is in small letters."""
    linux, windows = (
        (".local/share", "AppData/Local")
        if is_local
        else (".config", "AppData/Roaming")
    )
    linux_variable, windows_variable = (
        ("XDG_DATA_HOME", "LOCALAPPDATA")
        if is_local
        else ("XDG_CONFIG_HOME", "APPDATA")
    )
    if is_local:
        small = name.lower()
    else:
        small = name
    yield SessionFolder(
        agent, f"{linux}/{small}", patterns, linux_variable, small, "linux"
    )
    yield SessionFolder(
        agent, f"Library/Application Support/{name}", patterns, platform="darwin"
    )
    yield SessionFolder(
        agent, f"{windows}/{name}", patterns, windows_variable, name, "win32"
    )


def _shared_data(agent: str, name: str, *patterns: str) -> SessionFolder:
    """Return a folder that is ~/.local/share on every platform."""
    return SessionFolder(agent, f".local/share/{name}", patterns, "XDG_DATA_HOME", name)


_PI_PATTERNS = ("**/*.jsonl",)
_ROLLOUTS = ("**/rollout-*.jsonl", "**/rollout-*.jsonl.zst")
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Windsurf", "Positron")
_TASKS = "*/api_conversation_history.json"
_EXTENSIONS = {
    "Cline": "saoudrizwan.claude-dev",
    "Roo Code": "rooveterinaryinc.roo-cline",
    "Kilo": "kilocode.kilo-code",
}

_ALL_FOLDERS: tuple[SessionFolder, ...] = (
    SessionFolder(
        "Claude Code",
        ".claude/projects",
        ("*/*.jsonl", "*/*/subagents/agent-*.jsonl"),
        "CLAUDE_CONFIG_DIR",
        "projects",
    ),
    SessionFolder("Codex", ".codex/sessions", _ROLLOUTS, "CODEX_HOME", "sessions"),
    SessionFolder(
        "Codex",
        ".codex/archived_sessions",
        _ROLLOUTS,
        "CODEX_HOME",
        "archived_sessions",
    ),
    SessionFolder(
        "Cursor",
        ".cursor/projects",
        ("*/agent-transcripts/**/*.jsonl", "*/agent-transcripts/**/*.txt"),
    ),
    SessionFolder("Cursor", ".cursor/chats", ("*/*/store.db",)),
    *_user_data(
        "Cursor",
        "Cursor/User",
        "globalStorage/state.vscdb",
        "workspaceStorage/*/state.vscdb",
    ),
    _shared_data("opencode", "opencode", "opencode*.db", "storage/session/*/*.json"),
    SessionFolder("opencode", "", (), "OPENCODE_DB"),
    _shared_data("Kilo", "kilo", "kilo*.db"),
    _shared_data("MiMo Code", "mimocode", "mimocode*.db"),
    _shared_data("iCodeMate", "icodemate", "icodemate*.db"),
    SessionFolder(
        "Gemini CLI",
        ".gemini/tmp",
        ("*/chats/**/*.jsonl", "*/chats/**/*.json", "*/checkpoint-*.json"),
    ),
    SessionFolder(
        "Qwen Code", ".qwen/projects", ("*/chats/*.jsonl", "*/chats/archive/*.jsonl")
    ),
    SessionFolder(
        "Qwen Code", ".qwen/tmp", ("*/chats/**/*.jsonl", "*/chats/**/*.json")
    ),
    SessionFolder("Kimi", ".kimi-code/sessions", ("*/*/agents/*/wire.jsonl",)),
    SessionFolder(
        "Kimi", ".kimi/sessions", ("*/*/context.jsonl",), "KIMI_SHARE_DIR", "sessions"
    ),
    SessionFolder("Factory Droid", ".factory/sessions", ("**/*.jsonl",)),
    SessionFolder(
        "Antigravity",
        ".gemini/antigravity-cli/brain",
        ("*/.system_generated/logs/transcript*.jsonl",),
    ),
    SessionFolder("Grok Build", ".grok/sessions", ("*/*/chat_history.jsonl",)),
    SessionFolder(
        "goose",
        ".local/share/goose/sessions",
        ("sessions.db", "*.jsonl"),
        "GOOSE_PATH_ROOT",
        "data/sessions",
    ),
    SessionFolder(
        "goose",
        "AppData/Roaming/Block/goose/data/sessions",
        ("sessions.db", "*.jsonl"),
        "APPDATA",
        "Block/goose/data/sessions",
        "win32",
    ),
    SessionFolder(
        "Hermes",
        ".hermes",
        ("state.db", "sessions/session_*.json", "sessions/*.jsonl"),
        "HERMES_HOME",
    ),
    SessionFolder("Crush", ".crush", ("crush.db",)),
    *_user_data("Zed", "Zed/threads", "threads.db", is_local=True),
    *_user_data("Kiro", "kiro-cli", "data.sqlite3", is_local=True),
    SessionFolder("Kiro", ".kiro/sessions", ("cli/*.jsonl", "*/sess_*/messages.jsonl")),
    *_user_data("Kiro", "Kiro/User/globalStorage/kiro.kiroagent", "**/*.chat"),
    *(
        folder
        for editor in _EDITORS
        for folder in _user_data(
            "VS Code chat",
            f"{editor}/User",
            "workspaceStorage/*/chatSessions/*.json*",
            "globalStorage/emptyWindowChatSessions/*.json*",
        )
    ),
    SessionFolder(
        "Visual Studio Copilot",
        "AppData/Local/Temp/VSGitHubCopilotLogs/traces",
        ("*.jsonl",),
        "LOCALAPPDATA",
        "Temp/VSGitHubCopilotLogs/traces",
        "win32",
    ),
    SessionFolder(
        "Continue",
        ".continue/sessions",
        ("*-*.json",),
        "CONTINUE_GLOBAL_DIR",
        "sessions",
    ),
    _shared_data("Amp", "amp/threads", "T-*.json"),
    SessionFolder(
        "llxprt",
        ".local/state/llxprt-code/tmp",
        ("*/chats/**/*.jsonl", "*/chats/archive/*.jsonl.gz"),
        "LLXPRT_LOG_HOME",
        "tmp",
    ),
    SessionFolder("llxprt", ".llxprt/tmp", ("*/chats/**/*.jsonl",)),
    SessionFolder(
        "Copilot CLI", ".copilot/session-state", ("*.jsonl", "*/events.jsonl")
    ),
    SessionFolder("Pi", ".pi/agent/sessions", _PI_PATTERNS),
    SessionFolder("Oh My Pi", ".omp/agent/sessions", _PI_PATTERNS),
    SessionFolder("OpenClaw", ".openclaw/agents", ("*/sessions/*.jsonl",)),
    SessionFolder(
        "Cline", ".cline/data/sessions", ("*/*.messages.json", "*/*.compaction.json")
    ),
    *(
        folder
        for agent, extension in _EXTENSIONS.items()
        for editor in (*_EDITORS, "Cursor")
        for folder in _user_data(
            agent, f"{editor}/User/globalStorage/{extension}/tasks", _TASKS
        )
    ),
)


def session_folders(platform: str = sys.platform) -> tuple[SessionFolder, ...]:
    """Return the folders of a platform; any other than macOS and Windows has those of Linux."""
    known = platform if platform in ("darwin", "win32") else "linux"
    return tuple(folder for folder in _ALL_FOLDERS if folder.platform in ("", known))


SESSION_FOLDERS = session_folders()
"""Folders to search, in the order in which they are listed."""


def crush_folders(home: Path) -> Iterator[SessionFolder]:
    """Yield the projects that Crush has noted: their databases are in the projects themselves."""
    configured = os.environ.get("CRUSH_GLOBAL_DATA", "").strip()
    local = os.environ.get("LOCALAPPDATA", "").strip() or home / "AppData/Local"
    if configured:
        parents = [Path(configured)]
    else:
        parents = [home / ".local/share/crush", Path(local) / "crush"]
    for parent in parents:
        try:
            noted = parse_bytes((parent / "projects.json").read_bytes()).value
        except OSError:
            continue
        # Presumably its shape may change, so every absolute path in it is tried.
        for text in dict.fromkeys(_texts(noted)):
            if os.path.isabs(text):
                yield SessionFolder("Crush", text, ("crush.db", ".crush/crush.db"))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from _texts(item)


_ENDINGS = (".json", ".jsonl", ".traj", ".eval")
_NAMED_FILES = (
    *(
        ".aider.chat.history.md",
        "*.chat",
        "opencode*.db",
        "kilo*.db",
        "mimocode*.db",
        "icodemate*.db",
    ),
    *("sessions.db", "state.db", "store.db", "crush.db", "threads.db"),
    *("state.vscdb", "data.sqlite3"),
)
_MESSAGES = re.compile(rb'"(?:bubbles|conversation)"\s*:\s*\[\s*\{')
"""What a workspace of Cursor with messages has in its lists of sessions."""
_DATABASE_ENDINGS = (".db", ".vscdb", ".sqlite3")
_ALL_PATTERNS = (
    "**/*.zip",
    *(f"**/*{ending}{packed}" for ending in _ENDINGS for packed in ("", ".gz", ".zst")),
    *(f"**/{name}" for name in _NAMED_FILES),
)
"""The files of a folder that a reader may support."""


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A session file: its agent, size in bytes, and time of the last write (seconds since 1970)."""

    path: Path
    agent: str
    size: int
    modified_at: float


@dataclass(frozen=True, slots=True)
class SessionSearch:
    """Sessions, newest first; ``folders`` exist, ``problems`` are sentences about unreadable
    places."""

    sessions: tuple[SessionFile, ...]
    folders: tuple[Path, ...]
    problems: tuple[str, ...] = ()


def no_check() -> None: ...


def find_sessions(
    home: Path | None = None,
    agent_folders: Sequence[SessionFolder] = SESSION_FOLDERS,
    *,
    extra_folders: Sequence[Path] = (),
    check: Callable[[], None] = no_check,
) -> SessionSearch:
    """Return all session files below the agents' folders and below ``extra_folders`` folders.
    ``check`` is called regularly and may raise Cancelled. An unreadable folder is a problem, not an
    error. Links to files are followed, links to folders are not, so that there are no cycles."""
    home = home or Path.home()
    session_by_path: dict[Path, SessionFile] = {}
    folders: list[Path] = []
    problems: list[str] = []
    own_folders = (
        SessionFolder("", str(folder.absolute()), _ALL_PATTERNS)
        for folder in extra_folders
    )
    # A search of named folders alone is not to find other projects.
    crush = crush_folders(home) if agent_folders else ()
    for searched in (*agent_folders, *crush, *own_folders):
        root = searched.root(home)
        try:
            if not searched.patterns:
                if root.is_file():
                    _add_file(root, searched.agent, session_by_path)
                continue
            if not root.is_dir():
                continue
            folders.append(root)
            with os.scandir(root):  # ``glob`` does not report an unreadable folder
                pass
            for pattern in searched.patterns:
                _add_matches(root, pattern, searched.agent, session_by_path, check)
        except OSError as error:
            problems.append(f"{root} cannot be read: {error.strerror or error}.")
    newest_first = sorted(
        session_by_path.values(),
        key=lambda session: (-session.modified_at, str(session.path)),
    )
    return SessionSearch(tuple(newest_first), tuple(folders), tuple(problems))


def _add_matches(
    root: Path,
    pattern: str,
    agent: str,
    session_by_path: dict[Path, SessionFile],
    check: Callable[[], None],
) -> None:
    for path in root.glob(pattern):
        check()
        if (
            path not in session_by_path
            and not _is_superseded(path)
            and not _is_without_session(path)
        ):
            _add_file(path, agent, session_by_path)


def _is_superseded(path: Path) -> bool:
    """Return whether a better copy of the session is beside the file."""
    if path.name == "transcript.jsonl":
        # Antigravity writes the same session twice, once with long texts cut.
        return path.with_name("transcript_full.jsonl").exists()
    if path.suffix == ".txt":
        # Cursor writes a session as text, too, which says less.
        return path.with_suffix(".jsonl").exists()
    is_chat = path.parent.name in ("chatSessions", "emptyWindowChatSessions")
    return is_chat and path.suffix == ".json" and path.with_suffix(".jsonl").exists()


def _is_without_session(path: Path) -> bool:
    """Return whether a file is the database of a Cursor workspace without a session: most have
    none, since 2025 sessions are in the global one."""
    if path.name != "state.vscdb" or path.parent.parent.name != "workspaceStorage":
        return False

    try:
        with open_database(path) as database:
            keys = (
                "workbench.panel.aichat.view.aichat.chatdata",
                "composer.composerData",
            )
            values = [
                *database.rows("ItemTable", "value", "WHERE key IN (?, ?)", *keys)
            ]
    except InputError:
        # A database that cannot be opened here would be a row that cannot be opened either.
        return True
    texts = (
        value if isinstance(value := row["value"], bytes) else str(value).encode()
        for row in values
    )
    return not any(_MESSAGES.search(text) for text in texts)


def _add_file(path: Path, agent: str, session_by_path: dict[Path, SessionFile]) -> None:
    """Add a file that is not empty. What was last written to a database may be in its log."""
    try:
        stat = path.stat()
        # An agent may create the file of a session before its first message.
        if not path.is_file() or not stat.st_size:
            return
        modified_at = stat.st_mtime
        if path.suffix in _DATABASE_ENDINGS:
            with suppress(OSError):
                # SQLite writes to the log first; the database itself may be hours old.
                modified_at = max(modified_at, os.stat(f"{path}-wal").st_mtime)
    except OSError:
        return  # removed meanwhile, or a broken link
    session_by_path[path] = SessionFile(path, agent, stat.st_size, modified_at)
