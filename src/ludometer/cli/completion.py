"""ludometer completion: what makes a shell complete commands and options."""

from __future__ import annotations

import click


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="SHELL")
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that makes SHELL (bash, zsh or fish) complete commands, options and values with Tab.

    \b
    ludometer completion bash > ~/.local/share/bash-completion/completions/ludometer
    ludometer completion fish > ~/.config/fish/completions/ludometer.fish
    eval "$(ludometer completion zsh)"
    """
    from click.shell_completion import get_completion_class

    maker = get_completion_class(shell)
    assert maker is not None, shell
    root = ctx.find_root()
    completer = maker(root.command, {}, "ludometer", "_LUDOMETER_COMPLETE")
    # not completer.source(): for bash that starts a shell to ask its version, which may not be there
    click.echo(completer.source_template % completer.source_vars())
