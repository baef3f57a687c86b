"""Compaction by hand: an agent opens messages, compresses them with hybrid's four tools, takes the result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.cli.make_preview import make_preview
from core.cli.opened_transcript import OpenedConversation
from core.cli.output import json_output
from core.common.atomic_file import output_file_name
from core.common.errors import InputError
from core.common.json_value import Json
from core.mcp.message_source import (
    OUTPUT_ARGUMENTS,
    RUN_ARGUMENTS,
    SOURCE_ARGUMENTS,
    deliver_result,
    object_schema,
    open_source,
)
from core.preview.options import Preview
from core.preview.pipeline import StageResults, compose_compaction
from core.reports.document import export_input
from core.settings.keys import HYBRID_PROTECTED
from core.strategies.base import StrategyContext
from core.strategies.draft import finish_compaction
from core.strategies.helpers import single_fate
from core.strategies.hybrid import strategy as hybrid
from core.strategies.hybrid.agent_mode import initial_agent_state
from core.strategies.hybrid.agent_state import HybridAgentState
from core.strategies.hybrid.agent_tools import call_agent_tool
from core.strategies.tracker import track_history
from core.summarize.summarizer_choice import summariser_factory
from core.transcript.compaction import Compaction, FateKind

HANDLE_ARGUMENT: Mapping[str, Json] = {
    "handle": {"type": "string", "description": "As open_compression returned it."}
}
OPEN_SCHEMA = object_schema({**SOURCE_ARGUMENTS, "settings": RUN_ARGUMENTS["settings"]})
CLOSE_SCHEMA = object_schema({**HANDLE_ARGUMENT, **OUTPUT_ARGUMENTS}, "handle")


def with_handle(definition: Json) -> dict[str, Json]:
    """Return the schema of one of hybrid's tools, with a handle of the messages."""
    parameters = definition["parameters"]
    return object_schema({**HANDLE_ARGUMENT, **parameters["properties"]}, "handle", *parameters["required"])


@dataclass(frozen=True, slots=True)
class _ManualCompaction:
    """Messages that are being compressed: how they were opened, and their present state."""

    opened: OpenedConversation
    arguments: Mapping[str, Json]
    preview: Preview
    context: StrategyContext
    state: HybridAgentState


@dataclass(slots=True)
class ManualCompactions:
    """The compactions that a server's clients have opened and not yet closed."""

    _compactions: dict[str, _ManualCompaction] = field(default_factory=dict)
    _opened_count: int = 0
    folder: Path | None = None
    """The only folder that results are written to; without it nothing is written."""
    stored: dict[str, str] = field(default_factory=dict)
    """Results that stubs of messages passed in stand for, by handle."""

    def target(self, out: str) -> str:
        """Return the path to write to. Raises InputError for one outside the folder."""
        if self.folder is None:
            raise InputError(
                "This server writes nothing.",
                "Start it as foldline mcp --write-to FOLDER, or leave out out.",
            )
        folder = self.folder.resolve()
        path = (folder / output_file_name(out)).resolve()
        if not path.is_relative_to(folder):
            raise InputError(f"{out} is outside of {folder}.", "Name a file in that folder.")
        return str(path)

    def open(self, arguments: Mapping[str, Json]) -> str:
        """Open messages for compression; returns handle, sizes and target as JSON. Raises InputError."""
        session = _open_session(arguments)
        self._opened_count += 1
        handle = f"c{self._opened_count}"
        self._compactions[handle] = session
        return json_output.json_output_text("open_compression", {"handle": handle, **_size_values(session)})

    def call(self, name: str, arguments: Mapping[str, Json]) -> str:
        """Run one of hybrid's tools; returns its answer, InputError where it refuses."""
        handle = str(arguments["handle"])
        session = self._session(handle)
        tool_arguments = {key: value for key, value in arguments.items() if key != "handle"}
        state, result = call_agent_tool(session.state, name, json.dumps(tool_arguments))
        self._compactions[handle] = replace(session, state=state)
        if not result.success:
            raise InputError(result.answer)
        return result.data

    def close(self, arguments: Mapping[str, Json]) -> str:
        """Return the compressed messages, as a file where ``out`` names one; the handle ends."""
        handle = str(arguments["handle"])
        session = self._session(handle)
        preview = replace(
            session.preview,
            compaction=_compaction(session),
            after_tokens=session.state.tokens,
            draft=False,
            written_messages=(),
        )
        result_arguments = {**arguments, **({"messages": True} if "messages" in session.arguments else {})}
        result_values = deliver_result(
            session.opened,
            export_input(preview, result=True, format_reason=session.opened.format_reason),
            result_arguments,
        )
        del self._compactions[handle]
        return json_output.json_output_text("close_compression", {**_size_values(session), **result_values})

    def _session(self, handle: str) -> _ManualCompaction:
        session = self._compactions.get(handle)
        if session is None:
            open_handles = ", ".join(self._compactions) or "none"
            raise InputError(f"There is no open compression {handle!r}.", f"Open are: {open_handles}.")
        return session


def _open_session(arguments: Mapping[str, Json]) -> _ManualCompaction:
    opened = open_source(arguments, strategy=hybrid.NAME)
    preview = make_preview(opened, draft=True)
    target = preview.compaction.target
    if target is None:
        no_op = preview.compaction.no_op
        raise InputError("There is nothing to compress." if no_op is None else no_op.reason)
    messages = tuple(preview.messages[index] for index in preview.inputs)
    counter = opened.counter_of(preview)
    context = StrategyContext(
        messages,
        preview.values,
        counter.messages,
        counter.messages(messages) + preview.system_tokens + preview.sizing.hidden,
        preview.window.limit,
        summariser_factory(None, counter.text),
        "",
        preview.mode,
        sources=preview.inputs,
        hidden=max(0, preview.sizing.hidden),
    )
    protected = hybrid.protected_messages(messages, preview.values.integer(HYBRID_PROTECTED))
    state = initial_agent_state(
        context, track_history(messages), target - context.hidden, protected, hybrid.STRATEGY
    )
    return _ManualCompaction(opened, arguments, preview, context, state)


def _compaction(session: _ManualCompaction) -> Compaction:
    kept_fate = single_fate(FateKind.KEPT, "agent", "The agent left it as it was.")
    agent_compaction = finish_compaction(
        session.context, session.state.draft, hybrid.NAME, {}, kept_fate, llm_call_made=False
    )
    return compose_compaction(
        StageResults(session.preview.messages, None, session.preview.inputs), agent_compaction
    )


def _size_values(session: _ManualCompaction) -> dict[str, Json]:
    state = session.state
    return {
        "before": {"messages": len(session.preview.messages), "tokens": session.preview.before_tokens},
        "after": {"messages": len(state.messages), "tokens": state.tokens},
        "target": state.target,
        "reached": state.tokens <= state.target,
    }
