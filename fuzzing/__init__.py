"""A fuzzer for everything that reads what a user gives: files of all formats, and the small languages of options.

`python -m fuzzing` runs it. An input is made from its target and a number alone, so `python -m fuzzing --target csv
--seed 17 --show` makes it again.
"""
