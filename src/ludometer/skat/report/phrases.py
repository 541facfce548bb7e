"""German and English phrases of the Skat reports; words of the game itself are in `skat.words`."""

from __future__ import annotations

import re

from ludometer.skat import records
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
    "Repeat with": ("Repeat with:", "Noch einmal mit:"),
    "Fingerprint": ("Fingerprint of the data:", "Fingerabdruck der Daten:"),
    "and more": ("and {n} more", "und {n} weitere"),
    "and more of": ("and {n} more (--top {all} shows all)", "und {n} weitere (--top {all} zeigt alle)"),
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
        "The line goes from the lowest to the highest rating, the bar from what nine in ten players reach to what one "
        "in ten does. A larger K spreads ratings by noise as well.",
        "Die Linie reicht von der niedrigsten zur höchsten Wertung, der Balken von der, die neun von zehn Spielern "
        "erreichen, zu der, die einer von zehn erreicht. Ein größeres K spreizt auch durch Rauschen.",
    ),
    "max": ("max", "höchste"),
    "mean": ("mean", "Mittel"),
    "min": ("min", "niedrigste"),
    "sd": ("SD", "Streuung"),
    "k": ("K", "K"),
    "top": ("top {n}%", "beste {n}%"),
    "sensitivity of": (
        "{n} series of {players} players, start {start}",
        "{n} Serien von {players} Spielern, Startwert {start}",
    ),
    "placement": (
        "nearest to {good}:{weak}: K {k}, start {start}: best tenth {upper}, last tenth {lower}, noise of a rating "
        "{noise}",
        "am nächsten an {good}:{weak}: K {k}, Startwert {start}: bestes Zehntel {upper}, letztes Zehntel {lower}, "
        "Rauschen einer Wertung {noise}",
    ),
    "chance rule": (
        "Chance factors {factors}: a player's scores spread by {after} instead of {before} points about his own mean. "
        "i1 divides a game by the strength of the hand and so rewards bidding; i2 counts each game as 41; i3 takes off "
        "what the dealt cards were worth, whatever was made of them.",
        "Glücksfaktoren {factors}: die Ergebnisse eines Spielers streuen um {after} statt {before} Punkte um sein "
        "Mittel. i1 teilt ein Spiel durch die Stärke des Blattes und belohnt so das Reizen; i2 zählt jedes Spiel als "
        "41; i3 zieht ab, was die gegebenen Karten wert waren, was immer daraus wurde.",
    ),
    "position rule": (
        "The strength of the start is taken off: a player's scores spread by {after} instead of {before} points about "
        "his own mean.",
        "Die Stärke der Ausgangsstellung ist abgezogen: die Ergebnisse eines Spielers streuen um {after} statt "
        "{before} Punkte um sein Mittel.",
    ),
    "Updates as a table": ("Every update as a table", "Jede Änderung als Tabelle"),
    "List as a table": ("Rating list as a table", "Rangliste als Tabelle"),
    "update": (
        "series {series}: scored {score} of {total}, expected {expected}; {before} {change} = {rating} (K {k})",
        "Serie {series}: {score} von {total} erreicht, {expected} erwartet; {before} {change} = {rating} (K {k})",
    ),
    "agreed": ("{n} games rescored as recorded", "{n} Spiele nachgerechnet wie notiert"),
    "flagged": (", {n} flagged as recorded otherwise than by the rules", ", {n} anders notiert als nach den Regeln"),
    "fitted on": (
        "{n} games; on {aside} not used for the fit:",
        "{n} Spiele; an {aside}, die zur Anpassung nicht dienten:",
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
    "Calibration": ("Are the chances right?", "Stimmen die Chancen?"),
    "calibration rule": (
        "Groups of equal size from the lowest chance to the highest, with two standard errors; on the dashed line a "
        "chance came true as often as it said.",
        "Gleich große Gruppen von der kleinsten Chance zur größten, mit zwei Standardfehlern; auf der gestrichelten "
        "Linie traf eine Chance so oft ein, wie sie sagt.",
    ),
    "quality rule": (
        "On games that the fit had not seen. Log loss is smaller the better; beside it that of who only knows how "
        "often such games are won. AUC is the chance that a game won was given more than a game lost.",
        "An Spielen, die die Anpassung nicht kannte. Ein kleinerer Log-Verlust ist besser; daneben der dessen, der nur "
        "weiß, wie oft solche Spiele gewonnen werden. AUC ist die Chance, dass einem gewonnenen Spiel mehr gegeben "
        "wurde als einem verlorenen.",
    ),
    "Series results": ("Series", "Serien"),
    "Lists": ("Lists", "Listen"),
    "Sheets": ("The lists", "Die Listen"),
    "List as sheets": ("All lists as a table", "Alle Listen als Tabelle"),
    "Check": ("Games to look at", "Spiele zum Nachsehen"),
    "Differences as a table": ("These games as a table", "Diese Spiele als Tabelle"),
    "written value": ("written", "notiert"),
    "by_rules": ("by the rules", "nach den Regeln"),
    "reason": ("reason", "Grund"),
    "Scores": ("How the scores spread", "Wie die Leistungen streuen"),
    "scores rule": (
        "Each player's score in each list; the dashed line is their mean.",
        "Die Leistung jedes Spielers in jeder Liste; die gestrichelte Linie ist ihr Mittel.",
    ),
    "mean of": ("mean {mean}", "Mittel {mean}"),
    "score axis": ("Score of a list (points)", "Leistung einer Liste (Punkte)"),
    "players' series": ("Results of players", "Ergebnisse von Spielern"),
    "time": ("Time", "Zeit"),
    "lists lead": (
        "{lists} lists of {players} players; best: {player} with {score} in {series}.",
        "{lists} Listen von {players} Spielern; beste: {player} mit {score} in {series}.",
    ),
    "no lists": ("No list is complete.", "Keine Liste ist vollständig."),
    "of games": (
        "{games} games, {folded} of them folded, {left_out} in no list that counts.",
        "{games} Spiele, davon {folded} eingepasst, {left_out} in keiner Liste, die zählt.",
    ),
    "written": ("{written} written, {rules} by the rules", "{written} notiert, {rules} nach den Regeln"),
}


_REASONS = {
    records.BEFORE_DISCARD: "vor dem Drücken gewertet, nach Karten, die nicht bekannt waren",
    records.OTHER_MATADORS: "andere Spitzen als in Hand und Skat",
    records.OTHER_RESULT: "anders gewonnen oder verloren als nach Augen, Stichen und Ansagen",
    records.OTHER_OVERBID: "anders überreizt als nach Wert und Reizung",
    records.OTHER_LEVELS: "Schneider, Schwarz oder eine Ansage anders gezählt",
    records.OTHER_FLAGS: "Punkte richtig, aber Schneider oder Schwarz anders notiert als nach Augen und Stichen",
    records.NOT_KNOWN: "nicht alle Karten des Alleinspielers sind bekannt",
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


def localise(number: str, language: Language) -> str:
    """A number as the language writes it.

    >>> localise("1,332.5", "de"), localise("1,332.5", "en")
    ('1.332,5', '1,332.5')
    """
    return number.translate(_GERMAN_MARKS) if language == "de" else number


_GERMAN_MARKS = {ord(","): ".", ord("."): ","}


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
