"""What a summary names or gives to the person and the source does not have (LOSS-2.4.1).

Quotations are looked for word for word, in any case and punctuation. An order told in other words
is reported only if hardly any of its words are the person's.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, cached_property
from itertools import chain, zip_longest
from pathlib import Path

from core.facts.model import FactKind
from core.facts.name_patterns import TELLING_KINDS, Name, NameKind, names_in
from core.facts.sentences import DIGEST_TITLE, plain_text, searchable_text
from core.losses.evidence import (
    Evidence,
    EvidenceStatus,
    NowhereName,
    SummaryEvidence,
    UnsaidWords,
)
from core.losses.texts import TextIndex, nearest_sentence
from core.summarize.summary_lines import (
    EMPTY_SECTIONS_PREFIX,
    FOLDER_PREFIX,
    TRANSCRIPT_PREFIX,
)
from core.transcript.compaction import Compaction, FateKind
from core.transcript.model import Message, Speaker

# How a summary gives words to the person, by language.


_COMPOUND = r"\b(?:nutzer|benutzer|anwender)(?:nachrichten|anweisungen|wünsche|anfragen|vorgaben)\b"
_OTHERS = (
    r"\b(?:assistant|the agent|the model|der assistent|l['’]assistant|el asistente|o assistente)\b",
    r"\bассистент\b|助手|模型|アシスタント",
    r"\b(?:I|we)(?: \w+)? (?:said|asked|replied|answered|wrote|suggested|told|proposed|explained)\b",
    r"\b(?:(?:auf )?meine|ich)\b",
    r"\b(?:errors?|logs?|output|file|command|readme|tests?)\b",
    r"\bthe (?:tool|script|build|server|worker|profile|page|title)\b",
)
"""Who and what else is quoted in the same sentence."""


@dataclass(frozen=True, slots=True)
class Language:
    """``person_words``: the words for the person; ``common``: frequent words, none where the script
    tells the language."""

    person_words: re.Pattern[str]
    common: frozenset[str]


@cache
def _words() -> Mapping[str, Mapping[str, list[str]]]:
    """Return the words by which a summary gives something to the person, by language and kind."""
    text = Path(__file__).with_name("attributions.toml").read_text("utf-8")
    return tomllib.loads(text)


# The patterns have many alternatives and take milliseconds to compile, and a summary that quotes
# nobody needs few of them: each is compiled when it is first used.


@cache
def _languages() -> Mapping[str, Language]:
    return {
        name: Language(
            _any([*one["person"], *one["of_person"]]),
            frozenset(" ".join(one["common"]).split()),
        )
        for name, one in _words().items()
    }


@cache
def _subject() -> re.Pattern[str]:
    """Return what the person is called."""
    return _any(
        pattern
        for one in _words().values()
        for pattern in (*one["of_person"], *one["person"])
    )


@cache
def _speech() -> re.Pattern[str]:
    """Return the verbs of saying."""
    return _any(chain.from_iterable(one["speech"] for one in _words().values()))


@cache
def _order() -> re.Pattern[str]:
    """Return the person and a verb of wishing."""
    return _any(
        rf"{_group(one['person'])}[^.!?\"“]{{0,12}}?{_group(one['orders'])}"
        for one in _words().values()
        if one["orders"]
    )


@cache
def _title() -> re.Pattern[str]:
    """Return the heading of a section of the person's words."""
    return _any([*_titles(_words().values()), _COMPOUND])


@cache
def _label() -> re.Pattern[str]:
    """Return what stands before words of the person in the same line."""
    persons = [_group(one["person"]) for one in _words().values()]
    names = _group([*_titles(_words().values()), *persons])
    return re.compile(rf"^[\s\[*_]*{names}[\s\]*_]*[:：]\s*", re.IGNORECASE)


@cache
def _other() -> re.Pattern[str]:
    """Return the names of somebody else."""
    return _any(_OTHERS)


def _titles(words: Iterable[Mapping[str, list[str]]]) -> Iterator[str]:
    """Yield "messages of the user" and "user messages" of each language."""
    for one in words:
        things = _group(one["things"])
        yield rf"{things}[:\s]*{_group(one['of_person'])}"
        yield rf"{_group(one['person'])}[\s的の]*(?:\w+ )?{things}"


