"""Published tables made again: `python -m reproductions`, one module a paper, one command a table."""
