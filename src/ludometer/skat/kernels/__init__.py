"""Compiled passes over Skat records and card play."""
