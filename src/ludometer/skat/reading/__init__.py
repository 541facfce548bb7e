"""Skat files: server records, program logs, score lists, results of series."""
