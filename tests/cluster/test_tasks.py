"""Work as tasks for the workers of a cluster: the answers are those of one machine."""

import time

import numpy as np
import pytest

import boolfact
from boolfact.completion.ensemble import complete
from boolfact.completion.folds import hide_entries
from boolfact.control.cluster import ClusterExecutor, cluster_behind
from boolfact.control.executor import came_before
from boolfact.control.stop import Stop
from boolfact.rank.path import rank_path
from boolfact.reproduce import reproduce

from cluster_tasks import add, end_once, fail
from command_line import run

distributed = pytest.importorskip("distributed", reason="clusters need boolfact[distributed]")


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def tasks(monkeypatch):
    """The names of what is submitted, in order."""
    names, submit = [], ClusterExecutor.submit

    def noted(self, function, /, *args, **kwargs):
        names.append(function.__name__)
        return submit(self, function, *args, **kwargs)

    monkeypatch.setattr(ClusterExecutor, "submit", noted)
    return names


def test_work_gets_what_is_shared_and_its_errors_come_back(client):
    with ClusterExecutor(cluster_behind(client)) as executor:
        shared = executor.share(np.arange(4))
        futures = [executor.submit(add, shared, number) for number in range(3)]
        assert [future.result() for future in futures] == [6, 7, 8]
        assert list(executor.map(abs, [-1, 2])) == [1, 2]
        with pytest.raises(ValueError, match="as it should"):
            executor.submit(fail).result()


def test_whoever_waits_looks_at_the_stop(client):
    with ClusterExecutor(cluster_behind(client)) as executor:
        late = executor.submit(time.sleep, 3)
        assert not came_before(Stop(0.05), late)
    # To leave is to cancel.
    assert late.exception(timeout=20) is not None


def test_a_worker_that_is_killed_costs_time_and_not_its_task(client, tmp_path):
    with ClusterExecutor(cluster_behind(client)) as executor:
        assert executor.submit(end_once, tmp_path / "ended").result(60) == "done by another"


@pytest.mark.parametrize("method", ["local", "exact"])
def test_chains_and_nodes_as_tasks_give_the_answer_of_one_machine(client, tasks, method):
    X = boolfact.planted(24, 14, 4, noise=0.1, seed=3).matrix
    limits = {"method": method, "time_limit": None, "seed": 5, "iteration_limit": 2500}
    if method == "exact":
        limits |= {"iteration_limit": None, "node_limit": 12, "objective": "mip"}
    here = boolfact.factorize(X, 5, workers=1, **limits)
    assert not tasks
    there = boolfact.factorize(X, 5, workers=1, executor=client, **limits)
    assert tasks.count("run_plan_elsewhere") >= (2 if method == "exact" else 4)
    assert (tasks.count("_evaluate_one") >= 12) == (method == "exact")
    assert (there.error, there.iterations) == (here.error, here.iterations)
    assert there.objective_lower_bound == here.objective_lower_bound
    assert (there.A == here.A).all()
    assert (there.B == here.B).all()


def test_a_time_limit_is_kept_with_chains_elsewhere(client):
    X = boolfact.planted(300, 200, 8, noise=0.1, seed=1).matrix
    found = boolfact.factorize(X, 8, method="local", time_limit=0.5, workers=1, executor=client)
    assert found.ending.value == "time limit"
    assert found.error < X.ones.sum()


def test_the_members_of_an_ensemble_are_tasks(client, tasks):
    hidden, _ = hide_entries(boolfact.planted(40, 20, 3, seed=1).matrix, 0.1)
    here = complete(hidden, 3, members=12, workers=1)
    there = complete(hidden, 3, members=12, workers=1, executor=client)
    assert tasks == ["_search_member"] * 12
    assert (there.k, there.threshold, len(there.members)) == (here.k, here.threshold, 12)
    assert np.array_equal(there.scores, here.scores, equal_nan=True)
    assert all(
        (one.hidden == other.hidden).all()
        for one, other in zip(here.members, there.members, strict=True)
    )


def test_a_path_of_ranks_has_its_folds_and_seeds_as_tasks(client, tasks):
    X = boolfact.planted(40, 20, 3, noise=0.05, seed=1).matrix
    limits = {"iteration_limit": 40, "time_limit": 300, "folds": 3, "seeds": 2, "workers": 1}
    here, there = rank_path(X, 4, **limits), rank_path(X, 4, executor=client, **limits)
    assert tasks.count("_solve_alone") == 3 + 1
    assert tasks.count("run_plan_elsewhere") > 3
    assert [
        (point.error, point.hidden_error, point.stability, point.description_length)
        for point in there.points
    ] == [
        (point.error, point.hidden_error, point.stability, point.description_length)
        for point in here.points
    ]
    assert there.recommended == here.recommended
    assert not there.interrupted


def test_cells_of_a_study_are_tasks(client, tasks, tmp_path):
    asked = {"datasets": ["votes"], "ranks": [2, 5], "methods": ["k_greedy"], "say": lambda _: None}
    here = reproduce("table4", tmp_path / "here", **asked)
    there = reproduce("table4", tmp_path / "there", executor=client, **asked)
    assert [entry.ours for entry in there.entries] == [entry.ours for entry in here.entries]
    assert tasks == ["_work"] * 2
    assert None not in [entry.ours for entry in there.entries]


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("fit votes -k 3 --method local --iteration-limit 20 --time-limit 100", "run_plan"),
        ("complete votes_missing --members 4 -k 2 --out FOLDER/filled.csv", "_search_member"),
        ("rank zoo --path --max-k 2 --no-bounds --folds 2 --iteration-limit 10", "_solve_alone"),
        ("reproduce table4 --datasets votes --ranks 2 --methods k_greedy --out FOLDER", "_work"),
    ],
    ids=["fit", "complete", "rank", "reproduce"],
)
def test_commands_take_the_address_of_a_cluster(client, tasks, tmp_path, command, kind):
    address = client.scheduler.address
    words = command.replace("FOLDER", str(tmp_path)).split()
    done = run(*words, "--cluster", address)
    assert done.exit_code == 0, done.output
    assert any(name.startswith(kind) for name in tasks)
