"""Wrappings written after the rules were done, and measured once."""

import json
import random

from core.common.json_value import Json
from tests.core.common.planted_secrets import PlantedSecret
from tests.core.common.secret_wrappings import (
    Wrap,
    WrappedSecret,
    in_line,
    in_text,
    lines_of,
    pair_of,
    whole,
)


def _in_diagnostics(one: PlantedSecret) -> Json:
    return {"error": {"env": [f"{one.name}={one.value}", "PORT=80"], "code": 1}}


def _name_and_value(one: PlantedSecret) -> Json:
    return {"variables": [{"key": one.name, "value": one.value, "masked": False}]}


def _in_cookie_jar(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
    line = one.value.replace("\n", "\\n")
    return WrappedSecret(
        f".acme-tools.net\tTRUE\t/\tTRUE\t0\t{one.name}\t{line}\n", lines_of(one.secret)
    )


def _prose_behind(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
    text = f"{one.name}: {one.value}\nThat is all I have; tell me when it is done."
    return WrappedSecret(text, lines_of(one.secret))


AFTERWARDS: dict[str, Wrap] = {
    "compose file": in_line(
        "services:\n  shop:\n    environment:\n      - NAME=VALUE\n"
    ),
    "GitHub Actions": in_line("env:\n  NAME: VALUE\nrun: make\n"),
    "fish": in_line("set -gx NAME 'VALUE'\n"),
    "systemd": in_line('[Service]\nEnvironment="NAME=VALUE"\n'),
    "make": in_line("NAME := VALUE\nall:\n"),
    "C#": in_line('var NAME = @"VALUE";\n'),
    "Kotlin": in_line('val NAME: String = "VALUE"\n'),
    "Go": in_line('os.Setenv("NAME", "VALUE")\n'),
    "JSON lines": whole(
        lambda one: json.dumps(pair_of(one)) + "\n" + json.dumps({"id": 8})
    ),
    "compact JSON": whole(lambda one: json.dumps(pair_of(one), separators=(",", ":"))),
    "process listing": in_line("ada  4120  0.0 node server.js NAME=VALUE PORT=80\n"),
    "strace": in_line('execve("/bin/sh", ["sh"], ["NAME=VALUE", "PORT=80"]) = 0\n'),
    "a debugger": in_line('(gdb) p NAME\n$1 = 0x7ffd10 "NAME=VALUE"\n'),
    "an answer": in_text("I set it with `NAME=VALUE` and restarted."),
    "a blockquote": in_line("> NAME=VALUE\n> PORT=80\n"),
    "plist": whole(lambda one: f"<key>{one.name}</key>\n<string>{one.value}</string>"),
    "an env dump": whole(_in_diagnostics),
    "variables": whole(_name_and_value),
    "cookie jar": _in_cookie_jar,
    "prose behind": _prose_behind,
}
"""Of settings, languages and tools that no other part has."""
