"""Bytes of text files: fields of a line, keys in order of appearance, PGN headers."""
