"""Arrays in, arrays out: the passes that cost time, in Numba, each beside its plain twin."""
