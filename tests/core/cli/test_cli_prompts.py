"""``foldline prompts``: what is printed and written."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from core.configuration.profile_store import ProfileStore
from core.configuration.store import SavedSettings
from core.settings.keys import PROFILE
from core.settings.profile import Profile
from core.settings.prompts.prompt_files import PromptLevel, built_in, prompts_folder
from core.settings.prompts.saving import save_override
from core.strategies.registry import COMPRESSION_STRATEGIES
from tests.core.cli.running_cli import Cli

NAME = COMPRESSION_STRATEGIES[0]
HAIKU = ("--provider", "anthropic", "--model", "claude-haiku-4-5")


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ran(cli: Cli) -> Run:
    """Return exit code, standard output and standard error of a command line."""
    return lambda *words: (cli.run("prompts", *words), cli.out, cli.err)


@pytest.mark.req("REQ-CS-005.3")
def test_install_copies_once_and_keeps_edits(ran: Run) -> None:
    assert ran("install")[1].startswith("installed")
    assert ran("install")[1].startswith("unchanged")
    file = prompts_folder() / "compression" / f"{NAME}.md"
    file.write_text("mine\n")
    code, out, err = ran("install")
    kept = [line for line in out.splitlines() if line.startswith("kept")]
    assert (code, len(kept), "does not write over" in err) == (0, 1, True)
    told = {row["name"]: row["outcome"] for row in json.loads(ran("install", "--json")[1])["prompts"]}
    assert told.pop(NAME) == "kept"
    assert set(told.values()) == {"unchanged"}
    assert ran("show", NAME)[1] == "mine\n"


@pytest.mark.req("REQ-CS-005.2")
def test_show_prints_the_text_that_a_model_gets(ran: Run) -> None:
    path = save_override(PromptLevel.MODEL, "For haiku.\n", NAME, HAIKU[1], HAIKU[3], prompts_folder())
    assert ran("show", NAME, *HAIKU) == (0, "For haiku.\n", f"model: {path}\n")
    assert ran("show", NAME, "--quiet")[1:] == (built_in(NAME).text, "")
    shown = json.loads(ran("show", f"{NAME}.md", *HAIKU, "--json")[1])
    assert (shown["schema"], shown["level"], shown["text"]) == ("prompts-show/1", "model", "For haiku.\n")


def test_list_tells_the_level_in_use_and_what_is_broken(ran: Run) -> None:
    path = save_override(PromptLevel.PROVIDER, "x", NAME, "anthropic", "", prompts_folder())
    rows = [line.split()[:2] for line in ran("list", *HAIKU)[1].splitlines()]
    assert [NAME, "provider"] in rows
    path.write_bytes(b"\xff")
    code, out, _ = ran("list", *HAIKU)
    assert (code, "is not UTF-8" in " ".join(out.split())) == (0, True)
    prompts = json.loads(ran("list", *HAIKU, "--json")[1])["prompts"]
    links = next(row["chain"] for row in prompts if row["name"] == NAME)
    assert [link["level"] for link in links] == list(PromptLevel)
    assert "UTF-8" in links[1]["problem"]


@pytest.mark.req("REQ-CS-006A.3")
def test_a_broken_override_is_one_sentence_and_exit_2(ran: Run) -> None:
    path = save_override(PromptLevel.BASE, "x", NAME, "", "", prompts_folder())
    path.write_text("\n")
    code, out, err = ran("show", NAME)
    assert (code, out) == (2, "")
    assert f"The prompt file {path} is empty." in err


@pytest.mark.req("REQ-CS-002.5")
def test_the_saved_profile_of_summaries_decides_what_is_shown(ran: Run) -> None:
    ProfileStore().save(Profile("haiku", HAIKU[1], HAIKU[3]))
    SavedSettings().save({PROFILE: "haiku"})
    save_override(PromptLevel.MODEL, "For haiku.\n", NAME, HAIKU[1], HAIKU[3], prompts_folder())
    assert ran("show", NAME)[1] == "For haiku.\n"
    assert ran("show", NAME, "--profile", "offline")[1] == built_in(NAME).text
