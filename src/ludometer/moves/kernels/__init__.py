"""Compiled passes over gains."""
