"""The names of core that the functions of the library use. Each module is imported when its first
name is used, so that importing the library takes no time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.common.late_names import late_names

if TYPE_CHECKING:
    from core.app.services.repair import plan_repair as plan_repair
    from core.app.services.repair import repair_target as repair_target
    from core.export.message_dicts import read_dicts as read_dicts
    from core.export.message_dicts import with_request as with_request
    from core.facts.extract import extract_facts as extract_facts
    from core.lint.lint import default_provider as default_provider
    from core.lint.lint import lint_scope as lint_scope
    from core.llm.catalog import find_model_limit as find_model_limit
    from core.llm.request_size import next_request_tokens as next_request_tokens
    from core.llm.request_size import request_sizing as request_sizing
    from core.losses.losses_of import losses_of as losses_of
    from core.losses.must_keep import must_evidence as must_evidence
    from core.losses.needed_later import continuation_cut as continuation_cut
    from core.losses.needed_later import find_needs as find_needs
    from core.losses.needed_later import needed_later as needed_later
    from core.presentation.preview_wording import preview_warnings as preview_warnings
    from core.preview.options import PreviewOptions as PreviewOptions
    from core.preview.options import StageCache as StageCache
    from core.preview.preview import compute_preview as compute_preview
    from core.settings_store.layers import SettingLayers as SettingLayers
    from core.settings_store.layers import find_setting as find_setting
    from core.settings_store.layers import parse_value as parse_value
    from core.settings_store.settings_file import settings_of_file as settings_of_file
    from core.strategies.helpers import is_trigger_reached as is_trigger_reached
    from core.strategies.helpers import require_trigger as require_trigger
    from core.strategies.helpers import trigger_tokens as trigger_tokens
    from core.strategies.registry import find_strategy as find_strategy
    from core.strategies.stubs import expand_result as expand_result
    from core.strategies.stubs import stored_results as stored_results
    from core.tokens.counter import counter_for as counter_for
    from core.transcript.scopes import ALL as ALL
    from core.transcript.scopes import history_of_scope as history_of_scope
    from core.transcript.scopes import opening_scope as opening_scope
else:
    __getattr__ = late_names(
        __package__,
        {
            "ALL": "..transcript.scopes",
            "PreviewOptions": "..preview.options",
            "SettingLayers": "..settings_store.layers",
            "StageCache": "..preview.options",
            "compute_preview": "..preview.preview",
            "continuation_cut": "..losses.needed_later",
            "counter_for": "..tokens.counter",
            "default_provider": "..lint.lint",
            "expand_result": "..strategies.stubs",
            "extract_facts": "..facts.extract",
            "find_model_limit": "..llm.catalog",
            "find_needs": "..losses.needed_later",
            "find_setting": "..settings_store.layers",
            "find_strategy": "..strategies.registry",
            "history_of_scope": "..transcript.scopes",
            "is_trigger_reached": "..strategies.helpers",
            "lint_scope": "..lint.lint",
            "losses_of": "..losses.losses_of",
            "must_evidence": "..losses.must_keep",
            "needed_later": "..losses.needed_later",
            "next_request_tokens": "..llm.request_size",
            "opening_scope": "..transcript.scopes",
            "parse_value": "..settings_store.layers",
            "plan_repair": "..app.services.repair",
            "preview_warnings": "..presentation.preview_wording",
            "read_dicts": "..export.message_dicts",
            "repair_target": "..app.services.repair",
            "request_sizing": "..llm.request_size",
            "require_trigger": "..strategies.helpers",
            "settings_of_file": "..settings_store.settings_file",
            "stored_results": "..strategies.stubs",
            "trigger_tokens": "..strategies.helpers",
            "with_request": "..export.message_dicts",
        },
    )
