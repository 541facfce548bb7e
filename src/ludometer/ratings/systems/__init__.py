"""The rating systems, one file each."""
