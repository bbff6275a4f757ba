"""Whether a call may run: rules in, decision out; pure."""
