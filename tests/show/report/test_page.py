import base64
import dataclasses
import hashlib
import html
import importlib.resources
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from typer.testing import CliRunner

from boolfact.cli.app import app
from boolfact.control.ending import Ending
from boolfact.model.bound import Quantity
from boolfact.model.matrix import BinaryMatrix
from boolfact.results.convergence import Curve, Panel
from boolfact.results.status import Status
from boolfact.show.colours import PATTERN_COLOURS
from boolfact.show.ordering import order_by_factors
from boolfact.show.report import payload, report_html, write_report
from boolfact.show.report.chart import convergence_svg
from boolfact.show.report.theme import DARK, LIGHT

from sample_results import asked, sample, saved_sample

VOID = {"meta", "input", "line", "circle", "path", "br", "link"}


class Page(HTMLParser):
    """Checks that elements are nested, and collects text, ids and attributes."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.words, self.scripts = [], [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts.append(data)
        elif self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    @property
    def data(self):
        return json.loads(self.scripts[0])


def unpacked(text, shape):
    bits = np.unpackbits(np.frombuffer(base64.b64decode(text), np.uint8), bitorder="little")
    return bits[: shape[0] * shape[1]].reshape(shape).astype(bool)


def test_the_page_holds_the_data_the_factors_and_the_order():
    result, X = sample(n=13, m=11)
    data = Page(report_html(result, X)).data
    assert (unpacked(data["ones"], X.shape) == X.ones).all()
    assert (unpacked(data["missing"], X.shape) == X.missing).all()
    assert (unpacked(data["A"], result.A.shape) == result.A).all()
    assert (unpacked(data["B"], result.B.shape) == result.B).all()
    rows, columns = order_by_factors(result.factors)
    assert (data["rowOrder"], data["columnOrder"]) == (rows.tolist(), columns.tolist())
    assert (tuple(data["rows"]), tuple(data["columns"])) == (X.row_names, X.column_names)


def test_the_verdict_says_what_is_proved_and_of_which_quantity():
    result, X = sample()
    nothing = Page(report_html(result, X)).text
    assert "No lower bound on the error itself was proved" in nothing
    assert nothing.count("no bound proved") == 1
    assert Page(report_html(asked(result), X)).text.count("no bound proved") == 2
    result = asked(result, error=40, error_lower_bound=30.0, objective_lower_bound=35.559)
    some = Page(report_html(result, X)).text
    assert "no answer of this rank has an error below 30" in some
    assert "at most 25.0 % of it" in some
    named = dataclasses.replace(result, error_bound_by="MLP<1>", objective_bound_by="MLP(1)")
    text = Page(report_html(named, X)).text
    assert "below 30 (by MLP<1>), so" in text
    assert "has an error below 30 (by MLP<1>) or an objective below 35.55 (by MLP(1))" in text
    # Rounded down: a bound of 35.56 was not proved.
    assert "proved at least 35.55 " in some
    half = dataclasses.replace(
        result, error_lower_bound=None, status=Status.OBJECTIVE_OPTIMAL, objective=44.0
    )
    told = Page(report_html(half, X)).text
    assert "The objective 44 is proved to be the least possible" in told
    assert "No lower bound on the error itself was proved" in told
    best = dataclasses.replace(result, error_lower_bound=40.0, status=Status.OPTIMAL)
    assert "proved to be the least possible" in Page(report_html(best, X)).text
    named = dataclasses.replace(best, error_bound_by="MLP(1/3)")
    assert "for this rank (by MLP(1/3))." in Page(report_html(named, X)).text


def test_the_page_says_what_is_known_and_why_the_run_ended():
    result, X = sample()
    told = dataclasses.replace(result, status=Status.BOUNDED, ending=Ending.ITERATION_LIMIT)
    text = Page(report_html(told, X)).text
    assert "Status bounded ended after 4.0 s: iteration limit" in text
    assert "Why it ended iteration limit" in text


def test_each_chart_has_one_quantity_and_its_own_bound():
    result, X = sample()
    result = asked(result, error_lower_bound=4.0, objective_lower_bound=9.5)
    charts = re.findall(r'<svg class="chart".*?</ul>', report_html(result, X), flags=re.DOTALL)
    error, objective = (Page(chart).text for chart in charts)
    assert "proved bound on the error: 4" in error
    assert "objective" not in error.lower()
    assert "proved bound on the objective MIP(1): 9.50" in objective
    assert "error" not in objective.lower()


def test_the_objective_is_not_on_the_page_where_nobody_asked_for_it():
    result, X = sample()
    result = dataclasses.replace(
        result,
        error_lower_bound=4.0,
        objective_lower_bound=9.5,
        error_bound_by="assigned cover",
        objective_bound_by="MLP(1)",
        status=Status.OBJECTIVE_OPTIMAL,
    )
    text = Page(report_html(result, X)).text
    assert "no factorisation of rank 3 has an error below 4 (by assigned cover)" in text
    assert "MLP(1)" not in text
    assert "Status bounded" in text
    assert "objective" not in text.lower().replace("it recomputes the error and the objective", "")


def test_names_from_the_data_are_text_everywhere():
    nasty = '</script><script>alert(1)</script><img src=x onerror="alert(2)">&amp;{{version}}'
    result, X = sample()
    columns = tuple(f"{nasty}{j}" for j in range(7))
    rows = tuple(f"{nasty}-{i}" for i in range(12))
    X = BinaryMatrix(X.values, None, rows, columns)
    result = dataclasses.replace(
        result,
        row_names=rows,
        column_names=columns,
        dataset=nasty,
        method=nasty,
        settings={nasty: nasty},
    )
    text = report_html(result, X, folder=nasty, source=nasty)
    page = Page(text)
    assert [tag for tag, _ in page.elements].count("script") == 2
    assert "img" not in {tag for tag, _ in page.elements}
    assert not [name for _, attributes in page.elements for name in attributes if name[:2] == "on"]
    assert tuple(page.data["columns"]) == columns
    assert tuple(page.data["rows"]) == rows
    assert html.escape(columns[0]) in text


def test_only_the_pages_own_script_may_run_and_nothing_is_fetched():
    result, X = sample()
    text = report_html(result, X)
    page = Page(text)
    policy = next(a["content"] for t, a in page.elements if "http-equiv" in a)
    digest = base64.b64encode(hashlib.sha256(page.scripts[1].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    addresses = [a.get("src") or a.get("href") for _, a in page.elements]
    assert {address for address in addresses if address} == {"#patterns"}
    assert not re.search(r"https?://", text)


def test_patterns_are_listed_with_their_figures():
    result, X = sample()
    page = Page(report_html(result, X))
    for u in range(result.k):
        names = ", ".join(X.column_names[j] for j in np.flatnonzero(result.B[u]))
        assert names in page.text
    head = page.text[page.text.index("Which columns") :]
    titles = ["Rows", "Columns", "Ones", "Zeros", "Gain", "Precision", "Recall"]
    assert head.split()[2 : 2 + len(titles)] == titles


def test_every_pattern_has_a_mark_of_its_own_and_the_script_has_the_same_lines():
    k = 70
    result, X = sample(n=80, m=90, k=k)
    text = report_html(result, X)
    marks = dict(re.findall(r'data-pattern="(\d+)" viewBox[^>]*><rect [^>]*style="([^"]*)"', text))
    assert len(marks) == len(set(marks.values())) == k
    lines = Page(text).data["lines"]
    for u, style in marks.items():
        (dash,) = re.findall(r"stroke-dasharray:(.*)$", style)
        mine = [] if dash == "none" else [2 * float(length) for length in dash.split()]
        assert lines[int(u) // 8] == mine


def test_many_columns_of_a_pattern_are_folded_but_all_there():
    result, X = sample(n=4, m=120, k=2)
    page = Page(report_html(result, X))
    assert f"and {int(result.B[0].sum()) - 12} more" in page.text
    assert X.column_names[int(np.flatnonzero(result.B[0])[-1])] in page.text


def test_what_a_reader_of_the_screen_needs_is_there():
    result, X = sample()
    page = Page(report_html(result, X))
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    for _, attributes in page.elements:
        for name in ("aria-labelledby", "aria-describedby"):
            assert set(attributes.get(name, "").split()) <= set(ids)
    tags = dict.fromkeys(tag for tag, _ in page.elements)
    assert {"main", "header", "h1", "h2", "title", "desc"} <= set(tags)
    canvas = next(a for t, a in page.elements if t == "canvas")
    assert canvas["tabindex"] == "0"
    assert "arrow keys" in canvas["aria-label"]
    assert next(a for t, a in page.elements if t == "html")["lang"] == "en"


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted(map(luminance, (one, other)))[::-1]
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_frames_have_enough_contrast(colours):
    for ink in ("ink", "soft", "accent"):
        for ground in ("paper", "tint"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    for ground in ("hover", "chosen"):
        assert contrast(colours["ink"], colours[ground]) >= 4.5, ground
    for u in range(len(PATTERN_COLOURS)):
        assert contrast(colours[f"pattern-{u}"], colours["zero"]) >= 3, u
    for kind in ("one", "false-one", "missed-one", "mark"):
        assert contrast(colours[kind], colours["zero"]) >= 3, kind


def test_both_themes_are_on_the_page_and_have_the_same_colours():
    result, X = sample()
    text = report_html(result, X)
    assert set(LIGHT) == set(DARK)
    for name in LIGHT:
        assert f"--{name}: {LIGHT[name]};" in text
        assert text.count(f"--{name}: {DARK[name]};") >= 2
    used = set(re.findall(r"var\(--([\w-]+)\)", text))
    assert used <= set(LIGHT)


def test_every_asset_is_on_the_page_and_none_is_left_over():
    result, X = sample()
    text = report_html(result, X)
    for asset in importlib.resources.files("boolfact.show.report").joinpath("assets").iterdir():
        first = asset.read_text("utf-8").split("{{")[0].strip()
        assert first, asset.name
        assert first in text, asset.name


def test_names_cannot_turn_the_text_around_them():
    result, X = sample()
    names = ("\u202egnp.exe", "a\nb", "שלום", '"quoted"', "'", "é" * 500, "")
    X = dataclasses.replace(X, column_names=names)
    result = dataclasses.replace(result, column_names=names).named(["\u202ex", "y", "<b>"])
    text = report_html(result, X)
    assert not set("\u202e\u2066") & set(text)
    page = Page(text)
    assert page.data["columns"] == ["\\u202egnp.exe", "a\\nb", *names[2:]]
    assert page.data["patternNames"] == ["\\u202ex", "y", "<b>"]
    assert "<b>" in page.words


def test_what_the_engines_counted_is_folded_away_and_short():
    result, X = sample()
    assert "engines counted" not in report_html(result, X)
    result.trace.count("seconds_master", 4.092534)
    result.trace.count("nodes", 1234)
    words = Page(report_html(result, X)).words
    place = words.index("What the engines counted")
    assert words[place + 1 : place + 5] == ["Seconds master", "4.09", "Nodes", "1,234"]


def test_a_matrix_too_large_to_draw_is_left_out_and_the_rest_stays(monkeypatch):
    monkeypatch.setattr("boolfact.show.report.page.MOST_CELLS", 10)
    result, X = sample()
    page = Page(report_html(result, X))
    assert "too large to be drawn" in page.text
    assert "canvas" not in {tag for tag, _ in page.elements}
    assert len(page.scripts) == 1
    assert payload.MOST_CELLS >= 5000 * 500


def test_prices_are_told():
    result, X = sample()
    weights = np.where(X.ones, 2, 5)
    X = BinaryMatrix(X.values, weights, X.row_names, X.column_names)
    page = Page(report_html(result, X))
    assert page.data["costs"] == {"missedOne": 2, "falseOne": 5}
    assert "prices other than 1" in page.text
    uneven = BinaryMatrix(X.values, np.arange(84).reshape(12, 7) + 1)
    assert Page(report_html(result, uneven)).data["costs"] is None


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 5, 1), (5, 1, 2)])
def test_small_shapes(shape):
    n, m, k = shape
    result, X = sample(n, m, k, names=False)
    page = Page(report_html(result, X))
    assert (page.data["n"], page.data["m"], page.data["k"]) == shape
    assert f"{n} × {m}" in page.text
    frames = [a for tag, a in page.elements if tag == "button" and a.get("class") == "pattern"]
    assert [frame["data-pattern"] for frame in frames] == [str(u) for u in range(k)]


@pytest.mark.parametrize("top", [1, 7, 99, 1250, 3e6, 0.004])
def test_ticks_are_round_and_reach_the_top(top):
    curve = Curve("error", "error", False, (0.0, 2.0), (top, top / 2))
    svg = convergence_svg(Panel(Quantity.ERROR, (curve,)))
    Page(svg)
    ticks = [float(t.replace(",", "")) for t in re.findall(r'text-anchor="end">([^<]*)<', svg)]
    assert ticks[0] == 0
    assert ticks[-1] >= top * 0.999999
    assert 3 <= len(ticks) <= 7


def test_other_data_is_refused():
    result, X = sample()
    with pytest.raises(ValueError, match=r"shape \(12, 7\)"):
        report_html(result, X.T)
    with pytest.raises(TypeError, match="BinaryMatrix"):
        report_html(result, X.values)


def test_the_file_is_whole_or_not_there(tmp_path):
    result, X = sample()
    path = write_report(result, X, tmp_path / "deep" / "page.html")
    assert path.read_text("utf-8").endswith("</html>\n")
    with pytest.raises(ValueError, match="shape"):
        write_report(result, X.T, tmp_path / "none.html")
    assert [p.name for p in tmp_path.iterdir()] == ["deep"]


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)


def test_a_saved_result_becomes_a_page_with_one_command(tmp_path):
    folder = saved_sample(tmp_path)
    done = run("report", folder)
    assert done.exit_code == 0, done.stderr
    assert f"boolfact verify {folder}" in Page((folder / "report.html").read_text("utf-8")).text
    done = run("report", folder, "--out", tmp_path / "other.html")
    assert (tmp_path / "other.html").exists()


def test_report_refuses_other_data_and_other_endings(tmp_path):
    folder = saved_sample(tmp_path)
    done = run("report", folder, "--source", "zoo")
    assert done.exit_code == 2
    assert "not the data" in done.stderr
    done = run("report", folder, "--out", tmp_path / "page.pdf")
    assert done.exit_code == 2
    assert "ends in .html" in done.stderr
    assert not list(tmp_path.glob("page.*"))
