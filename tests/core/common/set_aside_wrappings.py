"""Wrappings set aside: written before the rules were changed, and looked at only by their count."""

import json
import random
from urllib.parse import quote

from tests.core.common.planted_secrets import PlantedSecret
from tests.core.common.secret_wrappings import (
    Wrap,
    WrappedSecret,
    in_line,
    in_text,
    lines_of,
    pair_of,
    row_of,
    whole,
)


def _form_body(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
    pieces = tuple(quote(line, safe="") for line in lines_of(one.secret))
    return WrappedSecret(
        f"step=2&{one.name}={quote(one.value, safe='')}&lang=en", pieces
    )


def _in_shell_in_shell(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
    inner = json.dumps(one.value)
    return WrappedSecret(
        f"bash -c {json.dumps(f'export {one.name}={inner}; make')}",
        lines_of(one.secret),
    )


def _camel_case(one: PlantedSecret, chance: random.Random) -> WrappedSecret:
    first, *rest = one.name.lower().split("_")
    name = "".join([first, *(word.title() for word in rest)])
    return WrappedSecret(
        json.dumps({"config": {name: one.value}}, indent=2), lines_of(one.secret)
    )


SET_ASIDE: dict[str, Wrap] = {
    "Dockerfile ENV": in_line("FROM alpine\nENV NAME VALUE\nRUN make\n"),
    "Dockerfile ARG": in_line("ARG NAME=VALUE\n"),
    "Windows set": in_line("C:\\shop> set NAME=VALUE\n"),
    "PowerShell": in_line("PS> $env:NAME = 'VALUE'\n"),
    "properties": in_line("shop.port=80\nshop.NAME=VALUE\n"),
    "INI": in_line("[shop]\nNAME = VALUE\nport = 80\n"),
    "Kubernetes": in_line("env:\n- name: NAME\n  value: VALUE\n- name: PORT\n"),
    "Terraform": in_line('  port         = 80\n  NAME         = "VALUE"\n'),
    "Ruby": in_line("config = { :NAME => 'VALUE', :port => 80 }"),
    "PHP": in_line("define('NAME', 'VALUE');"),
    "HTML table": whole(
        lambda one: f"<tr><td>{one.name}</td><td>{one.value}</td></tr>"
    ),
    "grep": in_line("deploy/shop.env:12:NAME=VALUE\ndeploy/shop.env:14:PORT=80\n"),
    "logfmt": in_line('level=info name="shop" NAME="VALUE" took=3ms'),
    "a repr": in_line("Settings(port=80, NAME='VALUE', debug=False)"),
    "a template literal": in_line("process.env.NAME = `VALUE`;"),
    "docker -e": in_line("docker run -e NAME=VALUE -p 80:80 shop"),
    "a form": _form_body,
    "shell in shell": _in_shell_in_shell,
    "camel case": _camel_case,
    "a Markdown list": in_line("- **NAME**: `VALUE`\n- **PORT**: `80`\n"),
    "semicolons": row_of("NAME;VALUE;eu\n"),
    "pretty JSON": whole(lambda one: json.dumps(pair_of(one), indent=4)),
    "a YAML list": in_line("secrets:\n  - NAME: 'VALUE'\n"),
    "a TypeScript constant": in_line('export const NAME: string = "VALUE";'),
    "a comment": in_text("# NAME=VALUE\n# PORT=80\n"),
    "Rust": in_line('let NAME = String::from("VALUE");'),
}
"""Of kinds of files and tools that the seen half does not have."""
