"""Scripts for the Python inside GNU Backgammon: each reads task.json and writes result.json, and nothing else.

They only collect what the program knows. What it means is worked out on our side, where it is tested.
"""

from __future__ import annotations

_FRAME = """
import json
import gnubg


def say(*commands):
    for command in commands:
        gnubg.command(command)


def main():
    with open("task.json", encoding="utf-8") as stream:
        task = json.load(stream)
    try:
        found = work(task)
    except Exception as error:
        found = {"error": "%s: %s" % (type(error).__name__, error)}
    with open("part.json", "w", encoding="utf-8") as stream:
        json.dump(found, stream)
    import os
    os.replace("part.json", "result.json")


say("set output output off", "set threads 1", "set display off", "set confirm new off", "set confirm save off")
"""

ANALYSE = (
    _FRAME
    + '''

def work(task):
    say(task["load"])
    if gnubg.match(0, 0, 0, 0) is None:
        return {"match": None}
    for part in ("chequerplay evaluation", "cubedecision evaluation"):
        say("set analysis %s plies %d" % (part, task["plies"]))
        say("set analysis %s noise 0" % part)
        say("set analysis %s cubeful on" % part)
    say("set analysis luckanalysis plies %d" % task["luck_plies"])
    # an analysis that the file brings along would be kept where it claims to be the better one
    say("analyse clear match", "analyse match")
    match = gnubg.match(1, 0, 0, 0)
    about = match["match-info"]
    length = about["match-length"]
    games = []
    for game in match["games"]:
        info = game["info"]
        score = (info["score-X"], info["score-O"])
        games.append({
            "score": score,
            "winner": {"X": 0, "O": 1}.get(info["winner"]),
            "points": info.get("points-won"),
            "actions": actions(game["game"], length, score, bool(info.get("crawford"))),
        })
    names = [about[seat]["name"] for seat in "XO"]
    return {"match": {"names": names, "length": length, "variation": about["variation"], "games": games}}


def actions(records, length, score, is_crawford):
    """Of each: kind, player, what one of equity is worth (match-winning chance or points), then what belongs to it."""
    cube, owner, doubles = 1, -1, []
    listed = []
    for record in records:
        kind = record["action"]
        if kind == "set":
            # dice without a move, as before a resignation; anything else was set up by hand
            kind = "roll" if "dice" in record else kind
        if kind not in ("move", "roll", "double", "take", "drop"):
            listed += [["set", 0, 0.0]] if kind == "set" else []
            continue
        player = "XO".index(record["player"])
        analysis = record.get("analysis") or {}
        state = gnubg.cubeinfo(cube, owner, player, length, score, int(is_crawford))
        unit = gnubg.eq2mwc(1.0, state) - gnubg.eq2mwc(0.0, state) if length else float(cube)
        cubes = [analysis.get(name) for name in ("nd-cubeful-eq", "dt-cubeful-eq")]
        if length:
            cubes = [None if value is None else gnubg.mwc2eq(value, state) for value in cubes]
        if kind == "roll":
            listed.append([kind, player, unit, analysis.get("luck-value")])
        elif kind == "move":
            moves = analysis.get("moves") or ()
            chosen = analysis.get("imove", 0)
            played = moves[chosen]["score"] if chosen < len(moves) else None
            listed.append([kind, player, unit, *cubes, len(moves), moves[0]["score"] if moves else None, played,
                           analysis.get("luck-value")])
        elif kind == "double":
            # a double that answers a double is a beaver
            listed.append(["beaver" if doubles else kind, player, unit, *cubes])
            doubles.append(player)
        else:
            # the answer to a beaver is no decision that is analysed
            listed.append([kind if len(doubles) == 1 else "beaver", player, unit])
            if kind == "take" and doubles:
                cube, owner = cube * 2 ** len(doubles), 1 - doubles[0]
            doubles = []
    return listed


main()
'''
)

PLAY = (
    _FRAME
    + """

say("set rng mersenne", "set beavers 0", "set automatic roll on", "set automatic move on", "set automatic bearoff on",
    "set player 0 gnubg", "set player 1 gnubg")


def work(task):
    return {"matches": [play(match) for match in task["matches"]]}


def play(match):
    for seat, player in enumerate(match["players"]):
        for part in ("chequerplay", "cubedecision"):
            prefix = "set player %d %s evaluation " % (seat, part)
            # noise that is a function of the position: drawn noise would come from a generator without a seed
            say(prefix + "plies %d" % player["plies"], prefix + "deterministic on",
                prefix + "noise %s" % repr(float(player["noise"])))
    say("set automatic game %s" % ("on" if match["length"] else "off"), "set seed %d" % match["seed"])
    say("new match %d" % match["length"] if match["length"] else "new session")
    # a new match forgets names, and has the date of today; two names that are equal for a moment would be refused
    names = [player["name"] for player in match["players"]]
    say("set player 0 name seat.0", "set player 1 name seat.1")
    say("set player 0 name " + names[0], "set player 1 name " + names[1], "set matchinfo date")
    found = gnubg.match(0, 0, 0, 0)
    if [found["match-info"][seat]["name"] for seat in "XO"] != names:
        raise ValueError("GNU Backgammon does not take the names %s and %s" % tuple(names))
    games = [game["info"] for game in found["games"]]
    points = [sum(game["points-won"] for game in games if game["winner"] == seat) for seat in "XO"]
    if match["file"]:
        say("%s %s" % ("save match" if match["file"].endswith(".sgf") else "export match mat", match["file"]))
    return {"games": len(games), "points": points}


main()
"""
)
