"""Loads what workers need; imported by the process that tests fork workers from."""

import gc
import pkgutil
from importlib import import_module

import core
from core.app.events import OpenRequest
from core.app.services.inspector import InspectorService
from core.app.services.preview import OpenService
from core.common.paths import SAMPLES
from core.llm.litellm_adapter import load_litellm
from tests.core.app.recording_workspace import RecordingHandler

gc.set_threshold(50_000)  # as a worker has it
for module in pkgutil.walk_packages(core.__path__, "core."):
    if not module.name.startswith(
        "core.integrations.hosts."
    ):  # they import packages that are not here
        import_module(module.name)
import_module("tests.support.warm_worker")  # each worker begins in it
load_litellm()
handler = (
    RecordingHandler()
)  # tables, patterns and readers are loaded when a file is first opened and judged
handler(OpenService.open, OpenRequest(str(SAMPLES / "support-desk.json")))
handler(InspectorService.losses)
gc.freeze()  # a collection would copy the pages of all that to each worker
