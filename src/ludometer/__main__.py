"""python -m ludometer is the command line too."""

from ludometer.cli import main

main()
