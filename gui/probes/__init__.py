"""The dialog of questions about what was compacted."""
