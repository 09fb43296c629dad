"""Runs commands in this process, for the tests of the command line."""

from typer.testing import CliRunner

from boolfact.cli.app import app

FAST = ["--time-limit", "2", "--quiet"]


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
