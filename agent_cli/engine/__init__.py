"""The turn engine: journal entries in, next step out; pure."""
