"""Strength as a Gaussian process in time: ratings whose parameters are fitted to the record."""
