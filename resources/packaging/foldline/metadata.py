"""Gives the distribution "foldline" the version and description of foldline-slim, which it depends
on."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_ROOT = Path(__file__).resolve().parents[3]
_INCLUDED = "window,models,tokens"
_SAME = ("version", "description", "requires-python", "license", "keywords")


class Hook(MetadataHookInterface):
    """What hatchling calls for the fields that are dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Take the fields of the project, and ask for its wheel in the same version."""
        project = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))[
            "project"
        ]
        metadata |= {name: project[name] for name in _SAME}
        metadata["classifiers"] = [
            *project["classifiers"],
            "Environment :: X11 Applications :: Qt",
        ]
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": (_ROOT / "README.md").read_text("utf-8"),
        }
        slim, version = project["name"], project["version"]
        metadata["dependencies"] = [f"{slim}[{_INCLUDED}]=={version}"]
        metadata["optional-dependencies"] = {
            extra: [f"{slim}[{extra}]=={version}"]
            for extra in project["optional-dependencies"]
        }
