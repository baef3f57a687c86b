"""Exports: the command line that repeats the result, golden cases, the exact request, the CSV."""

import csv
import io
import json
import shlex
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.export.export import export_history
from core.formats.registry import load_conversation
from core.llm.protocol import flatten_request
from core.preview.options import Preview, PreviewOptions, SummaryOptions
from core.preview.preview import compute_preview, requests_of, with_restored
from core.reports.report_data import export_input
from core.reports.text_writers import COLUMNS
from core.settings.profile import Profile
from core.settings.schema import HYBRID_MODE, LIMIT, STRATEGY
from core.settings_store.layers import SettingLayers, parse_assignment
from core.strategies.hybrid import NAME
from core.strategies.hybrid_agent import DEFINITIONS, MODE
from core.strategies.registry import COMPACTION_STRATEGIES, find_strategy
from core.transcript.model import Conversation, Opaque
from tests.core.cli.running_cli import Cli
from tests.core.formats.exporting import unchanged_export
from tests.core.reports import reporting
from tests.core.reports.reporting import (
    HIGH_DENSITY,
    KEY,
    MIDDLE_OUT,
    ONE_SHOT,
    TOP_DOWN,
    report,
    report_input,
    report_preview,
)
from tests.golden.runner import Report, run_file
from tests.support import forked_session
from tests.support.builders import ai, conversation, exchange, human, talk
from tests.support.sampling import sampled

SWITCHES = ("file-dedupe=off", "recency-pruning=on")
SETTINGS: dict[str, tuple[str, ...]] = {
    MIDDLE_OUT: (
        "compression.top-preserve-threshold=0.1",
        "compression.summary-tokens=300",
    ),
    ONE_SHOT: ("compression.preserve-threshold=35%", "compression.mode=reference"),
    TOP_DOWN: ("compression.context-limit=2500", "compression.threshold=0.5"),
    HIGH_DENSITY: (
        "compression.context-limit=4000",
        *(f"compression.density.{switch}" for switch in SWITCHES),
    ),
}


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    calls = chain.from_iterable(
        exchange(f"c{n}", "read_file", "line\n" * 30, path="a.py") for n in range(12)
    )
    talked = conversation(*talk(20), *calls, human("go on"), *talk(20))
    path = tmp_path / "it's a $HOME; chat.json"
    path.write_bytes(export_history(unchanged_export(talked), "openai").data)
    return path


def _made(path: Path, strategy: str, *settings: str, **ask: Any) -> Preview:
    layers = SettingLayers().with_session("compression.strategy", strategy)
    for text in settings:
        layers = layers.with_session(*parse_assignment(text))
    return compute_preview(
        load_conversation(path), layers.resolve(), PreviewOptions(**ask)
    )


def _words(made: Preview) -> list[str]:
    written = export_history(export_input(made, result=True), "command").data.decode()
    *remarks, line = written.splitlines()
    assert all(remark.startswith("# ") for remark in remarks)
    words = shlex.split(line)
    assert words[:2] == ["foldline", "compact"]
    return words[1:]


@pytest.mark.parametrize("strategy", SETTINGS)
def test_running_it_gives_the_same_result(
    cli: Cli, transcript: Path, strategy: str
) -> None:
    made = _made(transcript, strategy, *SETTINGS[strategy])
    found = cli.json(*_words(made))
    assert (found["strategy"], found["mode"]) == (strategy, made.mode.value)
    assert found["after"] == {
        "messages": len(made.result.compaction.messages),
        "tokens": made.sizes.after_tokens,
        "message_tokens": made.sizes.message_tokens_after,
    }
    assert [fate["fate"] for fate in found["fates"]] == [
        fate.kind.value for fate in made.result.compaction.fates
    ]
    values = {key: one["value"] for key, one in found["settings"].items()}
    assert values == {key: one.value for key, one in made.source.values.by_key.items()}


def test_only_what_differs_from_the_defaults_is_named(transcript: Path) -> None:
    made = _made(transcript, MIDDLE_OUT)
    assert _words(made) == ["compact", str(transcript), "-s", MIDDLE_OUT]


def test_model_format_and_conversation_are_named_where_they_were_chosen(
    cli: Cli, tmp_path: Path
) -> None:
    chats = [
        {"messages": [{"role": "user", "content": f"{name} {i}"} for i in range(30)]}
        for name in "ab"
    ]
    path = tmp_path / "two.jsonl"
    path.write_text("\n".join(map(json.dumps, chats)))
    values = SettingLayers().with_session("compression.strategy", MIDDLE_OUT).resolve()
    second = load_conversation(path, conversation=2)
    words = _words(compute_preview(second, values, PreviewOptions(model="gpt-4o")))
    assert words[-4:] == ["--model", "gpt-4o", "--conversation", "2"]
    found = cli.json(*words)
    assert (found["conversation"], found["model"]) == (2, "gpt-4o")
    other = tmp_path / "plain.json"
    other.write_text(json.dumps(chats[0]["messages"]))
    forced = compute_preview(
        load_conversation(other, format="anthropic_messages"), values
    )
    assert _words(forced)[-2:] == ["--format", "anthropic_messages"]


