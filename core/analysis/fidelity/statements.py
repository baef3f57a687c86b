"""Statements: the clauses of a sentence with their words, values, names, deeds and polarity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from core.analysis.fidelity.fact_texts import stems
from core.analysis.fidelity.sentence_sense import Stance, negated_words, stance

_LIGHT_WORDS = """
a an the to of in on for with by and or is are was were it its we i they you be been this that there not no
use used using set due happen start now may can must should shall will need have has only also per one ones
so as at from new please always never everything everyone too user agent assistant person he she his her
most least more than less max maximum total far would could want like whole session all way out up but if then
dr mr mrs ms prof frau herr mme
der die das den dem des ein eine einen einer einem eines und oder benutzt verwendet entschieden
ist sind war wird werden wurde wurden für von mit zu im auf
le la les un une des de du et ou est sont été pour par sur dans avec que qui ne pas
el los las uno una y es son para con por
"""
LIGHT = frozenset(_LIGHT_WORDS.split()) | stems(_LIGHT_WORDS)
_SPLIT = re.compile(
    r";\s+|,\s+|(?<=\w)[\]\"'`)*]*:\s+(?![\d$€£])|(?<=[.!?])(?<!\d\.)(?<!Prof\.)(?<!Dr\.)(?<!\b[A-Z]\.)\s+|\s[–—-]\s|\s→\s|"
    r"\s(?:and|but|while|whereas|although|though|because|since|so that|und|aber|während|sondern|weil|et|"
    r"mais|alors que|tandis que|parce que|y|pero|porque)\s",
    re.IGNORECASE,
)
_EVEN = re.compile(r"(?:not even|même|nicht einmal|auch|ni siquiera)\b", re.IGNORECASE)
_ASIDE = re.compile(r"\s\(([^()]*)\)")
_NUMBER_WORDS = (
    "two zwei deux dos|three drei trois tres|four vier quatre cuatro|five fünf cinq cinco|six sechs seis|"
    "seven sieben sept siete|eight acht huit ocho|nine neun neuf nueve|ten zehn dix diez|"
    "eleven elf onze once|"
    "twelve zwölf douze doce"
)
_DIGITS = {
    word: str(number)
    for number, words in enumerate(_NUMBER_WORDS.split("|"), 2)
    for word in words.split()
    if word != "once"
} | {"twice": "2"}
_NUMBER_WORD = re.compile(
    rf"\b(?:{'|'.join(_DIGITS)})\b|\b(?:one|a single|eine?)(?= (?:of (?:the )?\d|tests?\b|errors?\b|failed|"
    r"fehler\b))",
    re.IGNORECASE,
)
_WEEKDAYS = (
    "monday montag lundi lunes|tuesday dienstag mardi martes|wednesday mittwoch mercredi miércoles|thursday "
    "donnerstag jeudi jueves|friday freitag vendredi viernes|saturday samstag samedi sábado|sunday sonntag "
    "dimanche domingo"
)
_MONTHS = (
    "january jan januar janvier enero|february feb februar février febrero|march mar märz mars marzo|"
    "april apr "
    "avril abril|may mai mayo|june jun juni juin junio|july jul juli juillet julio|august aug août agosto|"
    "september sep sept septembre septiembre|october oct oktober octobre octubre|november nov novembre "
    "noviembre|december dec dezember décembre diciembre"
)
_DAY_OF_WEEK = {word: f"weekday {n}" for n, day in enumerate(_WEEKDAYS.split("|")) for word in day.split()}
_MONTH_NUMBER = {word: n for n, month in enumerate(_MONTHS.split("|"), 1) for word in month.split()}
_MONTH = "|".join(sorted(_MONTH_NUMBER, key=len, reverse=True))
_VALUE = re.compile(
    rf"\b(?P<iso>\d{{4}}-\d\d-\d\d)\b|\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)? (?:of |"
    rf"de )?(?P<month>{_MONTH})\b|"
    rf"\b(?P<month2>{_MONTH})\.? (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.]\d)|"
    r"(?<![\w.])(?P<time>\d{1,2}:\d\d)(?![\d:])|(?P<money>[$€£¥])?(?<![\w.#/-])(?<![\w.]\d)"
    r"(?P<number>\d+(?:[.,:]\d+)*)(?:st|nd|rd|th)?(?![\w/]*\w\.\w|\w*\d|-\w*\d)"
    r"(?:[\s-]?(?P<unit>%|€|\$|£|°\w?|(?:ms|sec\w*|sekunden?|s|min\w*|h|hours?|hrs?|stunden?|heures?|horas?|"
    r"days?|tagen?|jours?|días?|weeks?|wochen?|semaines?|semanas?|months?|monaten?|mois|meses|years?|jahren?|ans|"
    r"años|[kmgt]i?b|px|tokens?|percent|prozent|euros?|eur|usd|dollars?|yen|pounds?|degrees|grad|km|kg|cm|mm|m)"
    r"(?!\w)))?",
    re.IGNORECASE,
)
_UNITS = (
    ("%", "percent prozent %"), ("money", "€ $ £ ¥ euro euros eur usd dollar dollars yen pound pounds"),
    ("ms", "ms"), ("s", "s sec second seconds secs sekunde sekunden"),
    ("min", "min minute minutes mins minuten minutos"),
    ("h", "h hour hours hr hrs stunde stunden heure heures hora horas"),
    ("day", "day days tag tagen tage jour jours día días"),
    ("week", "week weeks woche wochen semaine semaines semana semanas"),
    ("month", "month months monat monaten monate mois mes meses"),
    ("year", "year years jahr jahre jahren ans año años"), ("degree", "degrees grad °c °f °"),
)  # fmt: skip
_UNIT = {word: unit for unit, words in _UNITS for word in words.split()}
_NO_NAME_WORDS = """
mr mrs ms dr prof frau herr mme i i'd i'll i'm all it this that there these those everything
"""
_NO_NAME = frozenset((*_NO_NAME_WORDS.split(), *_DAY_OF_WEEK, *_MONTH_NUMBER, *_DIGITS))
_PLACE = re.compile(r"\blines?\s?$", re.IGNORECASE)
_NOUN_BEFORE = re.compile(r"([A-Za-zÀ-ÿ]{3,})(?:\s|\s?#|-)$")
_NOUN_AFTER = re.compile(r"\s?(?:consecutive |more |of the |of |other )?([A-Za-zÀ-ÿ]{3,})")
_LABEL_WORDS = """
pr issue step phase part chapter version section row page option task item bug ticket round level node
hive table world column clause figure comment python layer room bed mast kapitel chapitre semaine week house
hall gate lane car track unit floor zone batch team group run
"""
_LABELS = frozenset(_LABEL_WORDS.split())
LABEL, NOUN = " #", " *"
"""Ends of the kind of a number after the noun that it labels ("chapter 3") or before that which it counts."""
_NO_NOUN_WORDS = """
passed fail failed skipped dropped liefen open while from until mit pro par ab chez sur bei nach before after
"""
_NO_NOUN = frozenset(_NO_NOUN_WORDS.split())
_LIMITS = (
    ("atmost", r"at most|no more than|not more than|max(?:imum|imal)?\b\.?|up to|not exceed|"
     r"can't \w+ more than|"
     r"under|below|within|cap(?:ped)?\b|limit(?:ed)?\b|budget|höchstens|unter|sous|au plus|como máximo"),
    ("atleast", r"at least|no less than|not less than|min(?:imum|destens)?\b|no fewer than|not below|"
     r"au moins|al menos"),
    ("pass", r"(?:lief|liefen|laufen) durch|bestanden|erfolgreich|réussis?|pasaron"),
    ("fail", r"fehlgeschlagen|schlug\w* fehl|échou\w+|fallaron"),
)  # fmt: skip
_LIMIT = tuple((token, re.compile(rf"\b(?:{pattern})", re.IGNORECASE)) for token, pattern in _LIMITS)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")
_TITLED = re.compile(r"\b(?:Frau|Herrn?|Mme|Mr|Ms|Mrs|Dr|Prof|Señora?)\b\.? ([A-Z][a-zà-ÿ]+)")
_NAME = re.compile(
    r"(?<![.!?:`/\w\"-] )(?<=[\w,)] )[A-Z][a-zà-ÿ]+\b(?![-_./]\w|\()|"
    r"^(?:Only )?[A-Z][a-zà-ÿ]+(?='s? | (?:\w+s|\w+ed|will|can|may|must|only)\b)"
)
_FULL_NAME = re.compile(r"(?<!\S)[a-z]+ ([A-Z][a-zà-ÿ]+) ([A-Z][a-zà-ÿ]+)\b(?! [A-Z]|[-_./]\w|\()")
_GERMAN = re.compile(r"\b(?:der|die|das|und|nicht|ist|mit|für|wird|wurde|werden)\b")
_ROLES = (
    ("USER", r"the user(?:'s)?|der nutzer|l'utilisateur|el usuario"),
    ("AGENT", r"the (?:agent|assistant|model)(?:'s)?|der (?:agent|assistent)|l'(?:agent|assistant)"),
)
_ROLE = tuple((role, re.compile(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE)) for role, pattern in _ROLES)


@dataclass(frozen=True, slots=True)
class Filler:
    """What can be swapped: a value, or a name (``kind`` "name"). ``kind`` is the unit or the "
    "labelled noun."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence. ``negated`` are the words in the scope of its negation, ``heads`` the
    first of them."""

    text: str
    words: frozenset[str]
    fillers: tuple[Filler, ...]
    stance: Stance
    negated: frozenset[str]
    heads: frozenset[str]
    roles: frozenset[str]


def plain_words(text: str) -> frozenset[str]:
    """Return the stems of a text that carry its subject; names of code count with their parts."""
    return stems(f"{text} {_CAMEL.sub(' ', text)}") - LIGHT


@lru_cache(maxsize=20_000)
def parse(sentence: str) -> tuple[Clause, ...]:
    """Return the clauses of a sentence in order."""
    text = sentence.replace("’", "'").replace("`", "")
    found: list[Clause] = []
    for clause in map(_clause, _parts(text)):
        if found and _EVEN.match(clause.text) and (found[-1].negated or found[-1].stance is Stance.FORBIDS):
            clause = replace(clause, negated=clause.words)
        found += [clause] if clause.words or clause.fillers else []
    return tuple(found)


def _parts(text: str) -> Iterator[str]:
    """Yield the parts; one that is a mere value belongs to the part before it."""
    held = ""
    whole = ";  ".join((_ASIDE.sub("", text), *_ASIDE.findall(text)))
    for part in filter(None, map(str.strip, _SPLIT.split(whole))):
        starts = re.match(r"(?:the )?\d", part)
        is_list = starts and re.search(r"\d(?:st|nd|rd|th)?$", held)
        if held and not is_list and not (starts and not plain_words(_VALUE.sub(" ", part))):
            yield held
            held = part
        else:
            held = f"{held}, {part}" if held else part
    if held:
        yield held


def _clause(text: str) -> Clause:
    digits = _NUMBER_WORD.sub(lambda match: _DIGITS.get(match[0].lower(), "1"), text)
    fillers = [*_same_label(list(_values(digits))), *(Filler(name, "name") for name in names(text))]
    words = plain_words(_VALUE.sub(_unit_of, digits)) | {
        token for token, pattern in _LIMIT if pattern.search(text)
    }
    roles = frozenset(role for role, pattern in _ROLE if pattern.search(text))
    negated = [stem for word in negated_words(text) for stem in plain_words(word)]
    return Clause(
        text, words, tuple(fillers), stance(text), frozenset(negated), frozenset(negated[:1]), roles
    )


def _same_label(values: list[Filler]) -> Iterator[Filler]:
    """Yield the values, those of a list with the label of the first: "chapters 2 and 4"."""
    label = ""
    for value in values:
        label = value.kind if value.kind.endswith(LABEL) else label if not value.kind else ""
        yield replace(value, kind=value.kind or label)


def _unit_of(match: re.Match[str]) -> str:
    return f" {match['unit'] or ''} "


def _values(text: str) -> Iterator[Filler]:
    for match in _VALUE.finditer(text):
        if _PLACE.search(text[: match.start()]):
            continue
        if match["iso"]:
            yield Filler("{2} {1}".format(*map(int, match["iso"].split("-"))), "date")
        elif month := match["month"] or match["month2"]:
            yield Filler(f"{int(match['day'] or match['day2'])} {_MONTH_NUMBER[month.lower()]}", "date")
        elif match["time"]:
            yield Filler(match["time"], "time")
        else:
            yield Filler(_number(match["number"]), _kind(match, text))
    for word in re.findall(r"[A-Za-zé-ü]{4,}", text):
        if weekday := _DAY_OF_WEEK.get(word.lower()):
            yield Filler(weekday, "weekday")


def _number(digits: str) -> str:
    """Return a number without separators of thousands; a decimal comma is a point."""
    if re.fullmatch(r"\d{1,3}(?:[,.]\d{3})+", digits):
        return re.sub(r"[,.]", "", digits)
    return re.sub(r"(?<=\d)\.0+$", "", digits.replace(",", "."))


def _kind(match: re.Match[str], text: str) -> str:
    unit = match["money"] or (match["unit"] or "").lower()
    if unit:
        return _UNIT.get(unit, unit)
    before = _NOUN_BEFORE.search(text[: match.start()])
    label = _singular(before[1].lower()) if before else ""
    if label in _LABELS:
        return f"{label}{LABEL}"
    after = _NOUN_AFTER.match(text, match.end())
    noun = _singular(after[1].lower()) if after else ""
    return f"{noun}{NOUN}" if noun and noun not in LIGHT and noun not in _NO_NOUN else ""


def _singular(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 else word


def names(text: str) -> tuple[str, ...]:
    """Return the persons and things that a text names with a capital letter; in German those with a title."""
    found = _TITLED.findall(text)
    if not _GERMAN.search(text):
        found += [*_NAME.findall(text), *(name for pair in _FULL_NAME.findall(text) for name in pair)]
    found = [name.removeprefix("Only ") for name in found]
    return tuple(dict.fromkeys(name for name in found if name.lower() not in _NO_NAME))


def place_of_role(text: str) -> int:
    """Return where a text names the user or the agent, -1 if nowhere."""
    return min((match.start() for _, pattern in _ROLE if (match := pattern.search(text))), default=-1)
