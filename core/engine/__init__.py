"""The session loop of an agent: history store, density, trigger, compression and emergency path."""
