"""Hooks of Claude Code and Codex: what they print for recorded events, and the settings that call
them."""

import io
import json
import os
import re
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.cli.hook import run
from core.common.errors import InputError
from core.common.json_value import Json
from core.common.paths import bundled_samples
from core.integrations import hooks
from tests.support.source_tree import ROOT

SAMPLE = bundled_samples()[0].path
RECORDED = ROOT.parent / "shared" / "agents"
Call = Callable[..., str]
RULE = "Keep should_retry as it is."


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Call a hook with an event on standard input; returns what it printed. It never fails its
    agent."""

    def call_hook(name: str, agent: str = "claude-code", **fields: object) -> str:
        data = json.dumps(
            {"session_id": "a", "hook_event_name": name, "unknown": 1, **fields}
        ).encode()
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        assert run([name, "--agent", agent]) == 0
        return capsys.readouterr().out

    return call_hook


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAMPLE, tmp_path / "session.jsonl"))


def test_claude_code_gets_facts_for_its_summary_then_only_what_it_lacks(
    call: Call, transcript: Path
) -> None:
    given = call("PreCompact", transcript_path=str(transcript), trigger="auto")
    assert RULE in given
    summary = (
        f"<analysis>{given}</analysis><summary>We mended uploads. {RULE}</summary>"
    )
    assert call("PostCompact", trigger="auto", compact_summary=summary) == ""
    answer = json.loads(call("UserPromptSubmit", prompt="Go on."))["hookSpecificOutput"]
    assert answer["hookEventName"] == "UserPromptSubmit"
    assert "touch the matrix in CI" in answer["additionalContext"]
    assert RULE not in answer["additionalContext"]
    assert call("PostToolUse", tool_name="Read") == ""  # once


def test_after_a_manual_compaction_what_was_printed_before_is_not_lost(
    call: Call, transcript: Path
) -> None:
    given = call("PreCompact", transcript_path=str(transcript), trigger="manual")
    call(
        "PostCompact",
        trigger="manual",
        compact_summary="<summary>We mended uploads.</summary>",
    )
    assert "Your message" in given
    assert RULE in given
    assert RULE not in call("UserPromptSubmit")


def test_a_compaction_that_did_not_happen_leaves_nothing_to_deliver(
    call: Call, transcript: Path
) -> None:
    assert call("PreCompact", transcript_path=str(transcript), trigger="auto")
    assert call("UserPromptSubmit") == ""


def test_codex_gets_what_the_summary_in_its_rollout_lacks(
    call: Call, tmp_path: Path
) -> None:
    rollout = tmp_path / "rollout.jsonl"
    place = str(rollout)

    def item(text: str) -> Json:
        return {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": text}],
        }

    def save(*more: Json) -> None:
        texts = (
            "Never touch db.py. Always write tests first.",
            "Add a retry to the upload.",
        )
        records: list[Json] = [
            {
                "type": "session_meta",
                "payload": {"id": "a", "cwd": "/p", "originator": "codex_cli_rs"},
            },
            *({"type": "response_item", "payload": item(text)} for text in texts),
            *more,
        ]
        lines = (
            {"timestamp": "2026-11-23T01:00:00.000Z", **record} for record in records
        )
        rollout.write_text("".join(json.dumps(line) + "\n" for line in lines))

    summary = "Never touch db.py. The retry is added."
    payload = {"message": summary, "replacement_history": [item(summary)]}
    compacted: Json = {"type": "compacted", "payload": payload}
    save()
    assert call("PreCompact", "codex", transcript_path=place, trigger="auto") == ""
    save(compacted)
    assert call("SessionStart", "codex", transcript_path=place, source="startup") == ""
    answer = json.loads(
        call("SessionStart", "codex", transcript_path=place, source="compact")
    )
    assert (
        "Always write tests first" in answer["hookSpecificOutput"]["additionalContext"]
    )
    assert "db.py" not in answer["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(
    "path", sorted(RECORDED.glob("*-*Compact-*.json")), ids=lambda path: path.name
)
def test_recorded_events_of_a_session_that_is_not_there_print_nothing(
    call: Call, path: Path
) -> None:
    event = json.loads(path.read_text("utf-8"))
    agent = "codex" if path.name.startswith("codex") else "claude-code"
    assert call(event["hook_event_name"], agent, **event) == ""


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"session_id": 1}', b"\xff"])
def test_bad_input_never_fails_the_agent_and_is_logged(
    data: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    assert run(["PreCompact", "--agent", "claude-code", "--no-such-option"]) == 0
    assert run(["PreCompact", "--agent", "claude-code"]) == 0
    assert capsys.readouterr().out == ""
    assert "PreCompact" in hooks.log_path().read_text("utf-8")


def test_copies_are_private_and_few(call: Call, transcript: Path) -> None:
    for _ in range(7):
        call("PreCompact", transcript_path=str(transcript), trigger="auto")
    copies = hooks.session_state("a").copies()
    assert len(copies) == 5
    assert copies[0].read_bytes() == transcript.read_bytes()
    assert {stat.S_IMODE(copy.stat().st_mode) for copy in copies} == {0o600}


def test_facts_stay_below_the_size_that_is_asked_for(transcript: Path) -> None:
    data = json.dumps({"session_id": "a", "transcript_path": str(transcript)}).encode()
    assert (
        len(hooks.answer("claude-code", hooks.read_event("PreCompact", data), 100))
        < 100 * 4 + 80
    )


FOREIGN = """{
    "model": "opus",
    "hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": "mine"}]}]}
}"""


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    return tmp_path / "settings.json"


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Call:
    def run_hook(*words: str) -> str:
        capsys.readouterr()
        run(words)
        return capsys.readouterr().out

    return run_hook


@pytest.mark.parametrize("text", [FOREIGN, "{}"])
def test_removing_restores_the_bytes(settings: Path, text: str) -> None:
    settings.write_text(text)
    settings.chmod(0o640)
    run(["install", "claude-code"])
    value = json.loads(settings.read_text("utf-8"))
    assert {*value["hooks"]} >= {
        "PreCompact",
        "PostCompact",
        "UserPromptSubmit",
        "PostToolUse",
    }
    backup = settings.with_name("settings.json.before-foldline")
    assert {stat.S_IMODE(path.stat().st_mode) for path in (settings, backup)} == {0o640}
    run(["install", "claude-code"])
    assert json.loads(settings.read_text("utf-8")) == value
    run(["remove", "claude-code"])
    assert settings.read_text("utf-8") == text
    assert [path.name for path in settings.parent.iterdir()] == ["settings.json"]


@pytest.mark.parametrize(
    "text",
    [
        FOREIGN,
        '{"budget": 1e400, "ratio": 1.50, "name": "caf\\u00e9 \\ud800", "model": "opus"}',
        '{\r\n\t"hooks": {\r\n\t\t"PreCompact": [\r\n\t\t]\r\n\t},\r\n\t"a": [1,2 ,3]\r\n}',
        '\ufeff{"hooks": {"Stop": [{"hooks": []}]}, "a": 1, "a": 2}',
        (
            '{"hooks": {"PreCompact": [{"matcher": "", "hooks": [{"type": "command", "command": '
            '"mine"}]}]}}\n'
        ),
    ],
)
def test_what_is_not_foldlines_stays_byte_for_byte(settings: Path, text: str) -> None:
    settings.write_bytes(text.encode())
    run(["install", "claude-code"])
    installed = settings.read_bytes()
    kept = [
        line
        for line in text.encode().split(b"\n")
        if b"hooks" not in line and b"Compact" not in line
    ]
    assert [line for line in kept if line.strip(b"\r\t ]},") not in installed] == []
    run(["install", "claude-code"])
    assert settings.read_bytes() == installed
    settings.with_name("settings.json.before-foldline").unlink()
    run(["remove", "claude-code"])
    left = settings.read_bytes().replace(b"\r\n", b"\n")
    assert re.sub(rb"\s", b"", left) == re.sub(rb"\s", b"", text.encode()).replace(
        b'"PreCompact":[]', b""
    ).replace(b'"hooks":{},', b"")


def test_hooks_beside_others_in_one_group_are_taken_out_alone(settings: Path) -> None:
    run(["install", "claude-code"])
    value = json.loads(settings.read_text("utf-8"))
    mine = {"type": "command", "command": "mine"}
    value["hooks"]["PreCompact"][0]["hooks"].insert(0, mine)
    settings.write_text(json.dumps(value))
    run(["remove", "claude-code"])
    assert json.loads(settings.read_text("utf-8")) == {
        "hooks": {"PreCompact": [{"hooks": [mine]}]}
    }


@pytest.mark.parametrize("text", ["", "\n", "{}", " { } \n", None])
def test_removing_leaves_an_empty_file_and_deletes_its_own(
    settings: Path, text: str | None
) -> None:
    if text is not None:
        settings.write_text(text)
    run(["install", "claude-code"])
    assert b"PreCompact" in settings.read_bytes()
    run(["remove", "claude-code"])
    assert (settings.read_text("utf-8") if settings.exists() else None) == text
    assert len(list(settings.parent.iterdir())) == (text is not None)


def test_state_is_kept_for_30_days(call: Call, transcript: Path) -> None:
    call("PreCompact", transcript_path=str(transcript), trigger="auto")
    old = hooks.session_state("old").folder
    old.mkdir()
    (old / "before-1.jsonl").write_text("{}")
    for path in (old / "before-1.jsonl", old):
        os.utime(path, (0, 0))
    log = hooks.log_path().read_text("utf-8")
    hooks.log_path().write_text(f"2020-01-01T00:00:00Z an old line\n{log}")
    call("PostCompact", session_id="b")
    assert not old.exists()
    assert hooks.session_state("a").copies()
    assert hooks.log_path().read_text("utf-8").startswith(log)


def test_half_a_character_in_an_event_or_a_transcript_hinders_no_hook(
    call: Call, tmp_path: Path
) -> None:
    transcript = tmp_path / "session.jsonl"
    shutil.copy(SAMPLE, transcript)
    transcript.write_text(transcript.read_text("utf-8").replace(RULE, RULE + "\\ud800"))
    assert RULE in call(
        "PreCompact",
        session_id="\ud800",
        transcript_path=str(transcript),
        trigger="auto",
    )
    assert "UnicodeEncodeError" not in hooks.log_path().read_text("utf-8")


def test_removing_keeps_what_was_changed_meanwhile(settings: Path) -> None:
    settings.write_text(FOREIGN)
    run(["install", "claude-code"])
    value = json.loads(settings.read_text("utf-8"))
    settings.write_text(json.dumps({**value, "theme": "dark"}))
    run(["remove", "claude-code"])
    assert json.loads(settings.read_text("utf-8")) == {
        **json.loads(FOREIGN),
        "theme": "dark",
    }


def test_a_dry_run_shows_the_change_and_saves_nothing(
    settings: Path, printed: Call
) -> None:
    assert "+" in printed("install", "codex", "--dry-run")
    assert not list(settings.parent.iterdir())


def test_status_says_which_hooks_codex_would_skip(
    settings: Path, printed: Call
) -> None:
    run(["install", "codex"])
    assert "Not reviewed yet: PreCompact, SessionStart." in printed("status", "codex")
    place = settings.parent / "hooks.json"
    reviewed = (
        f'[hooks.state."{place}:{event}:0:0"]\n'
        for event in ("pre_compact", "session_start")
    )
    (settings.parent / "config.toml").write_text("".join(reviewed))
    assert "Not reviewed" not in printed("status", "codex")


@pytest.mark.parametrize(
    ("agent", "variable", "part"),
    [
        ("pi", "PI_CODING_AGENT_DIR", "extensions"),
        ("opencode", "OPENCODE_CONFIG_DIR", "plugin"),
    ],
)
def test_an_extension_is_one_file_that_only_foldline_writes_and_deletes(
    agent: str,
    variable: str,
    part: str,
    settings: Path,
    monkeypatch: pytest.MonkeyPatch,
    printed: Call,
) -> None:
    folder = settings.parent
    monkeypatch.setenv(variable, str(folder / "agent"))
    monkeypatch.chdir(folder)
    for options, place in (((), "agent"), (("--project",), f".{agent}")):
        path = folder / place / part / "foldline.ts"
        run(["install", agent, *options])
        assert b"const COMMAND: string[] = []" not in path.read_bytes()
        assert f": installed ({path})" in printed("status", agent, *options)
        run(["remove", agent, *options])
        assert not any(path.parent.iterdir())
        assert "unchanged" in printed("remove", agent, *options)
        path.write_text("// mine")
        for action in ("install", "remove"):
            with pytest.raises(
                InputError, match="is not as this version of Foldline writes it"
            ):
                run([action, agent, *options])
        assert "not as this version of Foldline writes it" in printed(
            "status", agent, *options
        )
        assert path.read_text("utf-8") == "// mine"


def test_an_extension_compacts_with_a_file_of_settings(
    settings: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    tuned = tmp_path / "tuned.toml"
    tuned.write_text('compression.strategy = "tiered"')
    run(["install", "pi", "--project", "--set-from", "tuned.toml"])
    extension = tmp_path / ".pi/extensions/foldline.ts"
    assert (
        f'const OPTIONS: string[] = ["--set-from", "{tuned}"]'
        in extension.read_text("utf-8")
    )
    run(["remove", "pi", "--project"])
    assert not extension.exists()
    for words in (["install", "claude-code"], ["remove", "pi"], ["status"]):
        with pytest.raises(InputError, match="--set-from works only with"):
            run([*words, "--set-from", "tuned.toml"])


@pytest.mark.parametrize(
    ("text", "arguments", "words"),
    [
        ("{", ["install", "claude-code"], "is not JSON"),
        ("[]", ["install", "claude-code"], "not a JSON object"),
        ('{"hooks": []}', ["install", "claude-code"], '"hooks" is not an object'),
        ("{}", ["install", "cursor"], "no hooks for 'cursor'"),
        ("{}", ["install"], "needs the name of an agent"),
        ("{}", ["instal"], "Did you mean install"),
    ],
)
def test_bad_settings_stay_as_they_are(
    settings: Path, text: str, arguments: list[str], words: str
) -> None:
    settings.write_text(text)
    with pytest.raises(InputError, match=re.escape(words)):
        run(arguments)
    assert settings.read_text("utf-8") == text
