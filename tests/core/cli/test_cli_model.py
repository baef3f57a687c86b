"""Summaries by a real model on the command line, over a server on the loopback address; tiered."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from core.settings.profile import Profile
from core.settings.schema import COMPACTION_MODEL, LIMIT, OUTPUT_RESERVE
from core.settings_store.profile_store import ProfileStore
from core.strategies import tiered
from tests.core.cli.running_cli import CHAT, SESSION, Cli
from tests.core.cli.test_cli_main import LAUNCH
from tests.core.strategies.tiered_running import SEVEN_OF_UPLOADS
from tests.core.trials.chat_folder import chat
from tests.support import loopback
from tests.support.loopback import (
    DRIPPING,
    SUMMARY,
    USAGE,
    Loopback,
    Reply,
    run_loopback,
)
from tests.support.source_tree import ROOT

COMPACT = ("compact", SESSION, "-s", "middle-out", "--profile")
PAID = Profile(
    name="paid", provider="anthropic", model="claude-haiku-4-5", key_env="NO_SUCH_KEY"
)
GOAL = SUMMARY.splitlines()[1]


def local(server: Loopback) -> None:
    ProfileStore().save(
        Profile(
            name="local",
            provider="openai",
            model="m",
            base_url=server.base_url("openai"),
            timeout=5.0,
        )
    )


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
    assert (made["profile"], made["model"], made["retries"], made["cost"]) == (
        "local",
        "m",
        0,
        0.0,
    )
    assert made["tokens"] == dict(zip(("input", "output"), USAGE, strict=True))
    assert made["steps"] == made["reductions"] != []
    assert made["seconds"] > 0
    assert any(made["reductions"][0] in warning for warning in found["warnings"])
    assert GOAL in found["summary"]["text"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-o", SESSION, "--yes"), "never writes over its source"),
        (("-o", "nowhere/out.jsonl"), "does not exist"),
        (("-o", str(ROOT / "README.md")), "exists already"),
        (("-o", "-", "--to", "pdf"), "Foldline cannot write a format 'pdf'"),
        (
            ("-o", "-", "--to", "openai", "--append-boundary"),
            "A compaction cannot be appended",
        ),
        (("-o", "-", "--provenance"), "no place for provenance"),
        (("--put-back", "999"), "no message 999"),
        (("--pin", "999"), "no message 999"),
        (("--decay", "99"), "not a number from 1 to"),
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


REPLAY = ("replay", CHAT, "-s", "middle-out", "--set", "compression.context-limit=3000")
SWEEP = (
    "sweep",
    CHAT,
    "-s",
    "middle-out",
    "--vary",
    "compression.preserve-threshold=10%:30%:10%",
)
COMPARE = ("compare", CHAT, "-s", "middle-out", "-s", "one-shot")
PRICED = (
    (COMPACT[:-1], ("tokens to send", "at most $")),
    (COMPARE, ("calls", "at most $")),
    (
        REPLAY,
        ("calls", "tokens to send", "about $"),
    ),  # how often it compacts depends on what it writes
    (SWEEP, ("calls", "tokens to send", "at most $")),
)


@pytest.mark.parametrize(("command", "words"), PRICED, ids=lambda value: value[0])
def test_paid_calls_need_one_yes_to_their_whole_price(
    cli: Cli,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    words: tuple[str, ...],
) -> None:
    asked: list[str] = []
    ProfileStore().save(PAID)
    monkeypatch.setattr("core.cli.output.model_call.can_ask", lambda: False)
    error = cli.error_text(*command, "--profile", "paid")
    assert all(
        one in error
        for one in (
            "to api.anthropic.com, by paid, ",
            "(claude-haiku-4-5",
            "Nothing was sent yet. This would call a model: ",
            "--yes",
            *words,
        )
    )
    monkeypatch.setenv(PAID.key_env, "sk-1234")
    monkeypatch.setattr("core.cli.output.model_call.can_ask", lambda: True)
    monkeypatch.setattr(
        "core.cli.output.model_call.ask_yes_no", asked.append
    )  # None: no yes
    assert "Nothing was called." in cli.error_text(*command, "--profile", "paid")
    (question,) = asked
    assert all(one in question for one in words)


@pytest.mark.parametrize(("command", "words"), PRICED, ids=lambda value: value[0])
def test_a_missing_key_is_said_before_the_question(
    cli: Cli,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    words: tuple[str, ...],
) -> None:
    asked: list[str] = []
    ProfileStore().save(PAID)
    monkeypatch.delenv(PAID.key_env, raising=False)
    monkeypatch.setattr("core.cli.output.model_call.can_ask", lambda: True)
    monkeypatch.setattr("core.cli.output.model_call.ask_yes_no", asked.append)
    assert "has no key" in cli.error_text(*command, "--profile", "paid")
    assert not asked


@pytest.mark.parametrize("command", [COMPARE, REPLAY], ids=["compare", "replay"])
def test_a_saved_profile_alone_calls_nobody(cli: Cli, command: tuple[str, ...]) -> None:
    ProfileStore().save(PAID)
    assert (
        cli.json(*command, "--set", "compression.profile=paid")["summaries"]
        == "offline"
    )


@pytest.mark.req("REQ-CS-006A.2")
def test_a_failing_model_is_one_sentence_and_no_output(cli: Cli) -> None:
    with run_loopback(loopback.UNAUTHORISED, loopback.EMPTY) as server:
        local(server)
        for words in (
            "local (m): the server refused the key (HTTP 401)",
            "an empty summary",
        ):
            code = cli.run(
                *COMPACT,
                "local",
                "-o",
                "-",
                "--quiet",
                "--set",
                "compression.retries=0",
            )
            assert (code, cli.out, cli.err.count("\n")) == (3, "", 1)
            assert words in cli.err


def test_ctrl_c_ends_call_and_program() -> None:
    words = [sys.executable, "-c", LAUNCH, *COMPACT, "local", "-o", "-"]
    with run_loopback(DRIPPING) as server:
        local(server)
        with subprocess.Popen(
            words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as running:
            while not server.log and running.poll() is None:
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            out, errors = running.communicate(timeout=120)
    assert (running.returncode, out) == (130, ""), errors
    assert errors.endswith("Cancelled.\n")


RUN = (
    "compact",
    SESSION,
    "-s",
    tiered.NAME,
    "--set",
    f"{LIMIT}=50500",
    "--set",
    "compression.tiered.output-reserve=16000",
)


@pytest.mark.req("ION-69")
def test_json_has_the_size_after_each_tier_and_what_it_changed(cli: Cli) -> None:
    found = cli.json(*RUN)
    tiers = [(tier["number"], tier["name"]) for tier in found["tiers"]]
    assert tiers == [(1, "truncate"), (2, "remove"), (3, "summarise")]
    sizes = [found["before"]["tokens"], *(tier["tokens"] for tier in found["tiers"])]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == found["after"]["tokens"]
    assert all(tier["messages"] for tier in found["tiers"])
    assert found["summary"]["sections"][0] == "TASK STATE"
    assert found["target"] == 20_700


@pytest.mark.req("ION-62")
def test_under_the_target_it_says_that_no_compaction_is_needed(cli: Cli) -> None:
    assert cli.run("compact", CHAT, "-s", tiered.NAME, "--set", f"{LIMIT}=200000") == 0
    assert "No compaction needed" in cli.err


@pytest.mark.req("ION-61")
def test_an_invalid_summary_keeps_tier_2_and_says_so(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "summary.txt"
    path.write_text(SEVEN_OF_UPLOADS.replace("5. DECISIONS", "5. CHOICES"))
    found = cli.json(*RUN, "--summary-file", str(path))
    assert cli.code == 0
    assert found["summary"] is None
    assert "lacks the section DECISIONS" in found["tiers"][2]["note"]
    assert any(
        "The result of tier 2 is kept." in warning for warning in found["warnings"]
    )


def test_where_nothing_was_saved_before_it_failed_the_exit_code_is_3(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "talk.json"
    path.write_text(chat(40, "word"))
    with run_loopback(loopback.UNAUTHORISED) as server:
        local(server)
        run = (
            "compact",
            str(path),
            "-s",
            tiered.NAME,
            "--set",
            f"{LIMIT}=1000",
            "--profile",
            "local",
        )
        assert cli.run(*run, "--set", f"{OUTPUT_RESERVE}=0") == 3
    assert "The conversation is unchanged." in cli.err


@pytest.mark.req("ION-28")
def test_the_model_that_was_chosen_is_called_and_named(cli: Cli) -> None:
    with run_loopback(Reply(text=SEVEN_OF_UPLOADS)) as server:
        local(server)
        found: Any = cli.json(
            *RUN, "--profile", "local", "--set", f"{COMPACTION_MODEL}=small"
        )
        cli.run(*RUN, "--profile", "local", "--set", f"{COMPACTION_MODEL}=small")
    assert {asked.body["model"] for asked in server.log} == {"small"}
    assert {
        (asked.body["temperature"], asked.body["max_tokens"]) for asked in server.log
    } == {(0.0, 8000)}
    assert [call["model"] for call in found["calls"]] == ["small"]
    assert f"set by {COMPACTION_MODEL}" in cli.out
