"""File formats: each is opened as a stream of rows with named columns."""
