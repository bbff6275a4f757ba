"""Codecs: our values to and from each wire format; pure."""
