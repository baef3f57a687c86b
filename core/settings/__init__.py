"""Keys, types and values of settings, profiles and prompts."""
