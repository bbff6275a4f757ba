"""The three dialects: what has to be known of each to mediate in it, raw parts kept as they are."""
