"""Sizes of exports: a file opened again says the size that its export was shown with."""

import json
from pathlib import Path

import pytest

from core.analysis.replay_run import replay_timeline, turn_scales
from core.common.json_value import Json
from core.export.checked_saving import size_difference
from core.export.export import export_history, find_exporter
from core.formats.registry import load_conversation
from core.formats.writing.exporter import ExportInput
from core.llm.catalog import choose_model
from core.llm.request_size import next_request_tokens, request_sizing
from core.presentation.preview_wording import calibration_text
from core.presentation.verdict import size_page
from core.preview.options import PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.reports.report_data import export_input
from core.strategies.registry import COMPACTION_STRATEGIES, find_strategy
from core.tokens.counter import counter_for
from core.transcript.model import CarriedSizes, Conversation
from core.transcript.provenance import SIZES_FIELD, carried_sizes
from core.transcript.scopes import CURRENT
from tests.core.formats.exporting import corpus_files
from tests.core.strategies.strategy_running import values
from tests.support.builders import ai, conversation, human
from tests.support.sampling import sampled

OWN = tuple(
    name for name in COMPACTION_STRATEGIES if find_strategy(name).emulates is None
)
FOLDERS = ("claude_code", "codex_rollout", "pi_agent")


def strategies_of(path: Path) -> tuple[str, ...]:
    """Return a part of the strategies; up to four files of a folder have all between them."""
    files = sorted(path.parent.iterdir())
    parts = sampled(1, min(4, len(files)))
    return OWN[files.index(path) % parts :: parts]


def next_request(conversation: Conversation) -> int:
    model = choose_model(conversation)
    counter = counter_for(model)
    sizing = request_sizing(conversation, counter, CURRENT, model)
    return next_request_tokens(conversation, counter, sizing)


