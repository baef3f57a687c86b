"""Decisions, findings, values, URLs and identifiers in prose."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.facts.listed_facts import is_task, listed_tasks
from core.facts.sentence_cues import DECISION_CUES, accepts, sentence_cues
from core.facts.sentences import lower_case, prose_sentences, sentences, shorten

_CHOOSES_ABROAD = re.compile(
    r"\b(?:décid[ée]\w*|choisi\w*|opté|plutôt que|au lieu de|je (?:garde|laisse|propose|recommande)|"
    r"on (?:garde|laisse)|"
    r"retenu\w*|entschieden|entscheide\w*|gewählt|stattdessen|anstatt|statt|lieber|ich (?:nehme|lasse|"
    r"bleibe)|"
    r"wir (?:nehmen|bleiben|lassen)|decid\w+|elijo|elegid\w+|en lugar de|en vez de|prefiero|parce que|"
    r"weil|porque)\b|"
    r"決定|决定|選擇|选择|改用|改成|而不是|因為|因为"
)
"""Of a text in lower case, as are the others without a flag."""
_USER_DECIDES = re.compile(
    r"\b(?:let's (?:go|use|do|keep|take)|go (?:ahead|with)|(?:please )?use (?:the|that|gift|option|my)|"
    r"decided|agreed|for now|makes sense|option \w\b|it is[,.]?$|i(?:'d| would) (?:go|keep|use|like|"
    r"prefer|rather)|"
    r"we(?:'ll| will) (?:use|go|keep)|instead of|rather than|no longer needed|can (?:be )?(?:merge|delete|"
    r"remove)\w*)\b"
)
_STARTS_WORK = re.compile(
    r"^(?:let me|now (?:let|i)|i'll|i will|i(?:'m| am) going to|let's|perfect|great|good|looking (?:at|for)|"
    r"next,|first,)(?!\w)",
    re.IGNORECASE,
)
_BOX = re.compile(r"^[ \t]*[-*] \[ \] (.+)$", re.MULTILINE)
_STILL_OPEN = re.compile(
    r"^(?:next(?: steps?| up)?|to ?do|remaining|(?:still )?open|still to do|follow[- ]?ups?|"
    r"left to do|noch offen|"
    r"offen(?: ist)?(?: noch)?|nächste(?:r)? schritte?|reste à faire|à faire|prochaines? étapes?|pendientes?|"
    r"próximos? pasos?)\b ?:|下一步|待辦|待办|\b(?:il reste|reste à|noch zu|queda por|falta)\b|"
    r"\b(?:still (?:need|needs|have|has) to|remains? to be|not (?:yet )?(?:pushed|committed|merged|"
    r"deployed|released)|"
    r"haven't (?:pushed|committed|merged|run|tested|deployed)|"
    r"(?:is|are|left) (?:still )?(?:uncommitted|unresolved|open)|needs? to (?:land|be (?:done|merged|fixed|"
    r"added))|"
    r"pick it up (?:in|later)|(?:for|in) (?:the )?future)\b"
)
_PLANS = re.compile(r"\b(?:i (?:need|have) to|i should|i'll|let me)\b")
_IDENTIFIER = re.compile(
    r"`([A-Za-z_@][\w.:()/-]{3,48})`|\b([a-z]{2,}(?:[A-Z][a-z0-9]+)+)\b|\b((?:[A-Z]+[a-z0-9]+){2,})\b|"
    r"\b([A-Za-z]\w*_\w+)\b"
)
_TAG = re.compile(r"</?[a-z][a-z0-9_-]*(?: [^<>\n]*)?>")
_URL = re.compile(r"https?://[^\s<>\"'`)\]}]+")
_PLACE = re.compile(r":\d+:\d+$")  # of a stack trace
_ID = re.compile(
    r"(?<![\w&#/])#\d{2,6}(?!\w)|\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|"
    r"(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}|"
    r"(?![A-Z]\d+\b)(?=[A-Z0-9]*[A-Z])(?=[A-Z0-9]*\d)[A-Z0-9]{5,12}|[a-z]+(?:_[a-z]+)*_\d{3,}|"
    r"[\w.+-]+@[\w-]+\.\w[\w.]+|[A-Z]{2,8}-\d+|\d{1,3}(?:\.\d{1,3}){3}|\w+\{\w+\}|"
    r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\w-])"
)
_OWNER = re.compile(
    r"\b(?:[Oo]wned by|[Oo]wner:?|[Rr]eported by|[Aa]ssigned to|[Mm]aintained by|"
    r"[Rr]eviewer:?) (@?[A-Z][\w-]+)"
)
_COMMON = frozenset(
    ["JavaScript", "TypeScript", "GitHub", "README", "node_modules", "GitLab", "macOS", "OpenAI"]
)


def decisions(text: str) -> Iterator[str]:
    """Yield sentences of a model that state a choice, its reason, or what it found."""
    for sentence, cues in decision_sentences(text):
        if accepts(DECISION_CUES, cues) or _CHOOSES_ABROAD.search(sentence.lower()):
            yield sentence


def decision_sentences(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the sentences of a model that can state a decision, and their cues."""
    found = prose_sentences(text)
    for sentence, is_item in found:
        if _can_decide(sentence) and not sentence.endswith("?"):
            yield sentence, sentence_cues(sentence, is_item=is_item, count=len(found))


