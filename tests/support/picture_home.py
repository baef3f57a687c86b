"""A home folder with invented sessions of several agents, for pictures of the session browser."""

import os
import time
from dataclasses import replace
from pathlib import Path

from core.common.paths import bundled_samples
from core.export.export import export_history
from core.formats.writing.exporter import ExportInput
from core.transcript.model import Conversation, Text
from core.transcript.scopes import ALL, history_of_scope
from tests.benchmarks.loops import agent_loop
from tests.core.formats.small_files import SMALL, written
from tests.support.builders import conversation

_HOUR = 3600.0
_CLAUDE, _CODEX = ".claude/projects/-home-ada-{}/{}", ".codex/sessions/2026/03/0{}"
_B1, _O1, _S1 = (
    _CLAUDE.format(f"acme-{name}", f"{name[0]}1.jsonl")
    for name in ("billing", "ops", "site")
)
_R1, _R2 = (
    f"{_CODEX.format(day)}/rollout-{number}.jsonl" for number, day in ((1, 4), (2, 2))
)
_G1, _P1 = ".gemini/tmp/acme/chats/session-1.json", ".pi/agent/sessions/parse/1.jsonl"
_SESSIONS: tuple[tuple[str, str, str, str, int, float], ...] = (
    (_B1, "claude_code", "acme/billing", "Split the invoice table", 260, 3),
    (_R1, "codex_rollout", "acme/sched", "Refactor the scheduler into crates", 611, 21),
    (_O1, "claude_code", "acme/ops", "why does the nightly job run twice", 58, 26),
    (_G1, "gemini_cli", "acme/login", "Add OAuth device flow", 203, 50),
    (_P1, "pi_agent", "home/parse", "port the parser to Rust", 914, 75),
    (_R2, "codex_rollout", "acme/site", "write release notes for 2.4", 24, 120),
    (_S1, "claude_code", "acme/site", "make the dark theme readable", 131, 150),
)
"""Path below the home folder, format, project, first prompt, messages, hours ago."""
_SMALL = (
    (
        ".cursor/projects/home-ada-acme-shop/agent-transcripts/c1/c1.jsonl",
        "cursor",
        "round the VAT",
        5,
    ),
    (
        ".qwen/projects/-home-ada-acme-maps/chats/q1.jsonl",
        "qwen_code",
        "cache the tiles of the map",
        9,
    ),
    (
        ".kimi-code/sessions/wd_lint_1/session_1/agents/main/wire.jsonl",
        "kimi",
        "turn on strict rules",
        14,
    ),
    (
        ".factory/sessions/-home-ada-acme-api/d1.jsonl",
        "droid",
        "paginate the list of orders",
        18,
    ),
    (
        ".grok/sessions/%2Fhome%2Fada%2Facme/g1/chat_history.jsonl",
        "grok_build",
        "name the slow queries",
        30,
    ),
    (".continue/sessions/a-1.json", "continue_dev", "explain the retry of uploads", 40),
    (".local/share/amp/threads/T-1.json", "amp", "drop the old feature flags", 60),
)
"""Path, format, first prompt, hours ago of small sessions."""


def write_sessions(home: Path) -> None:
    for place, to, project, prompt, count, hours in _SESSIONS:
        talk = _talk(prompt, count, f"/home/ada/{project}")
        _put(
            home / place,
            export_history(
                ExportInput(conversation=talk, history=history_of_scope(talk, ALL)), to
            ).data,
            hours,
        )
    for place, name, prompt, hours in _SMALL:
        data = written(SMALL[name]).decode().replace("Which tides?", prompt)
        _put(
            home / place, data.replace("\\nlook\\n", f"\\n{prompt}\\n").encode(), hours
        )
    newest = bundled_samples()[0].path
    _put(home / _CLAUDE.format("acme-uploader", newest.name), newest.read_bytes(), 0.2)


def _talk(prompt: str, count: int, cwd: str) -> Conversation:
    first, *rest = agent_loop(count, seed=count)
    return conversation(
        replace(first, blocks=(Text(prompt),)),
        *rest,
        model="claude-sonnet-4-5",
        cwd=cwd,
    )


def _put(path: Path, data: bytes, hours: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    moment = time.time() - hours * _HOUR
    os.utime(path, (moment, moment))
