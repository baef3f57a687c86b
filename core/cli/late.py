"""What few runs of a command need, loaded when they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.common.late_names import late_names

if TYPE_CHECKING:
    from core.analysis.analysis_input import AnalysisInput as AnalysisInput
    from core.common.crash_report import report_failure as report_failure
    from core.common.redaction import redact_except_mail as redact_except_mail
    from core.export.export import reader_name as reader_name
    from core.formats.registry import load_with_reason as load_with_reason
    from core.losses.must_keep import session_musts as session_musts
    from core.presentation.losses_json import explained_json as explained_json
    from core.presentation.losses_words import explained_rows as explained_rows
    from core.presentation.losses_words import (
        explained_sentences as explained_sentences,
    )
    from core.settings_store.layers import SettingLayers as SettingLayers
    from core.strategies.model_choice import (
        choose_summary_model as choose_summary_model,
    )
    from core.trials.axes import variable_keys as variable_keys
    from core.trials.side_by_side import explain_compaction as explain_compaction
    from core.trials.trial_costs import compare_costs as compare_costs
    from core.trials.trial_costs import model_options as model_options
    from core.trials.trial_costs import replay_costs as replay_costs
    from core.trials.trial_costs import sweep_costs as sweep_costs
    from core.trials.trial_costs import writers_of as writers_of
else:
    __getattr__ = late_names(
        __package__,
        {
            "AnalysisInput": "..analysis.analysis_input",
            "SettingLayers": "..settings_store.layers",
            "choose_summary_model": "..strategies.model_choice",
            "compare_costs": "..trials.trial_costs",
            "explain_compaction": "..trials.side_by_side",
            "explained_json": "..presentation.losses_json",
            "explained_rows": "..presentation.losses_words",
            "explained_sentences": "..presentation.losses_words",
            "load_with_reason": "..formats.registry",
            "model_options": "..trials.trial_costs",
            "reader_name": "..export.export",
            "redact_except_mail": "..common.redaction",
            "replay_costs": "..trials.trial_costs",
            "session_musts": "..losses.must_keep",
            "report_failure": "..common.crash_report",
            "sweep_costs": "..trials.trial_costs",
            "variable_keys": "..trials.axes",
            "writers_of": "..trials.trial_costs",
        },
    )
