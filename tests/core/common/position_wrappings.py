"""Wrappings in which blanks, a line break, an arrow or a quote stand between a name and its value,
written before the rule of position. The second half was set aside: the rule was not looked at with it."""

from core.common.json_value import Json
from tests.core.common.planted_secrets import PlantedSecret
from tests.core.common.secret_wrappings import Wrap, in_line, whole


def _change(one: PlantedSecret) -> Json:
    return {"before": {one.name: "unset"}, "after": {one.name: one.value}}


LOOKED_AT: dict[str, Wrap] = {
    "kubectl describe": in_line(
        "    Environment:\n      NAME:        VALUE\n      PORT:        80\n"
    ),
    "YAML folded": in_line("spec:\n  NAME: >-\n    VALUE\n  port: 80\n"),
    "terraform plan": in_line('  ~ NAME = "none" -> "VALUE"\n'),
    "config list": in_line("=== shop Config Vars\nNAME:                   VALUE\n"),
    "value on the next line": in_line("NAME:\n  VALUE\nnext: 1\n"),
    "from literal": in_line(
        "kubectl create secret generic shop --from-literal=NAME=VALUE\n"
    ),
    "arrow": in_line("NAME → VALUE\n"),
    "rotated": in_line("rotated NAME: 'none' => 'VALUE'\n"),
    "aligned settings": in_line(
        "NAME                     = VALUE\nport                     = 80\n"
    ),
    "a change": whole(_change),
}
SET_ASIDE_POSITIONS: dict[str, Wrap] = {
    "YAML literal": in_line("data:\n  NAME: |\n      VALUE\n  port: 80\n"),
    "YAML stripped": in_line("data:\n  NAME: |-\n    VALUE\nkind: Secret\n"),
    "patch of settings": in_line("-NAME:     none\n+NAME:     VALUE\n"),
    "JSON, broken after the colon": in_line(
        '{\n  "NAME":\n      "VALUE",\n  "port": 80\n}'
    ),
    "tabs": in_line("NAME:\t\tVALUE\nPORT:\t\t80\n"),
    "a plan in words": in_line('NAME: "none" -> "VALUE" (forces replacement)\n'),
    "arrow of ASCII": in_line("NAME -> VALUE\n"),
    "properties": in_line("NAME = \\\n    VALUE\n"),
    "docker compose config": in_line(
        "    environment:\n      NAME:   'VALUE'\n      PORT:   '80'\n"
    ),
    "literal in quotes": in_line(
        "oc create secret generic shop --from-literal='NAME=VALUE'\n"
    ),
}
