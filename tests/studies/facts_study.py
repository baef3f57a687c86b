"""Which facts that people listed by hand are found, and which found ones they listed:
``python -m tests.studies.facts_study``.

The files in ``labels`` name stretches of the corpus, which people read for this, and in a line for
each message what it says: ``!`` a later turn needs it, ``+`` it is worth to know, ``~`` right if it
is found. Instead of the words there are digests of them, so that no transcript is in the project.
All marks are in ``last.txt`` alone, so that its stretches tell how many of the found facts are
right.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from hashlib import blake2b
from pathlib import Path

from core.facts.extract import extract_facts
from core.facts.model import FILE_KINDS, Fact, FactKind
from core.facts.name_patterns import canonical
from core.formats.registry import load_conversation
from core.transcript.model import Message, Speaker, Text
from tests.studies.corpus_tables import CORPUS, RESULTS
from tests.studies.losses_study import share_text
from tests.support.markdown import markdown, with_block

FOLDER = Path(__file__).with_name("labels")
PAGE = RESULTS
COMPLETE = "last"
LONGEST = 8  # words of a digest; a longer quote has one of its first words and one of its last
NEEDED = "!"
_EDGES = ".,:;!?()[]{}'"
_MARKUP = re.compile(r"[`*“”\"]")
_FILES = (*FILE_KINDS, FactKind.NAME)
_SAID = (FactKind.YOUR_MESSAGE, FactKind.INSTRUCTION, FactKind.TODO)
_MEANS = {
    "message": (FactKind.YOUR_MESSAGE,),
    "rule": _SAID,
    "decision": _SAID,
    "todo": _SAID,
    "error": (FactKind.OPEN_ERROR, FactKind.YOUR_MESSAGE),
    "command": (FactKind.COMMAND, FactKind.YOUR_MESSAGE),
    "changed": (FactKind.FILE_CHANGED, FactKind.FILE_ASKED),
    "path": _FILES,
    "url": (FactKind.NAME,),
    "name": (FactKind.NAME,),
    "number": (FactKind.NAME,),
}
"""The kinds of facts that stand for what somebody listed."""
_READ_ASIDE = (FactKind.NAME, FactKind.FILE_READ)


@dataclass(frozen=True, slots=True)
class Label:
    """What a message says. Any of the ``digests`` may be met, each with its number of words or of
    parts of a path."""

    mark: str
    kind: str
    message: int
    digests: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Stretch:
    name: str
    first: int
    messages: tuple[Message, ...]
    labels: tuple[Label, ...]


def digest(words: Sequence[str]) -> str:
    return blake2b(" ".join(words).encode(), digest_size=4).hexdigest()


def words_of(text: str) -> list[str]:
    plain = _MARKUP.sub("", text.lower().replace("’", "'").replace("\\", "/"))
    return list(filter(None, (word.strip(_EDGES) for word in plain.split())))


def parts_of(path: str) -> list[str]:
    return [
        part
        for part in path.lower().replace("\\", "/").split("/")
        if part not in ("", ".")
    ]


def name_of(text: str) -> str:
    return (
        canonical(text.lower().removesuffix("()").lstrip("$>="))
        if text.strip("$>=()")
        else text
    )


def means(label: Label, fact: Fact, first: int = 0) -> bool:
    """Return whether a fact, found in messages from ``first``, is what a label says."""
    if fact.kind not in _MEANS[label.kind]:
        return False
    if label.kind == "message":
        return fact.first + first == label.message
    if label.kind in ("changed", "path"):
        return _same_path(label, parts_of(fact.text))
    if label.kind in ("name", "number", "url"):
        return label.digests[0][1] == digest([name_of(fact.text)])
    words = words_of(fact.text)
    return any(
        digest(words[start : start + size]) == found
        for size, found in label.digests
        for start in range(len(words) - size + 1)
    )


def _same_path(label: Label, parts: Sequence[str]) -> bool:
    """The fact ends with the labelled path, or is an end of it of two parts."""
    (size, whole), *ends = label.digests
    if len(parts) >= size:
        return digest(parts[-size:]) == whole
    return any(
        len(parts) >= few and digest(parts[-few:]) == found for few, found in ends
    )


def read_stretches(path: Path) -> Iterator[Stretch]:
    for block in path.read_text("utf-8").strip().split("\n\n"):
        head, *lines = block.splitlines()
        name, span, *cut = head.split()
        first, last = map(int, span.split("-"))
        messages = list(load_conversation(CORPUS / name).messages)
        if cut:  # the rest of a long message was not read
            place, size = map(int, cut)
            said = messages[place].blocks[0]
            assert isinstance(said, Text)
            messages[place] = replace(
                messages[place], blocks=(replace(said, text=said.text[:size]),)
            )
        labels = tuple(label for line in lines for label in read_labels(line))
        yield Stretch(
            f"{name} {span}", first, tuple(messages[first : last + 1]), labels
        )


def read_labels(line: str) -> Iterator[Label]:
    place, *said = line.split()
    for one in said:
        kind, _, found = one[1:].partition(":")
        digests = [part.split("-") for part in found.split(",") if part]
        yield Label(
            one[0],
            kind,
            int(place.removeprefix("@")),
            tuple((int(size), text) for size, text in digests),
        )


def measure(
    stretches: Sequence[Stretch], marks: str = NEEDED
) -> Counter[tuple[str, bool]]:
    """Count the labels with these marks by kind, and whether a fact stands for them; what stands
    only in a system prompt, which no compaction removes, is left out."""
    counts = Counter[tuple[str, bool]]()
    for one in stretches:
        facts = extract_facts(one.messages).all
        for label in one.labels:
            speaker = one.messages[label.message - one.first].speaker
            if label.mark in marks and speaker is not Speaker.SYSTEM:
                counts[
                    label.kind, any(means(label, fact, one.first) for fact in facts)
                ] += 1
    return counts


def unlisted(stretch: Stretch) -> tuple[list[Fact], int]:
    """Return the facts that no label stands for, and how many there are in all; names and files
    that were only read aside. A message of the person is right if it has any label: what is wrong
    are rows of a harness."""
    facts = [
        one
        for one in extract_facts(stretch.messages).all
        if one.kind not in _READ_ASIDE
    ]
    labelled = {label.message for label in stretch.labels}
    wrong = [
        fact
        for fact in facts
        if not any(means(label, fact, stretch.first) for label in stretch.labels)
        and not (
            fact.kind is FactKind.YOUR_MESSAGE
            and fact.first + stretch.first in labelled
        )
    ]
    return wrong, len(facts)


def rows() -> Iterator[tuple[str, str]]:
    """Yield what was measured, and its figure."""
    sets = {
        path.stem: tuple(read_stretches(path)) for path in sorted(FOLDER.glob("*.txt"))
    }
    every = [one for stretches in sets.values() for one in stretches]
    needed, worth = measure(every), measure(every, f"{NEEDED}+")
    kinds = [kind for kind in _MEANS if kind != "decision"]
    yield f"listed as needed in {len(every)} stretches, and found", _of(needed, _MEANS)
    yield (
        "the same without decisions, of which most stand in prose alone",
        _of(needed, kinds),
    )
    for label, kind in (
        ("your messages", "message"),
        ("files changed", "changed"),
        ("URLs", "url"),
    ):
        yield (
            f"{label}; with those that are worth to know",
            f"{_of(needed, [kind])}; {_of(worth, [kind])}",
        )
    judged = [unlisted(one) for one in sets[COMPLETE]]
    wrong, total = sum(len(one) for one, _ in judged), sum(size for _, size in judged)
    label = f"found in {len(judged)} stretches, and listed; names and files read aside"
    yield label, share_text(total - wrong, total)


def _of(counts: Counter[tuple[str, bool]], kinds: Iterable[str]) -> str:
    found, missed = (
        sum(counts[kind, is_found] for kind in kinds) for is_found in (True, False)
    )
    return share_text(found, found + missed)


def main() -> None:
    """Measure, print and write the table of the page."""
    table = markdown(("what", "figure"), list(rows()))
    print(table)
    text = f"Measured on {date.today():%Y-%m-%d}.\n\n{table}"
    PAGE.write_text(with_block(PAGE.read_text("utf-8"), "facts-study", text), "utf-8")


if __name__ == "__main__":
    main()
