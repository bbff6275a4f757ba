"""Tool calls as XML in the text, for models that cannot call tools natively; pure."""
