"""The readers that are fuzzed, each as a function of an input and a folder to put it in."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from fuzzing import samples


@dataclass(frozen=True)
class Input:
    """What a reader is given: the contents of a file or a text, and choices such as the options of a command."""

    data: bytes
    choices: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """As a command line has it: bytes that are not UTF-8 become lone surrogates."""
        return self.data.decode("utf-8", "surrogateescape")


def _choices(given: Input) -> tuple[str, Any]:
    from ludometer.read import ReadOptions

    options = dict(given.choices)
    return options.pop("suffix", ""), ReadOptions(**options)


def _file(given: Input, folder: Path, suffix: str | None = None) -> Path:
    path = folder / f"input{given.choices.get('suffix', '') if suffix is None else suffix}"
    path.write_bytes(given.data)
    return path


def read_matches_file(given: Input, folder: Path) -> object:
    """A file of matches, as every command reads it."""
    from ludometer.read import read_file

    reading = read_file(_file(given, folder), _choices(given)[1])
    return reading.describe()


def read_standard_input(given: Input, _: Path) -> object:
    """The same through a pipe."""
    from ludometer.read import read_file

    with _stdin(given.data):
        return read_file("-", _choices(given)[1]).describe()


def stream_file(given: Input, folder: Path) -> object:
    """The same batch by batch."""
    from ludometer.read import stream_matches

    options = {name: value for name, value in given.choices.items() if name not in ("by", "order")}
    stream = stream_matches(_file(given, folder), _choices(Input(given.data, options))[1])
    return [len(batch) for batch in stream], stream.left_out()


def read_typed_table(given: Input, _: Path) -> object:
    """A table in memory whose columns have any type; the data are the number of the table."""
    from ludometer.read import read_file

    table = samples.typed_table(Random(given.data))
    return read_file(table, _choices(given)[1]).describe()


def read_pgn_kernel(given: Input, _: Path) -> object:
    """The scanner of headers, which has to agree with its plain twin whatever the bytes and blocks are."""
    from ludometer.kernels.text.pgn import scan_headers, scan_headers_plain

    size = given.choices["block"]
    blocks = (given.data[at : at + size] for at in range(0, len(given.data), size))
    fast = b"".join(scan_headers(blocks, out_bytes=1, value_bytes=given.choices["value"]))
    plain = scan_headers_plain(given.data, value_bytes=given.choices["value"])
    if fast != plain:
        raise AssertionError(f"the scanner gives {fast!r}, its twin {plain!r}")
    return fast


def read_pgn_headers(given: Input, _: Path) -> object:
    """Headers of games as frames."""
    from ludometer.read.files.pgn import read_pgn_headers as read

    return list(read(io.BytesIO(given.data)))


def read_games(given: Input, folder: Path) -> object:
    """Games with their moves: read, replayed by the rules, and followed as they grow."""
    from ludometer.chess.engine.live import watch_moves
    from ludometer.chess.record.pgn import is_pgn, read_chess_games
    from ludometer.chess.record.rules import replay

    path = _file(given, folder, ".pgn")
    is_pgn(str(path))
    if given.choices["follow"]:
        _, moves = watch_moves(str(path), every=0.1, once=True)
        list(moves)
    reading = read_chess_games(path)
    if given.choices["replay"]:
        for game in reading.games[:1]:
            replay(game.moves, start=game.start)
    return reading.describe()


def read_results(given: Input, _: Path) -> object:
    """A result, an evaluation, the moves of a line."""
    from ludometer.chess.record.pgn import parse_evaluation, parse_moves
    from ludometer.read.columns.outcomes import parse_result

    if parse_result(given.text) not in (-1, 0, 1, 2):
        raise AssertionError("no number of half points")
    return parse_evaluation(given.text), parse_moves(given.text)


def read_times(given: Input, _: Path) -> object:
    """A column of times."""
    import polars as pl

    from ludometer.read.columns.times import find_time_format, parse_times

    column = pl.Series("time", given.data.decode("utf-8", "replace").split("\n"), dtype=pl.String)
    form = find_time_format(column, name="time", given=given.choices["format"])
    return None if form is None else (form.describe(), parse_times(column, form))


def read_filter(given: Input, _: Path) -> object:
    """The language of --where: its words, and what they mean for columns of every type."""
    from ludometer.read.filter import parse_where

    where = parse_where(given.text)
    return where.columns, where.expression(_filter_frame().schema)


def apply_filter(given: Input, _: Path) -> object:
    """The same, with rows."""
    from ludometer.read.filter import parse_where

    frame = _filter_frame()
    return frame.select(parse_where(given.text).expression(frame.schema))


_FRAMES: dict[str, Any] = {}


def _filter_frame() -> Any:
    if not _FRAMES:
        import polars as pl

        text = pl.Series(["Ann", "", None, "2015", "nan"])
        _FRAMES["all"] = pl.DataFrame(
            {
                "season": pl.Series([2015, 0, None, -3, 1 << 40], dtype=pl.Int64),
                "date": pl.Series(["2020-01-01", None, "1999-12-31", "2000-02-29", "1970-01-01"]).str.to_date(),
                "home": text,
                "result": text.cast(pl.Categorical),
                "score_1": pl.Series([0.5, float("nan"), None, float("inf"), 1.0]),
                "place": pl.Series([1, 2, None, 255, 0], dtype=pl.UInt8),
                "odd name": text,
                "flag": pl.Series([True, None, False, True, False]),
                "count": pl.Series([1, 2, None, 4, 5]).cast(pl.Decimal(18, 2)),
                "nothing": pl.Series([None] * 5, dtype=pl.Null),
                "when": pl.Series([0, None, 10**15, -(10**15), 1]).cast(pl.Datetime("us", "UTC")),
                "small": pl.Series([1.5] * 5, dtype=pl.Float32),
            }
        )
    return _FRAMES["all"]


def read_rating_list(given: Input, folder: Path) -> object:
    """A list of ratings."""
    from ludometer.read.rating_list import read_ratings

    found = read_ratings(_file(given, folder), column=given.choices["column"], drop_bad_rows=given.choices["drop"])
    return found.describe(), found.fingerprint


def read_evaluation_table(given: Input, folder: Path) -> object:
    """A table of evaluations."""
    from ludometer.chess.record.tables import read_evaluations

    return read_evaluations(_file(given, folder), drop_bad_rows=given.choices["drop"]).describe()


def read_skat_records(given: Input, _: Path) -> object:
    """Records of the Skat server, by blocks of any size."""
    from ludometer.skat.reading.iss import stream_skat

    stream = stream_skat(
        io.BytesIO(given.data),
        replay=given.choices["replay"],
        skip_damaged=given.choices["skip"],
        block_bytes=given.choices["block"],
    )
    return [frame.height for frame in stream]


def read_skat_record(given: Input, _: Path) -> object:
    """One record in plain Python."""
    from ludometer.skat.reading.iss_record import parse_record

    return parse_record(given.data.decode("utf-8", "replace"))


def read_any_skat(given: Input, folder: Path) -> object:
    """A file of any of the four formats, scored."""
    from ludometer.skat.reading.any_file import read_skat_games
    from ludometer.skat.sheets import ListRules

    rules = ListRules(short=given.choices["short"])
    found = read_skat_games(str(_file(given, folder, ".txt")), rules=rules, skip_damaged=given.choices["skip"])
    return found.to_frame()


def read_score_list(given: Input, folder: Path) -> object:
    """A score list, game by game."""
    from ludometer.skat.reading.score_lists import read_score_lists

    return read_score_lists(_file(given, folder, ".csv"))


def read_series(given: Input, folder: Path) -> object:
    """Results of series, as sheets and as what ratings are made of."""
    from ludometer.skat.reading.series_tables import read_series, read_series_results

    path = _file(given, folder, ".csv")
    return read_series(path) if given.choices["record"] else read_series_results(path)


def read_xskat_log(given: Input, folder: Path) -> object:
    """A log of xskat."""
    from ludometer.skat.reading.xskat import read_xskat

    return read_xskat(_file(given, folder, ".log")).height


def read_small_tables(given: Input, folder: Path) -> object:
    """Teams, and ratings that stood before."""
    from ludometer.skat.reading.series_tables import read_standing, read_teams

    path = str(_file(given, folder, ".csv"))
    return read_teams(path) if given.choices["teams"] else read_standing(path)


def read_backgammon(given: Input, folder: Path) -> object:
    """A match of backgammon, as far as it is looked at here."""
    from ludometer.backgammon.records import read_match_records

    return read_match_records([_file(given, folder)])


def read_prizes(given: Input, folder: Path) -> object:
    """--prizes, as a text or as a file."""
    from ludometer.ratings.prizes import make_prizes

    prizes = make_prizes(str(_file(given, folder, ".csv")) if given.choices["file"] else given.text)
    return None if prizes.are_recorded else [prizes.shares(n) for n in (2, 3, 7)]


def read_calibration(given: Input, folder: Path) -> object:
    """A calibration of chess strengths."""
    from ludometer.chess import load_calibration

    return load_calibration(_file(given, folder, ".json")).summary()


def read_winning_model(given: Input, folder: Path) -> object:
    """A model of the declarer's chances, and what it says of a hand."""
    from ludometer.skat.luck.features import DeclaredGames
    from ludometer.skat.luck.winning import WinningModel
    from ludometer.skat.rules.cards import parse_cards

    model = WinningModel.load(_file(given, folder, ".json"))
    hand = parse_cards("CJ SJ CA CT CK C9 SA ST HA D7")
    return model.predict(DeclaredGames.of([0], [hand], [parse_cards("HT DT")]))


