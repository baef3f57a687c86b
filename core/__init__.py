"""What Foldline knows about conversations and their compaction. No Qt in here."""
