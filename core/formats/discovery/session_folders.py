"""The agents' usual folders, as data (formats.md, section 0)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """Where an agent keeps its sessions.

    ``folder`` is below the home folder; ``variable`` names an environment variable that replaces
    it up to ``below``. ``patterns`` are globs below the folder.
    """

    agent: str
    folder: str
    patterns: tuple[str, ...]
    variable: str = ""
    below: str = ""

    def root(self, home: Path, environ: Mapping[str, str] = os.environ) -> Path:
        """The folder itself, which need not be there."""
        moved = environ.get(self.variable, "").strip() if self.variable else ""
        return Path(moved) / self.below if moved else home / self.folder


_PI = ("**/*.jsonl",)

PLACES: tuple[Place, ...] = (
    Place(
        "Claude Code",
        ".claude/projects",
        ("*/*.jsonl", "*/*/subagents/agent-*.jsonl"),
        "CLAUDE_CONFIG_DIR",
        "projects",
    ),
    Place(
        "Codex",
        ".codex/sessions",
        ("**/rollout-*.jsonl", "**/rollout-*.jsonl.zst"),
        "CODEX_HOME",
        "sessions",
    ),
    Place(
        "Codex",
        ".codex/archived_sessions",
        ("**/rollout-*.jsonl", "**/rollout-*.jsonl.zst"),
        "CODEX_HOME",
        "archived_sessions",
    ),
    Place(
        "Gemini CLI",
        ".gemini/tmp",
        ("*/chats/**/*.jsonl", "*/chats/**/*.json", "*/checkpoint-*.json"),
    ),
    Place("Qwen Code", ".qwen/tmp", ("*/chats/**/*.jsonl", "*/chats/**/*.json")),
    Place(
        "llxprt",
        ".local/state/llxprt-code/tmp",
        ("*/chats/**/*.jsonl", "*/chats/archive/*.jsonl.gz"),
        "LLXPRT_LOG_HOME",
        "tmp",
    ),
    Place("llxprt", ".llxprt/tmp", ("*/chats/**/*.jsonl",)),
    Place("Copilot CLI", ".copilot/session-state", ("*.jsonl", "*/events.jsonl")),
    Place("Pi", ".pi/agent/sessions", _PI),
    Place("Oh My Pi", ".omp/agent/sessions", _PI),
    Place("OpenClaw", ".openclaw/agents", ("*/sessions/*.jsonl",)),
    Place("Cline", ".cline/data/sessions", ("*/*.messages.json", "*/*.compaction.json")),
    Place(
        "Cline",
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
        ("*/api_conversation_history.json",),
    ),
    Place(
        "Roo Code",
        ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks",
        ("*/api_conversation_history.json",),
    ),
)
"""Folders that are looked at, in the order in which they are listed."""
