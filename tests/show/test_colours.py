from boolfact.show.colours import PATTERN_COLOURS, line_kinds, pattern_line


def primitive(line):
    """The line as it looks: turned to its first rotation, and once only if it repeats."""
    pieces = [line[place : place + 2] for place in range(0, len(line), 2)]
    for size in range(1, len(pieces) + 1):
        if len(pieces) % size == 0 and pieces == pieces[:size] * (len(pieces) // size):
            pieces = pieces[:size]
            break
    return min((pieces[i:] + pieces[:i] for i in range(len(pieces))), default=[])


def test_no_two_kinds_of_line_look_the_same():
    kinds = line_kinds(100)
    assert kinds[0] == ()
    assert len({tuple(primitive(kind)) for kind in kinds}) == 100
    assert all(len(kind) % 2 == 0 and min(kind) > 0 for kind in kinds[1:])


def test_no_two_patterns_have_the_same_colour_and_kind_of_line():
    colours = len(PATTERN_COLOURS)
    assert len({(u % colours, pattern_line(u)) for u in range(500)}) == 500
    assert line_kinds(3) == [pattern_line(u) for u in (0, colours, 2 * colours)]
