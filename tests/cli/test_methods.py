import boolfact

from command_line import run


def test_methods_are_listed():
    words = run("methods").stdout.split()
    assert set(boolfact.methods()) <= set(words)
