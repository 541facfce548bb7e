"""Results on their way out: text for the terminal, JSON with its schemas, match files."""
