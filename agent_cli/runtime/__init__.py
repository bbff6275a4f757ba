"""Performs the steps that the engine names."""