def read_cache(given: Input, folder: Path) -> object:
    """The cache of a chess engine's evaluations."""
    from ludometer.chess.engine.cache import Cache

    for left in folder.glob("cache*"):
        left.unlink()
    path = folder / "cache.sqlite"
    path.write_bytes(given.data)
    with Cache(path, create=False) as cache:
        return [one.describe() for one in cache.settings()], cache.find(1, ["a", "b"]), cache.count()


def read_option(given: Input, _: Path) -> object:
    """The small languages of other options."""
    from ludometer.curves import make_curve
    from ludometer.measurement.luck.population import make_prior
    from ludometer.ratings.catalogue import make_system
    from ludometer.selection import with_experience
    from ludometer.skat.commands.options import parse_titles
    from ludometer.skat.luck.factors import parse_factors
    from ludometer.skat.rules.games import Contract
    from ludometer.strength.priors import parse_prior

    readers: dict[str, Callable[[str], object]] = {
        "titles": parse_titles,
        "curve": make_curve,
        "experience": lambda text: with_experience(_few_matches(), text),
        "luck-prior": make_prior,
        "prior": parse_prior,
        "system": make_system,
        "contract": Contract.parse,
        "factors": parse_factors,
    }
    return readers[given.choices["reader"]](given.text)


def _few_matches() -> Any:
    from ludometer.matches import Matches

    return Matches.of_pairs([0, 1, 0, 2], [1, 2, 2, 1], [1, 0.5, 0, 1])


@contextmanager
def _stdin(data: bytes) -> Iterator[None]:
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(data)))
    try:
        yield
    finally:
        sys.stdin = before
