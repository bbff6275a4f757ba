"""Whether a folder may change what we do: decided by a person, by content."""
