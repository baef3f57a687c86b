"""Summary prompts: resolution, files, editing and checks."""

from core.common.atomic_file import ABSENT as ABSENT
from core.common.atomic_file import FileSignature as FileSignature
from core.settings.prompts.prompt_files import PromptLevel as PromptLevel
from core.settings.prompts.prompt_files import PromptOverridePath as PromptOverridePath
from core.settings.prompts.prompt_files import PromptText as PromptText
from core.settings.prompts.prompt_files import built_in as built_in
from core.settings.prompts.prompt_files import override_paths as override_paths
from core.settings.prompts.prompt_files import path_part as path_part
from core.settings.prompts.prompt_files import prompt_names as prompt_names
from core.settings.prompts.prompt_files import prompts_folder as prompts_folder
from core.settings.prompts.prompt_sections import PLACEHOLDERS as PLACEHOLDERS
from core.settings.prompts.prompt_sections import SectionStyle as SectionStyle
from core.settings.prompts.prompt_sections import SummaryLayout as SummaryLayout
from core.settings.prompts.prompt_sections import fill_placeholders as fill_placeholders
from core.settings.prompts.prompt_sections import required_sections as required_sections
from core.settings.prompts.prompt_sections import summary_layout as summary_layout
from core.settings.prompts.prompt_sections import unknown_placeholders as unknown_placeholders
from core.settings.prompts.resolution import InstalledPrompt as InstalledPrompt
from core.settings.prompts.resolution import InstallOutcome as InstallOutcome
from core.settings.prompts.resolution import PromptChainLevel as PromptChainLevel
from core.settings.prompts.resolution import find_reference as find_reference
from core.settings.prompts.resolution import install_prompts as install_prompts
from core.settings.prompts.resolution import level_below as level_below
from core.settings.prompts.resolution import level_text as level_text
from core.settings.prompts.resolution import prompt_chain as prompt_chain
from core.settings.prompts.resolution import resolve_prompt as resolve_prompt
