"""The terminal: a REPL, streamed text, approval cards, the result panel."""
