"""Servers that bring tools: who they are, how they are reached, what their tools are called."""
