"""The table of reported costs beside those of the model table, and what readers report of costs."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.formats.registry import load_conversation
from core.transcript.model import Conversation, ReportedCache
from tests.core.analysis.test_paid import session
from tests.studies.paid_prices import price_row


def loaded(folder: Path, value: Any) -> Conversation:
    path = folder / "session.json"
    path.write_text(json.dumps(value))
    return load_conversation(path)


def test_a_price_that_a_session_reports_stands_beside_ours() -> None:
    row = price_row(session(ReportedCache(40_000, 6_000, 0.1)))
    assert row is not None
    assert (row.requests, row.reported) == (1, 0.1)
    assert row.ours == pytest.approx(4 * 3e-3 + 40 * 3e-4 + 6 * 3.75e-3 + 15e-3)
    assert row.written == pytest.approx(40 * 3e-4 + 10 * 3.75e-3 + 15e-3)


def test_a_session_without_reported_costs_has_no_row() -> None:
    assert price_row(session(ReportedCache(40_000, 6_000))) is None


def roo(**request: Any) -> list[dict[str, Any]]:
    started = {"ts": 2, "type": "say", "say": "api_req_started"}
    return [
        {"ts": 1, "type": "say", "say": "text", "text": "Fix the port."},
        started | {"text": json.dumps({"request": "x", **request})},
        {"ts": 3, "type": "say", "say": "text", "text": "It is fixed."},
        {"ts": 4, "type": "say", "say": "completion_result", "text": "Done."},
    ]


COUNTS = {"tokensIn": 5_000, "tokensOut": 40, "cacheReads": 4_000, "cost": 0.02}


def test_roo_reports_a_request_with_its_cost(tmp_path: Path) -> None:
    found = loaded(tmp_path, roo(**COUNTS))
    (usage,) = found.usage
    assert found.format == "cline_ui"
    assert (usage.context, usage.output) == (5_000, 40)
    assert (usage.cache.read, usage.cache.cost) == (4_000, 0.02)


def test_cline_reports_an_answer_with_its_cost(tmp_path: Path) -> None:
    metrics = {"inputTokens": 5_000, "outputTokens": 40, "cacheReadTokens": 4_000}
    answer = {
        "role": "assistant",
        "content": [{"type": "text", "text": "Fixed."}],
        "modelInfo": {"id": "m"},
        "metrics": {**metrics, "cost": 0.02},
    }
    asked = {"role": "user", "content": [{"type": "text", "text": "Fix it."}]}
    value = {"version": 1, "agent": "a", "sessionId": "s", "system_prompt": "You fix."}
    found = loaded(tmp_path, {**value, "messages": [asked, answer]})
    (usage,) = found.usage
    assert (usage.context, usage.model, usage.cache.read) == (5_000, "m", 4_000)
    assert usage.cache.cost == 0.02
