"""What `skat fit` does: a winning model from game records, how good it is, and outputs."""

from __future__ import annotations

import math
from typing import Any

import click

from ludometer.cli.options import command_line, note
from ludometer.errors import LudometerError
from ludometer.skat.commands.source import read_games


def fit_and_write(options: dict[str, Any]) -> None:
    """The command `skat fit`."""
    from ludometer.report.documents import provenance_document
    from ludometer.report.files import replacing, write_json
    from ludometer.skat.luck.fitting import fit_on_records
    from ludometer.skat.report.documents import fit_document
    from ludometer.skat.report.phrases import phrase
    from ludometer.skat.report.text import quality_table, show

    if not math.isfinite(options["ridge"]):
        raise LudometerError(f"--ridge {options['ridge']:g}: write a number from 0 up, such as 1")
    language = options["language"]
    found = read_games(options["games"], options)
    if found.records is None:
        raise LudometerError(f"{found.name}: a winning model needs game records with cards (ISS records, an xskat log)")
    fitted = fit_on_records(found.records, ridge=options["ridge"], seed=options["seed"], source=found.name)
    with replacing(options["out"]) as draft:
        fitted.model.save(draft)
    if options["json_file"] != "-":
        games = f"{sum(fitted.model.games.values()):,}"
        click.echo(phrase("fitted on", language, n=games, aside=f"{fitted.held_out:,}"))
        click.echo(show(quality_table(fitted.check, language), left=(0,)))
    note(f"wrote the model to {options['out']}")
    if options["plot"]:
        from ludometer.drawing import to_svg

        with replacing(options["plot"]) as draft:
            draft.write_text(to_svg(fitted.check.plot()), encoding="utf-8")
        note(f"wrote {options['plot']}")
    if options["html"]:
        from ludometer.skat.report.studies import write_model_page

        write_model_page(fitted, options["html"], name=found.name, command=command_line(), language=language)
        note(f"wrote {options['html']}")
    if options["json_file"]:
        origin = provenance_document([fitted.provenance], command_line())
        body = fit_document(fitted.model, fitted.check, held_out=fitted.held_out)
        absent = body["absent"] | {"provenance.data": "games are not matches"}
        write_json(body | {"absent": absent, "provenance": origin}, options["json_file"])
