"""Reads the output of programs, tests and compilers that failed."""
