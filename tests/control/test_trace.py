"""Two histories of one run become one, in order of time."""

from boolfact.control.trace import Trace, TracePoint


def test_points_are_merged_by_time_and_errors_that_are_no_better_left_out():
    trace = Trace([TracePoint(1.0, error=9), TracePoint(4.0, error=5)], {"nodes": 3})
    other = Trace(
        [TracePoint(2.0, error=7), TracePoint(3.0, master=4.5), TracePoint(5.0, error=5)],
        {"nodes": 4, "exact_pricings": 1},
    )
    trace.merge(other)
    assert [point.seconds for point in trace.points] == [1.0, 2.0, 3.0, 4.0]
    assert [point.error for point in trace.points] == [9, 7, None, 5]
    assert trace.counters == {"nodes": 7, "exact_pricings": 1}
