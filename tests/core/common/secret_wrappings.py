"""The wrappings in which a transcript holds a secret: those that were seen while the rules were
written."""

import base64
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

from core.common.json_value import Json
from tests.core.common.planted_secrets import PlantedSecret


@dataclass(frozen=True, slots=True)
class WrappedSecret:
    """The content of a transcript (a text or a JSON value), and the pieces of the secret in it."""

    value: Json
    pieces: tuple[str, ...]


Wrap = Callable[[PlantedSecret, random.Random], WrappedSecret | None]
"""Returns None for a secret that is never wrapped so."""


def lines_of(secret: str) -> tuple[str, ...]:
    return tuple(secret.split("\n"))


def whole(value: Callable[[PlantedSecret], Json]) -> Wrap:
    return lambda one, chance: WrappedSecret(value(one), lines_of(one.secret))


def in_text(form: str) -> Wrap:
    return whole(lambda one: form.replace("NAME", one.name).replace("VALUE", one.value))


def in_line(form: str) -> Wrap:
    """Fill the template on one line; line breaks of the secret are escaped."""
    return whole(
        lambda one: form.replace("NAME", one.name).replace(
            "VALUE", one.value.replace("\n", "\\n")
        )
    )


def pair_of(one: PlantedSecret) -> dict[str, Json]:
    return {"id": 7, one.name: one.value, "note": "done"}


