"""Real sessions of the corpus whose facts were listed by hand, as quotes with the number of their message.

A file in a folder of ``HALVES`` names a session, the messages that were read and, in lines, the facts: ``!``
a later turn needs it, ``+`` it is worth to know, ``~`` right if it is found and no loss if not. The rules and
the weights beside ``core/facts/sentence_cues.py`` were made with all halves but the last, whose readers were
told to list what results of tools hold as well.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from core.analysis.fidelity.model import FidelityCategory, SourceFact
from core.formats.registry import load_conversation
from core.transcript.model import Message, Text

FOLDER = Path(__file__).parent
CORPUS = FOLDER.parents[1].parent / "shared" / "corpus"
HALVES = ("seen", "unseen", "hidden", "development", "blind", "final", "last")
_LABEL = re.compile(r"([!+~]) ([a-z ]+) @(\d+): (.+)")
_SAME = (
    {FidelityCategory.FILE, FidelityCategory.PATH},
    {FidelityCategory.IDENTIFIER, FidelityCategory.NUMBER},
    {FidelityCategory.CONSTRAINT, FidelityCategory.DECISION, FidelityCategory.TODO},
)
"""Categories between which two people would differ."""


@dataclass(frozen=True, slots=True)
class Label:
    """``mark`` is one of "!+~"; ``message`` counts from 0."""

    mark: str
    kind: FidelityCategory
    message: int
    quote: str


@dataclass(frozen=True, slots=True)
class LabelledSession:
    name: str
    messages: tuple[Message, ...]
    labels: tuple[Label, ...]


def read_labels(half: str) -> Iterator[tuple[Path, dict[str, str], tuple[Label, ...]]]:
    for path in sorted((FOLDER / half).glob("*.txt")):
        lines = path.read_text("utf-8").splitlines()
        head = dict(line.split(": ", 1) for line in lines if line[0] not in "!+~")
        yield path, head, tuple(label for line in lines if line[0] in "!+~" for label in _labels(line))


def _labels(line: str) -> Iterator[Label]:
    match = _LABEL.fullmatch(line)
    assert match, f"not a label: {line}"
    for quote in match[4].split(" · ") if match[2] == "identifier" else [match[4]]:
        yield Label(match[1], FidelityCategory(match[2]), int(match[3]), quote)


def load_sessions(half: str) -> Iterator[LabelledSession]:
    for path, head, labels in read_labels(half):
        first, last = map(int, head["messages"].split("-"))
        messages = list(load_conversation(CORPUS / head["file"]).messages)
        if "cut" in head:  # the rest of a long message was not labelled
            place, size = map(int, head["cut"].split())
            text = messages[place].blocks[0]
            assert isinstance(text, Text)
            cut_text = replace(text, text=text.text[:size])
            messages[place] = replace(messages[place], blocks=(cut_text,))
        yield LabelledSession(path.stem, tuple(messages[first : last + 1]), labels)


def means(label: Label, fact: SourceFact) -> bool:
    if label.kind is not fact.kind and not any({label.kind, fact.kind} <= kinds for kinds in _SAME):
        return False
    quote, text = _plain(label.quote), _plain(fact.text)
    if label.kind in _SAME[0]:
        ours, theirs = quote.removeprefix("./").rstrip("/"), text.removeprefix("./").rstrip("/")
        return ours == theirs or theirs.endswith(f"/{ours.lstrip('/')}") or ours.endswith(f"/{theirs}")
    if label.kind in _SAME[1]:
        (key, _, value), (other, _, number) = _parted(quote), _parted(text)
        key_words, other_words = set(re.findall(r"\w+", key)), set(re.findall(r"\w+", other))
        same_key = not key or not other or bool(key_words & other_words)
        return (value == number and same_key) or text == quote
    return says(label, fact.text)


def says(label: Label, text: str) -> bool:
    """Return whether a text holds what a label quotes, or is a part of it."""
    quote, plain = _plain(label.quote), _plain(text)
    return quote in plain or (len(plain) > 12 and plain in quote)


def _parted(text: str) -> tuple[str, str, str]:
    key, equals, value = text.rpartition(" = ")
    return key, equals, value.removesuffix("()").lstrip("v$>=").replace(",", "")


def _plain(text: str) -> str:
    plain = re.sub(r"[`*“”\"]", "", text.lower().replace("’", "'").replace("\\", "/"))
    return " ".join(plain.split()).rstrip(".")
