"""``foldline prompts``: the summary prompts, the text in use, and copies to edit."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_json,
    common_options,
    parser_for,
    refuse_options,
)
from core.cli.chosen_settings import active_settings
from core.cli.output import json_output
from core.cli.output.console import print_lines, print_note, write_bytes
from core.cli.output.table import aligned_table
from core.common.errors import InputError
from core.common.json_value import Json
from core.configuration.profile_store import ProfileStore
from core.settings.keys import PROFILE
from core.settings.prompts import (
    InstalledPrompt,
    PromptChainLevel,
    install_prompts,
    prompt_chain,
    prompt_names,
    prompts_folder,
    required_sections,
    resolve_prompt,
)

ABOUT = "The summary prompts: list them, show the text that is used, install copies to edit."
ACTIONS = ("list", "show", "install", "path")


def run(arguments: Sequence[str]) -> int:
    parsed = _parser().parse_args(arguments)
    options = common_options(parsed)
    folder = prompts_folder()
    if parsed.name and parsed.action != "show":
        raise InputError(f"foldline prompts {parsed.action} takes no name.", "See foldline prompts --help.")
    viewer_options = (
        ("--profile", parsed.profile),
        ("--provider", parsed.provider),
        ("--model", parsed.model),
    )
    if parsed.action in ("path", "install"):
        refuse_options(viewer_options, f"has no effect on foldline prompts {parsed.action}", "Leave it out.")
    if parsed.provider:
        refuse_options(viewer_options[:1], "has no effect beside --provider", "Leave one of the two out.")
    if parsed.action == "path":
        _path(options, folder)
    elif parsed.action == "install":
        _install(options, folder)
    elif parsed.action == "show":
        _show(options, folder, parsed.name, _provider_and_model(options, parsed))
    else:
        _list(options, folder, _provider_and_model(options, parsed))
    return 0


def _parser() -> CommandParser:
    parser = parser_for("prompts", ABOUT)
    parser.add_argument("action", choices=ACTIONS, metavar="|".join(ACTIONS), help="what to do")
    parser.add_argument("name", nargs="?", default="", metavar="NAME", help="the prompt to show")
    add_json(parser)
    group = parser.add_argument_group("as seen by")
    group.add_argument("--profile", default="", metavar="NAME", help="the profile that writes the summary")
    group.add_argument("--provider", default="", metavar="NAME", help="a provider, instead of the profile's")
    group.add_argument("--model", default="", metavar="NAME", help="a model, instead of the profile's")
    return parser


def _provider_and_model(options: CommonOptions, parsed: argparse.Namespace) -> tuple[str, str]:
    """Return provider and model for the look-up; by default those of the summary's profile."""
    chosen = active_settings(options)
    name = options.profile or chosen.layers.resolve().get(PROFILE) or chosen.profile.name
    profile = ProfileStore().load(str(name))
    provider, model = profile.provider, profile.model
    if parsed.provider:
        provider, model = parsed.provider, ""
    return provider, options.model or model


def _known(name: str) -> str:
    """Return the name of a prompt without its ending; InputError for an unknown one."""
    prompt_name = name.removesuffix(".md")
    if prompt_name not in prompt_names():
        message = f"There is no prompt {name!r}." if name else "Which prompt?"
        raise InputError(message, f"Known prompts: {', '.join(prompt_names())}.")
    return prompt_name


def _path(options: CommonOptions, folder: Path) -> None:
    if options.json:
        json_output.write_json("prompts-path", {"path": str(folder), "exists": folder.is_dir()})
    else:
        print_lines([str(folder)])


def _install(options: CommonOptions, folder: Path) -> None:
    report = install_prompts(folder)
    if options.json:
        json_output.write_json(
            "prompts-install",
            {"folder": str(folder), "prompts": [_outcome_json(outcome) for outcome in report]},
        )
        return
    print_lines(aligned_table([(outcome.outcome.value, str(outcome.path)) for outcome in report], indent=""))
    if any(outcome.outcome.value == "kept" for outcome in report):
        print_note(options, "Kept files were edited; Foldline does not write over them.")


def _outcome_json(installed: InstalledPrompt) -> dict[str, Json]:
    return {"name": installed.name, "path": str(installed.path), "outcome": installed.outcome.value}


def _show(options: CommonOptions, folder: Path, name: str, viewer: tuple[str, str]) -> None:
    prompt = resolve_prompt(_known(name), *viewer, folder)
    if options.json:
        value: dict[str, Json] = {
            "name": prompt.name,
            "provider": viewer[0],
            "model": viewer[1],
            "level": prompt.level.value,
            "path": str(prompt.path),
            "sections": list(required_sections(prompt.text)),
            "text": prompt.text,
        }
        json_output.write_json("prompts-show", value)
        return
    print_note(options, f"{prompt.level.value}: {prompt.path}")
    text = prompt.text.removesuffix("\n")
    write_bytes(f"{text}\n".encode())  # as it is sent, whatever it holds


def _list(options: CommonOptions, folder: Path, viewer: tuple[str, str]) -> None:
    chains = [(name, prompt_chain(name, *viewer, folder)) for name in prompt_names()]
    if options.json:
        prompts: list[Json] = [
            {"name": name, "used": _used(links).level.value, "chain": [_link(link) for link in links]}
            for name, links in chains
        ]
        head = {"folder": str(folder), "provider": viewer[0], "model": viewer[1]}
        json_output.write_json("prompts", head | {"prompts": prompts})
        return
    rows = [(name, used.level.value, _file_text(used)) for name, links in chains for used in [_used(links)]]
    print_lines(aligned_table(rows, head=("prompt", "used", "file"), indent=""))


def _used(links: Sequence[PromptChainLevel]) -> PromptChainLevel:
    return next(link for link in links if link.wins)


def _file_text(link: PromptChainLevel) -> str:
    if link.problem:
        return link.problem
    newer = " (a newer text ships: foldline prompts install)" if link.outdated else ""
    return f"{link.path}{newer}"


def _link(link: PromptChainLevel) -> dict[str, Json]:
    return {
        "level": link.level.value,
        "path": str(link.path),
        "exists": link.exists,
        "wins": link.wins,
        "installed": link.installed,
        "outdated": link.outdated,
        "problem": link.problem or None,
    }
