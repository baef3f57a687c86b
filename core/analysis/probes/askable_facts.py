"""Which facts a person would ask about, and the words that name their subject in a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from core.analysis.fidelity.fact_texts import TextIndex, content_words
from core.analysis.fidelity.model import FidelityCategory, SourceFact
from core.facts import prose_facts, tool_failures, value_facts
from core.facts.model import FactState
from core.facts.other_actions import REPORTED
from core.facts.sentences import plain_text
from core.facts.user_constraints import rule_strength
from core.transcript.model import Message, Speaker

MAX_QUOTED_WORDS = 25
"""Content words of a text to quote in full."""

_MIN_WORDS = 3  # content words of an answer
_MIN_TOPIC = 4  # characters
_MAX_COMMAND = 80  # characters of a command that can be written as it was typed
_NON_TOPIC_WORDS = """
never always must should only dont without avoid cannot please make sure keep want need like prefer leave
stay already just also then them they would could every each other same still after before what when which
there here have been does done into from that this with because instead rather than than while more most
some such first last next both either about again anything something nothing everything being create change
take give very real needs asks good thing things way case cases point part user following current rest
"""
_NON_TOPICS = frozenset(_NON_TOPIC_WORDS.split())
"""Words that are no topic."""
_FUNCTION_WORDS = """
a an the and or but nor if as at by for from in into of off on onto out over per so than that then to up via
with without within is are was were be been being has have had do does did will would can could may might
must shall should not no i you we he she it they this these those which who whom whose what when where while
because since until unless during before after between through under about also only just still already now
here there too very
"""
_ENDS_PHRASE = frozenset(_FUNCTION_WORDS.split())
_DETERMINER = re.compile(
    r"\b(?:the|an?|your|my|our|its|their|all|any|no|each|every|another|"
    r"les?|la|une?|des|du|der|die|das|den|dem|eine?|el|los|las|una?)\s+"
    r"((?:[^\W\d_][\w'-]*\s+){0,3}[^\W\d_][\w'-]*)",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?=.*[^\W\d_]{3})[\w./\[\] -]{4,40}")
_VERB_FORM = re.compile(r"(?:ing|ed|ly)$")
_CUT = re.compile(r"…|\[data\]")
_FRAGMENT = re.compile(r"^[a-z]+, [a-z]|[?:,]\W*$|\? ")
_HARNESS = re.compile(
    r"^\W*\[|^attachment:|^<|\b(?:tool|function)[ _](?:use|call)s?\b|\(file: |/(?:private/)?tmp/\S*/tasks/"
)
_SCRATCH = re.compile(
    r"^(?:/private)?/(?:tmp|var/tmp|var/folders)/|/(?:node_modules|site-packages)/|"
    r"^(?:/(?:Users|home)/[^/]+|/root(?=/)|~)/\.[\w-]+/"
)
_CHOICE = re.compile(
    r"\b(?:I|we|let's)(?:'ll|'d|'ve| will| would| have| can| could)? (?:\w+ ){0,2}?(?:decided?|choose|chose|"
    r"used?|go|went|going|keep|kept|leave|left|prefer|recommend|stick|switch(?:ed)?|drop(?:ped)?|skip(?:ped)?|"
    r"defer(?:red)?|postponed?|avoid(?:ed)?)\b|"
    r"\b(?:decided|chose|chosen|opted|agreed|settled on|the decision|go(?:ing)? with|safer|recommended|"
    r"no need to|need(?:n't| not))\b|"
    r"^\W*(?:\w+ed|us(?:e|ing)|keep\w*|kept|leav(?:e|ing)|left)\b.*"
    r"\b(?:instead of|rather than|because|since)\b|"
    r"\b(?:entschieden|entscheid\w+|stattdessen|gewählt|décid\w+|choisi\w*|plutôt que|au lieu de|decidid\w+|"
    r"elegid\w+|en lugar de|en vez de)\b|決定|决定|選擇|选择|改用|而不是",
    re.IGNORECASE,
)
_WISHES = re.compile(
    r"\b(?:should|only|please|prefer\w*|needs? (?:to|the|an?)|ha(?:s|ve) to|want(?:s|ed)?|would like|keeps?|"
    r"leave|unless|required|allowed)\b(?!-)|^\W*use\b|請|请",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r"\b(?:does|did|is|was|were|has|had|would|could)(?:n't| not)\b|"
    r"\b(?!(?:you|we|please|and|but|also|just|so|or|then|really|they|that)\b)[\w`)]+ "
    r"(?:don't|do not|can't|cannot)\b(?! want)|"
    r"^\W*(?:the (?:current|actual|expected|existing)|it (?:seems|appears)|error\b)|"
    r"\b(?:I|we) (?:\w+ )?(?:need|have)\b|\b(?:let me|can you|could you)\b|, it appears\b",
    re.IGNORECASE,
)
_PROGRAM = re.compile(r"^(?:\.{0,2}/)?(?:[\w.@-]+/)*[a-z][\w.+-]*$")
_UTILITY_NAMES = """
cp mv rm ln mkdir rmdir touch chmod chown cat ls cd pwd grep rg find sed awk jq tar head tail wc cut sort
uniq tee xargs which echo printf export set unset source let eval env true false test sleep wait kill pkill
timeout exit sh bash zsh
"""
_UTILITIES = frozenset(_UTILITY_NAMES.split())
"""Programs that help along the way; nobody asks whether they ran."""
_NOT_TYPED = re.compile(r"…|^\S+ (?:&&|\|\||[;|])|(?:^|\s)(?:/private)?/tmp/")
_SHELL_TEXT = re.compile(r"2>|&&|\|\|")
_PROCESS_VALUE = re.compile(
    r"(?:^|_)(?:pid|ppid|uid|seed|timestamp|elapsed)$|^(?:line|lines|row|col|index)$", re.I
)


def is_askable(fact: SourceFact, messages: Sequence[Message]) -> bool:
    """Return whether a person who knows the conversation would ask about a fact and could be answered."""
    rule = _RULES.get(fact.kind)
    return rule is None or rule(fact, messages[fact.messages[0]])


def is_answer(fact: SourceFact) -> bool:
    """Return whether a fact is what the person answered when asked."""
    return fact.kind is FidelityCategory.DECISION and fact.text != fact.key


def failed_command(error: SourceFact) -> str:
    return error.key.removesuffix(f": {error.text[:60].lower()}")


def is_statement(fact: SourceFact) -> bool:
    """Return whether a fact is a sentence that is whole and short enough to quote."""
    words = len(content_words(fact.text))
    is_quotable = _MIN_WORDS <= words <= MAX_QUOTED_WORDS and not _FRAGMENT.search(fact.text)
    is_task = fact.kind is not FidelityCategory.TODO or prose_facts.names_task(fact.text)
    return is_quotable and is_task and _is_whole(fact.text) and not is_answer(fact)


def _is_whole(text: str) -> bool:
    """Return whether a text is what somebody wrote, complete, and not from a harness."""
    are_paired = all(text.count(opening) == text.count(closing) for opening, closing in ("()", "[]", "{}"))
    are_even = all(text.count(mark) % 2 == 0 for mark in ('"', "**", "`"))
    return are_paired and are_even and not _CUT.search(text) and not _HARNESS.search(text)


def _is_rule(fact: SourceFact, message: Message) -> bool:
    """Return whether a constraint asks for something in so many words."""
    text = fact.text.replace("’", "'")
    is_asked = rule_strength(text) is FactState.STRONG or _WISHES.search(text) is not None
    return is_asked and not _DESCRIBES.search(text)


def _is_choice(fact: SourceFact, message: Message) -> bool:
    """Return whether a decision is an answer of the person or names a choice."""
    text = fact.text.replace("’", "'")
    if not is_answer(fact):
        return _CHOICE.search(text) is not None
    answer = text.rpartition(" → ")[2]
    return len(content_words(answer)) <= MAX_QUOTED_WORDS and not answer.endswith("?")


def _is_lasting_file(fact: SourceFact, message: Message) -> bool:
    return not _SCRATCH.search(fact.text)


def _is_clear_error(fact: SourceFact, message: Message) -> bool:
    """Return whether a command that can be named failed with a message that says how."""
    command = failed_command(fact)
    is_clear = len(content_words(fact.text)) >= _MIN_WORDS and tool_failures.names_failure(fact.text)
    return is_clear and command != REPORTED and _is_typed(command) and not _SHELL_TEXT.search(fact.text)


def _is_typed_command(fact: SourceFact, message: Message) -> bool:
    return _is_typed(fact.text)


def _is_typed(command: str) -> bool:
    """Return whether a command is one that a person would name, and is whole."""
    program = command.split(" ", 1)[0]
    return (
        len(command) <= _MAX_COMMAND
        and bool(_PROGRAM.match(program))
        and program.rpartition("/")[2] not in _UTILITIES
        and not _NOT_TYPED.search(command)
        and all(command.count(quote) % 2 == 0 for quote in "\"'`")
    )


def _is_single_value(fact: SourceFact, message: Message) -> bool:
    """Return whether somebody stated a value that cannot be guessed, and one value of its key alone."""
    key, value = fact.needles
    is_guessed = len(value) == 1 and not fact.by_user
    if message.speaker is Speaker.TOOL or is_guessed or _PROCESS_VALUE.search(key):
        return False
    text = plain_text(message)
    values = {
        value
        for name, value in (*value_facts.numbers(text), *value_facts.quantities(text))
        if name.lower() == key.lower()
    }
    return len(values) <= 1


def _is_request(fact: SourceFact, message: Message) -> bool:
    return _is_whole(fact.text) and len(content_words(fact.text)) > 1


_RULES: Mapping[FidelityCategory, Callable[[SourceFact, Message], bool]] = {
    FidelityCategory.CONSTRAINT: _is_rule,
    FidelityCategory.DECISION: _is_choice,
    FidelityCategory.FILE: _is_lasting_file,
    FidelityCategory.PATH: _is_lasting_file,
    FidelityCategory.ERROR: _is_clear_error,
    FidelityCategory.COMMAND: _is_typed_command,
    FidelityCategory.NUMBER: _is_single_value,
    FidelityCategory.USER_MESSAGE: _is_request,
}


def topics_of(fact: SourceFact, alike: TextIndex, source: TextIndex) -> Iterator[str]:
    """Yield the names and noun phrases that only this fact of the texts ``alike`` has, the rarest first."""
    for topic in sorted(_topics(fact.text), key=lambda name: (len(source.places(name)), -len(name), name)):
        if {alike.raw[place] for place in alike.places(topic)} <= {fact.text}:
            yield topic


def _topics(text: str) -> Iterator[str]:
    """Yield the names in a sentence, and phrases behind a determiner."""
    names = (*text.split("`")[1::2], *prose_facts.identifiers(text), *prose_facts.file_names(text))
    yield from (name for name in dict.fromkeys(names) if _NAME.fullmatch(name))
    for match in _DETERMINER.finditer(text):
        words = match[1].split()
        while words and words[0].lower() in _NON_TOPICS - _ENDS_PHRASE:
            del words[0]
        ends = (place for place, word in enumerate(words) if place and _ends_phrase(word))
        words = words[: next(ends, len(words))]
        if words and not _ends_phrase(words[0]) and len(words[-1]) >= _MIN_TOPIC:
            yield " ".join(words)


def _ends_phrase(word: str) -> bool:
    return word.lower() in _ENDS_PHRASE | _NON_TOPICS or _VERB_FORM.search(word) is not None
