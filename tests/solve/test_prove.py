"""The method `exact`: what it proves, its limits, its files."""

import dataclasses
import functools
import json
import math
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import boolfact
from boolfact.certificate import verify_result
from boolfact.colgen.cover.cube import price_by_walking
from boolfact.colgen.cover.proof import cover_bound
from boolfact.control.ending import Ending
from boolfact.control.executor import SERIAL
from boolfact.datasets import load_dataset
from boolfact.model.bound import Quantity
from boolfact.results.status import Status
from boolfact.solve import prove

import naive
from exact_instances import instance


def crown(size=5):
    values = np.ones((size, size), dtype=np.int8)
    np.fill_diagonal(values, 0)
    return boolfact.as_matrix(values, weights=np.where(values == 1, 1, 2))


@pytest.mark.parametrize("objective", ["error", "mip"])
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("seed", range(8))
def test_the_answer_is_that_of_brute_force(objective, workers, seed):
    matrix, k, rho = instance(seed, largest=4, most=2)
    if k > min(matrix.shape):
        return
    result = boolfact.factorize(
        matrix, k, method="exact", objective=objective, rho=rho, workers=workers, time_limit=None
    )
    values = np.where(matrix.weights > 0, matrix.values, -1)
    best = naive.best_by_sets(values, matrix.weights, k, rho if objective == "mip" else None)
    reached, proved = result.error, result.error_lower_bound
    if objective == "mip":
        reached, proved = result.objective, result.objective_lower_bound
    assert reached == float(best)
    assert proved == reached
    assert result.ending is Ending.PROVED
    assert verify_result(result, matrix).complete


def test_mip_of_zoo_is_proved_by_a_tree():
    matrix = load_dataset("zoo")
    events = []
    result = boolfact.factorize(
        matrix, 10, method="exact", objective="mip", progress=events.append, time_limit=None
    )
    assert result.objective == result.objective_lower_bound == 40
    assert result.status in (Status.OBJECTIVE_OPTIMAL, Status.OPTIMAL)
    assert "an objective below 40 (by branch and bound on MLP(1), " in result.proved
    assert result.certificate["bounds"][0]["kind"] == "tree"
    assert verify_result(result, matrix).complete
    told = [event for event in events if event.tree_nodes is not None]
    assert told[-1].open_nodes is not None
    assert told[-1].objective_lower_bound <= 40 <= told[-1].objective


def test_a_node_limit_gives_one_answer_for_any_number_of_workers():
    matrix = crown()
    results = [
        boolfact.factorize(
            matrix, 2, method="exact", objective="mip", node_limit=8, workers=workers,
            time_limit=None,
        )
        for workers in (1, 2)
    ]  # fmt: skip
    first, second = results
    assert first.ending is second.ending is Ending.NODE_LIMIT
    assert (first.A == second.A).all()
    assert (first.B == second.B).all()
    assert first.certificate == second.certificate
    assert first.objective_lower_bound < first.objective
    assert verify_result(first, matrix).complete


def test_gap_and_target_end_it():
    matrix = crown()
    wide = boolfact.factorize(
        matrix, 2, method="exact", objective="mip", gap_limit=0.9, time_limit=None
    )
    assert wide.ending is Ending.GAP_LIMIT
    near = boolfact.factorize(matrix, 2, method="exact", objective="mip", target=8, time_limit=None)
    assert near.ending is Ending.TARGET
    assert near.objective <= 8


