"""``foldline inspect``: what a transcript holds, before anything is done to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from core.cli.arguments import common_options, transcript_parser
from core.cli.opened_conversation import OpenedConversation
from core.cli.opened_transcript import (
    make_preview,
    note_unread_settings,
    note_unused_options,
    open_conversation,
    print_warnings,
)
from core.cli.output import json_output
from core.cli.output.census import HistoryStatistics, history_statistics
from core.cli.output.console import print_lines, print_note
from core.cli.output.inspect_text import inspect_report
from core.cli.output.json_values import findings_json, split_json
from core.common.json_value import Json
from core.llm.request_size import RequestSizing
from core.presentation.opened_file import note_texts, warning_texts
from core.preview.options import Preview
from core.tokens.recorded_compactions import MeasuredCompaction, context_growth
from core.transcript.model import Conversation, RecordedCompaction
from core.transcript.scopes import only_part, scopes
from core.transcript.tool_pairs import Pairs

ABOUT = "Format, messages, tokens by kind, pairs, recorded compactions, split and lint of a transcript."


def run(arguments: Sequence[str]) -> int:
    """Print the report or its JSON; 0 also where lint found errors."""
    parser = transcript_parser("inspect", ABOUT)
    options = common_options(parser.parse_args(arguments))
    opened = open_conversation(options)
    note_unread_settings(opened)
    note_unused_options(options, ("--summary-file",), "inspect writes no summary.")
    made = make_preview(opened, draft=True)
    found = history_statistics(made, opened.stages)
    if options.json:
        json_output.write_json("inspect", inspect_json(opened, made, found))
    else:
        print_warnings(opened)
        for text in _part(made):
            print_note(options, f"warning: {text}")
        print_lines(inspect_report(opened, made, found))
    return 0


def inspect_json(opened: OpenedConversation, made: Preview, found: HistoryStatistics) -> dict[str, Json]:
    """The keys of ``inspect --json``."""
    conversation = opened.conversation
    return {
        **_source(opened, made),
        "model": made.window.model or None,
        "limit": {"tokens": made.window.limit, "source": made.window.source},
        "trigger": made.trigger_tokens,
        "context": {"tokens": found.context, "reported": conversation.reported_context},
        "calibration": _calibration(made.sizing),
        "messages": len(made.messages),
        "messages_by_speaker": found.messages_by_speaker,
        "tokens": {
            "total": made.before_tokens,
            "by_speaker": found.tokens_by_speaker,
            "by_block": found.tokens_by_block,
            "system": made.system_tokens,
            "method": {"mark": made.method.mark, "label": made.method.label},
        },
        "tool_calls": found.calls,
        "tool_responses": found.responses,
        **_unpaired(made.pairs),
        "recorded_compactions": _recorded(conversation, found.recorded),
        "strategy": made.strategy.name,
        "split": split_json(made.compaction.split),
        "lint": {name: findings_json(some) for name, some in found.lint},
        "warnings": [*warning_texts(conversation), *_part(made)],
        "repaired": note_texts(conversation.report.repaired),
        "records": conversation.report.records,
        "skipped_records": dict(conversation.report.skipped),
        "skipped_from": dict(conversation.report.skipped_from),
    }


def _calibration(sizing: RequestSizing) -> dict[str, Json]:
    """How figures follow from counts; ``hidden_tokens`` is what is in the next request and in no message."""
    made = sizing.calibration
    return {
        "factor": made.fit.factor,
        "hidden_tokens": max(0, sizing.hidden) if sizing.is_reported else None,
        "requests": made.fit.requests,
        "median_error": made.fit.error,
        "segments": [
            {
                "before": one.requests[0].number,
                "model": one.model or None,
                "requests": len(one.requests),
                "factor": one.fit.factor,
                "hidden_tokens": one.fit.hidden,
                "median_error": one.fit.error,
                "dropped": one.dropped,
            }
            for one in made.segments
        ],
        "source": made.source,
    }


def _source(opened: OpenedConversation, made: Preview) -> dict[str, Json]:
    """Which part of which file was looked at, and what else there is to look at."""
    conversation = opened.conversation
    return {
        "file": conversation.document.name,
        "format": opened.reader.name,
        "detected": opened.why,
        "conversations": conversation.siblings,
        "conversation": conversation.number,
        "conversation_list": [asdict(one) for one in conversation.listed],
        "branch": conversation.branch,
        "branches": [asdict(one) for one in conversation.branches],
        "scope": made.history.scope,
        "scopes": list(scopes(conversation)),
    }


def _unpaired(pairs: Pairs) -> dict[str, Json]:
    """Calls without a response and responses without a call."""
    calls = [{"index": index, "id": id_, "kind": "call"} for index, id_ in pairs.unanswered]
    responses = [{"index": index, "id": id_, "kind": "response"} for index, id_ in pairs.orphans]
    return {
        "unanswered_calls": len(calls),
        "orphan_responses": len(responses),
        "unpaired": [*calls, *responses],
    }


def _part(made: Preview) -> tuple[str, ...]:
    """What is missing of the scope, as warnings."""
    part = only_part(made.conversation, made.history.scope)
    return (part,) if part else ()


def _recorded(conversation: Conversation, measured: Sequence[MeasuredCompaction]) -> list[Json]:
    return [_compaction(*pair) for pair in zip(conversation.recorded, measured, strict=True)]


def _compaction(one: RecordedCompaction, own: MeasuredCompaction) -> dict[str, Json]:
    grew = context_growth(one, own)
    return {
        "number": own.number,
        "kind": one.kind,
        "position": one.position,
        "trigger": one.trigger or None,
        "tokens_before": one.tokens_before,
        "tokens_after": one.tokens_after,
        "counted_before": own.tokens_before,
        "counted_after": own.tokens_after,
        "messages_before": own.messages_before,
        "messages_after": own.messages_after,
        "growth": grew,
        "net_negative": None if grew is None else grew >= 0,
        "file_reads": own.reads,
        "file_reads_again": own.again,
        "reread_tax": own.tax,
        "kept": list(one.kept),
        "cleared": list(one.cleared),
        "line": one.source.line if one.source else None,
    }