def _group(patterns: Iterable[str]) -> str:
    return f"(?:{'|'.join(patterns)})"


def _any(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_QUOTATION = re.compile(
    r"\"(?P<straight>[^\"]{3,2000})\"|[“„](?P<curly>[^“”„]{3,2000})[”“]"
    r"|«(?P<angles>[^«»]{3,2000})»|「(?P<corners>[^「」]{3,2000})」|『(?P<double>[^『』]{3,2000})』"
    r"|(?<![\w'])'(?P<single>[^'\n](?:[^'\n]|(?<=\w)'(?=\w)){3,2000})'(?!\w)"
    r"|`(?P<code>[^`\n]{3,2000})`"
)
_TAG = re.compile(r"</?[\w-]+>")
"""A harness writes a slash command and what follows it between tags."""
_GAP = re.compile(r"…|\.{3,}|\[[^\]\n]{0,40}\]|⟨[^⟩\n]*⟩")
"""What a quotation leaves out, or a word put in for another."""
_UNSPACED = r"\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_APOSTROPHE = re.compile(r"(?<=\w)['’ʼ](?=\w)")
_STATEMENT_END = re.compile(r"[.!?;。！？；](?:\s+|$)|[。！？；]|\n")
_CONNECTOR = re.compile(
    r"[\s,;、，/&()+]*(?:and|or|then|also|und|et|y|e|и|和|と)?[\s,;、，(]*"
)
"""What joins two quotations of one speaker."""
_HEADING_LINE = re.compile(
    r"^\s*(?:#{1,6}\s+\S.*|\*\*[^*\n]{2,60}\*\*:?|</?[\w-]+>|[^\"“„«「\n]{2,70}[:：])\s*$"
)
_TITLE_MARKS = re.compile(r"^[\s#*<\d.)/]+|[\s*>:：]+$")
_BULLET = re.compile(r"^\s*(?:[-*•>+]|\d{1,3}[.)、])\s+")
_ANSWERED = re.compile(
    r"(?i)\b(?:the )?user\b.{0,30}"
    r"\b(?:said|says|answered|replied|wrote|feedback|chose|selected)"
)
"""How agents write what the person answered into the result of a tool."""

_MIN_TOKENS = 3  # of a quotation; fewer may be the name of a thing
_MIN_LISTED = 2  # of one in a list of the person's messages
_MIN_UNSPACED = 4  # characters of a script without spaces
_NEAR_WORDS = 6  # words between who speaks and what is quoted
_MIN_ORDER, _OWN_SHARE = 3, 0.2
"""An order in other words: fewest long words, and the part of them that has to be the person's."""
_STEM = 5  # letters of a long word, of which only these are compared
_MIN_TYPO_WORDS, _TYPO_SHARE, _TYPO_RATIO = 4, 0.25, 0.72
"""A quotation may mend spelling: from so many words on, of so many of them, that are so alike."""
_KNOWN_LANGUAGE = 2  # common words of a language that the person used


@dataclass(frozen=True, slots=True)
class Attribution:
    """Words that a text gives to the person, at ``start``. ``is_quoted``: word for word;
    ``is_embedded``: quoted within what the person is said to have said, perhaps of something
    else. ``language``: in which an order is told, "" for a quotation."""

    start: int
    text: str
    is_quoted: bool = True
    is_embedded: bool = False
    language: str = ""


class PersonsWords:
    """The messages of the person in a history, folded; and those of everybody."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages

    @cached_property
    def _person_tokens(self) -> tuple[tuple[str, ...], ...]:
        own = (
            _TAG.sub(" ", searchable_text(one))
            for one in self._messages
            if _may_be_of_the_person(one)
        )
        answers = (
            searchable_text(one)
            for one in self._messages
            if one.speaker is Speaker.TOOL
        )
        texts = [*own, *(text for text in answers if _ANSWERED.search(text))]
        return tuple(map(_tokens, texts))

    @cached_property
    def _person_texts(self) -> tuple[str, ...]:
        return tuple(map(_joined, self._person_tokens))

    @cached_property
    def _all_texts(self) -> tuple[str, ...]:
        return tuple(_joined(_tokens(searchable_text(one))) for one in self._messages)

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(
            stem for tokens in self._person_tokens for stem in _stems(tokens)
        )

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(token for tokens in self._person_tokens for token in tokens)

    def hold(self, given: Attribution) -> bool:
        """Return whether what is given to the person stands in the person's messages, as far as
        this can be said."""
        if not given.is_quoted:
            return self._may_have_ordered(given)
        texts = self._all_texts if given.is_embedded else self._person_texts
        parts = [_tokens(part) for part in _GAP.split(given.text)]
        return all(self._holds(part, texts) for part in parts if part)

    def _holds(self, tokens: tuple[str, ...], texts: Sequence[str]) -> bool:
        words = _joined(tokens)
        if any(words in text for text in texts):
            return True
        if len(tokens) == 1:  # what a gap leaves of a word
            return any(words.strip() in text for text in texts)
        return any(_holds_with_typos(tokens, own) for own in self._person_tokens)

    def _may_have_ordered(self, given: Attribution) -> bool:
        common = _languages()[given.language].common
        if common and len(common & self._words) < _KNOWN_LANGUAGE:
            return True  # the person speaks another language
        stems = frozenset(_stems(_tokens(given.text)))
        if len(stems) < _MIN_ORDER:
            return True
        return len(stems & self._stems) >= _OWN_SHARE * len(stems)


def _may_be_of_the_person(message: Message) -> bool:
    """Return whether a message may hold words of the person: also rules in files, and the messages
    that an earlier summary quotes."""
    return message.speaker not in (Speaker.AI, Speaker.TOOL)


def attributions_in(text: str) -> Iterator[Attribution]:
    """Yield the quotations and orders that a summary gives to the person."""
    is_of_person = False
    for start, unit in _units(text):
        if _HEADING_LINE.match(unit):
            title = _TITLE_MARKS.sub("", unit)
            is_of_person = not unit.lstrip().startswith("</") and _is_person_title(
                title
            )
            continue
        yield from _unit_attributions(unit, start, is_of_person)


def _is_person_title(title: str) -> bool:
    if _title().search(title.replace("_", " ")):
        return True
    subject = _subject().search(title)
    return subject is not None and _speech().search(title, subject.end()) is not None


def _units(text: str) -> Iterator[tuple[int, str]]:
    """Yield headings, items of lists and paragraphs, each with its place."""
    start = 0
    lines = list[str]()
    position = 0
    for line in text.splitlines(keepends=True):
        is_after_heading = bool(lines) and _is_heading(lines[0])
        if is_after_heading or _begins_unit(line):
            if lines:
                yield start, "".join(lines).rstrip("\n")
            lines = []
        if line.strip():
            if not lines:
                start = position
            lines.append(line)
        position += len(line)
    if lines:
        yield start, "".join(lines).rstrip("\n")


def _is_heading(line: str) -> bool:
    return _HEADING_LINE.match(line.rstrip("\n")) is not None


def _begins_unit(line: str) -> bool:
    return not line.strip() or _BULLET.match(line) is not None or _is_heading(line)


def _unit_attributions(
    unit: str, start: int, is_of_person: bool
) -> Iterator[Attribution]:
    quotations = list(_QUOTATION.finditer(unit))
    label = _label().match(_BULLET.sub("", unit))
    found = list[Attribution]()
    before, was_of_person = 0, False
    for quotation in quotations:
        prefix, is_continued = _sentence_before(unit, before, quotation.start())
        suffix = unit[quotation.end() : quotation.end() + 80]
        is_first = not before
        before = quotation.end()
        kind = _kind_of(prefix, suffix)
        if kind is None and not _other().search(prefix):
            kind = _kind_by_place(
                is_of_person, is_continued=was_of_person and is_continued
            )
        was_of_person = kind is not None
        if kind is None or (quotation.lastgroup == "code" and kind == "embedded"):
            continue
        words = quotation[quotation.lastgroup or 0]
        least = (
            _MIN_LISTED if kind in ("listed", "spoken") and is_first else _MIN_TOKENS
        )
        if _is_long_enough(words, least):
            place = start + quotation.start()
            found.append(Attribution(place, words, is_embedded=kind == "embedded"))
    yield from found
    if not found:
        yield from _unquoted(unit, start, is_of_person, label)


def _kind_by_place(is_of_person: bool, *, is_continued: bool) -> str | None:
    """Return the kind of a quotation that nothing introduces: one of a section with what the person
    said, or one that goes on after such a quotation."""
    if is_of_person:
        return "listed"
    return "embedded" if is_continued else None


def _sentence_before(unit: str, least: int, end: int) -> tuple[str, bool]:
    """Return what stands between a quotation and the beginning of its sentence, or the quotation
    before; and whether it joins the two."""
    text = unit[least:end]
    ends = [match.end() for match in _STATEMENT_END.finditer(text)]
    if ends:
        return text[ends[-1] :], False
    return text, _CONNECTOR.fullmatch(text) is not None


def _kind_of(prefix: str, suffix: str) -> str | None:
    """Return how a quotation is given to the person: "spoken", "embedded", or not at all."""
    subjects = [*_subject().finditer(prefix)]
    if subjects:
        rest = prefix[subjects[-1].end() :]
        if _other().search(rest):
            return None
        is_near = len(rest.split()) <= _NEAR_WORDS and (
            _speech().search(rest) is not None
            or rest.rstrip().endswith((":", "：", "`"))
        )
        return "spoken" if is_near and _ends_in_speech(rest) else "embedded"
    sentence = _STATEMENT_END.split(suffix)[0]
    after = _subject().search(sentence)
    is_said_after = (
        after is not None
        and after.start() <= 6
        and not _other().search(prefix)
        and _speech().search(sentence, after.end()) is not None
    )
    return "spoken" if is_said_after else None


def _ends_in_speech(rest: str) -> bool:
    """Return whether nothing but an object stands between who speaks and what is quoted."""
    tail = rest.rstrip(" \t(")
    if tail.endswith((":", "：", ",", "，", "は", "「")):
        return True
    speech = list(_speech().finditer(tail))
    return bool(speech) and len(tail[speech[-1].end() :].split()) <= 2


def _unquoted(
    unit: str, start: int, is_of_person: bool, label: re.Match[str] | None
) -> Iterator[Attribution]:
    """Yield an item of a list of the person's messages, and orders told in other words."""
    if is_of_person or label is not None:
        text = _BULLET.sub("", unit)
        if label is not None:
            text = text[label.end() :]
        for line in text.splitlines():
            language = _language_of(line)
            yield Attribution(start, line.strip(), is_quoted=False, language=language)
        return
    position = 0
    for end in (*(match.end() for match in _STATEMENT_END.finditer(unit)), len(unit)):
        sentence = unit[position:end]
        order = _order().search(sentence)
        if order is not None:
            text = _QUOTATION.sub(" ", sentence[order.end() :]).strip()
            language = _language_of(order[0])
            yield Attribution(
                start + position, text, is_quoted=False, language=language
            )
        position = end


def _language_of(text: str) -> str:
    """Return the language whose words for the person a text has; English where none has any."""
    found = (
        name for name, one in _languages().items() if one.person_words.search(text)
    )
    return next(found, "en")


def _is_long_enough(words: str, least: int) -> bool:
    tokens = _tokens(words)
    unspaced = sum(re.match(f"[{_UNSPACED}]", token) is not None for token in tokens)
    return unspaced >= _MIN_UNSPACED or len(tokens) - unspaced >= least


@cache
def _token() -> re.Pattern[str]:
    return re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")


def _tokens(text: str) -> tuple[str, ...]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return tuple(_token().findall(_APOSTROPHE.sub("", folded)))


def _joined(tokens: Sequence[str]) -> str:
    return f" {' '.join(tokens)} "


def _stems(tokens: Sequence[str]) -> Iterator[str]:
    """Yield the beginnings of long words; of scripts without spaces, pairs of characters."""
    for token, following in zip_longest(tokens, tokens[1:], fillvalue=""):
        if len(token) >= _STEM:
            yield token[:_STEM]
        elif (
            len(token) == 1 == len(following)
            and token > "\u0e00"
            and following > "\u0e00"
        ):
            yield token + following


def _holds_with_typos(words: tuple[str, ...], own: tuple[str, ...]) -> bool:
    """Return whether a text has the words in a row, some of them spelled otherwise."""
    count = len(words)
    if count < _MIN_TYPO_WORDS:
        return False
    allowed = int(count * _TYPO_SHARE)
    for start in range(len(own) - count + 1):
        window = own[start : start + count]
        differing = [
            pair for pair in zip(words, window, strict=True) if pair[0] != pair[1]
        ]
        if len(differing) <= allowed and all(_is_typo(*pair) for pair in differing):
            return True
    return False


def _is_typo(word: str, other: str) -> bool:
    if min(len(word), len(other)) < _STEM - 1 or any(map(str.isdigit, word + other)):
        return False
    return SequenceMatcher(None, word, other).ratio() >= _TYPO_RATIO


# Finds the summaries of a result and splits them into sentences.


_TAG_LINE = re.compile(r"^(?:</?[\w-]+>\s*)+$")
_TAGS = re.compile(r"^(?:</?[\w-]+>\s*)+|(?:\s*</?[\w-]+>)+$")
_HEADING = re.compile(
    r"^(?:#{1,6}\s.*|(?:[-*•]\s+|\d{1,2}[.)]\s+)?(?:\*\*[^*]{2,60}\*\*:?|[A-Z][\w&/' -]{1,48}:))$"
)
_LEAD = re.compile(r"^(?:[-*•>→]\s+|\d{1,2}[.)]\s+)+")
_EMPTY_PHRASE = re.compile(
    r"^\W*(?:none|none noted|n/a|nothing)?\W*$|^… and [\d,]+ more .*$", re.IGNORECASE
)
_MIN_WORDS = 4  # words; shorter sentences join the next one
_FRAME_STARTS = (EMPTY_SECTIONS_PREFIX, FOLDER_PREFIX, TRANSCRIPT_PREFIX, DIGEST_TITLE)
_SENTENCE_END = re.compile(
    r"\s+→\s+|(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)[\"')”]?\s+(?=[\"'`(“]?[A-Z0-9])"
)


@dataclass(frozen=True, slots=True)
class SummaryPart:
    """The text of a summary, its index in the result, and the source messages that it covers."""

    index: int
    text: str
    origins: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SummarySentence:
    """A sentence at ``start`` of a text, without bullets and tags around it."""

    start: int
    text: str


def find_summaries(compaction: Compaction) -> tuple[SummaryPart, ...]:
    """Return the summaries of a result in order, without framing text."""
    if compaction.summary is not None:
        summary_text = compaction.summary.text
    else:
        summary_text = ""
    parts = []
    for index in sorted(compaction.inserted):
        message, origins = compaction.messages[index], compaction.origins[index]
        text = plain_text(message)
        if origins and text.strip() and message.speaker is not Speaker.TOOL:
            unframed_text = (
                summary_text if summary_text and summary_text in text else text
            )
            parts.append(SummaryPart(index, unframed_text, origins))
    return tuple(parts)


def sentences_in(text: str) -> Iterator[SummarySentence]:
    """Split a summary into sentences, without tags, headings and empty phrases."""
    next_start = 0
    for line in text.splitlines(keepends=True):
        start = next_start
        next_start = next_start + len(line)
        stripped_line = line.strip()
        if (
            not stripped_line
            or _TAG_LINE.match(stripped_line)
            or _HEADING.match(stripped_line)
            or stripped_line.startswith(("```", "~~~"))
        ):
            continue
        if not stripped_line.startswith(_FRAME_STARTS):
            yield from _line_sentences(line, start)


def _line_sentences(line: str, start: int) -> Iterator[SummarySentence]:
    position = 0
    for end in (*_SENTENCE_END.finditer(line), None):
        if (
            end is not None
            and len(line[position : end.start()].split()) < _MIN_WORDS
            and "→" not in end[0]
        ):
            continue
        if end is None:
            sentence_end = len(line)
        else:
            sentence_end = end.start()
        # closing quotes belong to the sentence before the blanks
        sentence_end += (
            len(end[0]) - len(end[0].lstrip("\"')”")) if end is not None else 0
        )
        sentence = _strip_markup(line[position:sentence_end], start + position)
        if sentence is not None:
            yield sentence
        position = sentence_end


def _strip_markup(text: str, start: int) -> SummarySentence | None:
    """Return the sentence without bullets and tags around it; None if nothing is left."""
    for pattern in (_TAGS, _LEAD):
        stripped = text.lstrip()
        start += len(text) - len(stripped)
        match = pattern.match(stripped)
        if match is not None and match.start() == 0:
            prefix_length = match.end()
        else:
            prefix_length = 0
        text = stripped[prefix_length:]
        start = start + prefix_length
    text = _TAGS.sub("", text).strip()
    if _EMPTY_PHRASE.match(text):
        return None
    return SummarySentence(start, text)


_MAX_NEAREST = 400  # characters
_CUT = re.compile(r"\S*\s?(?:…|\.\.\.(?=\s|$))\S*|\S*\s*\[truncated\]")
"""Words that a text cuts off: nobody can say whether they stand in the source."""
_ESCAPE = re.compile(r"\\[nrt]")
"""A line break or a tab, or where a part of a Windows path begins."""
_DRIVE_FOLDER = re.compile(r"(?<!\w)[A-Za-z]:(?:\\[\w@-]+)*$")
_PART_BEFORE = re.compile(r"[\w.@-]+$")
_PART_AFTER = re.compile(r"[\w.@-]+")
_MAX_PATH = 400  # characters
_HARNESS = re.compile(r"(?i:\bfull transcript\b.*|\bsession(?:[ _]?id)?: \S+)")
"""What a harness writes of itself."""
_EXCERPT_HEAD = re.compile(r"^#\d+ (?:input|pasted|model|other)\b", re.MULTILINE)
"""From which message the lines below it are, and who wrote them: a head of the strategy excerpt."""
_APPROXIMATE = re.compile(
    r"(?:[~≈<>≤≥+]|\b(?:about|around|approximately|approx\.?|roughly|some|over|under|nearly|almost|more than|"
    r"less than|up to|at (?:most|least)))\s*$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\s*(?:(?:new|more|other|failing|passing)\s+)?(?:calls?|messages?|tokens)\b"
)
"""What a summary counts of the session itself."""
_DIGITS = re.compile(r"\d[\d,_]*(?:\.\d+)?")
_PARTS = re.compile(r"\.|::")


def summary_evidence(
    parts: Sequence[SummaryPart], messages: Sequence[Message], source: TextIndex
) -> SummaryEvidence:
    """Return what the summaries name that no message has, and what they give to the person who did
    not say it. ``source`` is indexed by their words."""
    nowhere: dict[str, NowhereName] = {}
    count = 0
    for part in parts:
        covered = frozenset(part.origins)
        for sentence in sentences_in(part.text):
            count += 1
            for name in absent_names(sentence.text, source):
                if name.text not in nowhere:
                    nearest, message = nearest_sentence(
                        sentence.text, messages, source, covered
                    )
                    nowhere[name.text] = NowhereName(
                        name.kind,
                        name.text,
                        sentence.text,
                        part.index,
                        nearest=nearest[:_MAX_NEAREST],
                        nearest_message=message,
                    )
    unsaid = {
        one.text: one for part in parts for one in _unsaid_words(part, messages, source)
    }
    return SummaryEvidence(count, tuple(nowhere.values()), tuple(unsaid.values()))


def _unsaid_words(
    part: SummaryPart, messages: Sequence[Message], source: TextIndex
) -> Iterator[UnsaidWords]:
    """Yield what a summary gives to the person and stands in none of the person's messages."""
    words = PersonsWords(messages)
    for given in attributions_in(part.text):
        if words.hold(given):
            continue
        text = " ".join(given.text.split())
        nearest, message = nearest_sentence(
            text, messages, source, frozenset(part.origins)
        )
        yield UnsaidWords(
            text, part.index, given.is_quoted, nearest[:_MAX_NEAREST], message
        )


def absent_names(sentence: str, source: TextIndex) -> Iterator[Name]:
    """Yield the names of a sentence that stand nowhere in the source."""
    text = _HARNESS.sub(" ", _CUT.sub(" ", _EXCERPT_HEAD.sub(" ", sentence)))
    text = _ESCAPE.sub(
        lambda escape: escape[0] if _is_in_path(escape, source) else " ", text
    )
    for name in names_in(text):
        if name.kind in TELLING_KINDS and not _is_known(name, text, source):
            yield name


def _is_in_path(escape: re.Match[str], source: TextIndex) -> bool:
    """Return whether a part of a path begins at a backslash: what is before it is a folder of a
    drive, or the source has the parts before and after it as a path."""
    text = escape.string
    start = escape.start()
    path = text[max(0, start - _MAX_PATH) : start]
    if _DRIVE_FOLDER.search(path):
        return True
    before = _PART_BEFORE.search(path)
    after = _PART_AFTER.match(text, start + 1)
    if before is None or after is None:
        return False
    return source.contains(f"{before[0]}/{after[0].rstrip('.')}", exact=True)


def _is_known(name: Name, text: str, source: TextIndex) -> bool:
    words = name.text
    if name.kind is NameKind.NUMBER:
        return _is_known_number(name, text, source)
    # What a redactor wrote over is not in the source, and nobody invented it.
    if source.contains(words, exact=True) or "[data" in words:
        return True
    if name.kind is NameKind.PATH:
        return _is_known_path(words, source)
    if name.kind is NameKind.URL:
        bare = words.rstrip("/")
        return source.contains(bare, exact=True, is_cut=True)
    # A member of a class, a module of a package: known by its parts.
    parts = [part for part in _PARTS.split(words.removesuffix("()")) if part]
    if len(parts) > 1:
        return all(source.contains(part, exact=True) for part in parts)
    # A beginning of a word takes a search of all texts, so it comes last.
    return source.contains(words) or source.contains(words, exact=True, is_cut=True)


def _is_known_number(name: Name, text: str, source: TextIndex) -> bool:
    """A number is known with and without separators and unit. One that is said to be about right,
    or that counts the session itself, is not looked for."""
    end = name.start + len(name.text)
    if _APPROXIMATE.search(
        text[max(0, name.start - 20) : name.start]
    ) or _COUNTED.match(text, end):
        return True
    digits = _DIGITS.search(name.text)
    if digits is None:
        return True
    bare = digits[0].replace(",", "").replace("_", "")
    # As it is said comes first: an index finds it, other spellings take a search of all texts.
    spellings = dict.fromkeys(
        (digits[0], bare, f"{int(bare):,}" if bare.isdigit() else bare)
    )
    return any(
        source.contains(one, exact=True)
        or source.contains(one, exact=True, is_cut=True)
        for one in spellings
    )


def _is_known_path(path: str, source: TextIndex) -> bool:
    """Return whether the source has the path, an end of it, or its folder and name apart."""
    segments = [
        part
        for part in path.replace("\\", "/").strip("/").split("/")
        if part not in (".", "..", "~")
    ]
    ends = ("/".join(segments[start:]) for start in range(max(1, len(segments) - 1)))
    if any(source.contains(end, exact=True) for end in ends if end):
        return True
    folder = "/".join(segments[:-1])
    name = segments[-1] if segments else ""
    return bool(folder) and all(
        source.contains(part, exact=True) for part in (folder, name)
    )


# What the summaries of a result hold word for word of what they replace.


@dataclass(frozen=True, slots=True)
class Proportion:
    count: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class SummaryRetention:
    """Messages of the person and open errors that stand word for word in the result."""

    messages: Proportion
    errors: Proportion


def summary_retention(
    parts: Sequence[SummaryPart], compaction: Compaction, items: Sequence[Evidence]
) -> SummaryRetention:
    """Count what the result holds of messages all of which were summarised."""
    kept = {
        index
        for index, fate in enumerate(compaction.fates)
        if fate.kind is FateKind.KEPT
    }
    summarised = {index for part in parts for index in part.origins} - kept
    replaced = [one for one in items if {one.fact.first, one.fact.last} <= summarised]
    return SummaryRetention(
        _proportion(FactKind.YOUR_MESSAGE, replaced),
        _proportion(FactKind.OPEN_ERROR, replaced),
    )


def _proportion(kind: FactKind, items: Sequence[Evidence]) -> Proportion:
    statuses = [one.status for one in items if one.fact.kind is kind]
    return Proportion(statuses.count(EvidenceStatus.WORD_FOR_WORD), len(statuses))
