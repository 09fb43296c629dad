"""The report page in a real Chromium: what a reader sees, points at, clicks and types."""

import base64
import csv
import dataclasses
import re
import shutil

import numpy as np
import pytest

from boolfact.results.patterns import describe_patterns
from boolfact.show.ordering import order_by_factors
from boolfact.show.report import write_report

from sample_results import sample

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not (CHROMIUM and DRIVER), reason="Chromium and its driver are not installed"
    ),
]
webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
Keys = webdriver.Keys
WebDriverWait = pytest.importorskip("selenium.webdriver.support.ui").WebDriverWait

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
NEXT_FRAME = "requestAnimationFrame(() => requestAnimationFrame(() => arguments[0]()))"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


class Reader:
    """A page and somebody who uses it."""

    def __init__(self, browser, path, width=1280):
        self.browser = browser
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        browser.get(path.as_uri())
        self.canvas = browser.find_element("id", "matrix")

    def find(self, selector):
        return self.browser.find_element("css selector", selector)

    def all(self, selector):
        return self.browser.find_elements("css selector", selector)

    @property
    def told(self):
        return self.find("#cell").text

    def settle(self):
        self.browser.execute_async_script(NEXT_FRAME)

    def picture(self):
        self.settle()
        return self.browser.execute_script("return document.getElementById('matrix').toDataURL()")

    def point(self, x, y):
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", self.canvas)
        actions = webdriver.ActionChains(self.browser)
        actions.move_to_element_with_offset(self.canvas, x, y).perform()

    def press(self, *keys):
        self.canvas.send_keys(*keys)

    def focused(self):
        return self.browser.execute_script("return document.activeElement.id")

    def problems(self):
        return [entry for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]


def meaning(result, X, i, j):
    """What the page should say of a cell, found in another way."""
    patterns = [u + 1 for u in range(result.k) if result.A[i, u] and result.B[u, j]]
    value = {0: "0", 1: "1", -1: "missing"}[int(X.values[i, j])]
    if not patterns:
        by = "no pattern"
    else:
        by = ("pattern " if len(patterns) == 1 else "patterns ") + ", ".join(map(str, patterns))
    verdict = {
        ("0", False): "Rightly not covered",
        ("0", True): "Error: a zero that is covered",
        ("1", False): "Error: a one that no pattern covers",
        ("1", True): "Explained",
        ("missing", False): "Missing; the patterns say 0",
        ("missing", True): "Missing; the patterns say 1",
    }[value, bool(patterns)]
    return value, by, verdict


def parsed(told):
    found = re.fullmatch(r"Row row (\d+), column column (\d+) \$x\$: (\w+)\. "
                         r"Covered by (.*?)\. (.*)\.", told)  # fmt: skip
    assert found, told
    return int(found[1]), int(found[2]), found[3], found[4], found[5]


@pytest.fixture
def page(browser, tmp_path):
    result, X = sample(n=30, m=14, k=4, missing=0.15, seed=3)
    return Reader(browser, write_report(result, X, tmp_path / "report.html")), result, X


