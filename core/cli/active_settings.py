"""The settings that a command line chooses: saved ones, a profile, ``--set-from``, ``--set``,
``-s``."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from core.cli.arguments import CommonOptions
from core.cli.output.console import CommandWorkspace, print_note
from core.common.errors import InputError
from core.presentation.other_program import program_note
from core.settings.profile import BUILT_IN, Profile
from core.settings.schema import STRATEGY, SettingLayer
from core.settings_store.layers import SETTINGS, SettingLayers, parse_assignment
from core.settings_store.profile_store import ProfileStore
from core.settings_store.settings_file import (
    SavedSettings,
    find_project_file,
    project_settings,
    settings_of_file,
)
from core.strategies.names import RENAMED, is_program
from core.strategies.registry import find_strategy


@dataclass(frozen=True, slots=True)
class ActiveSettings(CommandWorkspace):
    layers: SettingLayers = (
        field()
    )  # without it the property of the base class would be its default
    profile: Profile


def _named_strategy(options: CommonOptions, assigned: str) -> str:
    """Return the strategy of ``-s``, which must be that of ``--set``."""
    name = find_strategy(options.strategy).name
    if options.strategy in RENAMED:
        print_note(options, f"The strategy {options.strategy} is called {name} now.")
    if assigned and assigned != name:
        raise InputError(
            f"-s names the strategy {name}, but --set names {assigned}.",
            "Leave one of them out.",
        )
    return name


def active_settings(options: CommonOptions) -> ActiveSettings:
    """Read the saved settings and the profile, and add the options as the session layer.

    Problems of the settings file are printed on standard error, and what a project file sets.
    Raises InputError for an unknown profile, key or value, and for a project file with a problem.
    """
    saved = SavedSettings().load()
    profile = ProfileStore().load(options.profile) if options.profile else BUILT_IN
    layers = SettingLayers(saved=saved.values).with_profile(
        profile.settings, profile.name
    )
    layers = _with_project_file(layers, options)
    for key, value in (
        settings_of_file(Path(options.set_from)).items() if options.set_from else ()
    ):
        layers = layers.with_session(key, value)
    assignments = dict(map(parse_assignment, options.settings))
    for key, value in assignments.items():
        layers = layers.with_session(key, value)
    if is_program(options.strategy):  # it may be the wish of a model that calls a tool
        raise InputError(
            f"{options.strategy} is not the name of a strategy.",
            "To run a program, give it with --strategy-command.",
        )
    if options.strategy_command:
        layers = _with_program(layers, options)
    if options.strategy:
        name = _named_strategy(options, str(assignments.get(STRATEGY, "")))
        layers = layers.with_session(STRATEGY, name)
    _note_project_file(options, layers)
    effective = {
        getattr(layers.effective(setting).value, "fault", "") for setting in SETTINGS
    }
    for problem in saved.problems:
        if problem not in effective:  # else it is an error where the setting is needed
            print_note(options, f"warning: {problem}")
    return ActiveSettings(layers, profile)


def _with_program(layers: SettingLayers, options: CommonOptions) -> SettingLayers:
    """Return the layers with a program as the strategy, which no setting can hold, and say what it
    gets."""
    if options.strategy:
        raise InputError(
            f"-s names the strategy {options.strategy}, but --strategy-command names a program.",
            "Leave one of them out.",
        )
    layers = layers.with_program(options.strategy_command)
    note_program(options, options.strategy_command)
    return layers


def note_program(options: CommonOptions, command: str) -> None:
    """Print what a program that the options name gets."""
    print_note(options, program_note(command))


def _with_project_file(layers: SettingLayers, options: CommonOptions) -> SettingLayers:
    if options.no_project_file or (path := find_project_file(Path.cwd())) is None:
        return layers
    project = project_settings(path)
    if project.problems:
        raise InputError(project.problems[0])
    return layers.with_project(project.values, str(path))


def _note_project_file(options: CommonOptions, layers: SettingLayers) -> None:
    """Print which settings a project file decides."""
    keys = [
        setting.key
        for setting in SETTINGS
        if layers.effective(setting).layer is SettingLayer.PROJECT
    ]
    if keys:
        print_note(
            options, f"The project file {layers.project_file} sets {', '.join(keys)}."
        )
