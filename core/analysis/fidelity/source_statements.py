"""The sentences of a source, indexed by the words of a summary, as what its statements are held against."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.analysis.fidelity.statements import Clause, Filler, parse, plain_words
from core.facts.sentences import authored_text, response_text, sentences
from core.facts.user_constraints import lifts
from core.transcript.model import Message, Speaker, tool_calls, tool_responses

_MAX_RESULT = 600  # characters of a result that is read whole
_LAST_LINES = 3  # of a longer result, which sum it up
_MAX_LINE = 400  # characters; longer lines are data
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+")
_MIN_SHARED = 2  # words of a summary that a sentence of the model or a result must have
_WORD = re.compile(r"[^\W_]+")
_START = 5  # characters of a word that its forms share
_POSITION = re.compile(r"\blines?:? \d+|\.\w{1,5}:\d+|^\s*(?:at |\d+[:|→\t])|[{}<>|]|\]\s|=\S+ \w+=")
"""Marks code, its places and frames of a stack, whose numbers say nothing."""
_MAX_ARGUMENT = 200  # characters
_SAID = re.compile(
    r"\b(?:says?|said|asked|wants?|wanted|prefers?|thinks?|mentioned|reported|suggests?|suggested|proposed|insists?)\b"
)
ME = re.compile(r"\b(?:I|me|my|mine|we|us|our|I'(?:d|ll|m|ve)|je|mon|ich|wir|yo)\b")
_YOU = re.compile(r"\b(?:you|your|yourself|kannst|du|tu|vous)\b", re.IGNORECASE)
_OLD, _NEW = ("old_string", "old_str", "oldText"), ("new_string", "new_str", "newText")


@dataclass(frozen=True, slots=True)
class SourceClause:
    """A clause with its message, the number of its sentence, and whom it speaks of."""

    clause: Clause
    message: int
    speaker: Speaker
    sentence: int
    roles: frozenset[str]


def is_rule(found: SourceClause) -> bool:
    return found.speaker in (Speaker.HUMAN, Speaker.SYSTEM)


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """``is_code``: an argument of a call or output."""

    text: str
    message: int
    speaker: Speaker
    words: frozenset[str]
    fillers: frozenset[Filler]


@dataclass(frozen=True, slots=True)
class SourceStatements:
    """``by_word`` and ``by_value`` are numbers of clauses, ascending; ``withdrawals`` take something back."""

    sentences: Sequence[SourceSentence]
    clauses: Sequence[SourceClause]
    by_word: Mapping[str, Sequence[int]]
    by_value: Mapping[str, Sequence[int]]
    weights: Mapping[str, float]
    spelled: frozenset[str]
    withdrawals: Sequence[SourceClause]

    def is_name(self, word: str, text: str) -> bool:
        """Return whether a capitalised word of a text never occurs in lower case; one at its start "
        "must be known."""
        return word.lower() not in self.spelled and (word in self.spelled or not text.startswith(word))

    def is_hidden(self, number: str) -> bool:
        """Return whether a number occurs only as a part of names."""
        return number not in self.by_value and number in self.spelled

    def weight(self, words: Iterable[str]) -> float:
        """Return how much shared words say: 1 for one that a single sentence has, less for common ones."""
        return sum(self.weights.get(word, 0.0) for word in words)

    def alike(self, words: frozenset[str]) -> list[int]:
        """Return the numbers of the sentences that share two of the words or one rare one, in order."""
        shared: defaultdict[int, set[str]] = defaultdict(set)
        for word in words:
            for number in (*self.by_word.get(word, ()), *self.by_value.get(word, ())):
                shared[self.clauses[number].sentence].add(word)
        return sorted(
            number
            for number, common in shared.items()
            if len(common) > 1 or self.weight(common) >= 1 or self._is_rare_value(common)
        )

    def _is_rare_value(self, words: set[str]) -> bool:
        return any(len(word) > 2 and len(self.by_value.get(word, ())) == 1 for word in words)

    def clause_of(self, sentence: int) -> SourceClause:
        """Return the first clause of a sentence."""
        return next(clause for clause in self.clauses if clause.sentence == sentence)

    def sharing(self, words: Iterable[str]) -> list[SourceClause]:
        """Return the clauses with any of the words, in order."""
        numbers = {number for word in words for number in self.by_word.get(word, ())}
        return [self.clauses[number] for number in sorted(numbers)]


