"""Strengths from evaluated games: gains, strengths, events, other measures, calibration."""