@pytest.mark.parametrize("path", corpus_files(*FOLDERS))
def test_an_export_opened_again_says_the_size_that_it_was_shown_with(
    path: Path, tmp_path: Path
) -> None:
    source, stages = load_conversation(path), StageCache()
    limit = max(2_000, next_request(source) // 2)
    for name in strategies_of(path):
        chosen = values(compression__strategy=name, context_limit=limit)
        preview = compute_preview(
            source, chosen, PreviewOptions(scope=CURRENT, checks=False), stages
        )
        content = export_input(preview, result=True)
        written = tmp_path / f"{name}{path.suffix}"
        written.write_bytes(export_history(content, source.format).data)
        reopened = load_conversation(written)
        if content.request_tokens is not None:
            assert next_request(reopened) == pytest.approx(
                content.request_tokens, rel=0.02
            ), name


HIDDEN = 20_000


def codex_session(path: Path, model: str = "gpt-5.5") -> Path:
    """Write a session whose requests are 1.2 times our count and hold 20,000 tokens more."""
    counter, counted = counter_for(model), 0
    lines = [
        line("session_meta", id="s", cwd="/w"),
        line("turn_context", model=model, cwd="/w"),
    ]
    for turn in range(12):
        for role, kind in (("user", "input_text"), ("assistant", "output_text")):
            text = " ".join(
                f"{role} {turn} line {number} of the report" for number in range(150)
            )
            content = [{"type": kind, "text": text}]
            if role == "assistant":
                used = {
                    "input_tokens": round(1.2 * counted) + HIDDEN,
                    "output_tokens": 1_000,
                }
                lines.append(
                    line("response_item", type="message", role=role, content=content)
                )
                lines.append(
                    line(
                        "event_msg", type="token_count", info={"last_token_usage": used}
                    )
                )
            else:
                lines.append(
                    line("response_item", type="message", role=role, content=content)
                )
            counted += counter.text(text)
    path.write_text("\n".join(lines) + "\n")
    return path


def line(kind: str, **payload: Json) -> str:
    return json.dumps(
        {"timestamp": "2026-01-01T00:00:00.000Z", "type": kind, "payload": payload}
    )


def exported(
    source: Conversation, name: str, tmp_path: Path
) -> tuple[ExportInput, Conversation]:
    chosen = values(
        compression__strategy="middle-out", context_limit=next_request(source) // 2
    )
    content = export_input(
        compute_preview(source, chosen, PreviewOptions(scope=CURRENT)), result=True
    )
    written = tmp_path / f"{name}.json"
    written.write_bytes(export_history(content, name).data)
    return content, load_conversation(written)


@pytest.mark.parametrize(
    "name",
    ["codex_rollout", "claude_code", "pi_agent", "gemini_cli", "opencode", "llxprt"],
)
def test_a_compacted_session_carries_its_calibration(name: str, tmp_path: Path) -> None:
    source = load_conversation(codex_session(tmp_path / "source.jsonl"))
    content, reopened = exported(source, name, tmp_path)
    assert reopened.format == name
    assert next_request(reopened) == content.request_tokens
    assert not size_difference(content, find_exporter(name), reopened)
    preview = compute_preview(reopened, values())
    assert preview.sizes.sizing.calibration.source == "export"
    assert preview.sizes.sizing.calibration.fit.factor == pytest.approx(1.2, abs=0.01)
    assert "as calibrated before the export" in preview.sizes.count_method.label


@pytest.mark.parametrize(
    "name", ["openai_chat", "anthropic_messages", "gemini", "openhands"]
)
def test_a_format_without_a_place_says_the_other_size(
    name: str, tmp_path: Path
) -> None:
    source = load_conversation(codex_session(tmp_path / "source.jsonl"))
    content, reopened = exported(source, name, tmp_path)
    assert b"foldline_sizes" not in export_history(content, name).data
    text = size_difference(content, find_exporter(name), reopened)
    assert f"{next_request(reopened):,} tokens" in text
    assert f"{content.request_tokens:,}" in text
    assert "has no place for how sizes were calibrated" in text


def test_an_uncalibrated_size_that_the_file_lacks_is_said(tmp_path: Path) -> None:
    thought = ai("Done.", thinking="Which part of the pool is it? " * 90)
    source = conversation(human("Fix the pool."), thought)
    preview = compute_preview(source, values(compression__strategy="none"))
    content = export_input(preview, result=True)
    written = tmp_path / "chat.json"
    written.write_bytes(export_history(content, "openai_chat").data)
    reopened = load_conversation(written)
    text = size_difference(content, find_exporter("openai_chat"), reopened)
    assert f"{next_request(reopened):,} tokens" in text
    assert f"{preview.sizes.after_tokens:,}" in text
    assert "the file does not hold all that was counted" in text


def test_reports_of_the_agent_after_an_export_take_its_place(tmp_path: Path) -> None:
    source = load_conversation(codex_session(tmp_path / "source.jsonl"))
    exported(source, "codex_rollout", tmp_path)
    written = tmp_path / "codex_rollout.json"
    later = (
        codex_session(tmp_path / "later.jsonl")
        .read_text()
        .splitlines(keepends=True)[2:]
    )
    written.write_text(written.read_text() + "".join(later))
    calibration = compute_preview(
        load_conversation(written), values()
    ).sizes.sizing.calibration
    assert calibration.source == "reports"
    assert calibration.fit.factor == pytest.approx(1.2, abs=0.01)


def test_an_export_of_an_export_carries_one_calibration(tmp_path: Path) -> None:
    source = load_conversation(codex_session(tmp_path / "source.jsonl"))
    _, reopened = exported(source, "codex_rollout", tmp_path)
    again = tmp_path / "again"
    again.mkdir()
    content, last = exported(reopened, "codex_rollout", again)
    assert next_request(last) == content.request_tokens
    assert (again / "codex_rollout.json").read_text().count("foldline_sizes") == 1


def test_the_size_page_and_a_replay_of_an_export_use_what_it_carries(
    tmp_path: Path,
) -> None:
    source = load_conversation(codex_session(tmp_path / "source.jsonl"))
    _, reopened = exported(source, "codex_rollout", tmp_path)
    sizing = compute_preview(reopened, values()).sizes.sizing
    assert calibration_text(sizing).startswith(
        "as calibrated before the export, on 12 requests: ×1.20"
    )
    page = size_page(sizing, ())
    assert ("Factor", "×1.20, as calibrated before the export") in page.facts
    counter = counter_for(reopened.model)
    timeline = replay_timeline(reopened, CURRENT)
    scales = turn_scales(reopened, counter, CURRENT, timeline, reopened.model)
    assert {(round(one.factor, 2), one.hidden) for one in scales} == {
        (1.2, sizing.hidden)
    }


@pytest.mark.parametrize(
    "note",
    [
        "x",
        {},
        {"factor": "2"},
        {"factor": 0},
        {"factor": 1e9},
        {"factor": None, "overhead": 5},
        [1],
    ],
)
def test_a_carried_field_that_cannot_be_used_is_ignored(
    note: Json, tmp_path: Path
) -> None:
    path = codex_session(tmp_path / "source.jsonl")
    first, rest = path.read_text().split("\n", 1)
    path.write_text(json.dumps({**json.loads(first), SIZES_FIELD: note}) + "\n" + rest)
    assert load_conversation(path).carried is None


def test_numbers_of_a_carried_field_are_bounded() -> None:
    note = {
        "factor": 1.2,
        "overhead": 10**400,
        "messages": -5,
        "requests": "9",
        "unreadable": [-1, True, 7],
    }
    found = carried_sizes({SIZES_FIELD: note})
    assert found == CarriedSizes(factor=1.2, unreadable=(0, None, 7))
