"""The tree of entries of a Pi session, its paths and branches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import coerce_text
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import first_words
from core.formats.pi.entries import is_message, prompt_text
from core.transcript.model import ConversationBranch

HEADER_TYPE = "session"
"""The type of the first line."""


@dataclass(slots=True, eq=False)
class PiNode:
    """One entry. ``message_count`` counts those from the root to it, ``number`` is its place among all
    records of the file, header included, from 0."""

    record: JsonRecord
    number: int
    parent: PiNode | None
    message_count: int
    child_count: int = 0


def build_tree(records: Iterable[JsonRecord], notes: ImportNotes) -> list[PiNode]:
    """Return the nodes of a file's objects in file order. An entry without a parent field continues the entry
    before it (files of the first version have no ids); a parent that is not before it is noted."""
    nodes: list[PiNode] = []
    by_id: dict[str, PiNode] = {}
    for number, record in enumerate(records):
        value = record.value
        if value.get("type") == HEADER_TYPE:
            continue
        parent = nodes[-1] if nodes else None
        if "parentId" in value:
            parent_id = coerce_text(value["parentId"])
            if parent_id and parent_id not in by_id and parent is not None:
                notes.repair(record.line, f"parent {parent_id} is not before it; the entry before is used")
            elif parent_id in by_id or not parent_id:
                parent = by_id.get(parent_id)
        count = (parent.message_count if parent else 0) + is_message(value)
        node = PiNode(record, number, parent, count)
        if parent is not None:
            parent.child_count += 1
        nodes.append(node)
        if id_ := coerce_text(value.get("id")):
            if id_ in by_id:
                notes.warn(record.line, f"the id {id_} comes again; what follows belongs to the later entry")
            by_id[id_] = node
    return nodes


def path_to(leaf: PiNode) -> list[PiNode]:
    path: list[PiNode] = []
    node: PiNode | None = leaf
    while node is not None:
        path.append(node)
        node = node.parent
    return path[::-1]


def branch_ends(nodes: Sequence[PiNode]) -> list[PiNode]:
    """Return the last nodes of the branches: the newest entry, which the agent would continue, then the
    others in file order that have messages of their own."""
    leaves = [node for node in nodes[:-1] if not node.child_count]
    others = (leaf for leaf in leaves if any(is_message(n.record.value) for n in _nodes_after_fork(leaf)))
    return [*nodes[-1:], *others]


def pi_branches(ends: Sequence[PiNode]) -> tuple[ConversationBranch, ...]:
    """Return the branches for a picker; none if there is only one."""
    branches: list[ConversationBranch] = []
    for number, leaf in enumerate(ends, 1):
        nodes = _nodes_after_fork(leaf)
        starts = (first_words(prompt_text(node.record.value)) for node in nodes)
        title = next(filter(None, starts), "")
        branches.append(ConversationBranch(number, title, leaf.message_count, nodes[0].record.line))
    return tuple(branches) if len(branches) > 1 else ()


def _nodes_after_fork(leaf: PiNode) -> list[PiNode]:
    nodes = [leaf]
    while (parent := nodes[-1].parent) is not None and parent.child_count < 2:
        nodes.append(parent)
    return nodes[::-1]