def test_the_branch_and_the_scope_are_named(cli: Cli, tmp_path: Path) -> None:
    second = load_conversation(forked_session.write(tmp_path), branch=2)
    values = SettingLayers().with_session("compression.strategy", MIDDLE_OUT).resolve()
    made = compute_preview(second, values, PreviewOptions(scope="current"))
    words = _words(made)
    assert words[-4:] == ["--scope", "current", "--branch", "2"]
    assert cli.json(*words)["before"]["tokens"] == made.sizes.before_tokens


def test_a_model_as_writer_is_named_with_a_remark(transcript: Path) -> None:
    writer = Profile(name="cheap", provider="openai", model="tiny-1")
    made = _made(
        transcript, MIDDLE_OUT, summary=SummaryOptions(profile=writer, is_written=False)
    )
    assert _words(made)[-2:] == ["--profile", "cheap"]
    text = export_history(export_input(made, result=True), "command").data.decode()
    assert text.startswith("# cheap (tiny-1) writes the summary")


def test_messages_that_were_put_back_are_named(cli: Cli, transcript: Path) -> None:
    plain = _made(transcript, MIDDLE_OUT)
    made = with_restored(plain, frozenset({20, 22}))
    words = _words(made)
    assert words[-2] == "--put-back"
    after = cli.json(*words)["after"]
    assert after == {
        "messages": len(made.result.compaction.messages),
        "tokens": made.sizes.after_tokens,
        "message_tokens": made.sizes.message_tokens_after,
    }
    assert after != {
        "messages": len(plain.result.compaction.messages),
        "tokens": plain.sizes.after_tokens,
    }


def _session(secret: str = "none") -> Conversation:
    reads = chain.from_iterable(
        exchange(f"c{n}", "read_file", f"{secret}\n" * 30, path="a.py")
        for n in range(8)
    )
    write = exchange("w", "write_file", path="a.py", content="x")
    return conversation(
        *talk(12), *reads, *write, human(f"the key is {secret}"), *talk(12), cwd="/repo"
    )


def _with_empty_answers(talked: Conversation) -> Conversation:
    """Return a conversation with an answer that no strategy is given, and one that is empty in
    reference mode alone."""
    empty = ai(""), ai("", Opaque("step", {"type": "step"}))
    return replace(talked, messages=(*talked.messages, *empty, *talk(2)))


def _run(data: bytes, folder: Path) -> Report:
    path = folder / "case.json"
    path.write_bytes(data)
    found = Report()
    run_file(path, found)
    return found


def _modes(strategy: str, turn: int) -> tuple[str, ...]:
    """Return both modes, or one by turns where the strategy runs the same in both."""
    modes = ("safe", "reference")
    if find_strategy(strategy).reference:
        return modes
    return sampled(modes, (modes[turn % 2],))


@pytest.mark.parametrize(
    ("strategy", "mode"),
    [
        (strategy, mode)
        for turn, strategy in enumerate(COMPACTION_STRATEGIES)
        for mode in _modes(strategy, turn)
    ],
)
def test_the_runner_takes_it_and_it_holds(
    strategy: str, mode: str, tmp_path: Path
) -> None:
    of_run = report_input(
        _with_empty_answers(_session(KEY)),
        strategy,
        limit=3000,
        compression__mode=mode,
        compression__profile="offline",
    )
    written = export_history(of_run, "golden").data
    found = _run(written, tmp_path)
    assert found.failures == []
    assert found.passed == (2 if strategy == HIGH_DENSITY else 1)
    case = json.loads(written)
    compacted = [case["history"][index] for index in of_run.preview.result.inputs]
    assert case["cases"][-1]["input"]["history"] == compacted


def test_it_can_fail(tmp_path: Path) -> None:
    case = json.loads(report(_session(), "golden", MIDDLE_OUT).data)
    case["cases"][0]["output"]["newHistory"].pop()
    assert len(_run(json.dumps(case).encode(), tmp_path).failures) == 1


def test_secrets_go_before_the_strategy_runs() -> None:
    made = report(_session(KEY), "golden", MIDDLE_OUT)
    assert KEY.encode() not in made.data
    assert made.secrets > 1
    assert made.data.count(b"[redacted:anthropic-key]") > 1
    plain = export_history(
        reporting.report_input(_session(KEY), MIDDLE_OUT), "golden", redact=False
    )
    assert KEY.encode() in plain.data
    assert plain.secrets == made.secrets


def test_a_summary_that_is_not_written_yet_makes_no_case() -> None:
    made = reporting.unwritten_preview(_session())
    with pytest.raises(InputError, match="not written yet"):
        export_history(export_input(made, result=True), "golden")


TALKED = conversation(*talk(40))
PROFILE = Profile(
    name="cheap",
    provider="openai",
    model="tiny-1",
    base_url="http://127.0.0.1:1/v1",
    parameters={"temperature": 0.1},
)


