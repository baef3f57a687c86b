"""The hooks in the real Claude Code, against a model on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

SDK = find_spec("claude_agent_sdk")
PROGRAM = Path(SDK.origin or "").parent / "_bundled" / "claude" if SDK else None
pytestmark = pytest.mark.skipif(not (PROGRAM and PROGRAM.is_file()), reason="needs the extra hosts")

SESSION = "11111111-2222-4333-8444-555555555555"
WINDOW = 150_000
RULES = "Never touch db.py. Always write tests first."
SUMMARY = "<analysis>a</analysis><summary>The port is 8080. Never touch db.py.</summary>"


@dataclass
class FakeModel:
    """Answers every request; ``requests`` are the texts that it was sent, summaries marked."""

    address: str
    requests: list[tuple[str, bool]] = field(default_factory=list)

    def texts(self, *, summaries: bool) -> list[str]:
        return [text for text, is_summary in self.requests if is_summary is summaries]


@pytest.fixture
def model() -> Iterator[FakeModel]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = json.dumps(body.get("messages", ""))
            is_summary = "detailed summary" in text and "<summary>" in text
            if self.path.startswith("/v1/messages") and "count_tokens" not in self.path:
                fake.requests.append((text, is_summary))
            is_full = not fake.texts(summaries=True)
            self._send(
                *_answer(body, SUMMARY if is_summary else "Port 8080 it is.", WINDOW if is_full else 9)
            )

        def do_GET(self) -> None:
            self._send("application/json", b"{}")

        def do_HEAD(self) -> None:
            self.do_GET()

        def _send(self, kind: str, data: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *words: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    fake = FakeModel(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield fake
    server.shutdown()
    thread.join()
    server.server_close()


def _answer(body: dict[str, Any], text: str, tokens: int) -> tuple[str, bytes]:
    usage = {"input_tokens": tokens, "output_tokens": 9}
    message = {"id": f"msg_{time.time_ns()}", "type": "message", "role": "assistant", "model": "m"}
    if not body.get("stream"):
        content = [{"type": "text", "text": text}]
        end = {"content": content, "stop_reason": "end_turn", "stop_sequence": None, "usage": usage}
        return "application/json", json.dumps({**message, **end}).encode()
    start: dict[str, Any] = {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    ended = {"delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, **start}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", **ended},
        {"type": "message_stop"},
    ]
    lines = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return "text/event-stream", "".join(lines).encode()


def test_the_summary_gets_facts_and_the_next_requests_what_it_lacks_once(
    model: FakeModel, tmp_path: Path
) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    environ = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "CLAUDE"))},
        "HOME": str(home),
        "ANTHROPIC_BASE_URL": model.address,
        "ANTHROPIC_API_KEY": "x",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_AUTO_COMPACT_WINDOW": str(WINDOW),
    }

    def run(*words: str) -> None:
        subprocess.run(words, cwd=project, env=environ, check=True, capture_output=True, timeout=120)

    foldline = (sys.executable, "-m", "foldline")
    run(*foldline, "hook", "install", "claude-code")
    settings = home / ".claude" / "settings.json"
    assert settings.is_file()
    run(str(PROGRAM), "-p", "--session-id", SESSION, f"{RULES} Which port does the server use?")
    for _ in range(4):  # headless, the compaction may only be prepared at first
        run(str(PROGRAM), "-p", "--resume", SESSION, "Go on.")

    first_summary = model.texts(summaries=True)[0]
    assert "Additional Instructions" in first_summary
    assert "- Rule: Never touch db.py." in first_summary
    assert "- Rule: Always write tests first." in first_summary
    given_back = [text for text in model.texts(summaries=False) if "left out these facts" in text]
    assert given_back
    assert "- Rule: Always write tests first." in given_back[0]
    assert "- Rule: Never touch db.py." not in given_back[0]
    assert all(text.count("left out these facts") == 1 for text in given_back)

    run(*foldline, "hook", "remove", "claude-code")
    assert not settings.exists()
