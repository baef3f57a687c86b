"""The ``$patch`` lines of a Gemini CLI log: they change, remove and reorder records of the history.

``{"$patch": {id, content?, toolCalls?: [{id, result}], updates?: [{id, content?, toolCalls?}],
removeIds?: [id], orderIds?: [id]}}``: the fields of a record that are given take the place of those
it had, a call's likewise; what ``orderIds`` names comes last, in that order. No real one was seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from core.common.json_value import Json
from core.formats.anthropic.blocks import text_of
from core.formats.common.json_access import fields_of, list_of

FindEntry: TypeAlias = Callable[[str], Mapping[str, Json] | None]
"""Gives the record of an id, None where the history has none."""

_UPDATE = ("id", "content", "toolCalls")
_WHOLE = ("updates", "removeIds", "orderIds")


@dataclass(slots=True)
class GeminiPatch:
    """What a patch says: the new values of records by id, ids that go, ids that come last in this order.

    ``says`` are the ids of those that say something else now; the others only got what they lacked (a
    result that was awaited). ``faults`` is what could not be applied, and why.
    """

    values: dict[str, Mapping[str, Json]] = field(default_factory=dict)
    says: set[str] = field(default_factory=set)
    removed: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    faults: list[str] = field(default_factory=list)


def apply_patch(find: FindEntry, patch: Json) -> GeminiPatch:
    """What a patch makes of the records that ``find`` gives; those stay as they are."""
    made = GeminiPatch()
    if not isinstance(patch, dict) or not patch:
        made.faults.append("it names nothing to change")
        return made
    for update in _updates(patch):
        _update(made, find, update)
    made.faults += [_unknown(name) for name in patch if name not in (*_UPDATE, *_WHOLE)]
    made.removed = _ids(find, patch.get("removeIds"))
    made.last = tuple(id_ for id_ in _ids(find, patch.get("orderIds")) if id_ not in made.removed)
    return made


def _ids(find: FindEntry, given: Json) -> tuple[str, ...]:
    return tuple(id_ for id_ in dict.fromkeys(map(text_of, list_of(given))) if find(id_) is not None)


def _updates(patch: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    if "id" in patch:
        yield {key: value for key, value in patch.items() if key in _UPDATE}
    yield from (fields_of(update) for update in list_of(patch.get("updates")))


def _update(made: GeminiPatch, find: FindEntry, update: Mapping[str, Json]) -> None:
    id_ = text_of(update.get("id"))
    old = made.values.get(id_) or find(id_)
    if not id_ or old is None:
        made.faults.append(f"there is no record {id_[:40]!r}")
        return
    made.faults += [_unknown(name) for name in update if name not in _UPDATE]
    new, fills = dict(old), True
    if "content" in update and update["content"] != old.get("content"):
        new["content"], fills = update["content"], not old.get("content")
    for change in map(fields_of, list_of(update.get("toolCalls"))):
        fills = _change_call(made, new, change) and fills
    if new != old:
        made.values[id_] = new
        if not fills:
            made.says.add(id_)


def _change_call(made: GeminiPatch, record: dict[str, Json], change: Mapping[str, Json]) -> bool:
    """Change a call of a record; True where that only gave it what it lacked."""
    calls: Sequence[Json] = list_of(record.get("toolCalls"))
    id_ = text_of(change.get("id"))
    at = next((place for place, call in enumerate(calls) if id_ and fields_of(call).get("id") == id_), -1)
    if at < 0:
        made.faults.append(f"there is no call {id_[:40]!r}")
        return True
    old = fields_of(calls[at])
    record["toolCalls"] = [*calls[:at], {**old, **change}, *calls[at + 1 :]]
    return old.get("result") is None or "result" not in change or old["result"] == change["result"]


def _unknown(name: str) -> str:
    return f'what "{name[:40]}" means is not known'