def test_it_is_what_a_summariser_is_asked() -> None:
    made = report_input(TALKED).preview
    (request,) = requests_of(made).requests
    found = json.loads(report(TALKED, "request").data)
    assert found == {
        "messages": list(flatten_request(request)),
        "max_tokens": request.max_tokens,
    }


def _body(layers: SettingLayers) -> Any:
    made = compute_preview(
        TALKED,
        layers.resolve(),
        PreviewOptions(summary=SummaryOptions(profile=PROFILE, is_written=False)),
    )
    return json.loads(
        export_history(replace(report_input(TALKED), preview=made), "request").data
    )


def test_with_a_profile_its_model_and_parameters_go_along_and_no_key() -> None:
    body = _body(SettingLayers())
    assert (body["model"], body["temperature"], body["stream"]) == ("tiny-1", 0.1, True)
    assert body["max_tokens"] > 0
    assert not {"api_key", "base_url", "timeout"} & set(body)


@pytest.mark.req("LH-72")
def test_of_an_agent_it_is_the_first_round_with_its_tools() -> None:
    layers = (
        SettingLayers().with_session(STRATEGY, NAME).with_session(HYBRID_MODE, MODE)
    )
    body = _body(layers.with_session(LIMIT, 1000))
    assert [one["role"] for one in body["messages"]] == ["system", "user"]
    assert [one["function"]["name"] for one in body["tools"]] == [
        one["name"] for one in DEFINITIONS
    ]


def test_as_text_every_message_stands_under_its_role() -> None:
    messages = json.loads(report(TALKED, "request").data)["messages"]
    text = report(TALKED, "request_text").data.decode()
    assert text.startswith(f"[1 of {len(messages)}] system\n\n")
    assert all(message["content"] in text for message in messages)


def test_it_is_exact_unless_redaction_is_asked_for() -> None:
    talked = conversation(*talk(20), *talk(20, f"say {KEY} "), *talk(20))
    found = report(talked, "request")
    assert KEY.encode() in found.data
    assert "redaction is off" in found.warnings[-1]
    covered = export_history(report_input(talked), "request", redact=True)
    assert KEY.encode() not in covered.data
    assert covered.secrets == found.secrets > 0
    json.loads(covered.data)


@pytest.mark.parametrize("to", ["request", "request_text"])
def test_where_no_model_is_asked_one_sentence_says_so(to: str) -> None:
    with pytest.raises(InputError, match=f"{TOP_DOWN} asks no model") as found:
        report(TALKED, to, TOP_DOWN, limit=1000)
    assert found.value.hint
    with pytest.raises(InputError, match="needs 4"):
        report(conversation(*talk(5)), to)


def _rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def _short_session() -> Conversation:
    return conversation(
        *talk(20), *exchange("c", "read_file", "line\n" * 40, path="a.py"), *talk(6)
    )


def test_a_row_per_source_message_with_fate_reason_and_destination() -> None:
    preview = report_preview(_short_session())
    rows = _rows(report(_short_session(), "csv").data)
    assert tuple(rows[0]) == COLUMNS
    assert [int(row["index"]) for row in rows] == list(range(28))
    assert [int(row["number"]) for row in rows] == list(range(1, 29))
    assert [row["fate"] for row in rows] == [
        fate.kind.value for fate in preview.result.compaction.fates
    ]
    assert [int(row["tokens"]) for row in rows] == list(preview.source.counts)
    assert all(row["reason"].endswith(".") for row in rows)
    summarised = [row for row in rows if row["fate"] == "summarised"]
    assert {row["went_to"] for row in summarised} == {summarised[0]["number"]}
    assert [row["tokens_after"] for row in summarised[1:]] == ["0"] * (
        len(summarised) - 1
    )
    assert rows[-1]["went_to"] == str(len(preview.result.compaction.messages))
    assert (rows[20]["kind"], rows[20]["speaker"]) == ("call", "ai")


def test_it_is_rfc_4180_with_a_byte_order_mark() -> None:
    data = report(conversation(human('say "a, b"\r\nand ü'), *talk(8)), "csv").data
    assert data.startswith(b"\xef\xbb\xbfindex,")
    assert data.endswith(b"\r\n")
    assert b'"say ""a, b"" and \xc3\xbc"' in data


@pytest.mark.parametrize("text", ["=1+2", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0"])
def test_no_cell_is_a_formula(text: str) -> None:
    rows = _rows(
        report(conversation(human(text), ai(f"\t{text}"), *talk(8)), "csv").data
    )
    assert rows[0]["text"] == f"'{text}"
    assert all(
        not value.startswith(("=", "+", "-", "@", "\t"))
        for row in rows
        for value in row.values()
    )


@pytest.mark.parametrize("before", range(150, 230, 7))
def test_a_secret_on_the_cut_goes_whole(before: int) -> None:
    talked = conversation(human("x" * before + " " + KEY), *talk(8))
    found = report(talked, "csv")
    assert KEY[:12].encode() not in found.data
    assert found.secrets == (1 if before + 1 < 200 else 0)
