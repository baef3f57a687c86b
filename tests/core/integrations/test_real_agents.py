"""Hooks, undo and repair in the real Claude Code, Codex, Pi, opencode and Gemini CLI, against a
model on this machine."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from core.formats.registry import load_conversation
from core.strategies.excerpt_units import HEADING
from tests.core.lint.provider_checker import fault

CODEX = shutil.which("codex", path=os.environ.get("FOLDLINE_TEST_CODEX", ""))
PI = shutil.which("pi", path=os.environ.get("FOLDLINE_TEST_PI", ""))
OPENCODE = shutil.which("opencode", path=os.environ.get("FOLDLINE_TEST_OPENCODE", ""))
GEMINI = shutil.which("gemini", path=os.environ.get("FOLDLINE_TEST_GEMINI", ""))
CLAUDE = shutil.which("claude", path=os.environ.get("FOLDLINE_TEST_CLAUDE", ""))

SESSION = "11111111-2222-4333-8444-555555555555"
WINDOW = 150_000  # tokens
RULES = "Never touch db.py. Always write tests first."
DECISION = "I decided to use `sqlite3` instead of `psycopg` in src/db.py because it needs no server."
GIVEN_BACK = "left out these lines of it"
SUMMARY = (
    "<analysis>a</analysis><summary>The port is 8080. Never touch db.py.</summary>"
)

SNAPSHOT = "<state_snapshot>The port is 8080.</state_snapshot>"
READ_BOTH = "Read both files."


@dataclass
class FakeModel:
    """Answers every request. ``requests`` are the texts sent to it, and whether each wanted a
    summary; ``answers_full``: until then the context is said to be full."""

    address: str
    requests: list[tuple[str, bool]] = field(default_factory=list)
    answers_full: bool = True

    def texts(self, *, summaries: bool) -> list[str]:
        return [text for text, is_summary in self.requests if is_summary is summaries]

    def answer(self, path: str, body: dict[str, Any]) -> tuple[str, bytes]:
        """Note a request."""
        if path.startswith("/v1beta/"):
            return self._answer_gemini(path, body)
        text = json.dumps(body.get("messages") or body.get("input", ""))
        is_summary = (
            "detailed summary" in text and "<summary>" in text
        ) or "handoff summary" in text
        if (
            path.startswith(("/v1/messages", "/responses", "/chat"))
            and "count_tokens" not in path
        ):
            self.requests.append((text, is_summary))
        if path.startswith("/chat"):
            return _chat_events("Done.", len(json.dumps(body)) // 4)
        is_full = self.answers_full and not self.texts(summaries=True)
        tokens = WINDOW if is_full else 9
        write = (
            _responses_events if path.startswith("/responses") else _anthropic_answer
        )
        return write(body, SUMMARY if is_summary else DECISION, tokens)

    def _answer_gemini(self, path: str, body: dict[str, Any]) -> tuple[str, bytes]:
        is_summary = "<state_snapshot>" in json.dumps(body["systemInstruction"])
        self.requests.append((json.dumps(body["contents"]), is_summary))
        parts: list[dict[str, Any]] = [{"text": SNAPSHOT if is_summary else "Done."}]
        last = json.dumps(body["contents"][-1])
        if READ_BOTH in last and "functionResponse" not in last:
            parts = [_read_call("a.txt"), _read_call("b.txt")]
        tokens = len(json.dumps(body)) // 4
        answer = {
            "candidates": [
                {"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
            ],
            "usageMetadata": {"promptTokenCount": tokens, "totalTokenCount": tokens},
        }
        data = json.dumps(answer).encode()
        if ":stream" in path:
            return "text/event-stream", b"data: " + data + b"\n\n"
        return "application/json", data


def _read_call(name: str) -> dict[str, Any]:
    return {"functionCall": {"name": "read_file", "args": {"file_path": name}}}


@pytest.fixture
def model() -> Iterator[FakeModel]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._send(*fake.answer(self.path, body))

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


def _anthropic_answer(
    body: dict[str, Any], text: str, tokens: int
) -> tuple[str, bytes]:
    usage = {"input_tokens": tokens, "output_tokens": 9}
    message = {
        "id": f"msg_{time.time_ns()}",
        "type": "message",
        "role": "assistant",
        "model": "m",
    }
    if not body.get("stream"):
        content = [{"type": "text", "text": text}]
        end = {
            "content": content,
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": usage,
        }
        return "application/json", json.dumps({**message, **end}).encode()
    start: dict[str, Any] = {
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    ended = {
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": usage,
    }
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, **start}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "text", "text": ""},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": text},
        },
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", **ended},
        {"type": "message_stop"},
    ]
    return _stream(events)


def _responses_events(
    body: dict[str, Any], text: str, tokens: int
) -> tuple[str, bytes]:
    name, content = (
        f"r{time.time_ns()}",
        [{"type": "output_text", "text": text, "annotations": []}],
    )
    item = {
        "type": "message",
        "id": name,
        "role": "assistant",
        "status": "completed",
        "content": content,
    }
    usage = {"input_tokens": tokens, "output_tokens": 5, "total_tokens": tokens + 5}
    created = {"type": "response.created", "response": {"id": name}}
    done = {"type": "response.output_item.done", "output_index": 0, "item": item}
    completed = {"id": name, "output": [item], "usage": usage}
    return _stream(
        [created, done, {"type": "response.completed", "response": completed}]
    )


def _chat_events(text: str, tokens: int) -> tuple[str, bytes]:
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    delta = {
        "index": 0,
        "delta": {"role": "assistant", "content": text},
        "finish_reason": None,
    }
    usage = {
        "prompt_tokens": tokens,
        "completion_tokens": 9,
        "total_tokens": tokens + 9,
    }
    chunks = (
        {**head, "choices": [delta]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {**head, "choices": [], "usage": usage},
    )
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "text/event-stream", "".join([*lines, "data: [DONE]\n\n"]).encode()


def _stream(events: list[dict[str, Any]]) -> tuple[str, bytes]:
    lines = (
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events
    )
    return "text/event-stream", "".join(lines).encode()


Run = Callable[..., None]


@pytest.fixture
def run(model: FakeModel, tmp_path: Path) -> Run:
    for name in ("project", "home"):
        (tmp_path / name).mkdir()
    environ = {
        **{
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("XDG_", "CLAUDE", "GEMINI", "GOOGLE"))
        },
        "HOME": str(tmp_path / "home"),
        "PWD": str(tmp_path / "project"),  # opencode takes its folder from here
        "ANTHROPIC_BASE_URL": model.address,
        "ANTHROPIC_API_KEY": "x",
        "FAKE_KEY": "x",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_AUTO_COMPACT_WINDOW": str(WINDOW),
        "GOOGLE_GEMINI_BASE_URL": model.address,
        "GEMINI_API_KEY": "x",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
    }

    def run_program(*words: object) -> None:
        command, project = [str(word) for word in words], tmp_path / "project"
        streams: Any = {
            "stdin": subprocess.DEVNULL,
            "capture_output": True,
            "text": True,
        }
        ended = subprocess.run(
            command, cwd=project, env=environ, check=False, timeout=120, **streams
        )
        assert ended.returncode == 0, ended.stderr

    return run_program


FOLDLINE = (sys.executable, "-m", "foldline")


def assert_given_back_once(texts: list[str]) -> None:
    texts = [text for text in texts if GIVEN_BACK in text]
    assert texts
    given = texts[0].partition(GIVEN_BACK)[2]
    assert DECISION in given
    assert "Never touch db.py." not in given
    assert all(text.count(GIVEN_BACK) == 1 for text in texts)


@pytest.mark.skipif(
    CLAUDE is None,
    reason="needs the folder of Claude Code's program in FOLDLINE_TEST_CLAUDE",
)
def test_claude_code_gets_back_what_its_summary_lacks(
    model: FakeModel, run: Run, tmp_path: Path
) -> None:
    run(*FOLDLINE, "hook", "install", "claude-code")
    settings = tmp_path / "home" / ".claude" / "settings.json"
    assert settings.is_file()
    run(
        CLAUDE,
        "-p",
        "--session-id",
        SESSION,
        f"{RULES} Which port does the server use?",
    )
    for _ in range(4):  # headless, the compaction may only be prepared at first
        run(CLAUDE, "-p", "--resume", SESSION, "Go on.")
    first_summary = model.texts(summaries=True)[0]
    assert "Additional Instructions" in first_summary
    assert f"- Your message: {RULES}" in first_summary
    assert_given_back_once(model.texts(summaries=False))
    run(*FOLDLINE, "hook", "remove", "claude-code")
    assert not settings.exists()


CODEX_CONFIG = """
model = "gpt-5-codex"
model_provider = "fake"
model_auto_compact_token_limit = 20000
[model_providers.fake]
name = "fake"
base_url = "{address}"
wire_api = "responses"
env_key = "FAKE_KEY"
"""


@pytest.mark.skipif(
    CODEX is None, reason="needs the folder of Codex's program in FOLDLINE_TEST_CODEX"
)
def test_codex_gets_back_what_its_summary_lacks(
    model: FakeModel, run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "home" / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(CODEX_CONFIG.format(address=model.address))
    run(*FOLDLINE, "hook", "install", "codex")
    options = "--skip-git-repo-check", "--dangerously-bypass-hook-trust"
    run(CODEX, "exec", *options, f"{RULES} Which port does the server use?")
    for _ in range(2):
        run(CODEX, "exec", *options, "resume", "--last", "Go on.")
    assert GIVEN_BACK not in str(model.texts(summaries=True))
    assert [
        text
        for text in model.texts(summaries=False)
        if "handoff" in text or SUMMARY in text
    ]
    assert_given_back_once(model.texts(summaries=False))


OTHER_SESSION = "22222222-3333-4444-8555-666666666666"
FIRST_WORDS = "Which port does the server use?"


def compactions(path: Path) -> int:
    return len(load_conversation(path).recorded)


@pytest.mark.skipif(
    CLAUDE is None,
    reason="needs the folder of Claude Code's program in FOLDLINE_TEST_CLAUDE",
)
def test_claude_code_goes_on_before_its_compaction(
    model: FakeModel, run: Run, tmp_path: Path
) -> None:
    run(CLAUDE, "-p", "--session-id", SESSION, f"{RULES} {FIRST_WORDS}")
    for _ in range(4):
        run(CLAUDE, "-p", "--resume", SESSION, "Go on.")
    (session,) = (tmp_path / "home" / ".claude" / "projects").rglob(f"{SESSION}.jsonl")
    assert compactions(session)
    copy = session.with_name(f"{OTHER_SESSION}.jsonl")
    run(*FOLDLINE, "undo", session, "-n", "1", "-o", copy)
    assert not compactions(copy)
    settings = tmp_path / "home" / ".claude" / "settings.json"
    settings.write_text('{"autoCompactEnabled": false}')  # it is full again
    model.requests.clear()
    model.answers_full = False
    run(CLAUDE, "-p", "--resume", OTHER_SESSION, "What did I ask?")
    (sent,) = [
        text for text in model.texts(summaries=False) if "What did I ask?" in text
    ]
    assert FIRST_WORDS in sent
    assert "The port is 8080" not in sent


@pytest.mark.skipif(
    CODEX is None, reason="needs the folder of Codex's program in FOLDLINE_TEST_CODEX"
)
def test_codex_goes_on_before_its_compaction(
    model: FakeModel, run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "home" / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(CODEX_CONFIG.format(address=model.address))
    run(CODEX, "exec", "--skip-git-repo-check", f"{RULES} {FIRST_WORDS}")
    for _ in range(2):
        run(CODEX, "exec", "--skip-git-repo-check", "resume", "--last", "Go on.")
    (session,) = (folder / "sessions").rglob("rollout-*.jsonl")
    assert compactions(session)
    copy = tmp_path / session.name
    run(*FOLDLINE, "undo", session, "-n", "1", "-o", copy)
    copy.replace(session)
    model.requests.clear()
    model.answers_full = False
    run(CODEX, "exec", "--skip-git-repo-check", "resume", "--last", "What did I ask?")
    sent = [text for text in model.texts(summaries=False) if "What did I ask?" in text]
    assert FIRST_WORDS in sent[0]
    assert SUMMARY not in sent[0]


TURNS = 12
PADDING = " ".join(f"detail {number}." for number in range(1_500))  # about 6,000 tokens
LIMIT = 60_000
OWN_COMPACTION = {
    "enabled": True,
    "auto": True,
    "reserveTokens": 50_000,
    "reserved": 50_000,
    "keepRecentTokens": 500,
}
"""The agents compact at 10,000 tokens, Foldline at 48,000."""
PI_MODELS = {"id": "m", "contextWindow": LIMIT, "maxTokens": 1_000}
OPENCODE_MODEL = {"limit": {"context": LIMIT, "input": LIMIT, "output": 1_000}}
TURN_TEXTS = [f"Turn number {number}: {RULES} {PADDING}" for number in range(TURNS)]


def turn_requests(model: FakeModel) -> list[str]:
    texts = [text for text in model.texts(summaries=False) if PADDING in text]
    return list({max(_turns_in(text)): text for text in texts}.values())


def _turns_in(text: str) -> list[int]:
    return [number for number in range(TURNS) if f"Turn number {number}:" in text]


def assert_compacted(requests: list[str]) -> int:
    """The request grows until the trigger and is smaller afterwards; the newest turn is always in
    it. Returns the first turn whose request is compacted."""
    sizes = [len(text) for text in requests]
    first = next(index for index, text in enumerate(requests) if HEADING in text)
    assert sizes[:first] == sorted(sizes[:first])
    assert _turns_in(requests[first - 1]) == list(range(first))
    assert sizes[first] < sizes[first - 1] * 0.8
    assert max(sizes) < LIMIT * 4
    assert [max(_turns_in(text)) for text in requests] == list(range(TURNS))
    return first


def assert_whole_without_foldline(
    model: FakeModel, go_on: Callable[[], None], extension: Path
) -> None:
    """Where Foldline cannot run, the agent sends its whole history."""
    head = "const COMMAND: string[] = "
    extension.write_text(
        re.sub(f"{re.escape(head)}.*", f'{head}["missing"]', extension.read_text())
    )
    go_on()
    assert _turns_in(model.texts(summaries=False)[-1]) == list(range(TURNS))


def assert_supplemented(model: FakeModel) -> None:
    """Behind the summary of the agent's own compaction stands once what it lacks."""
    [*_, last] = model.texts(summaries=False)
    assert last.count(GIVEN_BACK) == last.count(HEADING) == 1
    assert "Always write tests first." in last.partition(GIVEN_BACK)[2]