def user_decisions(text: str) -> Iterator[str]:
    """Yield sentences of a person that state a choice or its reason."""
    for sentence, _ in prose_sentences(text):
        if _can_decide(sentence):
            lowered = lower_case(sentence)
            is_question = sentence.endswith("?")
            if _USER_DECIDES.search(lowered) or (not is_question and _CHOOSES_ABROAD.search(lowered)):
                yield sentence


def _can_decide(sentence: str) -> bool:
    return 20 <= len(sentence) <= 400


def todos(text: str) -> Iterator[str]:
    """Yield what prose says is still to be done: open checkboxes, lists of steps, "next:", "still "
    "need to"."""
    for box in _BOX.findall(text):
        yield " ".join(box.split())
    yield from listed_tasks(text)
    for sentence, _ in prose_sentences(text):
        if len(sentence) <= 320 and not sentence.endswith("?") and _STILL_OPEN.search(lower_case(sentence)):
            yield sentence


def names_task(text: str) -> bool:
    """Return whether a sentence asks for work or says that some is left."""
    return is_task(text) or _STILL_OPEN.search(lower_case(text)) is not None


def findings(text: str) -> Iterator[tuple[str, int]]:
    """Yield sentences with identifiers, and the number of these; announcements are skipped."""
    for sentence, _ in prose_sentences(text):
        if (
            not 40 <= len(sentence) <= 320
            or sentence.rstrip("*").endswith((":", "?"))
            or _STARTS_WORK.match(sentence)
            or _PLANS.search(sentence.lower())
        ):
            continue
        names = len(set(identifiers(sentence)))
        if names:
            yield sentence, names


def urls(text: str) -> Iterator[str]:
    """Yield URLs without trailing punctuation."""
    if "://" in text:
        for match in _URL.finditer(text):
            url = match[0].rstrip(".,;:!?*")
            if not _PLACE.search(url):
                yield url


def ids(text: str) -> Iterator[str]:
    """Yield identifiers that no prose could replace: digests, keys of records, addresses, owners."""
    yield from _ID.findall(text)
    yield from owners(text)


_COMMIT = re.compile(r"^\[([\w./-]+)(?: \(root-commit\))? ([0-9a-f]{7,40})\] ", re.MULTILINE)


def commit_names(text: str) -> Iterator[str]:
    """Yield the branch and the digest that a commit reports."""
    for match in _COMMIT.finditer(text):
        yield from match.groups()


def owners(text: str) -> Iterator[str]:
    """Yield the people that a text calls owner, reporter or reviewer."""
    yield from _OWNER.findall(text)


_FILE_NAME = re.compile(
    r"(?<![\w./@-])[\w-]+(?:\.[\w-]+)*\.(?:py|go|tsx?|jsx?|rs|java|rb|md|json|ya?ml|toml|sh|css|html|sql|txt|csv|cpp|[ch])\b(?![\w(/-])"
)


def file_names(text: str) -> Iterator[str]:
    """Yield names of files without a folder."""
    yield from _FILE_NAME.findall(text)


def identifiers(text: str) -> Iterator[str]:
    """Yield identifiers as code spells them, except those of tags."""
    for match in _IDENTIFIER.finditer(_TAG.sub(" ", text) if "<" in text else text):
        name = match[match.lastindex or 0]
        if (
            name not in _COMMON
            and not name.endswith("..")
            and (not name.isalpha() or name[1:] != name[1:].lower())
        ):
            yield name


def leading_sentences(text: str, limit: int, *, titles: bool = False, max_sentences: int = 0) -> str:
    """Return the first meaningful sentences of a text, at most ``limit`` characters, on one line.
    Announcements ("Now let me look …") are replaced by what follows them, if anything does. With ``titles``
    every sentence counts, as in a user's text. ``max_sentences``: number of sentences; 0 for any."""
    chosen: list[str] = []
    fallback = ""
    remaining = limit
    for sentence in sentences(text):
        words = sentence if titles else sentence.replace("**", "")
        if not titles and (_STARTS_WORK.match(words) or len(words) < 12 or _opens_a_list(words)):
            fallback = fallback or words
            continue
        if chosen and (len(words) > remaining or (max_sentences and len(chosen) >= max_sentences)):
            break
        chosen.append(words)
        remaining -= len(words) + 1
    while len(chosen) > 1 and chosen[-1].endswith(":"):
        chosen.pop()
    closed = [words if words[-1] in ".!?:;,…" else f"{words};" for words in chosen[:-1]]
    return shorten(" ".join((*closed, *chosen[-1:])) or fallback, limit)


def is_announcement(sentence: str) -> bool:
    """Return True for an announcement ("Now let me look …", "Here it is:")."""
    return bool(_STARTS_WORK.match(sentence)) or sentence.endswith(":")


def _opens_a_list(words: str) -> bool:
    """Return True for a line with a colon that only introduces a list."""
    return words.endswith(":") and (len(words) < 25 or words.lower().startswith(("here is", "here's")))


def last_question(text: str) -> str:
    return next((words for words in reversed(tuple(sentences(text))) if words.endswith("?")), "")
