"""Coverage-guided fuzzing of every reader: ``python -m tests.fuzz`` (extra ``fuzz``)."""
