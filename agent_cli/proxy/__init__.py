"""The mediating proxy: gives any client tools that it runs itself, in order and unseen."""
