"""The session loop of an agent: history store, density, trigger, compaction and emergency path."""