def source_statements(messages: Sequence[Message], vocabulary: frozenset[str]) -> SourceStatements:
    """Index what the messages say with a word that starts as one of ``vocabulary``."""
    found: list[SourceSentence] = []
    clauses: list[SourceClause] = []
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    by_value: defaultdict[str, list[int]] = defaultdict(list)
    counts: Counter[str] = Counter()
    seen: set[tuple[str, Speaker]] = set()
    spelled: set[str] = set()
    for place, message in enumerate(messages):
        for text, is_own in _texts(message):
            spelled.update(_TOKEN.findall(text))
            starts = _starts(text)
            if len(vocabulary & starts) < (1 if is_own else _MIN_SHARED) or (text, message.speaker) in seen:
                continue
            seen.add((text, message.speaker))
            parts = parse(text)
            words = frozenset[str]().union(*(part.words for part in parts))
            fillers = frozenset(filler for part in parts for filler in part.fillers)
            counts.update(words)
            for part in parts:
                for word in part.words:
                    by_word[word].append(len(clauses))
                for filler in part.fillers:
                    by_value[filler.text].append(len(clauses))
                roles = _roles(part.text, message.speaker)
                clauses.append(SourceClause(part, place, message.speaker, len(found), roles))
            found.append(SourceSentence(text, place, message.speaker, words, fillers))
    weights = {word: 1 / (1 + math.log2(count)) for word, count in counts.items()}
    withdrawals = [clause for clause in clauses if is_rule(clause) and lifts(clause.clause.text)]
    return SourceStatements(found, clauses, by_word, by_value, weights, frozenset(spelled), withdrawals)


def _texts(message: Message) -> Iterator[tuple[str, bool]]:
    """Yield the sentences of a message, and whether one shared word is enough: a person's and a "
    "short result."""
    if message.speaker is not Speaker.TOOL:
        is_said = message.speaker is not Speaker.AI
        yield from (
            (text, is_said) for text in sentences(authored_text(message)) if len(text) <= 2 * _MAX_LINE
        )
        for call in tool_calls(message):
            yield from ((text, False) for text in _deeds(call.arguments))
    for response in tool_responses(message):
        text = response_text(response)
        is_short = len(text) <= _MAX_RESULT
        lines = (
            " ".join(line.split())
            for line in text.splitlines()[-_LAST_LINES if not is_short else None :]
            if 2 < len(line) <= _MAX_LINE and not _POSITION.search(line)
        )
        yield from ((line, is_short) for line in lines)


def _deeds(arguments: object) -> Iterator[str]:
    """Yield the short arguments of a call; what an edit replaces, as a sentence."""
    if not isinstance(arguments, Mapping):
        return
    old, new = (next((arguments[key] for key in keys if key in arguments), "") for keys in (_OLD, _NEW))
    if isinstance(old, str) and isinstance(new, str) and 0 < len(old) + len(new) <= _MAX_ARGUMENT:
        yield f"replaced {old} by {new}"
    for key, value in arguments.items():
        if key in (*_OLD, *_NEW):
            continue
        for item in value if isinstance(value, list) else (value,):
            if isinstance(item, Mapping):
                yield from _deeds(item)
            elif isinstance(item, str | int | float) and len(str(item)) <= _MAX_ARGUMENT:
                yield f"{key}: {item}"


def _roles(text: str, speaker: Speaker) -> frozenset[str]:
    """Return whom a clause speaks of in the first and the second person."""
    if speaker is Speaker.HUMAN:
        pairs = ((ME, "USER"), (_YOU, "AGENT"))
    elif speaker is Speaker.AI:
        pairs = ((ME, "AGENT"), (_YOU, "USER"))
    else:
        return frozenset()
    return frozenset(role for pattern, role in pairs if pattern.search(text))


def vocabulary_of(texts: Iterable[str]) -> frozenset[str]:
    """Return the starts of the words of texts, without the commonest, by which a source is searched."""
    words = {word for text in texts for word in _WORD.findall(text.lower())}
    return frozenset(word[:_START] for word in words if word.isdigit() or plain_words(word))


def _starts(text: str) -> set[str]:
    return {word[:_START] for word in _WORD.findall(text.lower())}
