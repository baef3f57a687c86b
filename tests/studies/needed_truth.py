"""Were the names that count as needed really needed?

    python -m tests.studies.needed_truth FOLDER MANIFEST

Behind a compaction that an agent recorded, its model had the context that the file shows, and no
more. A name that counts as needed, stands nowhere in that context and was used all the same was
not needed: the model knew it, or found it again. The sessions are split in halves by their names;
whoever mends the rule looks at the first half, and reports the second. MANIFEST names the
repository of each file: names that others share are those of the other repositories."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from core.common.errors import FoldlineError
from core.facts.name_patterns import NameKind
from core.facts.sentences import block_texts
from core.formats.registry import load_conversation
from core.losses import needed_later
from core.losses.needed_later import find_needs
from core.tokens.recorded_compactions import summary_at_boundary
from core.transcript.model import Conversation, Opaque
from core.trials.side_by_side import recorded_side_by_side
from tests.studies.losses_study import share_text
from tests.tools.common_names import owners_of_names, repositories_of, shared_names


@dataclass(frozen=True, slots=True)
class Truth:
    """Names that count as needed behind one recorded compaction, and those of them that stood
    nowhere in what it left."""

    file: str
    number: int
    needed: int
    absent: tuple[tuple[NameKind, str], ...]


def truths(conversation: Conversation, name: str) -> Iterator[Truth]:
    """Yield what was used behind each recorded compaction whose source and result can be read."""
    ends = [
        *(one.boundary for one in conversation.recorded[1:]),
        len(conversation.messages),
    ]
    for number, (recorded, end) in enumerate(
        zip(conversation.recorded, ends, strict=False), 1
    ):
        side = recorded_side_by_side(conversation, number)
        summary = summary_at_boundary(conversation, recorded)
        left = (*side.compaction.messages, *summary)
        is_hidden = any(
            isinstance(block, Opaque) for one in left for block in one.blocks
        )
        if recorded.is_source_lost or is_hidden or not side.history.messages:
            continue
        after = conversation.messages[recorded.boundary + len(summary) : end]
        needs = find_needs(side.history.messages, after, conversation.system)
        if needs is None or not needs.names:
            continue
        texts = [text for message in left for text in block_texts(message)]
        absent = [
            (one.kind, one.text)
            for key, one in needs.names.items()
            if not any(key in text for text in texts)
        ]
        yield Truth(name, number, len(needs.names), tuple(absent))


def half(name: str) -> int:
    """Return 0 for a session whose rule may be looked at, 1 for one that only reports."""
    return hashlib.sha256(name.encode()).digest()[0] % 2


def figure(found: Sequence[Truth]) -> str:
    absent, needed = (
        sum(len(one.absent) for one in found),
        sum(one.needed for one in found),
    )
    files = len({one.file for one in found})
    return (
        f"{share_text(absent, needed)} of the needed names were used though absent, "
        f"{len(found)} compactions of {files} sessions"
    )


def main(words: Sequence[str]) -> None:
    """``-v`` also prints the names, of the first half only."""
    found: list[Truth] = []
    folder, manifest = (Path(word) for word in words if word != "-v")
    repositories = repositories_of(manifest)
    owners = owners_of_names(folder, repositories)
    for name, repository in sorted(repositories.items()):
        others = shared_names(owners, without=repository)
        with patch.object(needed_later, "common_names", lambda names=others: names):
            try:
                found += truths(load_conversation(folder / name), Path(name).name)
            except FoldlineError:
                continue
    first = [one for one in found if half(one.file) == 0]
    if "-v" in words:
        for one in first:
            print(one.file, one.number, one.needed, len(one.absent))
            for kind, text in one.absent:
                print("   ", kind.value, text)
    print("first half:", figure(first))
    print("second half:", figure([one for one in found if half(one.file) == 1]))


if __name__ == "__main__":
    main(sys.argv[1:])
