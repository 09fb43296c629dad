"""The same seed and iteration limit give the same answer, whatever becomes of the code.

`answers.json` was recorded at commit 27a9b36. `factors` is a digest of A and B. A record changes
only together with the reason why the new answer is the right one. The bounds on the error by
`auto`, and its iterations, are those since assigned cover and a search over columns prove them; A
and B are as they were. The master of assigned cover adds up short floating-point numbers in the
order that suits the processor: what comes of it is compared with some room.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import boolfact

ANSWERS = json.loads(Path(__file__).with_name("answers.json").read_text("utf-8"))
EQUAL = ["error", "error_lower_bound", "objective", "objective_lower_bound", "iterations"]
ALSO_FAST = {("lymp", 2), ("apb", 2)}


def is_fast(answer):
    """Zoo with all methods; of the others, one rank with the methods that we wrote."""
    cell = (answer["dataset"], answer["k"])
    return cell[0] == "zoo" or (cell in ALSO_FAST and answer["method"] in ("auto", "local"))


def name_of(answer):
    return "-".join(str(answer[key]) for key in ("dataset", "k", "method", "bound"))


def digest(result):
    packed = hashlib.sha256(np.packbits(result.A).tobytes())
    packed.update(np.packbits(result.B).tobytes())
    return packed.hexdigest()[:16]


def factorized(answer):
    given = {key: answer[key] for key in ("k", "method", "seed", "bound")}
    return boolfact.factorize(
        answer["dataset"], **given, iteration_limit=8, time_limit=None, workers=1
    )


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(answer, id=name_of(answer), marks=() if is_fast(answer) else pytest.mark.slow)
        for answer in ANSWERS
    ],
)
def test_the_answer_is_the_recorded_one(answer):
    if "refused" in answer:
        with pytest.raises(ValueError) as refused:
            factorized(answer)
        assert str(refused.value) == answer["refused"]
        return
    result = factorized(answer)
    keys = list(EQUAL)
    if (result.error_bound_by or "").startswith("assigned cover"):
        keys = [key for key in keys if key not in ("error_lower_bound", "iterations")]
        assert result.error_lower_bound == pytest.approx(answer["error_lower_bound"], rel=0.1)
    assert {key: getattr(result, key) for key in keys} == {key: answer[key] for key in keys}
    assert digest(result) == answer["factors"]
    assert result.status.value == answer["status"]
    if "ending" in answer:
        assert result.ending.value == answer["ending"]


def test_every_method_is_recorded_but_those_that_do_not_end_by_iterations():
    recorded = {answer["method"] for answer in ANSWERS}
    assert recorded == set(boolfact.methods()) - {"compact", "exact"}
