"""The targets of the fuzzer: for each reader how an input is made, and its share of all inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from fuzzing import documents, readers, samples, skat_samples
from fuzzing.mutations import BYTES, DATES, NUMBERS, TEXT, Mutation, mutate, pack
from fuzzing.readers import Input


@dataclass(frozen=True)
class Target:
    """A reader; `share` is its part of all inputs, by how cheap one is."""

    name: str
    make: Callable[[Random], Input]
    read: Callable[[Input, Path], object]
    share: float

    def input(self, seed: int) -> Input:
        """The input of a number, the same on every machine."""
        return self.make(Random(f"{self.name}:{seed}"))


def _options(rng: Random) -> dict[str, Any]:
    """Options of reading, mostly none."""
    options: dict[str, Any] = {}
    if rng.random() < 0.3:
        options["drop_bad_rows"] = True
    columns = ("date", "season", "home", "away", "result", "score_1", "match", "player", "place", "prize", "nobody", "")
    kept = ("session", "weight", "advantage", "side", "covariates", "seat_covariates")
    for name in ("first", "second", "score", "time", "match", "player", "place", "prizes", "by", "order", *kept):
        if rng.random() < 0.015:
            options[name] = rng.choice(columns) + rng.choice(("", "", ",season"))
    if rng.random() < 0.04:
        options["date_format"] = rng.choice(
            ("%d.%m.%Y", "%Y-%m-%d", "%H:%M", "%", "%Q", "", "number", "%Y-%m-%d %H:%M", "%#z", "%s", "\x00", "%H")
        )
    if rng.random() < 0.1:
        options["where"] = _condition(rng)
    if rng.random() < 0.05:
        options["keep"] = rng.choice(("all", "all", "score", "score,side", "nobody"))
    return options


def _condition(rng: Random) -> str:
    names = ("season", "date", "home", "result", '"score_1"', "place", "nobody", "`odd name`", "count", "when", "flag")
    values = (
        "2015",
        "'Ann'",
        "'2020-01-01'",
        "true",
        "null",
        "-1e400",
        "0.5",
        *NUMBERS,
        *(f"'{one}'" for one in DATES),
    )
    terms = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        name, value = rng.choice(names), rng.choice(values)
        forms = (
            f"{name} {rng.choice(('=', '!=', '<', '<=', '>', '>=', '<>', '=='))} {value}",
            f"{name} in ({value}, {rng.choice(values)})",
            f"{name} not in ({value})",
            f"{name} is {rng.choice(('', 'not '))}null",
            f"not {name}",
            f"{name} {rng.choice('<=>')} {rng.choice(names)}",
            f"({name} = {value} or {name})",
            f"{value} < {name}",
        )
        terms.append(rng.choice(forms))
    return rng.choice((" and ", " or ", " AND not ")).join(terms)


def _from(
    sample: Callable[[Random], bytes], mutations: tuple[Mutation, ...] = TEXT, *, chosen: bool = True, suffix: str = ""
) -> Callable[[Random], Input]:
    def make(rng: Random) -> Input:
        data = mutate(sample(rng), rng, mutations)
        return Input(data, {"suffix": suffix, **(_options(rng) if chosen else {})})

    return make


def _packed(rng: Random) -> Input:
    sample = rng.choice((samples.csv_matches, samples.json_lines, samples.pgn, samples.parquet, samples.arrow))
    return Input(pack(sample(rng), rng), {"suffix": rng.choice((".gz", ".csv", ".pgn.zst", ".bz2"))})


def _make_kernel_input(rng: Random) -> Input:
    data = mutate(samples.pgn(rng), rng, TEXT)[:6_000]
    return Input(data, {"block": rng.choice((7, 64, 1 << 20, 1 << 20)), "value": rng.choice((4, 16, 4096))})


def _make_text(rng: Random) -> Input:
    data = rng.choice((*samples.RESULTS, *NUMBERS, "1. e4 {[%eval 0.3]} e5 (2. d4) *")).encode()
    return Input(mutate(data, rng, TEXT))


def _make_times(rng: Random) -> Input:
    form = rng.choice(
        (
            "{y}-{m:02}-{d:02}",
            "{d}.{m}.{y}",
            "{m}/{d}/{y}",
            "{y}.{m:02}.{d:02} 10:20",
            "{y}-{m:02}-{d:02}T10:20:30Z",
            "{y}",
        )
    )
    days = [
        form.format(y=rng.randint(1990, 2020), m=rng.randint(1, 12), d=rng.randint(1, 28))
        for _ in range(rng.choice((1, 3, 9)))
    ]
    days += rng.sample(DATES, rng.choice((0, 0, 1, 3)))
    given = rng.choice(
        (None, None, None, "%d.%m.%Y", "%Y-%m-%d", "%H:%M", "%", "%Q", "%Y", "%b %d", "%s", "%+", "%Z", "\u0000")
    )
    return Input(mutate("\n".join(days).encode(), rng, TEXT), {"format": given})


def _make_condition(rng: Random) -> Input:
    return Input(mutate(_condition(rng).encode(), rng, TEXT))


def _with(
    make: Callable[[Random], bytes], choose: Callable[[Random], dict[str, Any]], mutations: tuple[Mutation, ...] = TEXT
) -> Callable[[Random], Input]:
    return lambda rng: Input(mutate(make(rng), rng, mutations), choose(rng))


def _make_option(rng: Random) -> Input:
    known = {
        "experience": rng.choice(("0:5", "1:", ":3")),
        "curve": rng.choice(("logistic", "stob", "normal")),
        "titles": "1100=Meister, 1000=Experte",
        "luck-prior": "uniform:10",
        "prior": rng.choice(("normal:350", "uniform:0,3000", "point")),
        "system": rng.choice(("elo:k=32", "glicko2:tau=0.5", "elo")),
        "contract": rng.choice(("CHS", "clubs ouvert", "Null Hand", "GO")),
        "factors": rng.choice(("i1,i2", "i3:table", "i3")),
    }
    reader = rng.choice(list(known))
    return Input(mutate(known[reader].encode(), rng, TEXT), {"reader": reader})


def _any_skat(rng: Random) -> bytes:
    sample = rng.choice(
        (skat_samples.skat_records, skat_samples.xskat_log, skat_samples.score_list, skat_samples.series_results)
    )
    data = sample(rng)
    return pack(data, rng) if rng.random() < 0.2 else data


_CACHES: dict[str, bytes] = {}


def sound_cache(_: Random) -> bytes:
    """A cache with two evaluations."""
    if not _CACHES:
        import tempfile

        from ludometer.chess.engine.cache import Cache, Line, Settings

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "cache.sqlite"
            with Cache(path) as cache:
                cache.connection.execute("PRAGMA journal_mode = DELETE")
                settings = Settings("x", "", (("Threads", "1"),), 12, None, 1, 16, "position")
                number = cache.number(settings)
                cache.store_all(number, [("a", [Line("e2e4", 33.0)]), ("b", [Line("d8h4", float("-inf"))])])
            _CACHES["one"] = path.read_bytes()
    return _CACHES["one"]


def _flag(*names: str) -> Callable[[Random], dict[str, Any]]:
    return lambda rng: {name: rng.random() < 0.5 for name in names}


TARGETS: tuple[Target, ...] = (
    Target("results", _make_text, readers.read_results, 240),
    Target("filter", _make_condition, readers.read_filter, 90),
    Target("pgn scanner", _make_kernel_input, readers.read_pgn_kernel, 100),
    Target("options", _make_option, readers.read_option, 140),
    Target("chess games", _with(samples.pgn, _flag("replay", "follow")), readers.read_games, 20),
    Target("Skat record", _with(skat_samples.skat_records, lambda _: {}), readers.read_skat_record, 80),
    Target("xskat log", _with(skat_samples.xskat_log, lambda _: {}), readers.read_xskat_log, 10),
    Target("prizes", _with(samples.prize_table, _flag("file")), readers.read_prizes, 100),
    Target("calibration", _with(documents.calibration, lambda _: {}, (*TEXT, *BYTES)), readers.read_calibration, 15),
    Target(
        "winning model", _with(documents.winning_model, lambda _: {}, (*TEXT, *BYTES)), readers.read_winning_model, 20
    ),
    Target("cache", _with(sound_cache, lambda _: {}, BYTES), readers.read_cache, 12),
    Target("csv", _from(samples.csv_matches, suffix=".csv"), readers.read_matches_file, 14),
    Target("json lines", _from(samples.json_lines, suffix=".jsonl"), readers.read_matches_file, 8),
    Target("json array", _from(samples.json_array, suffix=".json"), readers.read_matches_file, 8),
    Target("parquet", _from(samples.parquet, BYTES, suffix=".parquet"), readers.read_matches_file, 8),
    Target("arrow", _from(samples.arrow, BYTES, suffix=".arrow"), readers.read_matches_file, 10),
    Target("table", lambda rng: Input(str(rng.random()).encode(), _options(rng)), readers.read_typed_table, 8),
    Target("pgn file", _from(samples.pgn, suffix=".pgn"), readers.read_matches_file, 6),
    Target("pgn headers", _with(samples.pgn, lambda _: {}), readers.read_pgn_headers, 8),
    Target("packed", _packed, readers.read_matches_file, 10),
    Target("standard input", _from(samples.csv_matches), readers.read_standard_input, 6),
    Target("stream", _from(samples.csv_matches), readers.stream_file, 6),
    Target("times", _make_times, readers.read_times, 6),
    Target("where", _make_condition, readers.apply_filter, 20),
    Target(
        "ratings",
        _with(
            samples.ratings, lambda rng: {"drop": rng.random() < 0.5, "column": rng.choice((None, None, "points", "x"))}
        ),
        readers.read_rating_list,
        8,
    ),
    Target("evaluations", _with(samples.evaluations, _flag("drop")), readers.read_evaluation_table, 7),
    Target(
        "Skat server",
        _with(
            skat_samples.skat_records,
            lambda rng: {
                "replay": rng.random() < 0.5,
                "skip": rng.random() < 0.7,
                "block": rng.choice((1, 100, 1 << 22)),
            },
        ),
        readers.read_skat_records,
        4,
    ),
    Target(
        "any Skat",
        _with(_any_skat, lambda rng: {"skip": rng.random() < 0.7, "short": rng.choice(("drop", "keep", "rescale"))}),
        readers.read_any_skat,
        7,
    ),
    Target("score list", _with(skat_samples.score_list, lambda _: {}), readers.read_score_list, 8),
    Target("series", _with(skat_samples.series_results, _flag("record")), readers.read_series, 8),
    Target(
        "backgammon",
        _with(samples.backgammon, lambda rng: {"suffix": rng.choice((".mat", ".sgf", ".sgg"))}),
        readers.read_backgammon,
        40,
    ),
    Target("small tables", _with(samples.small_table, _flag("teams")), readers.read_small_tables, 8),
)

BY_NAME = {target.name: target for target in TARGETS}
