"""Finds session files, newest first, without opening them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SessionFolder:
    """Where an agent keeps its sessions: ``folder`` below the home folder, or ``subfolder`` in the folder
    that the environment variable ``variable`` names. ``patterns`` are globs below the folder."""

    agent: str
    folder: str
    patterns: tuple[str, ...]
    variable: str = ""
    subfolder: str = ""

    def root(self, home: Path, environ: Mapping[str, str] = os.environ) -> Path:
        configured_folder = environ.get(self.variable, "").strip() if self.variable else ""
        return Path(configured_folder) / self.subfolder if configured_folder else home / self.folder


_PI_PATTERNS = ("**/*.jsonl",)

SESSION_FOLDERS: tuple[SessionFolder, ...] = (
    SessionFolder(
        "Claude Code",
        ".claude/projects",
        ("*/*.jsonl", "*/*/subagents/agent-*.jsonl"),
        "CLAUDE_CONFIG_DIR",
        "projects",
    ),
    SessionFolder(
        "Codex", ".codex/sessions", ("**/rollout-*.jsonl", "**/rollout-*.jsonl.zst"), "CODEX_HOME", "sessions"
    ),
    SessionFolder(
        "Codex",
        ".codex/archived_sessions",
        ("**/rollout-*.jsonl", "**/rollout-*.jsonl.zst"),
        "CODEX_HOME",
        "archived_sessions",
    ),
    SessionFolder(
        "Gemini CLI", ".gemini/tmp", ("*/chats/**/*.jsonl", "*/chats/**/*.json", "*/checkpoint-*.json")
    ),
    SessionFolder("Qwen Code", ".qwen/tmp", ("*/chats/**/*.jsonl", "*/chats/**/*.json")),
    SessionFolder(
        "llxprt",
        ".local/state/llxprt-code/tmp",
        ("*/chats/**/*.jsonl", "*/chats/archive/*.jsonl.gz"),
        "LLXPRT_LOG_HOME",
        "tmp",
    ),
    SessionFolder("llxprt", ".llxprt/tmp", ("*/chats/**/*.jsonl",)),
    SessionFolder("Copilot CLI", ".copilot/session-state", ("*.jsonl", "*/events.jsonl")),
    SessionFolder("Pi", ".pi/agent/sessions", _PI_PATTERNS),
    SessionFolder("Oh My Pi", ".omp/agent/sessions", _PI_PATTERNS),
    SessionFolder("OpenClaw", ".openclaw/agents", ("*/sessions/*.jsonl",)),
    SessionFolder("Cline", ".cline/data/sessions", ("*/*.messages.json", "*/*.compaction.json")),
    SessionFolder(
        "Cline",
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
        ("*/api_conversation_history.json",),
    ),
    SessionFolder(
        "Roo Code",
        ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
        ("*/api_conversation_history.json",),
    ),
)
"""Folders to search, in the order in which they are listed."""


_ENDINGS = (".json", ".jsonl", ".traj", ".eval")
_ALL_PATTERNS = ("**/*.zip", *(f"**/*{one}{packed}" for one in _ENDINGS for packed in ("", ".gz", ".zst")))
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
    """Sessions, newest first; ``folders`` exist, ``problems`` are sentences about unreadable places."""

    sessions: tuple[SessionFile, ...]
    folders: tuple[Path, ...]
    problems: tuple[str, ...] = ()


def no_check() -> None: ...


def find_sessions(
    home: Path | None = None,
    places: Sequence[SessionFolder] = SESSION_FOLDERS,
    *,
    extra_folders: Sequence[Path] = (),
    check: Callable[[], None] = no_check,
) -> SessionSearch:
    """Return all session files below the agents' folders and below ``extra_folders`` folders. ``check``
    is called regularly and may raise Cancelled. An unreadable folder is a problem, not an error. Links to
    files are followed, links to folders are not, so that there are no cycles."""
    home = home or Path.home()
    session_by_path: dict[Path, SessionFile] = {}
    folders: list[Path] = []
    problems: list[str] = []
    own_places = (SessionFolder("", str(folder.absolute()), _ALL_PATTERNS) for folder in extra_folders)
    for place in (*places, *own_places):
        root = place.root(home)
        try:
            if not root.is_dir():
                continue
            folders.append(root)
            with os.scandir(root):  # ``glob`` does not report an unreadable folder
                pass
            for pattern in place.patterns:
                _add_matches(root, pattern, place.agent, session_by_path, check)
        except OSError as error:
            problems.append(f"{root} cannot be read: {error.strerror or error}.")
    newest_first = sorted(
        session_by_path.values(), key=lambda session: (-session.modified_at, str(session.path))
    )
    return SessionSearch(tuple(newest_first), tuple(folders), tuple(problems))


def _add_matches(
    root: Path, pattern: str, agent: str, session_by_path: dict[Path, SessionFile], check: Callable[[], None]
) -> None:
    for path in root.glob(pattern):
        check()
        if path in session_by_path:
            continue
        try:
            stat = path.stat()
            if not path.is_file() or not stat.st_size:
                continue
        except OSError:
            continue  # removed meanwhile, or a broken link
        session_by_path[path] = SessionFile(path, agent, stat.st_size, stat.st_mtime)
