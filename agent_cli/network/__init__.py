"""The door to other hosts: connections, and who may be reached through them."""
