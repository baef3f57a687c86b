"""Writes the list of names that sessions of several repositories share.

    python -m tests.tools.common_names FOLDER MANIFEST

A name is listed where sessions of ``LEAST`` repositories have it: what so many share is nobody's.
MANIFEST names the repository of each file below FOLDER, which is left out without one. Names that
could tell of a person or a machine (mail addresses, URLs, ids, folders of users) are never listed.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path

from core.common.errors import FoldlineError
from core.facts.name_patterns import NameKind
from core.facts.sentences import block_texts
from core.formats.registry import load_conversation
from core.losses import needed_later
from core.losses.needed_later import countable_names
from core.transcript.model import Conversation

LEAST = 3
_KINDS = (NameKind.IDENTIFIER, NameKind.PATH, NameKind.NUMBER)
_PRIVATE = re.compile(r"@|://|\bhome\b|\busers?\b|\bworkspace", re.IGNORECASE)
_SHORT = re.compile(r"[\w.$/+-]{4,40}", re.ASCII)
_HEAD = """\
# Names that sessions of three repositories and more share: generic identifiers, files and numbers.
# Made by python -m tests.tools.common_names; edited by nobody.
"""


Owners = Mapping[str, Set[str]]
"""The repositories whose sessions have a name."""


def owners_of_names(folder: Path, repositories: Mapping[str, str]) -> Owners:
    """Return the owners of each name; ``repositories`` is by the paths of files below the
    folder."""
    owners: dict[str, set[str]] = defaultdict(set)
    for name, repository in sorted(repositories.items()):
        try:
            conversation = load_conversation(folder / name)
        except FoldlineError:
            continue
        for shared in _names(conversation):
            owners[shared].add(repository)
    return owners


def shared_names(owners: Owners, without: str = "") -> frozenset[str]:
    """Return the names that ``LEAST`` repositories have, one of them left out."""
    return frozenset(
        name for name, found in owners.items() if len(found - {without}) >= LEAST
    )


def _names(conversation: Conversation) -> Iterator[str]:
    for message in conversation.messages:
        for text in block_texts(message):
            for name, found in countable_names(text):
                is_generic = _SHORT.fullmatch(name) and not _PRIVATE.search(found.text)
                if found.kind in _KINDS and is_generic:
                    yield name


def repositories_of(manifest: Path) -> dict[str, str]:
    """Return the repository of each file that a table with ``file`` and ``origin_repo`` names."""
    with manifest.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {row["file"]: row["origin_repo"].split(" (")[0] for row in rows}


def main(words: Sequence[str]) -> None:
    folder, manifest = map(Path, words)
    names = shared_names(owners_of_names(folder, repositories_of(manifest)))
    text = _HEAD + "".join(f"{name}\n" for name in sorted(names))
    Path(needed_later.__file__).with_name("common_names.txt").write_text(text, "utf-8")
    print(len(names))


if __name__ == "__main__":
    main(sys.argv[1:])
