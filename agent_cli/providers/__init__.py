"""Models behind one interface: codec and transport."""
