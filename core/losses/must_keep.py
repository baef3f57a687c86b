"""Texts that must survive: what a result holds of them as it would be exported, and the files that
name them. They judge only: no result depends on them."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from core.common.atomic_file import create_parent_folder, write_atomic
from core.common.errors import InputError
from core.common.paths import state_dir
from core.facts.name_patterns import NameKind, canonical, names_in
from core.facts.sentences import searchable_text, shorten
from core.losses.evidence import (
    MAX_NEAREST,
    NEAR_SHARE,
    MustMark,
    MustStatus,
    SentenceEvidence,
    SentenceStatus,
    folded,
    is_near,
    person_sentences,
    sentence_core,
    sentence_with,
    standing_in,
)
from core.losses.losses_of import evidence_compaction
from core.losses.texts import (
    contains_needle,
    content_words,
    distinct_words,
    is_telling,
    near_words,
    split_sentences,
    words_in,
)
from core.preview.options import Preview, StageCache
from core.transcript.alignment import session_file
from core.transcript.model import Conversation, Message, Speaker, Text
from core.transcript.scopes import BEFORE, CURRENT, history_of_scope

_MAX_CACHED = 50_000  # messages whose matches are kept
_TELLING_WORDS = 2  # of a text, so that half of its words tell something
_NEGATION = re.compile(
    r"(?i)\b(?:not|no|never|don't|n't|nicht|nie|kein\w*|ne|pas|jamais|nunca)\b|不|没|未"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MustEvidence:
    """What a result holds of one must. ``sentences`` are those of its text; of a name it is the
    only one. ``message`` is the first of the source that holds it, -1 for none. ``gone_since`` is
    the number of the recorded compaction that lost it, None where none did."""

    text: str
    status: MustStatus
    is_name: bool = False
    sentences: tuple[SentenceEvidence, ...] = ()
    message: int = -1
    gone_since: int | None = None

    @property
    def standing(self) -> int:
        """Number of sentences that stand word for word."""
        return sum(one.status is SentenceStatus.STANDS for one in self.sentences)

    @property
    def worst(self) -> SentenceEvidence | None:
        """The sentence that is told first: one that is near before one that is gone."""
        missing = [
            one for one in self.sentences if one.status is not SentenceStatus.STANDS
        ]
        missing.sort(key=lambda one: one.status is SentenceStatus.GONE)
        if missing:
            return missing[0]
        return None


@dataclass(frozen=True, slots=True)
class _Needle:
    """A sentence or a name that is looked for. ``words`` are those of its core, by which texts
    without it are skipped."""

    text: str
    is_name: bool
    core: str
    words: frozenset[str]
    near: frozenset[str]
    names: tuple[str, ...]

    @property
    def is_short(self) -> bool:
        """Return whether it has so few telling words that some of them prove nothing."""
        return sum(map(is_telling, self.near)) < _TELLING_WORDS


@dataclass(frozen=True, slots=True)
class _Match:
    """What one message has of a needle: the share of its words that its ``nearest`` sentence has;
    above 1 where that quotes it inside a longer one."""

    stands: bool = False
    share: float = 0.0
    nearest: str = ""

    @property
    def rank(self) -> tuple[bool, float]:
        return self.stands, self.share


@dataclass(frozen=True, slots=True)
class _Occurrence:
    """The best match among messages, and the index of its message; -1 for none."""

    index: int
    match: _Match


_Matches = Mapping[int, _Match]
_STANDS = _Match(stands=True)
_NOTHING = _Occurrence(-1, _Match())
# Shares of a sentence that is quoted in another, and of a name of it.
_QUOTED, _NAMED = (
    2.0,
    0.25,
)


class MustSearch:
    """Musts, prepared for the search. What a message has of them is found once, so that results
    that share messages share the work."""

    def __init__(self, musts: Iterable[str]) -> None:
        self.musts = tuple(dict.fromkeys(filter(None, map(str.strip, musts))))
        needles: dict[str, int] = {}
        self._numbers = [
            tuple(
                needles.setdefault(text, len(needles)) for text in _needle_texts(must)
            )
            for must in self.musts
        ]
        self._needles = [_needle(text) for text in needles]
        self._by_word: defaultdict[str, list[int]] = defaultdict(list)
        self._near_by_word: defaultdict[str, list[int]] = defaultdict(list)
        for number, needle in enumerate(self._needles):
            for word in needle.words:
                self._by_word[word].append(number)
            for word in needle.near:
                self._near_by_word[word].append(number)
        self._marks = [
            number for number, one in enumerate(self._needles) if not one.words
        ]
        self._cached: dict[int, tuple[Message, _Matches]] = {}

    def look(self, messages: Sequence[Message]) -> list[_Occurrence]:
        """Return the best that the messages have of each needle."""
        best = [_NOTHING] * len(self._needles)
        for index, message in enumerate(messages):
            for number, match in self._matches(message).items():
                if match.rank > best[number].match.rank:
                    best[number] = _Occurrence(index, match)
        return best

    def needle(self, number: int) -> _Needle:
        return self._needles[number]

    def numbers(self, must: int) -> tuple[int, ...]:
        """Return the needles of a must."""
        return self._numbers[must]

    def _matches(self, message: Message) -> _Matches:
        cached = self._cached.get(id(message))
        if cached is not None:  # the message is held, so that no other has its id
            return cached[1]
        if len(self._cached) >= _MAX_CACHED:
            self._cached.clear()
        found = dict(self._search(searchable_text(message)))
        self._cached[id(message)] = message, found
        return found

    def _search(self, text: str) -> Iterator[tuple[int, _Match]]:
        words = distinct_words(text)
        shared = [word for word in words if word in self._by_word]
        counts = Counter(number for word in shared for number in self._by_word[word])
        if not counts and not self._marks:
            return
        plain = folded(text)
        nearest = self._nearest_sentences(text, words)
        for number in (*counts, *self._marks):
            needle = self._needles[number]
            match = None
            # Only a text with all its words can have it as it stands.
            if counts[number] == len(needle.words):
                match = _whole_match(needle, text, plain)
            match = match or nearest.get(number) or _named(needle, text)
            if match is not None:
                yield number, match

    def _nearest_sentences(self, text: str, words: Iterable[str]) -> _Matches:
        """Return for each needle the sentence that has most of its words, at least half of them;
        all words of a short one, as a single common word stands in many that mean another thing."""
        possible = {
            number for number, share in self._near_shares(words) if share >= NEAR_SHARE
        }
        found: dict[int, _Match] = {}
        if not possible:  # nearly always: then no text is split
            return found
        for sentence in split_sentences(text):
            for number, share in self._near_shares(content_words(sentence)):
                if number not in possible or share < NEAR_SHARE:
                    continue
                needle = self._needles[number]
                if needle.is_short and not needle.words <= set(words_in(sentence)):
                    continue
                known = found.get(number)
                if known is None or share > known.share:
                    found[number] = _Match(
                        share=share, nearest=shorten(sentence, MAX_NEAREST)
                    )
        return found

    def _near_shares(self, words: Iterable[str]) -> Iterator[tuple[int, float]]:
        """Yield the needles that have one of these words, with the share of theirs that is there."""
        hits = Counter[int]()
        for word in words:
            hits.update(self._near_by_word.get(word, ()))
        for number, count in hits.items():
            yield number, count / len(self._needles[number].near)


def _needle_texts(must: str) -> tuple[str, ...]:
    if _is_name(must):
        return (must,)
    return person_sentences(must)


def _is_name(text: str) -> bool:
    """Return whether a text is one name: a path, a number, an identifier, or a single word."""
    if any(name.text == text for name in names_in(text)):
        return True
    return text.isascii() and " " not in text


def _needle(text: str) -> _Needle:
    names = tuple(dict.fromkeys(name.text for name in names_in(text)))
    if _is_name(text):
        if "/" in text:
            core = canonical(text)
        else:
            core = text
        return _Needle(
            text, True, core, frozenset(distinct_words(core)), frozenset(), names
        )
    core = sentence_core(text)
    return _Needle(
        text, False, core, frozenset(distinct_words(core)), near_words(text), names
    )


def _whole_match(needle: _Needle, text: str, plain: str) -> _Match | None:
    """Return the match of a text that has all words of a needle; None where they stand apart."""
    if needle.is_name:
        return _STANDS if contains_needle(needle.core, text, is_cut=False) else None
    standing = standing_in(needle.core, plain)
    if standing.alone:
        return _STANDS
    if standing.inside:
        return _Match(share=_QUOTED, nearest=sentence_with(needle.core, text))
    return None


def _named(needle: _Needle, text: str) -> _Match | None:
    """Return the match of a text that has one of the names of a needle; of a path its end."""
    names = _tails(needle.text) if needle.is_name else needle.names
    for name in names:
        if contains_needle(name, text, is_cut=False):
            return _Match(share=_NAMED, nearest=sentence_with(name, text))
    return None


def _tails(path: str) -> Iterator[str]:
    """Yield the ends of a path, the longest first, at last the name of the file alone."""
    if not any(name.kind is NameKind.PATH for name in names_in(path)):
        return
    parts = path.strip("/").split("/")
    yield from ("/".join(parts[start:]) for start in range(1, len(parts)))


@dataclass(frozen=True, slots=True)
class _File:
    """What does not depend on a result: the system prompt, and what the whole file says."""

    system: tuple[Message, ...]
    occurrences: tuple[_Occurrence, ...]


def must_evidence(
    preview: Preview, musts: Iterable[str], stages: StageCache
) -> tuple[MustEvidence, ...]:
    """Return what the result of a preview, as it would be exported, holds of each must, worst
    first. Texts are searched once in ``stages``, which results of one conversation share."""
    texts = tuple(musts)
    if not texts:
        return ()
    search = stages.get_or_compute("must search", texts, lambda: MustSearch(texts))
    conversation = preview.source.conversation
    file = stages.get_or_compute(
        "must file", texts, lambda: _whole_file(search, conversation)
    )
    messages = evidence_compaction(preview).messages
    in_result = search.look((*messages, *file.system))
    in_source = search.look(preview.messages)
    found = []
    for number, text in enumerate(search.musts):
        needles = search.numbers(number)
        sentences = tuple(
            _evidence(
                search.needle(one).text,
                in_result[one],
                len(messages),
                is_part=_is_part(file.occurrences[one]),
            )
            for one in needles
        )
        is_said = any(
            _is_said(file.occurrences[one], search.needle(one)) for one in needles
        )
        status = _must_status(
            sentences, is_said=is_said, is_written=not preview.summary.unwritten
        )
        places = [
            in_source[one].index
            for one in needles
            if _is_said(in_source[one], search.needle(one))
        ]
        is_lost = status in (MustStatus.GONE, MustStatus.IN_PART) and not places
        one = MustEvidence(
            text=text,
            status=status,
            is_name=search.needle(needles[0]).is_name,
            sentences=sentences,
            message=min(places, default=-1),
            gone_since=_lost_at(search, needles, preview) if is_lost else None,
        )
        found.append(one)
    return tuple(sorted(found, key=must_order))


def must_marks(
    preview: Preview, musts: Sequence[str], stages: StageCache
) -> tuple[MustMark, ...]:
    """Return the evidence of each must in short, in the order of ``musts``: that of every result
    is the same."""
    found = {one.text: one for one in must_evidence(preview, musts, stages)}
    texts = dict.fromkeys(filter(None, map(str.strip, musts)))
    return tuple(
        MustMark(text, found[text].status, found[text].message) for text in texts
    )


def _is_part(occurrence: _Occurrence) -> bool:
    """Return whether a text stands in the session only as a part of sentences."""
    return not occurrence.match.stands and occurrence.match.share == _QUOTED


def _evidence(
    text: str, occurrence: _Occurrence, count: int, *, is_part: bool
) -> SentenceEvidence:
    """Return the evidence of a result of ``count`` messages; the system prompt is behind them, and
    none of them. ``is_part``: it is no sentence, so that it may stand inside one."""
    index = occurrence.index if occurrence.index < count else -1
    if occurrence.match.stands or (is_part and occurrence.match.share == _QUOTED):
        return SentenceEvidence(text, SentenceStatus.STANDS, index)
    if occurrence.match.nearest:
        return SentenceEvidence(
            text, SentenceStatus.NEAREST, index, occurrence.match.nearest
        )
    return SentenceEvidence(text, SentenceStatus.GONE)


def _is_said(occurrence: _Occurrence, needle: _Needle) -> bool:
    """Return whether the words themselves were said, or most of them; a name of them is not
    enough."""
    match = occurrence.match
    if match.stands or match.share == _QUOTED:
        return True
    return is_near(match.share, len(needle.near))


def _must_status(
    sentences: Sequence[SentenceEvidence], *, is_said: bool, is_written: bool
) -> MustStatus:
    statuses = {one.status for one in sentences}
    if statuses == {SentenceStatus.STANDS}:
        return MustStatus.WORD_FOR_WORD
    if not is_said:
        return MustStatus.NOT_SAID
    if not is_written:
        return MustStatus.NOT_WRITTEN
    return MustStatus.GONE if statuses == {SentenceStatus.GONE} else MustStatus.IN_PART


def must_order(must: MustEvidence) -> tuple[int, bool]:
    """Return the place of a must in the list: worst first, missing numbers and negations before
    others that stand in part."""
    order = tuple(MustStatus)
    is_turned = must.status is MustStatus.IN_PART and any(
        map(_lacks_a_turn, must.sentences)
    )
    return order.index(must.status), not is_turned


def _lacks_a_turn(sentence: SentenceEvidence) -> bool:
    words = " ".join(span.text for span in sentence.differs.missing)
    return _NEGATION.search(words) is not None or any(map(str.isdigit, words))


def _whole_file(search: MustSearch, conversation: Conversation) -> _File:
    texts = conversation.system.texts
    system = (Message(Speaker.SYSTEM, tuple(map(Text, texts))),) if texts else ()
    summaries = [message for one in conversation.recorded for message in one.summary]
    said = search.look((*conversation.messages, *summaries, *system))
    return _File(system, tuple(said))


def _lost_at(
    search: MustSearch, needles: Sequence[int], preview: Preview
) -> int | None:
    """Return the last recorded compaction before which a must stood in the context of the model."""
    conversation, scope = preview.source.conversation, preview.source.history.scope
    if scope == CURRENT:
        last = len(conversation.recorded)
    else:
        last = 0
    if scope.startswith(BEFORE):
        last = int(scope.removeprefix(BEFORE)) - 1
    for number in range(last, 0, -1):
        found = search.look(
            history_of_scope(conversation, f"{BEFORE}{number}").messages
        )
        if any(_is_said(found[one], search.needle(one)) for one in needles):
            return number
    return None


# The texts that must survive: as files hold them, one a line, beside a session and in its project
# (``.foldline-must.txt``), read and never written; and as typed, in the state folder.


FILE_NAME = ".foldline-must.txt"
MAX_MUSTS, MAX_CHARACTERS = 200, 500
_MAX_BYTES = 1_000_000
_COMMENT = "#"


@dataclass(frozen=True, slots=True)
class MustFile:
    """The texts of a file, and how many lines are left out because they are too many or too
    long."""

    path: Path
    musts: tuple[str, ...]
    left_out: int = 0


def read_must_file(path: Path) -> MustFile:
    """Return the texts of a file. Raises InputError where it cannot be read or is no UTF-8."""
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise InputError(
            f"{path}, the file of what must survive, cannot be read: "
            f"{(error.strerror or str(error)).lower()}.",
            "Check the path.",
        ) from None
    except UnicodeDecodeError:
        raise InputError(
            f"{path} is not UTF-8.", "Save it as UTF-8, one text a line."
        ) from None
    lines = dict.fromkeys(line.strip() for line in text.splitlines())
    texts = [line for line in lines if line and not _is_comment(line)]
    fitting = [line for line in texts if len(line) <= MAX_CHARACTERS][:MAX_MUSTS]
    return MustFile(path, tuple(fitting), len(texts) - len(fitting))


def _is_comment(line: str) -> bool:
    """A number like #123 is a text, "# …" is none."""
    return line == _COMMENT or line.startswith(f"{_COMMENT} ")


