"""Facts, counts and findings describe the export, not the messages in memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.analysis.fidelity.evaluate import fidelity_of
from core.analysis.fidelity.model import FactStatus, FidelityCategory
from core.analysis.model import BEST_CASE, CompareRow, is_best_case
from core.common.json_value import MISSING
from core.export.export import export_history
from core.formats.registry import load_conversation
from core.formats.writing.format_capabilities import CAPABILITIES, adapted_message
from core.lint.lint import lint_messages
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview, with_restored
from core.reports.document import export_input
from core.tokens.counter import counter_for
from core.transcript.model import Conversation, Text, Thinking, ToolResponse, tool_responses
from tests.builders import ai, call, conversation, human, response, tool
from tests.core.cli.running_cli import SESSION, Cli
from tests.core.formats.exporting import load_written
from tests.core.strategies.strategy_running import values

ERROR = "ZeroDivisionError: zebra quokka failure in module walrus.py line 4711"


def _exchange(number: int, text: str, **fields: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": f"make step{number}"}}
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text, **fields}
    return {"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}


@pytest.fixture
def session(tmp_path: Path) -> Conversation:
    """A session of Anthropic messages with one failed early command."""
    turns = [_exchange(at, "ok " * 300) for at in range(14)]
    turns[1] = _exchange(1, ERROR, is_error=True)
    messages = [{"role": "user", "content": "Fix it"}, *(one for turn in turns for one in turn)]
    request = {"system": "s", "messages": [*messages, {"role": "assistant", "content": "Done."}]}
    return load_written(tmp_path, request, lines=False)


def _made(
    source: Conversation, strategy: str = "high-density", limit: int = 20_000, **asked: Any
) -> tuple[Preview, StageCache]:
    stages = StageCache()
    effective = values(compression__strategy=strategy, context_limit=limit)
    return compute_preview(source, effective, PreviewOptions(**asked), stages), stages


def test_a_failed_result_that_was_cleared_has_lost_its_error(session: Conversation) -> None:
    made, stages = _made(session)
    assert ERROR.encode() not in export_history(export_input(made, result=True), "anthropic_messages").data
    (error,) = [one for one in fidelity_of(made, stages).facts if one.fact.kind is FidelityCategory.ERROR]
    assert error.status is FactStatus.LOST


@pytest.mark.parametrize("strategy", ["high-density", "tiered", "middle-out", "mask-observations", "pi"])
def test_tokens_and_findings_are_those_of_the_file(strategy: str, tmp_path: Path) -> None:
    source = load_conversation(SESSION)
    made, _ = _made(source, strategy, 60_000)
    path = tmp_path / "out.jsonl"
    path.write_bytes(export_history(export_input(made, result=True), source.format).data)
    again = [
        one
        for one in load_conversation(path).messages
        if one.blocks != (Text("[Earlier messages were removed.]"),)
    ]
    counter = made.sizing.counter(counter_for(made.window.model))
    assert made.after_tokens == counter.messages(again)
    rules = {one.provider: [found.rule for found in one.after] for one in made.lint}
    assert rules["anthropic"] == [
        found.rule for found in lint_messages(again, "anthropic", source=source.messages)
    ]


def test_a_chosen_format_decides_what_is_counted() -> None:
    turns = (ai("so", thinking="long thought " * 50), human("and?")) * 20
    source = conversation(human("q"), *turns, ai("done"), format="elsewhere")
    own = _made(source, "top-down-truncation", 1_000)[0]
    other = _made(source, "top-down-truncation", 1_000, target_format="openai_chat")[0]
    assert not any(isinstance(block, Thinking) for one in other.written_messages for block in one.blocks)
    assert other.after_tokens < own.after_tokens
    assert [one.speaker for one in other.written_messages] == [one.speaker for one in own.written_messages]


def test_what_is_put_back_is_judged_as_it_is_written(session: Conversation) -> None:
    made, stages = _made(session)
    index = next(at for at, one in enumerate(made.messages) if ERROR in str(one))
    back = with_restored(made, frozenset({index}), counter_for(made.window.model))
    (error,) = [one for one in fidelity_of(back, stages).facts if one.fact.kind is FidelityCategory.ERROR]
    assert error.status is not FactStatus.LOST
    assert back.after_tokens > made.after_tokens


def test_a_format_with_a_field_for_errors_keeps_them(tmp_path: Path) -> None:
    """llxprt writes the error beside the result, so its words count as kept."""
    talk = conversation(
        human("Fix it"), ai("", call("run", "a")), tool(response("a", "run", ERROR, error=ERROR)), ai("so")
    )
    edited = replace(talk.messages[2], blocks=(replace(response("a", "run", "[cleared]"), error=ERROR),))

    own = next(tool_responses(adapted_message(edited, CAPABILITIES["llxprt"], edited)))
    assert (own.result, own.error) == ("[cleared]", ERROR)
    other = next(tool_responses(adapted_message(edited, CAPABILITIES["claude_code"], edited)))
    assert (other.result, other.error) == ("[cleared]", "[cleared]")
    chat = next(tool_responses(adapted_message(edited, CAPABILITIES["openai_chat"], None)))
    assert chat == ToolResponse("a", "run", "[cleared]", MISSING)


def test_a_recorded_summary_beside_an_offline_one_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    recorded = CompareRow("recorded 1", "recorded", 100, 10, 2, fidelity=0.4)
    offline = CompareRow("claude-code", "preset", 100, 10, 2, fidelity=0.8, calls=1)
    assert is_best_case([recorded, offline])
    assert not is_best_case([offline, replace(offline, calls=0)])
    cli = Cli(capsys)
    assert cli.run("compare", SESSION, "-s", "recorded", "-s", "claude-code") == 0
    assert BEST_CASE[:60] in " ".join(cli.out.split())
    cli.run("compare", SESSION, "-s", "claude-code")
    assert BEST_CASE[:60] not in " ".join(cli.out.split())