def test_a_search_goes_on_from_its_file(tmp_path):
    matrix, path = crown(), tmp_path / "search.json"
    options = {"method": "exact", "objective": "mip", "time_limit": None}
    cut = boolfact.factorize(matrix, 2, node_limit=5, checkpoint=path, **options)
    assert cut.ending is Ending.NODE_LIMIT
    whole = boolfact.factorize(matrix, 2, resume=path, checkpoint=path, **options)
    assert whole.objective == whole.objective_lower_bound == 8
    assert whole.settings["resume"] == str(path)
    assert verify_result(whole, matrix).complete
    again = boolfact.factorize(matrix, 2, resume=path, **options)
    assert again.objective_lower_bound == 8
    assert verify_result(again, matrix).complete
    for other, message in (
        ({"k": 3}, "another number of patterns"),
        ({"objective": "error"}, "another objective"),
        ({"rho": 0.5}, "another rho"),
        ({"missed_one_cost": 2}, "other data, weights or costs"),
    ):
        given = {"k": 2, **options, **other}
        with pytest.raises(ValueError, match=f"is a search for {message}"):
            boolfact.factorize(matrix, given.pop("k"), resume=path, **given)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "auto", "node_limit": 5}, "method auto has no node_limit; exact has"),
        ({"method": "local", "objective": "mip"}, "method local has no objective; exact has"),
        ({"method": "local", "gap_limit": 0.1}, "local has no gap_limit; auto, colgen, exact have"),
        ({"method": "auto", "gap_limit": float("inf")}, "gap_limit must be a number from 0 on"),
        ({"method": "auto", "checkpoint": "x"}, "method auto has no checkpoint"),
        ({"method": "colgen", "resume": "x"}, "method colgen has no resume"),
        ({"method": "exact", "objective": "both"}, "objective must be 'error' or 'mip'"),
        ({"method": "exact", "node_limit": 0}, "node_limit must be at least 1"),
        ({"method": "exact", "gap_limit": -1}, "gap_limit must be"),
        ({"method": "exact", "iteration_limit": 9}, "give node_limit, not iteration_limit"),
        ({"method": "exact", "checkpoint": "/"}, "is a folder"),
        ({"method": "exact", "checkpoint_seconds": -1}, "checkpoint_seconds must not"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        boolfact.factorize(crown(), 2, **options)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no checkpoint"):
        boolfact.factorize(crown(), 2, method="exact", resume=tmp_path / "nothing")


# The error of small ranks: a search over columns.


def noisy(seed=1):
    return boolfact.planted(30, 14, 3, noise=0.2, seed=seed).matrix


def test_nodes_of_a_search_over_columns_are_limited_and_shown():
    matrix, events = noisy(), []
    results = [
        boolfact.factorize(
            matrix, 3, method="exact", node_limit=300_000, workers=workers, time_limit=None,
            progress=events.append,
        )
        for workers in (1, 2)
    ]  # fmt: skip
    first, second = results
    assert first.ending is second.ending is Ending.NODE_LIMIT
    assert (first.A == second.A).all()
    assert (first.B == second.B).all()
    assert first.certificate == second.certificate
    assert 0 < first.error_lower_bound < first.error
    assert verify_result(first, matrix).complete
    told = [event for event in events if event.phase == "error bound"]
    assert max(event.nodes or 0 for event in told) >= 200_000
    bounds = [event.error_lower_bound or 0 for event in told]
    assert all(b <= first.error for b in bounds)
    assert max(bounds) == first.error_lower_bound


def test_gap_target_and_time_end_a_search_over_columns():
    matrix = noisy()
    wide = boolfact.factorize(matrix, 3, method="exact", gap_limit=0.5, time_limit=None)
    assert wide.ending is Ending.GAP_LIMIT
    assert wide.error - wide.error_lower_bound <= 0.5 * wide.error
    assert verify_result(wide, matrix).complete
    near = boolfact.factorize(
        matrix, 3, method="exact", target=wide.error + 5, node_limit=10**9, time_limit=None
    )
    assert near.ending is Ending.TARGET
    assert near.error <= wide.error + 5
    # The clock ends it, whatever the node limit would allow.
    short = boolfact.factorize(
        boolfact.load_dataset("heart"), 4, method="exact", node_limit=10**12, time_limit=3
    )
    assert short.ending is Ending.TIME_LIMIT


def test_a_search_over_columns_goes_on_from_its_file(tmp_path):
    matrix, path = noisy(), tmp_path / "search.json"
    options = {"method": "exact", "time_limit": None}
    cut = boolfact.factorize(matrix, 3, node_limit=1_000_000, checkpoint=path, **options)
    assert cut.ending is Ending.NODE_LIMIT
    kept = json.loads(path.read_text())["columns"]
    assert kept["proved"] == cut.error_lower_bound
    assert kept["nodes"] >= 1_000_000
    # Nothing is lost where the next run ends at once.
    again = boolfact.factorize(matrix, 3, node_limit=1, resume=path, checkpoint=path, **options)
    assert again.ending is Ending.NODE_LIMIT
    assert again.error_lower_bound == cut.error_lower_bound
    assert json.loads(path.read_text())["columns"] == kept
    whole = boolfact.factorize(matrix, 3, resume=path, checkpoint=path, **options)
    assert whole.ending is Ending.PROVED
    assert whole.error == whole.error_lower_bound
    assert verify_result(whole, matrix).complete
    for other, message in (
        ({"k": 2}, "another number of patterns"),
        ({"objective": "mip"}, "another objective"),
        ({"missed_one_cost": 2}, "other data, weights or costs"),
    ):
        given = {"k": 3, **options, **other}
        with pytest.raises(ValueError, match=f"is a search for {message}"):
            boolfact.factorize(matrix, given.pop("k"), resume=path, **given)
    with pytest.raises(ValueError, match="is a search for other data"):
        boolfact.factorize(noisy(2), 3, resume=path, **options)
    text = path.read_text()
    damaged = text.replace(f'"proved": {kept["proved"]}', '"proved": 99').replace(
        f'"proved":{kept["proved"]}', '"proved":99'
    )
    for wrong in (text[: len(text) // 2], text.replace('"done"', '"dome"'), damaged):
        path.write_text(wrong)
        if wrong != text:
            with pytest.raises(ValueError, match="is damaged"):
                boolfact.factorize(matrix, 3, resume=path, **options)


PROGRAM = """
import sys, json, boolfact, numpy as np
values = np.ones((6, 6), dtype=np.int8)
np.fill_diagonal(values, 0)
matrix = boolfact.as_matrix(values, weights=np.where(values == 1, 1, 2))
path, goes_on, out = sys.argv[1:]
result = boolfact.factorize(
    matrix, 3, method="exact", objective="mip", checkpoint=path, checkpoint_seconds=0.1,
    resume=path if goes_on == "yes" else None, time_limit=None, workers=1)
result.save(out)
"""


@pytest.mark.slow
def test_a_search_killed_ten_times_ends_with_the_same_answer(tmp_path):
    path, out, rng = tmp_path / "search.json", tmp_path / "out", random.Random(0)
    nodes = []
    for kills in range(11):
        goes_on = "yes" if path.exists() else "no"
        command = [sys.executable, "-c", PROGRAM, str(path), goes_on, str(out)]
        process = subprocess.Popen(command)
        if kills < 10:
            before = path.stat().st_mtime_ns if path.exists() else 0
            while process.poll() is None and (
                not path.exists() or path.stat().st_mtime_ns == before
            ):
                time.sleep(0.01)
            time.sleep(rng.uniform(0, 1.0))
            process.send_signal(signal.SIGKILL)
            process.wait()
            nodes.append(json.loads(path.read_text())["nodes"])
        else:
            assert process.wait() == 0
    assert nodes == sorted(nodes)
    values = np.ones((6, 6), dtype=np.int8)
    np.fill_diagonal(values, 0)
    matrix = boolfact.as_matrix(values, weights=np.where(values == 1, 1, 2))
    result = boolfact.Result.load(out)
    best = naive.best_by_sets(matrix.values, matrix.weights, 3, 1)
    assert result.objective == result.objective_lower_bound == float(best)
    assert verify_result(result, matrix).complete


BY_COLUMNS = """
import sys, boolfact
matrix = boolfact.planted(30, 14, 3, noise=0.2, seed=1).matrix
path, goes_on, out = sys.argv[1:]
result = boolfact.factorize(
    matrix, 3, method="exact", checkpoint=path, checkpoint_seconds=0,
    resume=path if goes_on == "yes" else None, time_limit=None, workers=1)
result.save(out)
"""


@pytest.mark.slow
def test_a_search_over_columns_killed_ten_times_ends_with_the_same_answer(tmp_path):
    path, out, rng = tmp_path / "search.json", tmp_path / "out", random.Random(0)
    proved, kills = [], 0
    while not out.exists():
        goes_on = "yes" if path.exists() else "no"
        command = [sys.executable, "-c", BY_COLUMNS, str(path), goes_on, str(out)]
        process = subprocess.Popen(command)
        if kills < 10:
            before = path.stat().st_mtime_ns if path.exists() else 0
            while process.poll() is None and (
                not path.exists() or path.stat().st_mtime_ns == before
            ):
                time.sleep(0.01)
            time.sleep(rng.uniform(0, 0.2))
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            proved.append(json.loads(path.read_text())["columns"]["proved"])
        else:
            assert process.wait() == 0
    assert proved == sorted(proved)
    assert kills == 10
    matrix = noisy()
    result = boolfact.Result.load(out)
    whole = boolfact.factorize(matrix, 3, method="exact", time_limit=None)
    assert result.error == result.error_lower_bound == whole.error == whole.error_lower_bound
    assert verify_result(result, matrix, time_limit=300).complete


BY_ENUMERATION = """
import functools, sys, boolfact, numpy as np
from boolfact.solve import prove
# The search over columns would prove it, too.
prove.ProveSettings = functools.partial(prove.ProveSettings, columns_seconds=0.5)
values = (np.random.default_rng(0).random((12, 11)) < 0.5).astype(np.int8)
path, goes_on, out = sys.argv[1:]
result = boolfact.factorize(
    values, 5, method="exact", checkpoint=path, checkpoint_seconds=0,
    resume=path if goes_on == "yes" else None, time_limit=None, workers=1)
result.save(out)
"""


@pytest.mark.slow
def test_an_enumeration_killed_again_and_again_ends_with_the_least_error(tmp_path):
    path, out, rng = tmp_path / "search.json", tmp_path / "out", random.Random(0)

    def kept_points():
        kept = json.loads(path.read_text())["enumeration"] if path.exists() else None
        return 0 if kept is None else len(kept["points"])

    points, kills = [], 0
    while not out.exists():
        goes_on = "yes" if path.exists() else "no"
        command = [sys.executable, "-c", BY_ENUMERATION, str(path), goes_on, str(out)]
        process = subprocess.Popen(command)
        if kills == 10:
            assert process.wait() == 0
            continue
        # Half of the kills come at any moment, the others where there are further prices.
        at_once, before = rng.random() < 0.5, kept_points()
        deadline = time.monotonic() + (rng.uniform(0, 6) if at_once else math.inf)
        while process.poll() is None and time.monotonic() < deadline:
            if not at_once and kept_points() > before:
                break
            time.sleep(0.1)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            points.append(kept_points())
    assert points == sorted(points)
    assert points[-1] >= 2
    result = boolfact.Result.load(out)
    values = (np.random.default_rng(0).random((12, 11)) < 0.5).astype(np.int8)
    assert result.error == result.error_lower_bound
    assert result.certificate["bounds"][0]["kind"] == "enumeration"
    # The verifier shares no code with the search: what it confirms is the least error.
    assert verify_result(result, boolfact.as_matrix(values), time_limit=600).complete


def test_an_enumeration_goes_on_from_its_file(tmp_path, monkeypatch):
    """What is in the file is not made again: neither a search over columns nor assigned cover."""
    values = (np.random.default_rng(0).random((8, 7)) < 0.5).astype(np.int8)
    path, made, gaps = tmp_path / "search.json", [], []
    cover = prove.bound_error_by_cover

    def weaker(task, state, stop, reporter):
        """Prices with lower charges leave a gap."""
        made.append("cover")
        ending = cover(task, state, stop, reporter)
        proof = state.bounds[Quantity.ERROR].proof
        (part,) = proof.parts
        charges = {name: getattr(part.point, name) // 4 * 3 for name in ("along", "across")}
        point = dataclasses.replace(part.point, **charges)
        omega = price_by_walking(point, 0, SERIAL).upper_bound
        part = dataclasses.replace(part, point=point, omega_bound=omega)
        state.bounds[Quantity.ERROR] = cover_bound([part], task.k, proof.transposed)
        return ending

    def columns(*arguments, **options):
        made.append("columns")
        return Ending.DONE

    monkeypatch.setattr(prove, "bound_error_by_cover", weaker)
    monkeypatch.setattr(prove, "bound_error_by_columns", columns)
    monkeypatch.setattr(
        prove,
        "ProveSettings",
        functools.partial(prove.ProveSettings, columns_rank=0, enumeration_gap=1.0),
    )
    closing = prove.bound_error_by_enumeration

    def closed(task, state, *arguments, **options):
        gaps.append(state.error - state.bounds[Quantity.ERROR].rounded)
        return closing(task, state, *arguments, **options)

    monkeypatch.setattr(prove, "bound_error_by_enumeration", closed)
    options = {"method": "exact", "time_limit": None, "workers": 1}
    whole = boolfact.factorize(values, 2, checkpoint=path, **options)
    assert made == ["columns", "cover"]
    assert gaps[0] > 0
    assert json.loads(path.read_text())["enumeration"]["points"]
    again = boolfact.factorize(values, 2, resume=path, **options)
    assert made == ["columns", "cover"]
    least = naive.best_by_sets(values, np.ones_like(values), 2)
    for result in (whole, again):
        assert result.error == result.error_lower_bound == least
        assert result.ending is Ending.PROVED
        report = verify_result(result, boolfact.as_matrix(values), time_limit=600)
        assert report.complete, report.checks