def must_files(conversation: Conversation) -> list[MustFile]:
    """Read the files beside a session and in its project, both upwards, at most to the home folder;
    the nearest first. Raises InputError for one that cannot be read."""
    folders = dict.fromkeys(
        folder for start in _starts(conversation) for folder in _upwards(start)
    )
    paths = (folder / FILE_NAME for folder in folders)
    return [read_must_file(path) for path in paths if path.is_file()]


def _starts(conversation: Conversation) -> Iterator[Path]:
    document = conversation.document
    if document.data is None and document.absolute_path:
        yield Path(document.absolute_path).parent
    if conversation.cwd and Path(conversation.cwd).is_absolute():
        yield Path(conversation.cwd)


def _upwards(folder: Path) -> Iterable[Path]:
    home = Path.home()
    folders = (folder, *folder.parents)
    below = list(takewhile(lambda one: one != home, folders))
    if len(below) < len(folders):
        return (*below, home)
    return below


@dataclass(frozen=True, slots=True)
class TypedMusts:
    """The texts that a person typed for a session or named to a command, and those of files that
    are ignored there."""

    texts: tuple[str, ...] = ()
    ignored: frozenset[str] = frozenset()

    def with_text(self, text: str) -> TypedMusts:
        """Return the same with a text, which is ignored no longer."""
        text = text.strip()
        if text in self.texts or not text:
            texts = self.texts
        else:
            texts = (*self.texts, text)
        return TypedMusts(texts, self.ignored - {text})

    def without(self, text: str) -> TypedMusts:
        """Return the same without a typed text, or with one of a file ignored."""
        if text in self.texts:
            return TypedMusts(
                tuple(one for one in self.texts if one != text), self.ignored
            )
        return TypedMusts(self.texts, self.ignored | {text})

    def joined(self, files: Iterable[MustFile]) -> tuple[str, ...]:
        """Return the texts of the files that are not ignored, then the typed ones, each once."""
        of_files = [text for file in files for text in file.musts]
        kept = [text for text in of_files if text not in self.ignored]
        return tuple(dict.fromkeys((*kept, *self.texts)))


