"""Kernels of the state-space ratings: the filter over pairs and over linear predictors, and the smoother."""
