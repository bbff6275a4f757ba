"""Values that every layer shares; nothing here does anything."""
