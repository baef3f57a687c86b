"""``foldline config prompts``: the summary prompts, the text in use, and copies to edit."""

from __future__ import annotations

from collections.abc import Sequence

from core.cli.active_settings import active_settings
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_text,
    parse_options,
    parser_for,
    refuse_options,
)
from core.cli.output.console import print_lines, print_note, write_bytes
from core.cli.output.json_output import write_json
from core.cli.output.tables import aligned_table
from core.common.errors import InputError
from core.common.json_value import Json
from core.settings.prompt_levels import (
    PromptChainLevel,
    install_prompts,
    prompt_chain,
)
from core.settings.prompts import (
    prompt_names,
    prompts_folder,
    required_sections,
    resolve_prompt,
)
from core.settings_store.profile_store import ProfileStore

ABOUT = "The summary prompts: list them, show the text that is used, install copies to edit."
ACTIONS = ("list", "show", "install", "path")


def command_parser() -> CommandParser:
    parser = parser_for("config prompts", ABOUT)
    parser.add_argument(
        "action", choices=ACTIONS, metavar="|".join(ACTIONS), help="what to do"
    )
    parser.add_argument(
        "name", nargs="?", default="", metavar="NAME", help="the prompt to show"
    )
    group = parser.add_argument_group("as seen by")
    add_text(group, "--profile", "NAME", "the profile that writes the summary")
    add_text(group, "--provider", "NAME", "a provider, instead of the profile's")
    add_text(group, "--model", "NAME", "a model, instead of the profile's")
    return parser


def run(arguments: Sequence[str]) -> None:
    options = parse_options(command_parser(), arguments)
    _check(options)
    {"list": _list, "show": _show, "install": _install, "path": _path}[options.action](
        options
    )


def _check(options: CommonOptions) -> None:
    action = options.action
    if options.name and action != "show":
        raise InputError(
            f"foldline config prompts {action} takes no name.",
            "See foldline config prompts --help.",
        )
    viewer_options = [
        (f"--{name}", getattr(options, name))
        for name in ("profile", "provider", "model")
    ]
    if action in ("path", "install"):
        refuse_options(
            viewer_options,
            f"has no effect on foldline config prompts {action}",
            "Leave it out.",
        )
    if options.provider:
        refuse_options(
            viewer_options[:1],
            "has no effect beside --provider",
            "Leave one of the two out.",
        )


def _provider_and_model(options: CommonOptions) -> tuple[str, str]:
    """Return provider and model for the look-up; by default those of the summary's profile."""
    chosen = active_settings(options)
    profile = chosen.profile
    if not options.profile:
        profile = ProfileStore().summary_profile(chosen.layers.resolve(), profile.name)
    if options.provider:
        return options.provider, options.model
    return profile.provider, options.model or profile.model


def _known(name: str) -> str:
    """Return the name of a prompt without its ending; InputError for an unknown one."""
    prompt_name = name.removesuffix(".md")
    if prompt_name not in prompt_names():
        if name:
            message = f"There is no prompt {name!r}."
        else:
            message = "Which prompt?"
        raise InputError(message, f"Known prompts: {', '.join(prompt_names())}.")
    return prompt_name


def _path(options: CommonOptions) -> None:
    folder = prompts_folder()
    if options.json:
        write_json("prompts-path", {"path": folder, "exists": folder.is_dir()})
    else:
        print_lines([str(folder)])


def _install(options: CommonOptions) -> None:
    folder = prompts_folder()
    installed = install_prompts(folder)
    if options.json:
        write_json("prompts-install", {"folder": folder, "prompts": installed})
        return
    print_lines(
        aligned_table(
            [(one.outcome.value, str(one.path)) for one in installed], indent=""
        )
    )
    if any(one.outcome.value == "kept" for one in installed):
        print_note(
            options, "Kept files were edited; Foldline does not write over them."
        )


def _show(options: CommonOptions) -> None:
    provider, model = _provider_and_model(options)
    prompt = resolve_prompt(_known(options.name), provider, model, prompts_folder())
    if options.json:
        head = {"name": prompt.name, "provider": provider, "model": model} | {
            "level": prompt.level,
            "path": prompt.path,
        }
        body = {"sections": required_sections(prompt.text), "text": prompt.text}
        write_json("prompts-show", head | body)
        return
    print_note(options, f"{prompt.level.value}: {prompt.path}")
    text = prompt.text.removesuffix("\n")
    write_bytes(f"{text}\n".encode())  # as it is sent, whatever it holds


def _list(options: CommonOptions) -> None:
    folder, (provider, model) = prompts_folder(), _provider_and_model(options)
    chains = [
        (name, prompt_chain(name, provider, model, folder)) for name in prompt_names()
    ]
    if options.json:
        prompts = [
            {"name": name, "used": _used(links).level, "chain": list(map(_link, links))}
            for name, links in chains
        ]
        head = {"folder": folder, "provider": provider, "model": model}
        write_json("prompts", head | {"prompts": prompts})
        return
    used_levels = [(name, _used(links)) for name, links in chains]
    rows = [(name, used.level.value, _file_text(used)) for name, used in used_levels]
    print_lines(aligned_table(rows, head=("prompt", "used", "file"), indent=""))


def _used(links: Sequence[PromptChainLevel]) -> PromptChainLevel:
    return next(link for link in links if link.wins)


def _file_text(link: PromptChainLevel) -> str:
    if link.problem:
        return link.problem
    if link.outdated:
        newer = " (a newer text ships: foldline config prompts install)"
    else:
        newer = ""
    return f"{link.path}{newer}"


def _link(link: PromptChainLevel) -> dict[str, Json]:
    return {
        "level": link.level,
        "path": link.path,
        "exists": link.exists,
        "wins": link.wins,
        "installed": link.installed,
        "outdated": link.outdated,
        "problem": link.problem or None,
    }
