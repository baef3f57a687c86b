"""The ``$patch`` lines of a Gemini CLI log: they change, remove and reorder records of the history.

``{"$patch": {id, content?, toolCalls?: [{id, result}], updates?: [{id, content?, toolCalls?}],
removeIds?: [id], orderIds?: [id]}}``: given fields of a record or a call replace those it had; records
in ``orderIds`` come last, in that order. No real patch was seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text
from core.formats.common.json_access import fields_of, list_of

FindEntry: TypeAlias = Callable[[str], Mapping[str, Json] | None]
"""Returns the record of an id, None if the history has none."""

_UPDATE_FIELDS = ("id", "content", "toolCalls")
_PATCH_ONLY_FIELDS = ("updates", "removeIds", "orderIds")


@dataclass(slots=True)
class GeminiPatch:
    """The changes of a patch: new values of records by id, removed ids, and ids moved to the end.

    ``changed_ids`` are the ids of records whose content changed; the others only got what they lacked (a
    pending result). ``errors`` says what could not be applied, and why.
    """

    values: dict[str, Mapping[str, Json]] = field(default_factory=dict)
    changed_ids: set[str] = field(default_factory=set)
    removed: tuple[str, ...] = ()
    appended_ids: tuple[str, ...] = ()
    errors: list[str] = field(default_factory=list)


def apply_patch(find: FindEntry, patch: Json) -> GeminiPatch:
    """Return the changes of a patch to the records that ``find`` returns, which stay unchanged."""
    changes = GeminiPatch()
    if not isinstance(patch, dict) or not patch:
        changes.errors.append("it names nothing to change")
        return changes
    for update in _updates(patch):
        _apply_update(changes, find, update)
    changes.errors += [
        _unknown_field_error(name) for name in patch if name not in (*_UPDATE_FIELDS, *_PATCH_ONLY_FIELDS)
    ]
    changes.removed = _existing_ids(find, patch.get("removeIds"))
    changes.appended_ids = tuple(
        id_ for id_ in _existing_ids(find, patch.get("orderIds")) if id_ not in changes.removed
    )
    return changes


def _existing_ids(find: FindEntry, values: Json) -> tuple[str, ...]:
    return tuple(id_ for id_ in dict.fromkeys(map(coerce_text, list_of(values))) if find(id_) is not None)


def _updates(patch: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    if "id" in patch:
        yield {key: value for key, value in patch.items() if key in _UPDATE_FIELDS}
    yield from (fields_of(update) for update in list_of(patch.get("updates")))


def _apply_update(changes: GeminiPatch, find: FindEntry, update: Mapping[str, Json]) -> None:
    id_ = coerce_text(update.get("id"))
    old = changes.values.get(id_) or find(id_)
    if not id_ or old is None:
        changes.errors.append(f"there is no record {id_[:40]!r}")
        return
    changes.errors += [_unknown_field_error(name) for name in update if name not in _UPDATE_FIELDS]
    new, only_fills = dict(old), True
    if "content" in update and update["content"] != old.get("content"):
        new["content"], only_fills = update["content"], not old.get("content")
    for change in map(fields_of, list_of(update.get("toolCalls"))):
        only_fills = _change_call(changes, new, change) and only_fills
    if new != old:
        changes.values[id_] = new
        if not only_fills:
            changes.changed_ids.add(id_)


def _change_call(changes: GeminiPatch, record: dict[str, Json], change: Mapping[str, Json]) -> bool:
    """Change a call of a record; return whether that only added what it lacked."""
    calls: Sequence[Json] = list_of(record.get("toolCalls"))
    id_ = coerce_text(change.get("id"))
    index = next(
        (position for position, call in enumerate(calls) if id_ and fields_of(call).get("id") == id_), -1
    )
    if index < 0:
        changes.errors.append(f"there is no call {id_[:40]!r}")
        return True
    old = fields_of(calls[index])
    record["toolCalls"] = [*calls[:index], {**old, **change}, *calls[index + 1 :]]
    return old.get("result") is None or "result" not in change or old["result"] == change["result"]


def _unknown_field_error(name: str) -> str:
    return f'the meaning of "{name[:40]}" is not known'
