"""What a model still knows after a compaction: questions, answers, grades (field.md section 4.3)."""
