"""The exact request for the summary, as JSON and as text."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest

from core.common.errors import InputError
from core.configuration.layers import SettingLayers
from core.export.export import export_history
from core.llm.chat_messages import flatten_request
from core.preview.options import PreviewOptions
from core.preview.pipeline import first_summary_request
from core.preview.preview import compute_preview, strategy_prompt
from core.reports.csv_writer import COLUMNS
from core.settings.keys import HYBRID_MODE, LIMIT, STRATEGY
from core.settings.profile import Profile
from core.strategies.hybrid.agent_mode import MODE
from core.strategies.hybrid.agent_tools import DEFINITIONS
from core.strategies.hybrid.strategy import NAME
from core.tokens.counter import counter_for
from core.transcript.model import Conversation
from tests.builders import ai, conversation, exchange, human, talk
from tests.core.reports.reporting import KEY, TOP_DOWN, report, report_input, report_preview

TALKED = conversation(*talk(40))
PROFILE = Profile("cheap", "openai", "tiny-1", "http://127.0.0.1:1/v1", parameters={"temperature": 0.1})


def test_it_is_what_a_summariser_is_asked() -> None:
    made = report_input(TALKED).preview
    prompt = strategy_prompt(made.strategy, made.writer, made.mode)
    request = first_summary_request(made, prompt, counter_for(""))
    assert request is not None
    found = json.loads(report(TALKED, "request").data)
    assert found == {"messages": list(flatten_request(request)), "max_tokens": request.max_tokens}


def _body(layers: SettingLayers) -> Any:
    """Return the request to the model of the profile."""
    made = compute_preview(TALKED, layers.resolve(), PreviewOptions(writer=PROFILE, writes_summary=False))
    return json.loads(export_history(replace(report_input(TALKED), preview=made), "request").data)


def test_with_a_profile_its_model_and_parameters_go_along_and_no_key() -> None:
    body = _body(SettingLayers())
    assert (body["model"], body["temperature"], body["stream"]) == ("tiny-1", 0.1, True)
    assert body["max_tokens"] > 0
    assert not {"api_key", "base_url", "timeout"} & set(body)


@pytest.mark.req("LH-72")
def test_of_an_agent_it_is_the_first_round_with_its_tools() -> None:
    layers = SettingLayers().with_session(STRATEGY, NAME).with_session(HYBRID_MODE, MODE)
    body = _body(layers.with_session(LIMIT, 1000))
    assert [one["role"] for one in body["messages"]] == ["system", "user"]
    assert [one["function"]["name"] for one in body["tools"]] == [one["name"] for one in DEFINITIONS]


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


def _session() -> Conversation:
    return conversation(*talk(20), *exchange("c", "read_file", "line\n" * 40, path="a.py"), *talk(6))


def test_a_row_per_source_message_with_fate_reason_and_destination() -> None:
    preview = report_preview(_session())
    rows = _rows(report(_session(), "csv").data)
    assert tuple(rows[0]) == COLUMNS
    assert [int(row["index"]) for row in rows] == list(range(28))
    assert [int(row["number"]) for row in rows] == list(range(1, 29))
    assert [row["fate"] for row in rows] == [fate.kind.value for fate in preview.compaction.fates]
    assert [int(row["tokens"]) for row in rows] == list(preview.counts)
    assert all(row["reason"].endswith(".") for row in rows)
    summarised = [row for row in rows if row["fate"] == "summarised"]
    assert {row["went_to"] for row in summarised} == {summarised[0]["number"]}
    assert [row["tokens_after"] for row in summarised[1:]] == ["0"] * (len(summarised) - 1)
    assert rows[-1]["went_to"] == str(len(preview.compaction.messages))
    assert (rows[20]["kind"], rows[20]["speaker"]) == ("call", "ai")


def test_it_is_rfc_4180_with_a_byte_order_mark() -> None:
    data = report(conversation(human('say "a, b"\r\nand ü'), *talk(8)), "csv").data
    assert data.startswith(b"\xef\xbb\xbfindex,")
    assert data.endswith(b"\r\n")
    assert b'"say ""a, b"" and \xc3\xbc"' in data


@pytest.mark.parametrize("text", ["=1+2", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0"])
def test_no_cell_is_a_formula(text: str) -> None:
    rows = _rows(report(conversation(human(text), ai(f"\t{text}"), *talk(8)), "csv").data)
    assert rows[0]["text"] == f"'{text}"
    assert all(not value.startswith(("=", "+", "-", "@", "\t")) for row in rows for value in row.values())


@pytest.mark.parametrize("before", range(150, 230, 7))
def test_a_secret_on_the_cut_goes_whole(before: int) -> None:
    talked = conversation(human("x" * before + " " + KEY), *talk(8))
    found = report(talked, "csv")
    assert KEY[:12].encode() not in found.data
    assert found.secrets == (1 if before + 1 < 200 else 0)
