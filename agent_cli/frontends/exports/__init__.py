"""Sessions as documents: for reading, for programs, for the browser."""