def set_up_pi(
    folder: Path, model: FakeModel, run: Run, compaction: dict[str, Any]
) -> None:
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text(json.dumps({"compaction": compaction}))
    provider = {
        "baseUrl": model.address,
        "api": "openai-completions",
        "apiKey": "x",
        "models": [PI_MODELS],
    }
    (folder / "models.json").write_text(json.dumps({"providers": {"fake": provider}}))
    run(*FOLDLINE, "hook", "install", "pi")


def set_up_opencode(
    folder: Path, model: FakeModel, run: Run, compaction: dict[str, Any]
) -> None:
    folder.mkdir(parents=True)
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": model.address, "apiKey": "x"},
        "models": {"m": OPENCODE_MODEL},
    }
    settings = {
        "provider": {"fake": provider},
        "compaction": compaction,
        "small_model": "fake/m",
    }
    (folder / "opencode.json").write_text(json.dumps(settings))
    run(*FOLDLINE, "hook", "install", "opencode")


@pytest.mark.skipif(
    PI is None, reason="needs the folder of Pi's program in FOLDLINE_TEST_PI"
)
def test_pi_gets_back_what_its_own_summary_lacks(
    model: FakeModel, run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "home" / ".pi" / "agent"
    set_up_pi(folder, model, run, OWN_COMPACTION)
    talk = PI, "-p", "--provider", "fake", "--model", "m"
    run(*talk, f"{RULES} {PADDING}", *map(str, range(3)))
    run(*talk, "--continue", PADDING)
    run(*talk, "--continue", "Go on.")
    assert_supplemented(model)


@pytest.mark.skipif(
    OPENCODE is None,
    reason="needs the folder of opencode's program in FOLDLINE_TEST_OPENCODE",
)
def test_opencode_gets_back_what_its_own_summary_lacks(
    model: FakeModel, run: Run, tmp_path: Path
) -> None:
    set_up_opencode(
        tmp_path / "home" / ".config" / "opencode", model, run, OWN_COMPACTION
    )
    talk = OPENCODE, "run", "--model", "fake/m"
    run(*talk, f"{RULES} {PADDING}")
    for text in (PADDING, PADDING, "Go on."):
        run(*talk, "--continue", text)
    assert_supplemented(model)


@pytest.mark.skipif(
    PI is None, reason="needs the folder of Pi's program in FOLDLINE_TEST_PI"
)
def test_pi_sends_the_compacted_and_stores_the_whole(
    model: FakeModel, run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "home" / ".pi" / "agent"
    set_up_pi(folder, model, run, {"enabled": False})
    talk = PI, "-p", "--provider", "fake", "--model", "m"
    run(*talk, *TURN_TEXTS)
    requests = turn_requests(model)
    first = assert_compacted(requests)
    assert requests[first + 1].startswith(
        requests[first].removesuffix("]")
    )  # compacted once, then kept
    (session,) = (folder / "sessions").rglob("*.jsonl")
    stored = session.read_text("utf-8")
    assert _turns_in(stored) == list(range(TURNS))
    assert HEADING not in stored
    extension = folder / "extensions" / "foldline.ts"
    assert_whole_without_foldline(
        model, lambda: run(*talk, "--continue", "Go on."), extension
    )
    run(*FOLDLINE, "hook", "remove", "pi")
    assert not extension.exists()


@pytest.mark.skipif(
    OPENCODE is None,
    reason="needs the folder of opencode's program in FOLDLINE_TEST_OPENCODE",
)
def test_opencode_sends_the_compacted_context(
    model: FakeModel, run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "home" / ".config" / "opencode"
    set_up_opencode(folder, model, run, {"auto": False})
    talk = OPENCODE, "run", "--model", "fake/m"
    run(*talk, TURN_TEXTS[0])
    for text in TURN_TEXTS[1:]:
        run(*talk, "--continue", text)
    assert_compacted(turn_requests(model))
    extension = folder / "plugin" / "foldline.ts"
    assert_whole_without_foldline(
        model, lambda: run(*talk, "--continue", "Go on."), extension
    )
    run(*FOLDLINE, "hook", "remove", "opencode")
    assert not extension.exists()


@pytest.mark.skipif(
    OPENCODE is None,
    reason="needs the folder of opencode's program in FOLDLINE_TEST_OPENCODE",
)
def test_opencode_goes_on_before_its_compaction(
    model: FakeModel, run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "home" / ".config" / "opencode"
    set_up_opencode(folder, model, run, OWN_COMPACTION)
    run(*FOLDLINE, "hook", "remove", "opencode")  # opencode's own context alone
    talk = OPENCODE, "run", "--model", "fake/m"
    run(*talk, f"{FIRST_WORDS} {PADDING}")
    for text in (PADDING, PADDING, "Go on."):
        run(*talk, "--continue", text)
    assert FIRST_WORDS not in model.texts(summaries=False)[-1]
    (session,) = (tmp_path / "home").rglob("opencode*.db")
    assert compactions(session)
    copy = tmp_path / "before.json"
    run(*FOLDLINE, "undo", session, "-n", "1", "-o", copy)
    assert not compactions(copy)
    settings = folder / "opencode.json"  # it is full again
    settings.write_text(settings.read_text().replace('"auto": true', '"auto": false'))
    run(OPENCODE, "import", copy)
    model.requests.clear()
    resumed = json.loads(copy.read_text())["info"]["id"]
    run(*talk, "--session", resumed, "What did I ask?")
    sent = [text for text in model.texts(summaries=False) if "What did I ask?" in text]
    assert FIRST_WORDS in sent[-1]
    assert "Go on." not in sent[-1]


@pytest.mark.skipif(
    PI is None, reason="needs the folder of Pi's program in FOLDLINE_TEST_PI"
)
def test_pi_goes_on_before_its_compaction(
    model: FakeModel, run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "home" / ".pi" / "agent"
    set_up_pi(folder, model, run, OWN_COMPACTION)
    run(*FOLDLINE, "hook", "remove", "pi")  # Pi's own context alone
    talk = PI, "-p", "--provider", "fake", "--model", "m"
    run(*talk, f"{FIRST_WORDS} {PADDING}", *map(str, range(3)))
    run(*talk, "--continue", PADDING)
    run(*talk, "--continue", "Go on.")
    (session,) = (folder / "sessions").rglob("*.jsonl")
    assert compactions(session)
    assert FIRST_WORDS not in model.texts(summaries=False)[-1]
    copy = tmp_path / session.name
    run(*FOLDLINE, "undo", session, "-n", "1", "-o", copy)
    assert not compactions(copy)
    (folder / "settings.json").write_text('{"compaction": {"enabled": false}}')
    model.requests.clear()
    run(*talk, "--session", copy, "What did I ask?")
    (sent,) = model.texts(summaries=False)
    assert FIRST_WORDS in sent
    assert "Go on." not in sent


TALK_GEMINI = GEMINI, "-m", "gemini-2.5-flash", "-p"
NEEDS_GEMINI = pytest.mark.skipif(
    GEMINI is None,
    reason="needs the folder of Gemini CLI's program in FOLDLINE_TEST_GEMINI",
)


def set_up_gemini(folder: Path, *, threshold: float) -> None:
    """``threshold``: the share of its window of 1,048,576 tokens at which it compresses."""
    folder.mkdir(exist_ok=True)
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "model": {"compressionThreshold": threshold},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
    }
    (folder / "settings.json").write_text(json.dumps(settings))


def gemini_session(folder: Path) -> Path:
    """Return the session; beside it each resumption leaves a file without a turn."""
    return max(folder.rglob("session-*.jsonl"), key=lambda path: path.stat().st_size)


def gemini_fault(model: FakeModel, folder: Path) -> str:
    """Return what the API refuses in the newest request, "" for nothing."""
    request = folder / "request.json"
    request.write_text(f'{{"contents": {model.texts(summaries=False)[-1]}}}')
    return fault("gemini", load_conversation(request).messages)


@NEEDS_GEMINI
def test_gemini_cli_goes_on_before_its_compaction(
    model: FakeModel, run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "home" / ".gemini"
    set_up_gemini(folder, threshold=0.01)
    run(*TALK_GEMINI, f"{FIRST_WORDS} {PADDING}")
    for words in (PADDING, PADDING, "Go on."):
        run(*TALK_GEMINI, words, "--resume", "latest")
    before = model.texts(summaries=False)[-1]
    assert SNAPSHOT in before
    assert FIRST_WORDS not in before
    session = gemini_session(folder)
    assert compactions(session)
    copy = tmp_path / "before.jsonl"
    run(*FOLDLINE, "undo", session, "-n", "1", "-o", copy)
    assert not compactions(copy)
    set_up_gemini(folder, threshold=0.9)  # it is full again
    model.requests.clear()
    run(*TALK_GEMINI, "What did I ask?", "--session-file", copy)
    (sent,) = model.texts(summaries=False)
    assert FIRST_WORDS in sent
    assert "What did I ask?" in sent
    assert SNAPSHOT not in sent
    assert "Go on." not in sent


def without_a_result(session: Path, broken: Path) -> None:
    """Write a session whose first call has no result, as where its program was ended."""
    rows = [json.loads(line) for line in session.read_text("utf-8").splitlines()]
    kept = [row for row in rows if "functionResponse" not in str(row.get("content"))]
    for row in kept:
        for call in row.get("toolCalls", ())[:1]:
            del call["result"]
    broken.write_text("\n".join(map(json.dumps, kept)))


@NEEDS_GEMINI
def test_gemini_cli_goes_on_with_mended_and_compacted_sessions(
    model: FakeModel, run: Run, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        (tmp_path / "project" / f"{name}.txt").write_text(name)
    folder = tmp_path / "home" / ".gemini"
    set_up_gemini(folder, threshold=0.9)
    run(*TALK_GEMINI, READ_BOTH)
    broken, mended = tmp_path / "broken.jsonl", tmp_path / "mended.jsonl"
    without_a_result(gemini_session(folder), broken)
    run(*TALK_GEMINI, "Go on.", "--session-file", broken)
    assert gemini_fault(model, tmp_path) == "a call without its result"
    run(*FOLDLINE, "lint", "--fix", broken, "-o", mended)
    run(*TALK_GEMINI, READ_BOTH, "--session-file", mended)
    assert gemini_fault(model, tmp_path) == ""
    for number in range(4):
        run(*TALK_GEMINI, f"Turn number {number}: {RULES}", "--resume", "latest")
    compacted = tmp_path / "compacted.jsonl"
    options = "-s", "middle-out", "--to", "gemini_cli", "-o", compacted
    run(*FOLDLINE, "compact", gemini_session(folder), *options)
    run(*TALK_GEMINI, "What did I ask?", "--session-file", compacted)
    sent = model.texts(summaries=False)
    assert len(sent[-1]) != len(sent[-2])
    assert gemini_fault(model, tmp_path) == ""