NOTHING_TYPED = TypedMusts()
_STATE_FOLDER = "musts"


def load_typed_musts(conversation: Conversation) -> TypedMusts:
    """Return what was typed for a session; a file that cannot be read counts as missing."""
    try:
        saved: Any = json.loads(_state_file(conversation).read_text("utf-8"))
        texts, ignored = saved["texts"], saved["ignored"]
    except (OSError, ValueError, TypeError, KeyError):
        return TypedMusts()
    if not isinstance(texts, list) or not isinstance(ignored, list):
        return TypedMusts()
    return TypedMusts(tuple(map(str, texts)), frozenset(map(str, ignored)))


def session_musts(
    conversation: Conversation, typed: TypedMusts = NOTHING_TYPED
) -> tuple[str, ...]:
    """Return the texts that must survive in a session, of its files and as typed. Raises
    InputError for a file that cannot be read."""
    return typed.joined(must_files(conversation))


def save_typed_musts(conversation: Conversation, musts: TypedMusts) -> None:
    """Save what was typed for a session. Raises InputError where it cannot be written."""
    file = _state_file(conversation)
    if musts == TypedMusts() and not file.exists():
        return
    create_parent_folder(file)
    saved = {"texts": list(musts.texts), "ignored": sorted(musts.ignored)}
    write_atomic(file, json.dumps(saved, ensure_ascii=False).encode(), overwrite=True)


def _state_file(conversation: Conversation) -> Path:
    return session_file(conversation.messages, state_dir() / _STATE_FOLDER)
