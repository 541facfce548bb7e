"""python -m ludometer.cli is the command line too."""

from ludometer.cli import main

main()
