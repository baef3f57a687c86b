"""The tree of entries of a Pi session, its paths and branches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.formats.anthropic.blocks import coerce_text
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import first_words, source_records
from core.formats.pi.entries import is_message, prompt_text
from core.transcript.model import Conversation, ConversationBranch

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


def build_tree(numbered: Iterable[tuple[int, JsonRecord]], notes: ImportNotes) -> list[PiNode]:
    """Return the nodes in file order. An entry without a parent field continues the entry before it (files
    of the first version have no ids); a parent that is not before it is noted."""
    nodes: list[PiNode] = []
    by_id: dict[str, PiNode] = {}
    for number, record in numbered:
        value = record.value
        parent = nodes[-1] if nodes else None
        if "parentId" in value:
            parent_id = coerce_text(value["parentId"])
            known_parent = by_id.get(parent_id)
            if parent_id and known_parent is None and parent is not None:
                notes.repair(record.line, f"parent {parent_id} is not before it; the entry before is used")
            elif known_parent is not None or not parent_id:
                parent = known_parent
        count = (parent.message_count if parent else 0) + is_message(value)
        node = PiNode(record, number, parent, count)
        if parent is not None:
            parent.child_count += 1
        nodes.append(node)
        id_ = coerce_text(value.get("id"))
        if id_ in by_id:
            notes.warn(record.line, f"the id {id_} comes again; what follows belongs to the later entry")
        if id_:
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
    if not nodes:
        return []
    newest = nodes[-1]
    others = (node for node in nodes if not node.child_count and node is not newest)
    return [
        newest,
        *(leaf for leaf in others if any(is_message(n.record.value) for n in _nodes_after_fork(leaf))),
    ]


def pi_branches(ends: Sequence[PiNode]) -> tuple[ConversationBranch, ...]:
    """Return the branches for a picker; none if there is only one."""
    if len(ends) < 2:
        return ()
    return tuple(_branch(number, leaf) for number, leaf in enumerate(ends, 1))


def _branch(number: int, leaf: PiNode) -> ConversationBranch:
    nodes = _nodes_after_fork(leaf)
    prompts = (prompt_text(node.record.value) for node in nodes)
    title = next((prompt_start for prompt_start in map(first_words, prompts) if prompt_start), "")
    return ConversationBranch(number, title, leaf.message_count, nodes[0].record.line)


def _nodes_after_fork(leaf: PiNode) -> list[PiNode]:
    nodes = [leaf]
    node = leaf
    while node.parent is not None and node.parent.child_count < 2:
        node = node.parent
        nodes.append(node)
    return nodes[::-1]


def read_rows(conversation: Conversation) -> list[JsonRecord]:
    """Return all records that are objects, in file order; InputError if the file changed."""
    return [record for record in source_records(conversation) if isinstance(record.value, dict)]


def branch_path(conversation: Conversation, rows: Sequence[JsonRecord]) -> list[PiNode]:
    """Return the path of the branch that was read."""
    numbered = [(n, record) for n, record in enumerate(rows) if record.value.get("type") != HEADER_TYPE]
    leaves = branch_ends(build_tree(numbered, ImportNotes()))
    return path_to(leaves[conversation.branch - 1]) if leaves else []
