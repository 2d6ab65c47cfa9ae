"""What Redline costs, measured against what any program would cost in its place.

`python -m benchmarks` runs all of it; `docs/explanation/speed.md` says what each
measure means. Nothing here is part of the package.
"""
