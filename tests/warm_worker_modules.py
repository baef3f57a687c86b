"""Loads what workers need; imported by the process that tests fork workers from (tests/warm_worker.py)."""

import pkgutil
from importlib import import_module

import core
from core.llm.litellm_adapter import load_litellm
from core.tokens.counter import counter_for

for module in pkgutil.walk_packages(core.__path__, "core."):
    if not module.name.startswith("core.integrations.hosts."):  # they import packages that are not here
        import_module(module.name)
counter_for("").text("loads the table")
load_litellm()
