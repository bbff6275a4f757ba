"""Data that ships with the program: prompts, the demo."""
