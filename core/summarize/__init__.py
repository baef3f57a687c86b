"""Summarisers and the budgets and sections of summaries."""
