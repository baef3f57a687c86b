"""The documented keys of --json are all there, and nothing else."""

from __future__ import annotations

import re
from typing import Any

import pytest

from core.common.paths import SAMPLES, installed_version
from core.llm.model_table import SHIPPED_FILE
from core.tokens.encodings import litellm_folder
from tests.core.cli.running_cli import CHAT, SESSION, Cli
from tests.man_page import parsers
from tests.source_tree import ROOT

TABLE = (litellm_folder() or ROOT) / SHIPPED_FILE
COMMANDS = {
    "inspect": (SESSION,),
    "facts": (SESSION,),
    "compact": (SESSION, "-s", "middle-out"),
    "compare": (SESSION, "-s", "none"),
    "replay": (CHAT, "-s", "middle-out"),
    "sweep": (CHAT, "-s", "tiered", "--vary", "compaction.target=0.1,0.2"),
    "probe": (CHAT, "-s", "middle-out", "--dry-run"),
    "check": (SESSION, "-s", "none"),
    "lint": (SESSION,),
    "sessions": (str(SAMPLES),),
    "strategies": (),
    "formats": (),
    "settings": (),
    "profiles": (),
    "models": (),
    "models-update": ("update", str(TABLE)),
    "models-reset": ("reset",),
    "prompts": ("list",),
    "prompts-show": ("show", "middle-out"),
    "prompts-install": ("install",),
    "prompts-path": ("path",),
}
LATER = ("stats", "tiers")
_KEY = re.compile(r"^\| `([\w.]+)` \|", re.MULTILINE)


def documented(command: str) -> list[str]:
    """Return the keys that the help names for a command, in order; a dot leads into an object."""
    text = (ROOT / "resources" / "help" / "json.md").read_text("utf-8")
    section = text.split(f"\n## {command}\n")[1].split("\n## ")[0]
    return _KEY.findall(section)


def lookup(value: Any, path: str) -> Any:
    """Return the value of a dotted key; KeyError where it is missing."""
    for key in path.split("."):
        value = value[key]
    return value


CALIBRATED = ("inspect", "compact", "compare", "replay", "sweep", "probe", "sessions")
"""Commands whose figures have been calibrated on what files report since number 2."""


def test_every_command_with_json_is_looked_at() -> None:
    printing = {parser.command for parser in parsers() if "--json" in parser.format_help()}
    by_line = {"watch"}  # tests/core/app/test_live_sessions.py
    assert printing == {command.split("-")[0] for command in COMMANDS} | by_line


@pytest.mark.parametrize("command", COMMANDS)
def test_documented_keys_are_there_in_their_order(cli: Cli, command: str) -> None:
    found = cli.json(command.split("-")[0], *COMMANDS[command])
    keys = documented(command)
    for key in keys:
        lookup(found, key)
    named = list(dict.fromkeys(key.split(".")[0] for key in keys))
    assert list(found) == named
    schema = f"{command}/{2 if command in CALIBRATED else 1}"
    assert (found["foldline"], found["schema"]) == (installed_version(), schema)


@pytest.mark.req("REQ-CS-001.4", "REQ-HD-001.8")
def test_fates_and_origins_agree(cli: Cli) -> None:
    found = cli.json("compact", SESSION, "-s", "high-density")
    gone = {fate["index"] for fate in found["fates"] if fate["fate"] in ("pruned", "dropped")}
    origins = [origin for message in found["result"] for origin in message["origins"]]
    assert sorted(origins) == sorted({fate["index"] for fate in found["fates"]} - gone)
    assert {fate["fate"] for fate in found["fates"]} == {"kept", "edited", "pruned", "dropped"}
    assert sum(message["tokens"] for message in found["result"]) == found["after"]["tokens"]
    assert found["density"]["read_write_pairs_pruned"] > 0
