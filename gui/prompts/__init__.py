"""The prompt editor: levels of overrides, the text, its changes and the model's request."""
