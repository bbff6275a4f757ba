"""What the model reads: prompts, messages, rules files."""
