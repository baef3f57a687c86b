"""Indexes texts by words and sentences, so that many phrases are searched in linear time."""

from __future__ import annotations

import re
import sys
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, pairwise
from typing import TypeAlias

from core.common.json_value import Json
from core.facts.name_patterns import spellings
from core.facts.sentences import plain_text, searchable_text
from core.transcript.model import Message, Progress, Speaker, no_progress, tool_calls

WORD = re.compile(r"[^\W_](?:\w*[^\W_])?")
"""A word without underscores at its ends, which may be markup."""
_LONGER_WORD = re.compile(r"\w{2,}")
_SENTENCE_BREAK = re.compile(r"(?<=[.!?;])\s+|\n+")
_STOPWORDS = """
a an and are as at be but by for from has have i in is it its of on or our so that the their then there this
to was we were will with you your he she they me my us do does did not no
"""
_STOP = frozenset(_STOPWORDS.split())
_LONG = 4  # letters
_UNSPACED_LETTERS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # Chinese and Japanese
_MAX_SENTENCE = 2000  # characters of a sentence
_MAX_PLAIN = 500  # texts
_MAX_SEEN = 200_000  # sentences; a repetition costs time, and the first one is found all the same
_LONG_PART = 200_000  # characters
_FEW_TEXTS = 4  # are searched without a look at further words


def flat_text(text: str) -> str:
    """Lowercase a text and fold its whitespace into single blanks, for comparison."""
    flat = (" ".join(part.lower().split()) for part in parts_of(text))
    return " ".join(filter(None, flat))


def parts_of(text: str) -> Iterator[str]:
    """Yield the lines of a long text in parts: the words of a build log, all at once, take ten
    times its memory."""
    start = 0
    while len(text) - start > _LONG_PART:
        end = text.find("\n", start + _LONG_PART)
        if end < 0:
            break
        yield text[start : end + 1]
        start = end + 1
    yield text[start:]


_ESCAPE = re.compile(r"\\(u(?![dD][89a-fA-F])[0-9a-fA-F]{4}|[nrt\"\\/])")
_ESCAPED = {"n": "\n", "r": "\n", "t": "\t"}
_MAX_LEVELS = 3  # of JSON inside JSON


def without_escapes(text: str) -> str:
    """Return a text that holds JSON with its escapes read: "\\tname" has no word "tname"."""
    for _ in range(_MAX_LEVELS):
        read = _ESCAPE.sub(_read_escape, text)
        if read == text:
            break
        text = read
    return text


def _read_escape(escape: re.Match[str]) -> str:
    sign = escape[1]
    if len(sign) > 1:
        return chr(int(sign[1:], 16))
    return _ESCAPED.get(sign, sign)


def read_texts(text: str) -> Iterator[str]:
    """Yield a text, and what JSON in it escapes, read: a tool may have written JSON, where a quoted
    name or sentence has other letters."""
    yield text
    if "\\" in text and (read := without_escapes(text)) != text:
        yield read


