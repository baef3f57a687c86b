"""Summaries by a real model on the command line, over a server on the loopback address."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from core.configuration.profile_store import ProfileStore
from core.settings.profile import Profile
from tests import loopback
from tests.core.cli.running_cli import SESSION, Cli
from tests.core.cli.test_cli_main import LAUNCH
from tests.loopback import DRIPPING, SUMMARY, USAGE, Loopback, Reply, run_loopback
from tests.source_tree import ROOT

COMPACT = ("compact", SESSION, "-s", "middle-out", "--profile")
PAID = Profile("paid", "anthropic", "claude-haiku-4-5", key_env="NO_SUCH_KEY")
GOAL = SUMMARY.splitlines()[1]


def local(server: Loopback) -> None:
    """Save the profile "local" of a local model."""
    ProfileStore().save(Profile("local", "openai", "m", base_url=server.base_url("openai"), timeout=5.0))


@pytest.mark.req("REQ-CS-002.5")
def test_the_result_holds_what_the_model_wrote(cli: Cli) -> None:
    with run_loopback() as server:
        local(server)
        assert cli.run(*COMPACT, "local", "--yes", "-o", "-") == 0
    assert GOAL in cli.out
    assert "nothing to pay" in cli.err
    assert len(server.log) == 1


def test_a_call_is_recorded_with_tokens_steps_cost_and_seconds(cli: Cli) -> None:
    with run_loopback(loopback.OVERFLOW, loopback.OK) as server:
        local(server)
        found = cli.json(*COMPACT, "local")
    (made,) = found["calls"]
    assert (made["profile"], made["model"], made["retries"], made["cost"]) == ("local", "m", 0, 0.0)
    assert made["tokens"] == dict(zip(("input", "output"), USAGE, strict=True))
    assert made["steps"] == made["ladder"] != []
    assert made["seconds"] > 0
    assert any(made["ladder"][0] in warning for warning in found["warnings"])
    assert GOAL in found["summary"]["text"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-o", SESSION, "--yes"), "never writes over its source"),
        (("-o", "nowhere/out.jsonl"), "does not exist"),
        (("-o", str(ROOT / "README.md")), "exists already"),
        (("-o", "-", "--to", "pdf"), "Nothing can be exported as 'pdf'"),
        (("-o", "-", "--to", "openai", "--append-boundary"), "no compaction boundary"),
        (("-o", "-", "--provenance"), "no place for provenance"),
        (("--put-back", "999"), "no message 999"),
        (("--pin", "999"), "no message 999"),
        (("--decay", "99"), "no number from 1 to"),
    ],
    ids=lambda value: "".join(value)[:20] if isinstance(value, tuple) else None,
)
def test_what_cannot_be_written_is_refused_before_the_call(
    cli: Cli, arguments: tuple[str, ...], words: str
) -> None:
    with run_loopback() as server:
        local(server)
        assert words in cli.error_text(*COMPACT, "local", *arguments)
    assert server.log == []


def test_a_paid_call_needs_a_yes(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.cli.output.model_call.can_ask", lambda: False)
    ProfileStore().save(PAID)
    error = cli.error_text(*COMPACT, "paid")
    assert all(words in error for words in ("paid (claude-haiku-4-5)", "tokens to send, at most $", "--yes"))


def test_a_person_at_a_terminal_is_asked_with_the_price(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setenv(PAID.key_env, "sk-1234")
    monkeypatch.setattr("core.cli.output.model_call.can_ask", lambda: True)
    monkeypatch.setattr("core.cli.output.model_call.ask_yes_no", asked.append)  # None: no yes
    ProfileStore().save(PAID)
    assert "Nothing was called." in cli.error_text(*COMPACT, "paid")
    assert "paid (claude-haiku-4-5)" in asked[0]
    assert "at most $" in asked[0]


@pytest.mark.req("REQ-CS-006A.2")
@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (loopback.UNAUTHORISED, "refused the key (HTTP 401)"),
        (loopback.BROKEN, "the server failed (HTTP 500)"),
        (loopback.GARBAGE, "cannot be read"),
        (loopback.EMPTY, "an empty summary"),
        (loopback.TOO_LONG, "ended too early"),
    ],
    ids=["401", "500", "garbage", "empty", "cut"],
)
def test_a_failing_model_is_one_sentence_and_no_output(cli: Cli, reply: Reply, words: str) -> None:
    with run_loopback(reply) as server:
        local(server)
        code = cli.run(*COMPACT, "local", "-o", "-", "--quiet", "--set", "compression.retries=0")
    assert (code, cli.out, cli.err.count("\n")) == (3, "", 1)
    assert "local (m)" in cli.err
    assert words in cli.err


def test_ctrl_c_ends_call_and_program() -> None:
    with run_loopback(DRIPPING) as server:
        local(server)
        words = [sys.executable, "-c", LAUNCH, *COMPACT, "local", "-o", "-"]
        running = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not server.log and running.poll() is None:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        out, error = running.communicate(timeout=120)
    assert (running.returncode, out) == (130, b""), error.decode()
    assert error.endswith(b"Cancelled.\n")
