"""Model of settings, profiles and prompts."""
