"""What a hook works with: one that has nothing to say ends at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.common.late_names import late_names

if TYPE_CHECKING:
    from core.facts.sentences import plain_text as plain_text
    from core.formats.registry import load_conversation as load_conversation
    from core.integrations.surviving_facts import (
        CHARACTERS_PER_TOKEN as CHARACTERS_PER_TOKEN,
    )
    from core.integrations.surviving_facts import MAX_CHARACTERS as MAX_CHARACTERS
    from core.integrations.surviving_facts import facts_text as facts_text
    from core.integrations.surviving_facts import surviving_facts as surviving_facts
    from core.llm.protocol import human_text as human_text
    from core.strategies.excerpt_units import supplement as supplement
    from core.transcript.scopes import CURRENT as CURRENT
    from core.transcript.scopes import history_of_scope as history_of_scope
else:
    __getattr__ = late_names(
        __package__,
        {
            "CHARACTERS_PER_TOKEN": ".surviving_facts",
            "CURRENT": "..transcript.scopes",
            "MAX_CHARACTERS": ".surviving_facts",
            "facts_text": ".surviving_facts",
            "history_of_scope": "..transcript.scopes",
            "human_text": "..llm.protocol",
            "load_conversation": "..formats.registry",
            "plain_text": "..facts.sentences",
            "supplement": "..strategies.excerpt_units",
            "surviving_facts": ".surviving_facts",
        },
    )
