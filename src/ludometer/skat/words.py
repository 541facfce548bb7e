"""German and English words for games, cards and headings, and what a score list may say for them."""

from __future__ import annotations

from typing import Literal

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
"""What people write; all in small letters."""


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
