"""Output formats of a run that nobody can be asked about: one module each."""
