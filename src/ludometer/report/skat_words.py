"""German and English phrases of the Skat reports; words of the game itself are in `skat.words`."""

from __future__ import annotations

from ludometer.skat.words import WORDS, Language, say

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
    "average_list": ("a list", "je Serie"),
    "average_game": ("a game", "je Spiel"),
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
    "Ratings": ("Ratings", "Wertungen"),
    "Rating list": ("Rating list", "Rangliste"),
    "Courses": ("How the ratings went", "Verlauf der Wertungen"),
    "Season": ("Season table", "Saisontabelle"),
    "Teams": ("Teams", "Mannschaften"),
    "Variants": ("Other systems side by side", "Andere Systeme im Vergleich"),
    "Sensitivity": ("How much K and the chance factors matter", "Einfluss von K und Glücksfaktoren"),
    "Chance": ("The luck of the cards", "Das Kartenglück"),
    "Method": ("How it was done", "Wie gerechnet wurde"),
    "and more": ("and {n} more", "und {n} weitere"),
    "lead": (
        "{first} leads with {rating} ± {sd} points a series, after {n} series of {players} players.",
        "{first} führt mit {rating} ± {sd} Punkten je Serie, nach {n} Serien von {players} Spielern.",
    ),
    "spread": (
        "A score spreads by {score} points about what was expected of it; strengths spread by {strength} about the "
        "start. So a rating is noise by about {noise} points, however many series are played at this K.",
        "Ein Ergebnis streut um {score} Punkte um das erwartete; die Spielstärken streuen um {strength} um den "
        "Startwert. Eine Wertung schwankt bei diesem K daher um etwa {noise} Punkte, wie viele Serien auch folgen.",
    ),
    "level": (
        "Scores are {level} times the ratings: with --start mean ratings read as mean scores.",
        "Die Ergebnisse sind das {level}-Fache der Wertungen: mit --start mean lesen sie sich als mittlere Ergebnisse.",
    ),
    "dots": (
        "Ratings with one SD on either side; hollow: provisional, the start value is still more than half of it.",
        "Wertungen mit einer Standardabweichung; hohl: vorläufig, der Startwert macht noch mehr als die Hälfte aus.",
    ),
    "contracted": (
        "Each change of a rating is one step, so players with few and many series can be compared.",
        "Jede Änderung ist ein Schritt, so sind Spieler mit wenigen und vielen Serien vergleichbar.",
    ),
    "band": ("The band is one SD.", "Das Band ist eine Standardabweichung."),
    "expanded": (
        "The same over the whole record: when each player played, and what happened meanwhile.",
        "Dasselbe über den ganzen Zeitraum: wann jeder gespielt hat und was inzwischen geschah.",
    ),
    "Series by series": ("Series by series", "Serie für Serie"),
    "Over time": ("Over time", "Im Zeitverlauf"),
    "rating axis": ("Rating (points a series)", "Wertung (Punkte je Serie)"),
    "own series": ("Series of the player", "Serien des Spielers"),
    "all series": ("Series of the whole record", "Serien insgesamt"),
    "date": ("Date", "Datum"),
    "season rule": (
        "By average a game among those who played enough; the others stand below without a place.",
        "Nach dem Schnitt je Spiel unter denen, die genug gespielt haben; die anderen stehen ohne Rang darunter.",
    ),
    "team rule": (
        "In each round n teams get n - 1 : 0, and so on, by the totals of their players.",
        "In jeder Runde erhalten n Mannschaften n - 1 : 0 und so weiter, nach der Summe ihrer Spieler.",
    ),
    "variants rule": (
        "The same results by other rules: the plain average; Kewel's, which counts more the more series it rests on; "
        "Euroskat's handicap, points given beforehand; the additive Elo of 2007; the quotient that the paper rejects; "
        "Elo for one winner of a table.",
        "Dieselben Ergebnisse nach anderen Regeln: einfacher Schnitt; Kewel-Wertung, die mit der Zahl der Serien "
        "wächst; Euroskat-Vorgabe; additives Elo von 2007; der im Aufsatz verworfene Quotient; Elo für einen "
        "Tischsieger.",
    ),
    "sensitivity rule": (
        "Top 10 % is the rating that one player in ten reaches. A larger K spreads ratings by noise as well.",
        "Top 10 % ist die Wertung, die jeder zehnte Spieler erreicht. Ein größeres K spreizt auch durch Rauschen.",
    ),
    "chance rule": (
        "Chance factors {factors}: a player's scores spread by {after} instead of {before} points about his own mean. "
        "i1 divides a game by the strength of the hand and so rewards bidding; i2 counts each game as 41; i3 takes off "
        "what the dealt cards were worth, whatever was made of them.",
        "Glücksfaktoren {factors}: die Ergebnisse eines Spielers streuen um {after} statt {before} Punkte um sein "
        "Mittel. i1 teilt ein Spiel durch die Stärke des Blattes und belohnt so das Reizen; i2 zählt jedes Spiel als "
        "41; i3 zieht ab, was die gegebenen Karten wert waren, was immer daraus wurde.",
    ),
    "Updates as a table": ("Every update as a table", "Jede Änderung als Tabelle"),
    "List as a table": ("Rating list as a table", "Rangliste als Tabelle"),
    "differ": (
        "{n} games are recorded otherwise than by the rules:",
        "{n} Spiele sind anders aufgeschrieben als nach den Regeln:",
    ),
    "written": ("{written} written, {rules} by the rules", "{written} notiert, {rules} nach den Regeln"),
}


def phrase(key: str, language: Language = "en", **values: object) -> str:
    """A phrase or a word of the game, with its gaps filled.

    >>> phrase("Season", "de"), phrase("score", "de"), phrase("and more", n=3)
    ('Saisontabelle', 'Leistung', 'and 3 more')
    """
    if key in PHRASES:
        text = PHRASES[key][1 if language == "de" else 0]
    else:
        text = say(key, language) if key in WORDS else key
    return text.format(**values) if values else text
