"""A golden case of the open conversation passes the runner of golden cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.common.errors import InputError
from core.configuration.layers import SettingLayers
from core.export.export import export_history
from core.preview.options import PreviewOptions
from core.preview.preview import compute_preview
from core.reports.document import export_input
from core.settings.profile import Profile
from core.strategies.registry import COMPRESSION_STRATEGIES
from core.transcript.model import Conversation
from tests.builders import ai, call, conversation, human, response, talk, tool
from tests.core.reports.reporting import HIGH_DENSITY, KEY, MIDDLE_OUT, report, report_input
from tests.golden.runner import Report, run_file


def _session(secret: str = "none") -> Conversation:
    reads = [
        message
        for number in range(8)
        for message in (
            ai("", call("read_file", f"c{number}", path="a.py")),
            tool(response(f"c{number}", "read_file", f"{secret}\n" * 30)),
        )
    ]
    write = (ai("", call("write_file", "w", path="a.py", content="x")), tool(response("w", "write_file")))
    return conversation(*talk(12), *reads, *write, human(f"the key is {secret}"), *talk(12), cwd="/repo")


def _run(data: bytes, folder: Path) -> Report:
    path = folder / "case.json"
    path.write_bytes(data)
    found = Report()
    run_file(path, found)
    return found


@pytest.mark.parametrize("mode", ["safe", "reference"])
@pytest.mark.parametrize("strategy", COMPRESSION_STRATEGIES)
def test_the_runner_takes_it_and_it_holds(strategy: str, mode: str, tmp_path: Path) -> None:
    made = report(_session(KEY), "golden", strategy, limit=3000, compression__mode=mode)
    found = _run(made.data, tmp_path)
    assert found.failures == []
    assert found.passed == (2 if strategy == HIGH_DENSITY else 1)


def test_it_can_fail(tmp_path: Path) -> None:
    case = json.loads(report(_session(), "golden", MIDDLE_OUT).data)
    case["cases"][0]["output"]["newHistory"].pop()
    assert len(_run(json.dumps(case).encode(), tmp_path).failures) == 1


def test_secrets_go_before_the_strategy_runs() -> None:
    made = report(_session(KEY), "golden", MIDDLE_OUT)
    assert KEY.encode() not in made.data
    assert made.secrets > 1
    assert made.data.count(b"[redacted:anthropic-key]") > 1
    plain = export_history(report_input(_session(KEY), MIDDLE_OUT), "golden", redact=False)
    assert KEY.encode() in plain.data
    assert plain.secrets == made.secrets


def test_a_summary_that_is_not_written_yet_makes_no_case() -> None:
    writer = Profile("cheap", "openai", "tiny-1")
    made = compute_preview(
        _session(), SettingLayers().resolve(), PreviewOptions(writer=writer, writes_summary=False)
    )
    with pytest.raises(InputError, match="not written yet"):
        export_history(export_input(made, result=True), "golden")