def test_pointing_at_a_cell_tells_what_it_is(page):
    reader, result, X = page
    rng = np.random.default_rng(0)
    width, height = reader.canvas.size["width"], reader.canvas.size["height"]
    seen = set()
    for _ in range(40):
        reader.point(int(rng.integers(-width // 3, width // 4)), int(rng.integers(0, height // 3)))
        tooltip = reader.find("#tooltip")
        if not tooltip.is_displayed():  # beside the matrix
            continue
        i, j, *rest = parsed(reader.told)
        assert tuple(rest) == meaning(result, X, i, j)
        assert f"row {i}\n" in tooltip.text
        assert rest[1] in tooltip.text
        seen.add((i, j))
    assert len(seen) > 20
    assert reader.problems() == []


def test_the_arrow_keys_walk_over_every_cell_of_the_order(page):
    reader, result, X = page
    rows, columns = order_by_factors(result.factors)
    reader.press(Keys.ARROW_DOWN)
    assert parsed(reader.told)[:2] == (rows[0], columns[0])
    for step in range(1, 5):
        reader.press(Keys.ARROW_DOWN)
        assert parsed(reader.told)[:2] == (rows[step], columns[0])
    reader.press(Keys.ARROW_RIGHT)
    reader.press(Keys.PAGE_DOWN)
    assert parsed(reader.told)[:2] == (rows[14], columns[1])
    reader.press(Keys.END)
    i, j, *rest = parsed(reader.told)
    assert j == columns[-1]
    assert tuple(rest) == meaning(result, X, i, j)
    for _ in range(4):
        reader.press(Keys.PAGE_DOWN)
    assert parsed(reader.told)[0] == rows[-1]


def test_views_orders_frames_and_zoom_change_the_picture(page):
    reader, _, _ = page
    pictures = [reader.picture()]
    for selector in (
        "input[value=patterns][name=view]",
        "input[value=errors]",
        "input[name=order][value=data]",
        "#frames",
        "#zoom-in",
    ):
        reader.find(selector).click()
        pictures.append(reader.picture())
    assert len(set(pictures)) == len(pictures)
    reader.find("#zoom-fit").click()
    assert reader.picture() == pictures[-2]
    assert reader.problems() == []


def test_a_pattern_can_be_framed_and_its_rows_listed(page):
    reader, result, X = page
    before = reader.picture()
    button = reader.all("button.pattern")[1]
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    assert reader.picture() != before
    button.click()
    assert reader.picture() == before
    reader.all("details[data-pattern] summary")[1].click()
    reader.settle()
    names = [X.row_names[i] for i in np.flatnonzero(result.A[:, 1])]
    assert reader.all("details[data-pattern] p")[1].text == ", ".join(names)


def test_the_table_sorts_by_any_heading_both_ways(page):
    reader, result, _ = page
    heads = reader.all("#pattern-table th button")
    rows = next(head for head in heads if head.text == "Rows")
    sizes = sorted(int(size) for size in result.A.sum(axis=0))
    for expected, state in ((sizes[::-1], "descending"), (sizes, "ascending")):
        rows.click()
        shown = [int(cell.text) for cell in reader.all("#pattern-table tbody td:nth-child(3)")]
        assert shown == expected
        assert rows.find_element("xpath", "..").get_attribute("aria-sort") == state
    next(head for head in heads if "Which" in head.text).click()
    texts = [row.get_attribute("data-value") for row in reader.all("#pattern-table td.names")]
    assert texts == sorted(texts, reverse=True)


def line_figures(result, X, side, index):
    """Patterns, missed ones and covered zeros of a row or column, found in another way."""
    values, product = X.values, result.factors.product()
    codes = result.A if side == "row" else result.B.T
    if side == "column":
        values, product = values.T, product.T
    missed = np.flatnonzero((values[index] == 1) & ~product[index])
    false_ones = np.flatnonzero((values[index] == 0) & product[index])
    return np.flatnonzero(codes[index]), missed, false_ones


@pytest.mark.parametrize(("side", "index"), [("column", 13), ("row", 27), ("row", 5)])
def test_a_line_is_looked_up_by_name_and_tells_its_patterns_and_errors(page, side, index):
    reader, result, X = page
    name = f"{side} {index}"
    reader.find("#find").send_keys(name, Keys.ENTER)
    patterns, missed, false_ones = line_figures(result, X, side, index)
    panel = reader.find("#line")
    title = X.row_names[index] if side == "row" else X.column_names[index]
    assert panel.find_element("css selector", "h3").text == f"{side.capitalize()}\n{title}"
    shown = [int(b.get_attribute("data-pattern")) for b in reader.all("#line button.pattern")]
    assert shown == patterns.tolist()
    across = X.column_names if side == "row" else X.row_names
    links = [button.text for button in reader.all("#line .links button")]
    assert links[: len(missed)] == [across[j] for j in missed]
    covered = links[len(missed) : len(missed) + len(false_ones)]
    assert [text.rpartition(" (")[0] for text in covered] == [across[j] for j in false_ones]
    wrong = len(missed) + len(false_ones)
    assert reader.told == (
        f"{side.capitalize()} {title}: {len(patterns)} pattern{'s' * (len(patterns) != 1)}, "
        f"{wrong} error{'s' * (wrong != 1)}."
    )
    assert reader.problems() == []


def test_an_error_in_the_panel_leads_to_its_cell(page):
    reader, result, X = page
    lines = range(X.shape[0])
    index = next(i for i in lines if line_figures(result, X, "row", i)[1].size)
    reader.find("#find").send_keys(f"row {index}", Keys.ENTER)
    reader.all("#line .links button")[0].click()
    j = line_figures(result, X, "row", index)[1][0]
    assert parsed(reader.told)[:2] == (index, j)
    assert parsed(reader.told)[4] == "Error: a one that no pattern covers"
    reader.find("#clear-line").click()
    assert not reader.find("#line").is_displayed()
    assert reader.focused() == "find"


def test_suggestions_are_offered_while_typing_and_taken_with_the_keys(page):
    reader, _, X = page
    field = reader.find("#find")
    field.send_keys("COLUMN 1")
    names = [item.text for item in reader.all("#suggestions .what")]
    wanted = [name for name in X.column_names if name.startswith("column 1")]
    assert names == wanted
    assert field.get_attribute("aria-expanded") == "true"
    field.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert field.get_attribute("aria-activedescendant") == "suggestion-1"
    field.send_keys(Keys.ENTER)
    assert reader.told.startswith(f"Column {wanted[1]}: ")
    assert field.get_attribute("aria-expanded") == "false"
    field.send_keys(Keys.ESCAPE)
    assert not reader.find("#line").is_displayed()
    field.send_keys("nobody", Keys.ENTER)
    assert reader.told == "No row or column has “nobody” in its name."


def test_a_click_on_a_name_and_a_key_look_up_the_line(page):
    reader, result, X = page
    rows, columns = order_by_factors(result.factors)
    reader.press(Keys.ARROW_DOWN, "r")
    assert reader.find("#line h3").text == f"Row\n{X.row_names[rows[0]]}"
    reader.find("#clear-line").click()
    reader.press(Keys.ARROW_DOWN, "c")
    assert reader.find("#line h3").text == f"Column\n{X.column_names[columns[0]]}"
    reader.find("#clear-line").click()
    width = reader.canvas.size["width"]
    reader.point(-width // 2 + 12, 40)
    webdriver.ActionChains(reader.browser).click().perform()
    assert reader.find("#line h3").text.startswith("Row\nrow ")
    assert reader.problems() == []


def test_dragging_moves_a_zoomed_matrix(page):
    reader, _, _ = page
    for _ in range(4):
        reader.find("#zoom-in").click()
    before = reader.picture()
    reader.point(0, 0)
    actions = webdriver.ActionChains(reader.browser)
    actions.click_and_hold().move_by_offset(-60, -80).release().perform()
    assert reader.picture() != before


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_sticks_out_at_any_width(browser, tmp_path, width):
    result, X = sample(n=40, m=60, k=5, column="a-very-long-name-without-a-space-" * 3)
    # Users without a role are named above the matrix.
    long = tuple(f"AnotherLongNameOfAUserWithoutASpace{i}" * 2 for i in range(40))
    X = dataclasses.replace(X, row_names=long)
    settings = {**result.settings, "from_below": True}
    result = dataclasses.replace(result, A=np.zeros_like(result.A), settings=settings)
    reader = Reader(browser, write_report(result, X, tmp_path / "report.html"), width)
    script = "return [document.documentElement.scrollWidth, window.innerWidth]"
    page_width, window_width = browser.execute_script(script)
    assert page_width <= window_width == width
    reader.point(0, 0)
    assert reader.problems() == []


def test_names_cannot_run_as_code(browser, tmp_path):
    attack = "<img src=x onerror=window.hacked=1></script><script>window.hacked=1</script>"
    result, X = sample(column=attack)
    reader = Reader(browser, write_report(result, X, tmp_path / "report.html"))
    reader.point(-200, 0)
    for details in reader.all("details summary"):
        details.click()
    assert browser.execute_script("return window.hacked") is None
    assert attack in reader.find("#pattern-table").text


def test_nothing_is_fetched_and_the_page_prints(page):
    reader, _, _ = page
    entries = reader.browser.execute_script("return performance.getEntriesByType('resource')")
    assert entries == []
    pdf = reader.browser.execute_cdp_cmd("Page.printToPDF", {})["data"]
    assert base64.b64decode(pdf)[:5] == b"%PDF-"


def test_five_thousand_by_five_hundred(browser, tmp_path):
    result, X = sample(n=5000, m=500, k=8, missing=0.01)
    reader = Reader(browser, write_report(result, X, tmp_path / "report.html"))
    for x, y in ((-100, 0), (50, 120), (200, -100)):
        reader.point(x, y)
        i, j, *rest = parsed(reader.told)
        assert tuple(rest) == meaning(result, X, i, j)
    before = reader.picture()
    reader.find("input[value=errors]").click()
    assert reader.picture() != before
    assert reader.problems() == []


def test_the_tab_key_reaches_every_control_in_order_and_each_has_a_name(page):
    reader, result, _ = page
    named = """
        const e = document.activeElement;
        return [e.tagName, e.id || e.name || e.className, (e.getAttribute('aria-label')
            || e.labels?.[0]?.textContent || e.getAttribute('aria-labelledby')
            || e.textContent).trim(), getComputedStyle(e).outlineStyle];
    """
    seen = []
    for _ in range(60):
        webdriver.ActionChains(reader.browser).send_keys(Keys.TAB).perform()
        seen.append(reader.browser.execute_script(named))
        if seen[-1][0] == "BODY":
            break
    places = [place for _, place, _, _ in seen]
    order = [
        "skip", "theme", "view", "order", "frames", "zoom-in", "zoom-out", "zoom-fit", "find",
        "choose-all", "choose-none", "matrix",
    ]  # fmt: skip
    assert places[:2] == order[:2]
    assert [place for place in places if place in order] == order
    assert places.count("pattern") == places.count("chip") == result.k
    assert all(name for tag, _, name, _ in seen if tag != "BODY")
    assert all(outline != "none" for tag, _, _, outline in seen if tag != "BODY")


def download(reader, kind, folder):
    """Press a button and read the file that arrives."""
    reader.browser.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)}
    )
    reader.find(f"button[data-file={kind}]").click()
    path = folder / f"example-{kind}.csv"
    WebDriverWait(reader.browser, 30).until(lambda _: path.exists())
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_patterns_codes_and_errors_can_be_downloaded(page, tmp_path):
    reader, result, X = page
    head, *lines = download(reader, "codes", tmp_path)
    assert head == ["row", *(f"pattern {u + 1}" for u in range(result.k))]
    assert [line[0] for line in lines] == list(X.row_names)
    assert ([line[1:] for line in lines] == result.A.astype(int).astype(str)).all()
    head, *lines = download(reader, "errors", tmp_path)
    product = result.factors.product()
    wrong = np.argwhere(((X.values == 1) & ~product) | ((X.values == 0) & product))
    assert [line[:4] for line in lines] == [
        [X.row_names[i], X.column_names[j], str(X.values[i, j]), str(int(product[i, j]))]
        for i, j in wrong
    ]
    assert len(lines) == result.error
    head, *lines = download(reader, "patterns", tmp_path)
    assert len(lines) == result.k
    for u, (pattern, line) in enumerate(
        zip(describe_patterns(result.factors, X), lines, strict=True)
    ):
        told = dict(zip(head, line, strict=True))
        assert told["pattern"] == f"pattern {u + 1}"
        assert (int(told["ones"]), int(told["zeros"])) == (pattern.ones, pattern.zeros)
        assert int(told["gain"]) == pattern.gain
        assert told["column names"].split("; ") == list(pattern.column_names)
        assert told["row names"].split("; ") == list(pattern.row_names)
    assert reader.problems() == []


def test_odd_names_survive_search_panel_and_download(browser, tmp_path):
    odd = ['a "quoted", name', "<b>bold</b>", "שלום עולם", "x" * 400, "two\nlines", "=1+1", " "]
    result, X = sample()
    X = dataclasses.replace(X, column_names=tuple(odd))
    reader = Reader(browser, write_report(result, X, tmp_path / "report.html"), 390)
    for wanted, title in (("quoted", odd[0]), ("BOLD", odd[1]), ("עולם", odd[2]), ("xxx", odd[3])):
        field = reader.find("#find")
        field.clear()
        field.send_keys(wanted, Keys.ENTER)
        assert reader.find("#line h3").text == f"Column\n{title}"
    width = browser.execute_script("return document.documentElement.scrollWidth")
    assert width <= 390
    _, *lines = download(reader, "errors", tmp_path)
    names = [*odd[:4], r"two\nlines", *odd[5:]]
    assert {line[1] for line in lines} <= set(names)
    assert reader.all("#line b") == []
    assert reader.problems() == []


def test_light_and_dark_follow_the_system_and_the_switch(browser, tmp_path):
    result, X = sample()
    path = write_report(result, X, tmp_path / "report.html")

    def ground(reader):
        reader.settle()
        return reader.browser.execute_script(
            "return getComputedStyle(document.body).backgroundColor"
        )

    def prefer(scheme):
        feature = {"name": "prefers-color-scheme", "value": scheme}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    try:
        prefer("dark")
        reader = Reader(browser, path)
        button = reader.find("#theme")
        dark, dark_picture = ground(reader), reader.picture()
        assert dark == "rgb(18, 24, 28)"
        assert button.text == "Light colours"
        button.click()
        assert ground(reader) == "rgb(255, 255, 255)"
        assert reader.picture() != dark_picture
        assert button.text == "Dark colours"
        button.click()
        assert (ground(reader), reader.picture()) == (dark, dark_picture)
        browser.execute_script("localStorage.removeItem('boolfact-theme')")
        prefer("light")
        assert ground(Reader(browser, path)) == "rgb(255, 255, 255)"
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(("name", "title"), [("row 150", "Row"), ("column 30", "Column")])
def test_a_line_that_is_looked_up_is_seen_at_once(browser, tmp_path, width, name, title):
    result, X = sample(n=300, m=60, k=5)
    reader = Reader(browser, write_report(result, X, tmp_path / "report.html"), width)
    before = reader.picture()
    reader.find("#find").send_keys(name, Keys.ENTER)
    assert reader.find("#line h3").text.startswith(f"{title}\n{name}")
    assert reader.picture() != before
    # The line is in the middle of the matrix, or as near to it as the end of the matrix allows.
    top, bottom, high = browser.execute_script(
        "const box = document.getElementById('matrix').getBoundingClientRect();"
        "return [box.top, box.top + 0.6 * box.height, window.innerHeight]"
    )
    assert 0 <= top < bottom <= high


@pytest.mark.parametrize("k", [20, 50])
def test_many_patterns_are_chosen_one_by_one(browser, tmp_path, k):
    result, X = sample(n=80, m=40, k=k)
    reader = Reader(browser, write_report(result, X, tmp_path / "report.html"))
    plain = reader.picture()
    chips = reader.all("button.chip")
    assert len(chips) == k
    chips[k - 1].click()
    row = reader.find(f"#pattern-table button[data-pattern='{k - 1}']")
    assert row.get_attribute("aria-pressed") == chips[k - 1].get_attribute("aria-pressed") == "true"
    framed = reader.picture()
    assert framed != plain
    reader.find("#choose-all").click()
    assert reader.picture() not in (plain, framed)
    reader.find("#choose-none").click()
    assert reader.picture() == plain
    looks = {(mark.get_attribute("style")) for mark in reader.all("#pattern-table .mark rect")}
    assert len(looks) == k


def test_a_result_prints_on_a_few_pages(browser, tmp_path):
    result, X = sample(n=120, m=21, k=5)
    reader = Reader(browser, write_report(result, X, tmp_path / "report.html"))
    pdf = base64.b64decode(reader.browser.execute_cdp_cmd("Page.printToPDF", {})["data"])
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 3
