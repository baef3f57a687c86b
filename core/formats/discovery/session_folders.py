"""The agents' session folders, as data (formats.md, section 0)."""

from __future__ import annotations

import os
from collections.abc import Mapping
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
