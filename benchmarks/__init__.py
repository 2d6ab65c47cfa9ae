"""Measures of Redline, compared with the smallest programs that do the same.

`python -m benchmarks` runs all of them; `docs/explanation/speed.md` explains each
measure. Nothing here is part of the package.
"""