def places_of_name(index: TextIndex, name: str) -> Iterator[int]:
    """Yield the place of the first text with a name, if only as a part of a longer one, for each
    spelling of the name."""
    for spelled in spellings(name):
        if (place := index.first(spelled)) >= 0:
            yield place


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text without stop words."""
    return frozenset(_words(_LONGER_WORD, text)) - _STOP


def near_words(text: str) -> frozenset[str]:
    """Return the words by which a sentence is near another: of four letters and more, pairs of
    scripts without blanks; all content words where it has none of these."""
    words = content_words(text)
    return frozenset(filter(is_telling, words)) or words


def is_telling(word: str) -> bool:
    """Return whether a word has four letters and more, or is a pair of a script without blanks."""
    return len(word) >= _LONG or (
        not word.isascii() and _unspaced().match(word) is not None
    )


# Such large sets of letters take milliseconds to compile, and most texts have none of them.


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{_UNSPACED_LETTERS}]")


@cache
def _scripts() -> re.Pattern[str]:
    return re.compile(rf"[{_UNSPACED_LETTERS}]+|[^{_UNSPACED_LETTERS}]+")


def _words(pattern: re.Pattern[str], text: str) -> list[str]:
    """Return the words of a text in lower case; those in a script without blanks as pairs of
    characters, as longer ones are whole sentences."""
    words: list[str] = pattern.findall(text.lower())
    if text.isascii() or not _unspaced().search(text):
        return words
    return list(chain.from_iterable(map(_script_parts, words)))


def _script_parts(word: str) -> Iterator[str]:
    for part in _scripts().findall(word):
        if len(part) > 2 and _unspaced().match(part):
            yield from (part[at : at + 2] for at in range(len(part) - 1))
        else:
            yield part


def split_sentences(text: str) -> Iterator[str]:
    """Split a text into lines and sentences, each cut at ``_MAX_SENTENCE`` characters."""
    return (text[start:end] for start, end in _sentence_spans(text))


def _sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    found = (match.span() for match in _SENTENCE_BREAK.finditer(text))
    breaks = chain([(0, 0)], found, [(len(text), 0)])
    for (_, start), (end, _) in pairwise(breaks):
        if text[start:end].strip():
            yield start, min(end, start + _MAX_SENTENCE)


@dataclass(frozen=True, slots=True)
class TextIndex:
    """Texts with an index of their words, or only of those that are keys of ``words``."""

    raw: Sequence[str]
    words: Mapping[str, Sequence[int]]
    has_all_words: bool = True
    _plain: dict[int, str] = field(default_factory=dict)

    def plain(self, index: int) -> str:
        """Return a text flattened; those looked at last are cached, since all would double the
        memory."""
        text = self._plain.get(index)
        if text is None:
            if len(self._plain) >= _MAX_PLAIN:
                self._plain.clear()
            text = self._plain[index] = flat_text(self.raw[index])
        return text

    def messages_with(self, needle: str) -> tuple[int, ...]:
        """Return the indices of texts that hold a needle as whole words in any case, ascending."""
        return tuple(self._matches(flat_text(needle), False, False))

    def contains(
        self, needle: str, *, exact: bool = False, is_cut: bool = False
    ) -> bool:
        """Return whether any text holds a needle as whole words. ``exact``: case-sensitive;
        ``is_cut``: the needle may end within a word."""
        return any(
            True
            for _ in self._matches(
                needle if exact else flat_text(needle), exact, is_cut
            )
        )

    def first(self, needle: str) -> int:
        """Return the index of the first text that holds a needle exactly, -1 for none."""
        return next(self._matches(needle, True, False), -1)

    def _matches(self, search_text: str, exact: bool, is_cut: bool) -> Iterator[int]:
        for index in self.candidates(search_text, is_cut):
            if exact:
                text = self.raw[index]
            else:
                text = self.plain(index)
            if contains_needle(search_text, text, is_cut):
                yield index

    def candidates(self, needle: str, is_cut: bool = False) -> Sequence[int]:
        """Return the texts with the rarest words of a needle, ascending."""
        every = range(len(self.raw))
        words = words_in(needle)
        if is_cut:
            # The last word of a cut needle may be a part of a word.
            words = words[:-1]
            # Presumably one word decides nothing, because it may be common.
            if len(words) < 2:
                return every
        known = set(words)
        if not self.has_all_words:
            known &= self.words.keys()
        if not known:
            return every
        indices, *others = sorted((self.words.get(word, ()) for word in known), key=len)
        for numbers in others:
            if len(indices) <= _FEW_TEXTS:
                break
            indices = sorted(_among(indices, numbers))
        return indices


def contains_needle(needle: str, text: str, is_cut: bool) -> bool:
    """Return whether a needle occurs at word boundaries; ``is_cut``: it may end within a word."""
    start = text.find(needle)
    while needle and start >= 0:
        end = start + len(needle)
        starts_word = not (
            needle[0].isalnum() and start and _is_word_part(text[start - 1])
        )
        ends_word = is_cut or not (
            needle[-1].isalnum() and _is_word_part(text[end : end + 1])
        )
        if starts_word and ends_word:
            return True
        start = text.find(needle, start + 1)
    return False


def _is_word_part(character: str) -> bool:
    # Scripts without blanks touch the names that they mention.
    if not character.isascii() and _unspaced().match(character):
        return False
    return character.isalnum() or character == "_"


_Sentence: TypeAlias = tuple[int, int, tuple[str, ...]]
"""Where a sentence starts and ends in its text, and its content words, sorted."""


def words_in(text: str) -> list[str]:
    """Return the words of a text in lower case, pairs of characters in scripts without blanks."""
    return _words(WORD, text)


def distinct_words(text: str) -> Collection[str]:
    return set(chain.from_iterable(map(words_in, parts_of(text))))


def _parsed_sentences(text: str) -> Iterator[_Sentence]:
    for start, end in _sentence_spans(text):
        yield start, end, tuple(sorted(content_words(text[start:end])))


class ParsedTexts:
    """Caches parsed texts: the rows of a comparison share most messages."""

    def __init__(self) -> None:
        self.words = cache(lambda text: tuple(map(sys.intern, distinct_words(text))))
        self.sentences = cache(lambda text: tuple(_parsed_sentences(text)))


def text_index(
    texts: Sequence[str],
    progress: Progress = no_progress,
    parsed: ParsedTexts | None = None,
    needles: Iterable[str] | None = None,
) -> TextIndex:
    """Index texts by their words, in linear time; ``parsed`` caches known texts. ``needles``: only
    the words of these, since an index of all takes more memory than the texts."""
    words_of = parsed.words if parsed else distinct_words
    words: dict[str, Sequence[int]] = {}
    for needle in needles or ():
        words.update(dict.fromkeys(words_in(needle), _NOWHERE))
    found: defaultdict[str, array[int]] = defaultdict(number_array)
    for index, text in enumerate(texts if needles is None or words else ()):
        progress(index / len(texts), "Indexing texts")
        for word in (
            words_of(text) if needles is None else words.keys() & words_of(text)
        ):
            found[word].append(index)
    words.update(found)
    return TextIndex(texts, words, needles is None)


_NOWHERE: Sequence[int] = ()
"""Where words stand that no text has; most of a hundred thousand names are gone."""


def number_array() -> array[int]:
    """Return an empty array of numbers: a list of them takes nine times the memory."""
    return array("I")


@dataclass(frozen=True, slots=True)
class SentenceIndex:
    """Sentences indexed by content words, with the index of their text and where they start and end
    in it; of sentences with equal words only the first is stored."""

    texts: Mapping[int, str]
    text_indices: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]
    words: Mapping[str, Sequence[int]]

    def sentence(self, number: int) -> str:
        return self.texts[self.text_indices[number]][
            self.starts[number] : self.ends[number]
        ]

    def best_match(self, wanted_words: frozenset[str]) -> tuple[float, int]:
        """Return the largest share of wanted words in one sentence, and its number; (0, -1) for
        none."""
        by_rarity = sorted(
            (self.words[word] for word in wanted_words if word in self.words), key=len
        )
        needed = 1
        hits = Counter[int]()
        for index, numbers in enumerate(by_rarity):
            words_left = len(by_rarity) - index
            if words_left >= needed:
                hits.update(numbers)
                needed = max(needed, max(map(hits.__getitem__, numbers), default=0))
            else:  # a sentence without a hit can have too few by now; others drop out as well
                hits = Counter(
                    {
                        one: count
                        for one, count in hits.items()
                        if count + words_left >= needed
                    }
                )
                hits.update(_among(hits, numbers))
                needed = max(needed, max(hits.values(), default=0))
        best = [number for number, count in hits.items() if count == needed]
        if best:
            return (needed / len(wanted_words), min(best))
        return (0.0, -1)


def _among(wanted: Collection[int], numbers: Sequence[int]) -> Collection[int]:
    """Return those of ``wanted`` that are among ascending ``numbers``."""
    if len(wanted) * 20 > len(numbers):
        return set(wanted).intersection(numbers)
    indices = ((number, bisect_left(numbers, number)) for number in wanted)
    return [
        number
        for number, index in indices
        if index < len(numbers) and numbers[index] == number
    ]


def index_sentences(
    texts: Mapping[int, str],
    parsed: ParsedTexts | None = None,
    needles: Iterable[str] | None = None,
) -> SentenceIndex:
    """Index the sentences of texts, given by index. ``needles``: only the words of these are ever
    found."""
    if needles is None:
        wanted = None
    else:
        wanted = frozenset[str]().union(*map(content_words, needles))
    sentences_of: Callable[[str], Iterable[_Sentence]] = _parsed_sentences
    if parsed:
        sentences_of = parsed.sentences
    words: defaultdict[str, array[int]] = defaultdict(number_array)
    indices = number_array()
    starts = number_array()
    ends = number_array()
    seen: set[int] = set()  # hashes, which take less memory than the words
    for index, text in texts.items():
        for start, end, all_words in sentences_of(text):
            if wanted is None:
                sentence_words = all_words
            else:
                sentence_words = tuple(filter(wanted.__contains__, all_words))
            if (key := hash(sentence_words)) in seen:
                continue
            if len(seen) >= _MAX_SEEN:
                seen.clear()
            seen.add(key)
            for word in sentence_words:
                words[word].append(len(indices))
            indices.append(index)
            starts.append(start)
            ends.append(end)
    return SentenceIndex(texts, indices, starts, ends, words)


# The texts of a history, indexed only by the words of a few given texts.


_DIGITS = re.compile(r"\d+")  # of a value that is written together with its unit
_MAX_MESSAGES = 300  # words in more messages are not searched
_MAX_CANDIDATES = 8  # messages compared by sentence
_MAX_CHARACTERS = 20_000  # characters of a message to split into sentences
_NEAR_SHARE = 0.34  # of the content words of a sentence


def source_index(
    messages: Sequence[Message],
    summary_texts: Iterable[str],
    known_texts: Sequence[str] = (),
    progress: Progress = no_progress,
) -> TextIndex:
    """Index messages by the words of ``summary_texts``, in linear time; the first places are those
    of the messages. ``known_texts`` are texts that a summary may repeat though no message contains
    them."""
    needles = [
        needle
        for text in summary_texts
        for needle in (
            text,
            *_DIGITS.findall(text),
            *_DIGITS.findall(text.replace(",", "")),
        )
    ]
    return text_index(_source_texts(messages, known_texts), progress, needles=needles)


def _source_texts(messages: Sequence[Message], known_texts: Sequence[str]) -> list[str]:
    """Return the text of each message, then spelling variants, known texts and argument keys."""
    texts = list(map(searchable_text, messages))
    # Windows paths with slashes.
    texts += [text.replace("\\", "/") for text in texts if "\\" in text]
    keys = {
        key
        for message in messages
        for call in tool_calls(message)
        for key in argument_names(call.arguments)
    }
    return [*texts, *known_texts, " ".join(sorted(keys))]


def argument_names(arguments: Json) -> Iterable[str]:
    if isinstance(arguments, Mapping):
        return map(str, arguments)
    return ()


def similar_messages(
    words: frozenset[str],
    messages: Sequence[Message],
    source: TextIndex,
    covered: frozenset[int],
) -> list[int]:
    """Return the messages that say most of the rarer words, best first; results of tools say
    nothing, and those in ``covered`` count double."""
    hits: Counter[int] = Counter()
    for word in words:
        indices = source.words.get(word, ())
        if len(indices) <= _MAX_MESSAGES:
            hits.update(indices)
    candidates = [
        index
        for index in hits
        if index < len(messages) and messages[index].speaker is not Speaker.TOOL
    ]
    weights = {
        index: hits[index] * (1.0 if index in covered else 0.5) for index in candidates
    }
    return sorted(candidates, key=lambda index: (-weights[index], index))[
        :_MAX_CANDIDATES
    ]


def nearest_sentence(
    sentence: str,
    messages: Sequence[Message],
    source: TextIndex,
    covered: frozenset[int] = frozenset(),
) -> tuple[str, int]:
    """Return the sentence of the source that shares most words with a sentence, and its message;
    ("", -1) where none shares a third of them."""
    words = content_words(sentence)
    best = ("", -1)
    best_count = max(1.0, _NEAR_SHARE * len(words))
    for index in similar_messages(words, messages, source, covered):
        for candidate in split_sentences(plain_text(messages[index])[:_MAX_CHARACTERS]):
            count = len(words & content_words(candidate))
            if count > best_count or (count == best_count and best[1] < 0):
                best = (" ".join(candidate.split()), index)
                best_count = float(count)
    return best
