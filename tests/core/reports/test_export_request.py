"""The exact request for the summary, as JSON and as text."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from core.common.errors import InputError
from core.configuration.layers import SettingLayers
from core.export.export import export_history
from core.llm.chat_messages import flatten_request
from core.preview.options import PreviewOptions
from core.preview.pipeline import first_summary_request
from core.preview.preview import compute_preview, strategy_prompt
from core.settings.keys import HYBRID_MODE, LIMIT, STRATEGY
from core.settings.profile import Profile
from core.strategies.hybrid.agent_mode import MODE
from core.strategies.hybrid.agent_tools import DEFINITIONS
from core.strategies.hybrid.strategy import NAME
from core.tokens.counter import counter_for
from tests.builders import conversation, talk
from tests.core.reports.reporting import KEY, TOP_DOWN, report, report_input

TALKED = conversation(*talk(40))
PROFILE = Profile("cheap", "openai", "tiny-1", "http://127.0.0.1:1/v1", parameters={"temperature": 0.1})


def test_it_is_what_a_summariser_is_asked() -> None:
    made = report_input(TALKED).preview
    request = first_summary_request(
        made, strategy_prompt(made.strategy, made.writer, made.mode), counter_for("")
    )
    assert request is not None
    found = json.loads(report(TALKED, "request").data)
    assert found == {"messages": list(flatten_request(request)), "max_tokens": request.max_tokens}


def test_with_a_profile_its_model_and_parameters_go_along_and_no_key() -> None:
    made = compute_preview(
        TALKED, SettingLayers().resolve(), PreviewOptions(writer=PROFILE, writes_summary=False)
    )
    body = json.loads(export_history(replace(report_input(TALKED), preview=made), "request").data)
    assert body["model"] == "tiny-1"
    assert body["temperature"] == 0.1
    assert body["stream"] is True
    assert body["max_tokens"] > 0
    assert not {"api_key", "base_url", "timeout"} & set(body)


@pytest.mark.req("LH-72")
def test_of_an_agent_it_is_the_first_round_with_its_tools() -> None:
    values = (
        SettingLayers().with_session(STRATEGY, NAME).with_session(HYBRID_MODE, MODE).with_session(LIMIT, 1000)
    )
    made = compute_preview(TALKED, values.resolve(), PreviewOptions(writer=PROFILE, writes_summary=False))
    body = json.loads(export_history(replace(report_input(TALKED), preview=made), "request").data)
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