def _in_url(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
    pieces = tuple(quote(line, safe="") for line in lines_of(one.secret))
    return WrappedSecret(
        f"GET https://a.site.org/in?{one.name}={quote(one.value, safe='')}&state=ok",
        pieces,
    )


def _base64(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
    word = base64.b64encode(f"{one.name}={one.value}\n".encode()).decode()
    return WrappedSecret(f"data: {word}", (word,))


def _xml(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
    value = one.value.replace("&", "&amp;").replace("\n", "&#10;")
    pieces = lines_of(one.secret.replace("&", "&amp;"))
    return WrappedSecret(f'<add key="{one.name}" value="{value}" />', pieces)


def _call(one: PlantedSecret) -> Json:
    command = json.dumps({"command": f"{one.name}='{one.value}' make deploy"})
    return {"function": {"name": "bash", "arguments": command}}


def _arguments(one: PlantedSecret) -> Json:
    if one.carrier != "{}":
        return ["bash", "-lc", one.value]
    option = f"--{one.name.lower().replace('_', '-').removeprefix('github-')}"
    return {"argv": ["run", option, one.secret, "-v"]}


def _broken_lines(before: str, behind: str, *, width: int = 80) -> Wrap:
    """Break a full line inside the secret: ``before`` ends it, ``behind`` begins the next."""

    def wrap(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
        line, secret = (
            text.replace("\n", "\\n")
            for text in (f"{one.name}={one.value}", one.secret)
        )
        at = line.index(secret) + chance.randrange(1, len(secret))
        room = width - at % width
        pad = ("so it is set " * 7)[-room:-1].lstrip() + " " if room < width else ""
        text = pad + line
        cuts = [text[place : place + width] for place in range(0, len(text), width)]
        joint = f"{before}\n{behind}"
        places = (
            len(pad) + line.index(secret),
            len(pad) + line.index(secret) + len(secret),
        )
        return WrappedSecret(
            joint.join(cuts) + "\nand it went on", tuple(_cut(text, *places, width))
        )

    return wrap


def _cut(text: str, start: int, end: int, width: int) -> Iterator[str]:
    """Return the pieces of a secret in a text that is broken every ``width`` characters."""
    while start < end:
        stop = min(end, (start // width + 1) * width)
        yield from text[start:stop].split("\\n")
        start = stop


def _two_texts(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
    line, secret = (
        text.replace("\n", "\\n") for text in (f"{one.name}={one.value}", one.secret)
    )
    begin = line.index(secret)
    at = begin + chance.randrange(1, len(one.secret))
    text = json.dumps(["first", line[:at], line[at:], "last"], indent=2)
    pieces = [
        *line[begin:at].split("\\n"),
        *line[at : begin + len(secret)].split("\\n"),
    ]
    return WrappedSecret(text, tuple(pieces))


def _two_values(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
    given = _two_texts(one, chance)
    return WrappedSecret(json.loads(str(given.value)), given.pieces)


def _joined(form: str) -> Wrap:
    """Join the secret to a word; only a key that begins like no other is known then."""

    def wrap(one: PlantedSecret, chance: random.Random) -> WrappedSecret | None:
        if not one.has_prefix or "\n" in one.secret:
            return None
        return WrappedSecret(form.replace("VALUE", one.secret), (one.secret,))

    return wrap


def row_of(form: str) -> Wrap:
    """Fill a row of a table of texts; quotes inside are doubled, as CSV has them."""

    def wrap(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
        value, secret = (
            text.replace("\n", "\\n").replace('"', '""')
            if '"' in one.value or "," in one.value
            else text
            for text in (
                one.value.replace("\n", "\\n"),
                one.secret.replace("\n", "\\n"),
            )
        )
        cell = f'"{value}"' if '"' in value or "," in value else value
        return WrappedSecret(
            form.replace("NAME", one.name).replace("VALUE", cell),
            tuple(secret.split("\\n")),
        )

    return wrap


def encoded(form: str, encode: Callable[[bytes], str]) -> Wrap:
    """Encode the assignment, as a shell's tools print it."""

    def wrap(one: PlantedSecret, chance: random.Random) -> WrappedSecret | None:
        if len(one.value) > 400:
            return None
        pieces = tuple(encode(line.encode()) for line in lines_of(one.secret))
        return WrappedSecret(
            form.replace("VALUE", encode(f"{one.name}={one.value}".encode())), pieces
        )

    return wrap


SEEN: dict[str, Wrap] = {
    "a sentence": in_text("Please use NAME=VALUE for it, thanks."),
    "JSON": whole(lambda one: json.dumps(pair_of(one))),
    "JSON in JSON": whole(lambda one: json.dumps({"body": json.dumps(pair_of(one))})),
    "quotes as \\u0022": whole(
        lambda one: json.dumps(pair_of(one)).replace('"', "\\u0022")
    ),
    "YAML": in_line("shop:\n  NAME: VALUE\n  port: 80\n"),
    "TOML": in_line('[shop]\nNAME = "VALUE"\nport = 80\n'),
    "a file .env": in_line("PORT=80\nNAME=VALUE\nDEBUG=0\n"),
    "export": in_text("export NAME='VALUE' && make"),
    "a header": in_line("> POST /v1\n> X-NAME: VALUE\n> Accept: */*\n"),
    "an address": _in_url,
    "a patch": in_line("@@ -1 +1 @@\n-NAME=none\n+NAME=VALUE\n"),
    "colours": in_line("\x1b[36mNAME\x1b[0m=\x1b[33mVALUE\x1b[0m\n"),
    "Markdown": in_text("Set it:\n```sh\nNAME=VALUE\n```\n"),
    "numbered lines": in_line("     6\tPORT=80\n     7\tNAME=VALUE\n     8\tDEBUG=0\n"),
    "a table": in_line("| name | value |\n| --- | --- |\n| NAME | VALUE |\n"),
    "XML": _xml,
    "Python": whole(lambda one: repr(pair_of(one))),
    "base64": _base64,
    "an escaped break": in_line("done\\nNAME=VALUE\\nnext"),
    "a log": in_line("2026-03-01T10:00:00Z INFO start NAME=VALUE pid=4120"),
    "JavaScript": in_line('const settings = { NAME: "VALUE", port: 80 };'),
    "a field": whole(lambda one: {"type": "tool_use", "input": pair_of(one)}),
    "a call": whole(_call),
    "arguments": whole(_arguments),
    "arguments as text": whole(lambda one: json.dumps(_arguments(one))),
    "joined by an underscore": _joined("saved as backup_VALUE for now"),
    "joined by a dash": _joined("the branch is x-VALUE now"),
    "joined to a letter": _joined("see tokenVALUE below"),
    "joined to a digit": _joined("row 7VALUE of it"),
    "a CSV row": row_of("id,NAME,VALUE,2026-01-02\n"),
    "a CSV column": row_of("id,NAME,note\n7,VALUE,done\n8,,open\n"),
    "tabs": row_of("id\tname\tvalue\n7\tNAME\tVALUE\n"),
    "a full-width sign": in_line("設定：NAME＝VALUE\n"),
    "base32": encoded(
        "echo VALUE | base32 -d", lambda data: base64.b32encode(data).decode()
    ),
    "octal": encoded(
        "$ od\n VALUE\n", lambda data: " ".join(f"{byte:03o}" for byte in data)
    ),
    "spaced hex": encoded("dump: VALUE.", lambda data: data.hex(" ")),
    "hex": encoded("dump VALUE", lambda data: data.hex()),
    "broken over many lines": _broken_lines("", "", width=40),
    "broken in a quoted mail": _broken_lines("", "> ", width=64),
    "broken": _broken_lines("", ""),
    "broken, with a backslash": _broken_lines("\\", ""),
    "broken, with an indent": _broken_lines("", "    "),
    "broken, in a patch": _broken_lines("", "+", width=72),
    "broken over two texts": _two_texts,
    "broken over two values": _two_values,
}


def is_covered(pieces: tuple[str, ...], left: str) -> bool:
    """Return True if at most four adjacent characters of a secret are left."""
    runs = (piece[at : at + 5] for piece in pieces for at in range(len(piece) - 4))
    shown = re.sub(r"\[redacted:[a-z-]+\]", "█", left)
    return not any(run in shown for run in runs)
