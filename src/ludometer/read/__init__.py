"""Files, standard input and Arrow tables in, `Matches` out."""

from ludometer.read.columns.names import ReadOptions
from ludometer.read.fixtures import read_fixtures
from ludometer.read.rating_list import read_start_ratings
from ludometer.read.reading import MatchStream, Reading, read_file, read_matches, stream_matches

__all__ = [
    "MatchStream",
    "ReadOptions",
    "Reading",
    "read_file",
    "read_fixtures",
    "read_matches",
    "read_start_ratings",
    "stream_matches",
]
