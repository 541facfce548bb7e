"""German and English: words of the game, what score lists may write for them, and the phrases of reports."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

from ludometer.errors import LudometerError

Language = Literal["en", "de"]

WORDS: dict[str, tuple[str, str]] = {
    "C": ("clubs", "Kreuz"),
    "S": ("spades", "Pik"),
    "H": ("hearts", "Herz"),
    "D": ("diamonds", "Karo"),
    "G": ("grand", "Grand"),
    "N": ("null", "Null"),
    "hand": ("hand", "Hand"),
    "schneider": ("schneider", "Schneider"),
    "schwarz": ("schwarz", "Schwarz"),
    "announced": ("announced", "angesagt"),
    "ouvert": ("ouvert", "Ouvert"),
    "with": ("with", "mit"),
    "without": ("without", "ohne"),
    "folded": ("folded", "eingepasst"),
    "won": ("won", "gewonnen"),
    "lost": ("lost", "verloren"),
    "overbid": ("overbid", "überreizt"),
    "kontra": ("kontra", "Kontra"),
    "re": ("re", "Re"),
    "bock": ("bock", "Bock"),
    "ramsch": ("ramsch", "Ramsch"),
    "series": ("series", "Serie"),
    "game": ("game", "Spiel"),
    "player": ("player", "Spieler"),
    "seat": ("seat", "Platz am Tisch"),
    "declarer": ("declarer", "Alleinspieler"),
    "contract": ("contract", "Ansage"),
    "matadors": ("matadors", "Spitzen"),
    "bid": ("bid", "Reizwert"),
    "eyes": ("eyes", "Augen"),
    "tricks": ("tricks", "Stiche"),
    "value": ("value", "Spielwert"),
    "points": ("points", "Spielpunkte"),
    "games": ("games", "Spiele"),
    "others_lost": ("lost by others", "verloren von anderen"),
    "score": ("score", "Leistung"),
    "place": ("place", "Rang"),
    "table": ("table", "Tisch"),
    "forehand": ("forehand", "Vorhand"),
    "middlehand": ("middlehand", "Mittelhand"),
    "rearhand": ("rearhand", "Hinterhand"),
    "dealer": ("dealer", "Geber"),
    "skat": ("skat", "Skat"),
}

SPELLINGS: dict[str, tuple[str, ...]] = {
    "C": ("c", "clubs", "club", "kreuz", "eichel", "♣"),
    "S": ("s", "spades", "spade", "pik", "schippen", "grün", "laub", "♠"),
    "H": ("h", "hearts", "heart", "herz", "rot", "♥"),
    "D": ("d", "diamonds", "diamond", "karo", "schellen", "schell", "♦"),
    "G": ("g", "grand"),
    "N": ("n", "null", "nullo"),
    "hand": ("hand",),
    "schneider": ("schneider",),
    "schwarz": ("schwarz", "black"),
    "announced": ("announced", "angesagt", "angesagter", "ann"),
    "ouvert": ("ouvert", "open", "offen", "ov"),
    "folded": ("folded", "passed", "eingepasst", "eingemischt", "-"),
    "series": ("series", "list", "serie", "liste"),
    "game": ("game", "number", "nr", "spiel", "spielnummer", "spiel-nr"),
    "declarer": ("declarer", "alleinspieler", "solist"),
    "contract": ("contract", "ansage", "spielart", "farbe"),
    "matadors": ("matadors", "spitzen", "buben"),
    "bid": ("bid", "reizwert", "gereizt", "reizung"),
    "eyes": ("eyes", "augen"),
    "tricks": ("tricks", "stiche"),
    "value": ("value", "spielwert", "wert"),
    "points": ("points", "punkte", "spielpunkte"),
    "won": ("won", "win", "gewonnen", "gewonnene", "g"),
    "lost": ("lost", "loss", "verloren", "verlorene", "v"),
    "kontra": ("kontra", "contra"),
    "re": ("re", "rekontra"),
    "bock": ("bock",),
    "ramsch": ("ramsch",),
    "player": ("player", "name", "spieler", "spielerin"),
    "games": ("games", "spiele"),
    "score": ("score", "leistung", "seeger", "gesamt", "gesamtpunkte", "total"),
    "time": ("time", "date", "datum", "zeit"),
    "table": ("table", "tisch"),
    **{
        f"player_{seat}": (f"player_{seat}", f"player {seat}", f"spieler_{seat}", f"spieler {seat}")
        for seat in range(1, 5)
    },
}
"""What people write, in small letters."""


def say(word: str, language: Language = "en") -> str:
    """The word for a game or heading.

    >>> say("C"), say("C", "de"), say("score", "de")
    ('clubs', 'Kreuz', 'Leistung')
    """
    if language not in ("en", "de"):
        raise LudometerError(f"language must be en or de, not {language!r}")
    english, german = WORDS[word]
    return german if language == "de" else english


def find_word(text: str, among: tuple[str, ...] | None = None) -> str | None:
    """What a written word means, in any of its spellings; None if it means nothing.

    >>> find_word("Kreuz"), find_word("Leistung"), find_word("banana")
    ('C', 'score', None)
    """
    folded = text.strip().casefold()
    for word in among or tuple(SPELLINGS):
        if folded in SPELLINGS[word]:
            return word
    return None


PHRASES: dict[str, tuple[str, str]] = {
    "rating": ("rating", "Wertung"),
    "provisional": ("provisional", "vorläufig"),
    "yes": ("yes", "ja"),
    "no": ("no", "nein"),
    "n_series": ("series", "Serien"),
    "average": ("average", "Schnitt"),
    "last": ("last", "zuletzt"),
    "title": ("title", "Titel"),
    "total": ("total", "Summe"),
    "average_list": ("per list", "je Serie"),
    "average_game": ("per game", "je Spiel"),
    "best": ("best", "beste"),
    "dropped": ("dropped", "gestrichen"),
    "qualified": ("qualified", "gewertet"),
    "team": ("team", "Mannschaft"),
    "rounds": ("rounds", "Runden"),
    "team_points": ("team points", "Wertungspunkte"),
    "against": ("against", "Gegenpunkte"),
    "kewel": ("Kewel rating", "Kewel-Wertung"),
    "handicap": ("Euroskat handicap", "Euroskat-Vorgabe"),
    "series-elo": ("series Elo", "Serien-Elo"),
    "additive-series-elo": ("additive Elo", "additives Elo"),
    "quotient-elo": ("quotient", "Quotient"),
    "elo-by-mean": ("Elo, mean opponent", "Elo, mittlerer Gegner"),
    "elo-by-points": ("Elo, n / 2 points", "Elo, n / 2 Punkte"),
    "elo-by-softmax": ("Elo, winner", "Elo, Sieger"),
    "Ratings": ("Ratings", "Wertungen"),
    "Rating list": ("Rating list", "Rangliste"),
    "Courses": ("Ratings over time", "Verlauf der Wertungen"),
    "Season": ("Season table", "Saisontabelle"),
    "Teams": ("Teams", "Mannschaften"),
    "Variants": ("Other systems side by side", "Andere Systeme im Vergleich"),
    "Sensitivity": ("Effect of K and chance factors", "Einfluss von K und Glücksfaktoren"),
    "Chance": ("Card luck", "Kartenglück"),
    "Method": ("How it was done", "Wie gerechnet wurde"),
    "Repeat with": ("Repeat with:", "Wiederholen mit:"),
    "Fingerprint": ("Fingerprint of the data:", "Fingerabdruck der Daten:"),
    "and more": ("and {n} more", "und {n} weitere"),
    "and more of": ("and {n} more (--top {all} shows all)", "und {n} weitere (--top {all} zeigt alle)"),
    "lead": (
        "{first} leads with {rating} ± {sd} points per series, after {n} series of {players} players.",
        "{first} führt mit {rating} ± {sd} Punkten je Serie, nach {n} Serien von {players} Spielern.",
    ),
    "spread": (
        "Scores vary by {score} points around their expectation, strengths by {strength} around the start. At this K "
        "the noise of a rating is about {noise} points, however many series are played.",
        "Ergebnisse streuen um {score} Punkte um das erwartete, Spielstärken um {strength} um den Startwert. Bei "
        "diesem K schwankt eine Wertung daher um etwa {noise} Punkte, wie viele Serien auch folgen.",
    ),
    "level": (
        "Scores are {level} times the ratings: with --start mean, ratings read as mean scores.",
        "Die Ergebnisse sind das {level}-Fache der Wertungen: mit --start mean lesen sie sich als mittlere Ergebnisse.",
    ),
    "dots": (
        "Ratings with one SD on either side. Hollow: provisional, the start value still makes up more than half.",
        "Wertungen mit einer Standardabweichung. Hohl: vorläufig, der Startwert macht noch mehr als die Hälfte aus.",
    ),
    "contracted": (
        "One step per change of a rating, so that players with few and many series can be compared.",
        "Ein Schritt je Änderung, so sind Spieler mit wenigen und vielen Serien vergleichbar.",
    ),
    "band": ("The band is one SD.", "Das Band ist eine Standardabweichung."),
    "expanded": (
        "The same over the whole period: when each player played, and what happened in between.",
        "Dasselbe über den ganzen Zeitraum: wann jeder gespielt hat und was inzwischen geschah.",
    ),
    "Series by series": ("Series by series", "Serie für Serie"),
    "Over time": ("Over time", "Im Zeitverlauf"),
    "rating axis": ("Rating (points per series)", "Wertung (Punkte je Serie)"),
    "own series": ("Series of the player", "Serien des Spielers"),
    "all series": ("Series of all players", "Serien insgesamt"),
    "date": ("Date", "Datum"),
    "season rule": (
        "Ordered by average per game among players who qualify; the others follow without a place.",
        "Nach dem Schnitt je Spiel unter denen, die genug gespielt haben; die anderen folgen ohne Rang.",
    ),
    "team rule": (
        "In each round n teams get n - 1 : 0 points, n - 2 : 1 and so on, by the totals of their players.",
        "In jeder Runde erhalten n Mannschaften n - 1 : 0 Punkte, n - 2 : 1 und so weiter, nach der Summe ihrer "
        "Spieler.",
    ),
    "variants rule": (
        "The same results by other rules: the plain average; the Kewel rating, which grows with the number of series; "
        "the Euroskat handicap, points given beforehand; the additive Elo of 2007; the quotient that the paper "
        "rejects; Elo for the winner of a table.",
        "Dieselben Ergebnisse nach anderen Regeln: einfacher Schnitt; Kewel-Wertung, die mit der Zahl der Serien "
        "wächst; Euroskat-Vorgabe; additives Elo von 2007; der im Aufsatz verworfene Quotient; Elo für den "
        "Tischsieger.",
    ),
    "sensitivity rule": (
        "Lines run from the lowest to the highest rating, bars from the rating that nine in ten players reach to the "
        "one that one in ten reaches. A larger K also spreads ratings by noise.",
        "Linien reichen von der niedrigsten zur höchsten Wertung, Balken von der, die neun von zehn Spielern "
        "erreichen, zu der, die einer von zehn erreicht. Ein größeres K spreizt auch durch Rauschen.",
    ),
    "max": ("max", "höchste"),
    "mean": ("mean", "Mittel"),
    "min": ("min", "niedrigste"),
    "sd": ("SD", "Streuung"),
    "k": ("K", "K"),
    "top": ("top {n}%", "beste {n} %"),
    "sensitivity of": (
        "{n} series of {players} players, start {start}",
        "{n} Serien von {players} Spielern, Startwert {start}",
    ),
    "placement": (
        "nearest to {good}:{weak}: K {k}, start {start} (best tenth {upper}, last tenth {lower}, noise of a rating "
        "{noise})",
        "am nächsten an {good}:{weak}: K {k}, Startwert {start} (bestes Zehntel {upper}, letztes Zehntel {lower}, "
        "Rauschen einer Wertung {noise})",
    ),
    "chance rule": (
        "Chance factors {factors}: scores vary by {after} instead of {before} points around each player's own mean. "
        "i1 divides a game by the strength of the hand and so rewards bidding; i2 counts each game as 41; i3 "
        "subtracts the value of the dealt cards, however they were played.",
        "Glücksfaktoren {factors}: die Ergebnisse streuen um {after} statt {before} Punkte um das Mittel des "
        "Spielers. i1 teilt ein Spiel durch die Stärke des Blattes und belohnt so das Reizen; i2 zählt jedes Spiel "
        "als 41; i3 zieht ab, was die gegebenen Karten wert waren, was immer daraus wurde.",
    ),
    "position rule": (
        "Scores are corrected for the starting position: they vary by {after} instead of {before} points around each "
        "player's own mean.",
        "Die Stärke der Ausgangsstellung ist abgezogen: die Ergebnisse streuen um {after} statt {before} Punkte um "
        "das Mittel des Spielers.",
    ),
    "Updates as a table": ("All updates as a table", "Alle Änderungen als Tabelle"),
    "List as a table": ("Rating list as a table", "Rangliste als Tabelle"),
    "update": (
        "series {series}: scored {score} of {total}, expected {expected}; {before} {change} = {rating} (K {k})",
        "Serie {series}: {score} von {total} erreicht, {expected} erwartet; {before} {change} = {rating} (K {k})",
    ),
    "agreed": ("{n} games are recorded as the rules say", "{n} Spiele sind regelgerecht notiert"),
    "flagged": (", {n} are not", ", {n} nicht"),
    "fitted on": (
        "{n} games; quality on {aside} games that were held out:",
        "{n} Spiele; Güte an {aside} zurückgehaltenen Spielen:",
    ),
    "kind": ("kind of game", "Spielart"),
    "games won": ("won", "gewonnen"),
    "log_loss": ("log loss", "Log-Verlust"),
    "base_log_loss": ("of the mean", "des Mittels"),
    "auc": ("AUC", "AUC"),
    "suit": ("suit games", "Farbspiele"),
    "grand": ("grand", "Grand"),
    "null": ("null", "Null"),
    "null hand": ("null hand", "Null Hand"),
    "null ouvert": ("null ouvert", "Null Ouvert"),
    "null ouvert hand": ("null ouvert hand", "Null Ouvert Hand"),
    "predicted": ("Predicted chance", "Vorhergesagte Chance"),
    "observed": ("Games won", "Gewonnene Spiele"),
    "Winning model": ("Winning model", "Gewinnmodell"),
    "Calibration as a table": ("Calibration as a table", "Kalibrierung als Tabelle"),
    "Calibration": ("Are the chances right?", "Stimmen die Chancen?"),
    "calibration rule": (
        "Groups of equal size from the lowest chance to the highest, with two standard errors. On the dashed line "
        "chances come true as often as they say.",
        "Gleich große Gruppen von der kleinsten Chance zur größten, mit zwei Standardfehlern. Auf der gestrichelten "
        "Linie treffen Chancen so oft ein, wie sie sagen.",
    ),
    "quality rule": (
        "On games held out from the fit. A smaller log loss is better; beside it is the log loss of the plain share "
        "of games won. AUC is the probability that a game won was given a higher chance than a game lost.",
        "An Spielen, die die Anpassung nicht kannte. Ein kleinerer Log-Verlust ist besser; daneben der des bloßen "
        "Anteils gewonnener Spiele. AUC ist die Wahrscheinlichkeit, dass ein gewonnenes Spiel eine höhere Chance "
        "erhielt als ein verlorenes.",
    ),
    "Series results": ("Series", "Serien"),
    "Lists": ("Lists", "Listen"),
    "Sheets": ("The lists", "Die Listen"),
    "List as sheets": ("All lists as a table", "Alle Listen als Tabelle"),
    "Check": ("Games to check", "Spiele zum Prüfen"),
    "Differences as a table": ("These games as a table", "Diese Spiele als Tabelle"),
    "written value": ("written", "notiert"),
    "by_rules": ("by the rules", "nach den Regeln"),
    "reason": ("reason", "Grund"),
    "Scores": ("How scores vary", "Wie die Leistungen streuen"),
    "scores rule": (
        "Each player's score in each list; the dashed line is their mean.",
        "Die Leistung jedes Spielers in jeder Liste; die gestrichelte Linie ist ihr Mittel.",
    ),
    "mean of": ("mean {mean}", "Mittel {mean}"),
    "score axis": ("Score of a list (points)", "Leistung einer Liste (Punkte)"),
    "players' series": ("Number of results", "Zahl der Ergebnisse"),
    "time": ("Time", "Zeit"),
    "lists lead": (
        "{lists} lists of {players} players; the best score is {score} by {player} in {series}.",
        "{lists} Listen von {players} Spielern; beste Leistung: {score} von {player} in {series}.",
    ),
    "no lists": ("No list is complete.", "Keine Liste ist vollständig."),
    "of games": (
        "{games} games, {folded} of them folded; {left_out} are in no list that counts.",
        "{games} Spiele, davon {folded} eingepasst; {left_out} stehen in keiner Liste, die zählt.",
    ),
    "series Elo method": (
        "E_i = R_i S / R, where S is the sum of the scores and R that of the ratings at a table; R_i changes by "
        "K (S_i - E_i). Where S or a rating is not above 0, and always with --form additive, E_i = R_i + (S - R) / n. "
        "The "
        "sum of ratings is constant. Source: Edelkamp, “ELO System for Skat and Other Games of Chance”.",
        "E_i = R_i S / R, mit S als Summe der Ergebnisse und R der Wertungen am Tisch; R_i ändert sich um "
        "K (S_i - E_i). Wo S oder eine Wertung nicht über 0 liegt, und immer bei --form additive, ist "
        "E_i = R_i + (S - R) / n. Die Summe der Wertungen bleibt gleich. Quelle: Edelkamp, „ELO System for Skat and "
        "Other "
        "Games of Chance“.",
    ),
    "deviation method": (
        "± is one SD of a rating around the player's strength: the noise of the updates, and what the start value "
        "still "
        "contributes. A rating is provisional while the start value makes up more than half of it.",
        "± ist eine Standardabweichung der Wertung um die Spielstärke: das Rauschen der Schritte und was der Startwert "
        "noch beiträgt. Vorläufig ist eine Wertung, solange der Startwert mehr als die Hälfte ausmacht.",
    ),
    "extended method": (
        "Scores follow the extended Seeger system: points + 50 (won - lost) + 40 for each game lost by another player "
        "at a "
        "table of three, 30 at a table of four.",
        "Leistung nach erweitertem Seeger-System: Spielpunkte + 50 (gewonnen - verloren) + 40 für jedes von anderen "
        "verlorene Spiel am Dreiertisch, 30 am Vierertisch.",
    ),
    "plain method": (
        "Scores follow the Seeger system: points + 50 (won - lost).",
        "Leistung nach Seeger-System: Spielpunkte + 50 (gewonnen - verloren).",
    ),
    "points method": ("Scores are the points of the games.", "Leistung = Spielpunkte."),
    "written": ("{written} written, {rules} by the rules", "{written} notiert, {rules} nach den Regeln"),
}


BEFORE_DISCARD = "scored before the discard, on cards that were not known"
OTHER_MATADORS = "matadors differ from hand and skat"
OTHER_RESULT = "won or lost against eyes, tricks and announcements"
OTHER_OVERBID = "overbid against value and bid"
OTHER_LEVELS = "schneider, schwarz or an announcement is counted differently"
OTHER_FLAGS = "the points agree, but schneider or schwarz does not match eyes and tricks"
NOT_KNOWN = "not all cards of the declarer are known"

_REASONS = {
    BEFORE_DISCARD: "vor dem Drücken gewertet, nach Karten, die nicht bekannt waren",
    OTHER_MATADORS: "andere Spitzen als in Hand und Skat",
    OTHER_RESULT: "anders gewonnen oder verloren als nach Augen, Stichen und Ansagen",
    OTHER_OVERBID: "anders überreizt als nach Wert und Reizung",
    OTHER_LEVELS: "Schneider, Schwarz oder eine Ansage anders gezählt",
    OTHER_FLAGS: "Punkte richtig, aber Schneider oder Schwarz anders notiert als nach Augen und Stichen",
    NOT_KNOWN: "nicht alle Karten des Alleinspielers sind bekannt",
}
_SCORE_LIST = (
    (r"(-?\d+) written, (-?\d+) by the rules", r"\1 notiert, \2 nach den Regeln"),
    (r"(-?\d+) points, but won", r"\1 Punkte, aber gewonnen"),
    (r"(-?\d+) points, but lost", r"\1 Punkte, aber verloren"),
)


def reason_in(reason: str, language: Language) -> str:
    """Why a game is flagged.

    >>> reason_in("30 points, but lost", "de")
    '30 Punkte, aber verloren'
    """
    if language == "en":
        return reason
    for pattern, german in _SCORE_LIST:
        if re.fullmatch(pattern, reason):
            return re.sub(pattern, german, reason)
    return _REASONS.get(reason, reason)


def in_language(language: Language) -> Callable[..., str]:
    """`phrase` in one language, for templates and longer texts."""

    def say(key: str, /, **values: object) -> str:
        return phrase(key, language, **values)

    return say


def localise(number: str, language: Language) -> str:
    """A number as the language writes it.

    >>> localise("1,332.5", "de"), localise("1,332.5", "en")
    ('1.332,5', '1,332.5')
    """
    return number.translate(_GERMAN_MARKS) if language == "de" else number


def number_axis(language: Language, *, narrow: bool) -> Any:
    """An axis whose numbers have no comma between thousands where that would be read as a decimal point."""
    import altair as alt

    ticks = 4 if narrow else 8
    return alt.Axis(format=".0f", tickCount=ticks) if language == "de" else alt.Axis(tickCount=ticks)


_GERMAN_MARKS = {ord(","): ".", ord("."): ","}


def phrase(key: str, language: Language = "en", /, **values: object) -> str:
    """A phrase or a word of the game, with its values filled in.

    >>> phrase("Season", "de"), phrase("score", "de"), phrase("and more", n=3)
    ('Saisontabelle', 'Leistung', 'and 3 more')
    """
    if key in PHRASES:
        text = PHRASES[key][1 if language == "de" else 0]
    else:
        text = say(key, language) if key in WORDS else key
    return text.format(**values) if values else text
