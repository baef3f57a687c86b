"""Reads the saved state of a run of openai-agents (RunState) as a request: input, then the items since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.common.json_value import Json
from core.formats.common.document import DocumentContainer, OpenedDocument
from core.formats.common.json_access import fields_of, list_of, nested, string_of
from core.formats.common.stored_sessions import stored_document

_FIELDS = ("$schemaVersion", "original_input", "generated_items")


def is_run_state(file: OpenedDocument) -> bool:
    fields = file.objects[0] if file.objects else {}
    return file.container is DocumentContainer.OBJECT and all(name in fields for name in _FIELDS)


def run_state_request(file: OpenedDocument) -> OpenedDocument:
    """Return the state as a document that holds ``{usage, input}``."""
    state = file.objects[0]
    responses = [fields_of(one) for one in list_of(state.get("model_responses"))]
    fields = {"usage": responses[-1].get("usage") if responses else None}
    return stored_document(file.document, fields, "input", _items(state))[0]


def _items(state: Mapping[str, Json]) -> Iterator[Json]:
    original_input = state["original_input"]
    if text := string_of(original_input):
        yield {"role": "user", "content": text}
    yield from list_of(original_input)
    for item in list_of(state["generated_items"]):
        raw = nested(item, "raw_item")
        yield item if raw is None else raw
    yield from list_of(state.get("pending_input"))
