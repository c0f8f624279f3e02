"""The report page in a real browser.

A browser is looked for under its usual names, or where STABLEVAR_BROWSER says; without one these tests are skipped.
"""

import os
import re
import shutil

import numpy as np
import pytest

import stablevar

pandas = pytest.importorskip("pandas")
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright, which drives the browser, is not installed")

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
HOSTILE = [
    "<script>window.harmed = 1</script>",
    '" onload="window.harmed = 1" x=\'',
    "</title><img src=x onerror='window.harmed = 1'>",
    "\u202eevil\u202c right to left \u05d0\u05d1",
    "long" * 2500,
    "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "a]]>&amp;--><b>{{x}}${y}",
    "tab\tand\nnew line",
]


@pytest.fixture(scope="module")
def browser():
    found = os.environ.get("STABLEVAR_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("there is no Chromium to look at the page with: install it, or set STABLEVAR_BROWSER")
    with sync_api.sync_playwright() as playwright:
        # Without a sandbox, which a container does not offer; the page is ours and the network is not used.
        running = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def look(browser):
    """Opens a page from disk; fails at the end if it complained or asked for anything else."""
    contexts, troubles = [], []

    def look(path, width=1280, height=800, scheme="light"):
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.on("console", lambda message: troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: request.url == path.as_uri() or troubles.append(request.url))
        page.goto(path.as_uri())
        return page

    yield look
    for context in contexts:
        context.close()
    assert troubles == []


@pytest.fixture(scope="module")
def demo(command, tmp_path_factory):
    path = tmp_path_factory.mktemp("demo") / "report.html"
    command("demo", "--report", path)
    return path


@pytest.fixture(scope="module")
def looped(tmp_path_factory):
    """Algorithm 1 as published, which takes several loops: the model and its page."""
    from stablevar.datasets import make_biased_linear

    X, y = make_biased_linear(n_samples=2000, r=2.5, random_state=3, as_frame=True)
    model = stablevar.SVIRegressor(evidence=None, random_state=0).fit(X, y)
    path = tmp_path_factory.mktemp("looped") / "report.html"
    model.report(path)
    return model, path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = pandas.DataFrame(rng.normal(size=(400, len(HOSTILE))), columns=HOSTILE)
    X["text"] = rng.choice(["<i>one</i>", "two'\"", "three"], 400)
    y = pandas.Series(X.iloc[:, :-1] @ np.arange(1.0, 9.0) + rng.normal(size=400), name="<b>y</b>" * 1000)
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    model = stablevar.SVIRegressor(random_state=0).fit(X, y)
    model.report(path, X, y, environments=rng.choice(["<u>here</u>", "there" * 500], 400))
    return path


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A hundred columns with long names that differ at their ends, two of them text, two classes."""
    rng = np.random.default_rng(4)
    names = [f"average_daily_measurement_of_station_{k}" for k in range(98)]
    X = pandas.DataFrame(rng.normal(size=(900, 98)) * 1000, columns=names)
    X["district"] = rng.choice(["north", "south", "the far and little known west", "east"], 900)
    X["Verwaltungsgemeinschaftszugehoerigkeit"] = rng.choice([f"level{k}" for k in range(30)], 900)
    X.iloc[::50, 3] = np.nan
    score = X.iloc[:, 0] / 1000 - X.iloc[:, 1] / 1000 + 2.0 * (X["district"] == "north")
    y = pandas.Series(np.where(score + rng.normal(size=900) > 0, "yes", "no"), name="bought")
    folder = tmp_path_factory.mktemp("many")
    X.assign(bought=y).to_csv(folder / "t.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def crowded(command, many):
    path = many / "report.html"
    command("fit", many / "t.csv", "--target", "bought", "--missing", "mean", "--evidence", "focused", "--report", path)
    return path


def colour(page, selector, name):
    """A colour of an element as three numbers from 0 to 255."""
    value = page.eval_on_selector(selector, f"element => getComputedStyle(element).{name}")
    # What was mixed is told as shares: color(srgb 0.9 0.9 0.9).
    unit = 255 if value.startswith("color(") else 1
    return [unit * float(part) for part in re.findall(r"[\d.]+", value)[:3]]


def contrast(one, other):
    """The contrast of two colours by WCAG 2."""

    def luminance(parts):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in parts)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def overflows(page):
    return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_are_readable(demo, look, scheme):
    page = look(demo, scheme=scheme)
    paper = colour(page, "body", "backgroundColor")
    assert (sum(paper) > 700) == (scheme == "light")
    assert contrast(paper, colour(page, "body", "color")) > 7
    for selector, name in [
        ("th", "color"),
        ("dt", "color"),
        ("a", "color"),
        ("figcaption", "color"),
        ("svg text.ink", "fill"),
        ("svg text.soft", "fill"),
        ("svg text.s0", "fill"),
        ("svg text.s1", "fill"),
        ("svg text.s2", "fill"),
    ]:
        assert contrast(paper, colour(page, selector, name)) > 3.4, selector
    # Something is drawn: a screenshot of one colour has hardly any bytes.
    assert len(page.screenshot()) > 20_000


@pytest.mark.parametrize("width", [1280, 800, 360])
def test_nothing_sticks_out_on_any_screen(demo, hostile, crowded, look, width):
    for path in [demo, hostile, crowded]:
        page = look(path, width=width)
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert not overflows(page), path


# Every text of every picture that can be seen: its place, the letters' height on the screen, its picture's place.
TEXTS = """() => {
  document.querySelectorAll('details').forEach(one => one.open = true);
  const place = (element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return [left, right, top, bottom];
  };
  return [...document.querySelectorAll('svg')].filter(svg => svg.checkVisibility()).map(svg => ({
    name: svg.getAttribute('aria-label'), place: place(svg),
    texts: [...svg.querySelectorAll('text')].map(text => ({
      words: [...text.childNodes].filter(node => node.nodeType === 3).map(node => node.textContent).join(''),
      place: place(text), turned: text.getAttribute('transform').includes('rotate'),
      size: Number(text.getAttribute('font-size')) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width,
    })),
  }));
}"""


@pytest.mark.parametrize("width", [1280, 800, 360])
def test_texts_of_pictures_can_be_read_and_neither_overlap_nor_are_cut(demo, crowded, looped, look, width):
    for path in [demo, crowded, looped[1]]:
        pictures = look(path, width=width).evaluate(TEXTS)
        assert sum(len(picture["texts"]) for picture in pictures) > 50
        for picture in pictures:
            left, right, top, bottom = picture["place"]
            for k, text in enumerate(picture["texts"]):
                where = f"{path.parent.name}, {width} px, {picture['name']}: {text['words']}"
                a = text["place"]
                assert text["size"] >= 10.95, where
                assert a[0] > left - 1 and a[1] < right + 1 and a[2] > top - 2 and a[3] < bottom + 2, where
                for other in picture["texts"][:k]:
                    b = other["place"]
                    across = min(a[1], b[1]) - max(a[0], b[0])
                    down = min(a[3], b[3]) - max(a[2], b[2])
                    # The boxes of letters have air above and below; those of turned texts are far too large.
                    touching = across > 1 and down > 0.35 * text["size"]
                    assert not touching or text["turned"] or other["turned"], f"{where} over {other['words']}"


def test_letters_of_text_are_large_enough_on_a_phone(demo, crowded, look):
    for path in [demo, crowded]:
        page = look(path, width=360)
        sizes = page.eval_on_selector_all(
            "main *:not(svg *)", "all => all.map(one => parseFloat(getComputedStyle(one).fontSize))"
        )
        assert min(sizes) >= 11


def test_names_are_never_broken_inside_a_word(crowded, look):
    for width in [1280, 360]:
        page = look(crowded, width=width)
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        # One line for every piece of text between places where a break is allowed.
        broken = page.evaluate(
            """() => [...document.querySelectorAll('td:first-child, .answers b')].flatMap(cell => {
              const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
              const broken = [];
              while (walker.nextNode()) {
                if (/\\s/.test(walker.currentNode.textContent.trim())) continue;
                const range = document.createRange();
                range.selectNodeContents(walker.currentNode);
                const lines = new Set([...range.getClientRects()].map(line => Math.round(line.top)));
                // After a cut a break does no harm.
                const cuts = walker.currentNode.textContent.split("…").length;
                if (lines.size > cuts) broken.push(walker.currentNode.textContent);
              }
              return broken;
            })""".replace("\\\\", "\\")
        )
        assert broken == []


def test_lines_never_break_inside_an_option(crowded, look):
    for width in [800, 360]:
        lines = look(crowded, width=width).eval_on_selector_all(
            "code .whole, .warnings .whole", "all => all.map(one => [one.textContent, one.getClientRects().length])"
        )
        assert ["--missing", 1] in lines and all(count == 1 for _, count in lines), lines


def test_a_hundred_columns_are_still_a_page(crowded, look):
    page = look(crowded)
    shown = page.locator("#variable-table tbody tr:visible")
    folded = page.locator("#other-variable-table tbody tr")
    assert 4 <= shown.count() <= 40 and shown.count() + folded.count() == 100
    assert not folded.first.is_visible()
    chosen = page.locator("#variable-table tbody tr td:nth-child(2)").all_inner_texts()
    assert chosen == sorted(chosen, reverse=True) and "stable" in chosen
    # What is looked for is shown, also where it was folded away.
    page.get_by_label("Find").fill("station_77")
    assert page.locator("#variables tbody tr:visible").count() == 1
    # Labels are short and differ, the whole name stands under the pointer.
    labels = page.locator("#decorrelation figure:not([data-loops]) text:has(title)").all()
    short = [label.evaluate("one => one.lastChild.textContent") for label in labels]
    whole = [label.evaluate("one => one.querySelector('title').textContent") for label in labels]
    assert len(set(zip(short, whole))) == len(set(whole)) == len(set(short)) > 10
    assert crowded.stat().st_size < 1_000_000


def test_the_columns_of_the_table_are_told(crowded, look):
    page = look(crowded)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    rows = {
        row[0]: row for row in (line.split("\t") for line in page.locator("#column-table tbody tr").all_inner_texts())
    }
    assert len(rows) == 100
    assert rows["district"][1] == "text, 4 levels" and rows["district"][4].startswith("mostly ")
    missing = page.locator("#column-table tbody tr").nth(3).locator("td").all_inner_texts()
    assert missing[1:3] == ["numbers", "2.0 %"] and "," in missing[5]
    assert page.locator("#column-table svg.spark").count() == 100
    # Effects of a chosen text variable by level, the one at 0 among them.
    levels = page.locator("#levels svg").first
    assert {"north", "south", "east"} <= {text.split(",")[0] for text in levels.locator("text").all_text_contents()}


def test_held_out_predictions_are_drawn_and_no_row_can_be_read(demo, crowded, look):
    for path, panels in [(demo, 3), (crowded, 3)]:
        page = look(path)
        assert page.locator("#accuracy svg").count() == panels
        assert page.locator("#accuracy svg circle").count() == 10 * (2 if path == demo else 1)
    assert re.search(r"\d+ % of the outcome's variance", look(demo).locator("#accuracy p").first.inner_text())


def test_pictures_use_the_width_there_is(crowded, look):
    page = look(crowded)
    for selector in ["#variables .panels", "#shifts .panels", "#accuracy .panels"]:
        rights = page.locator(f"{selector} > svg").evaluate_all(
            "all => all.map(one => one.getBoundingClientRect().right)"
        )
        assert max(rights) > 1280 * 0.85, selector


def test_the_page_says_when_by_what_and_what_its_words_mean(demo, look):
    page = look(demo)
    footer = page.locator("footer").inner_text()
    assert re.search(r"Written on 20\d\d-\d\d-\d\d by stablevar \d+\.\d+\.\d+\.", footer)
    words = page.locator("#words dt").all_inner_texts()
    assert {"Stable", "Probability", "p-value", "Oracle"} <= set(words)
    assert re.search(r"t of about 3\.\d here, which is a p-value of 0\.000\d+", page.locator("#words").inner_text())
    assert page.locator("details.explained").count() >= 4
    assert "no method can do better" not in page.content()


def test_it_says_what_the_weights_do_and_what_the_theorem_does_not(demo, looped, look):
    page = look(demo)
    assert "decide nothing here" in page.locator("#weights p").first.inner_text()
    assert "does not speak for it" in page.locator("#decorrelation").inner_text()
    assert "choose no variable" in page.locator("#convergence").inner_text()
    # Gates alone are something to worry about, however sure they are.
    page = look(looped[1])
    assert page.locator(".answers dd").nth(1).inner_text().startswith("Only by gates")
    assert "by their gates alone" in page.locator("#watch").inner_text()


def test_the_first_screen_answers_the_five_questions(demo, look):
    page = look(demo)
    questions = page.locator(".answers dt")
    assert questions.all_inner_texts() == [
        "Which variables?",
        "How sure?",
        "How many effective rows?",
        "Where may it fail?",
        "What should I worry about?",
    ]
    answers = page.locator(".answers dd")
    for k in range(5):
        box = answers.nth(k).bounding_box()
        assert box["y"] + box["height"] < 800
    assert "s1, s2, s3, s4, s5" in answers.nth(0).inner_text()
    assert re.match(r"Probability above 0\.99", answers.nth(1).inner_text())
    assert re.match(r"\d{3} of 2,000", answers.nth(2).inner_text())
    assert re.search(r"^Where \w+ is (higher|lower)|^Nowhere", answers.nth(3).inner_text())


def test_the_slider_shows_the_correlations_of_every_loop(looped, look):
    import json

    model, path = looped
    page = look(path)
    names, matrices = json.loads(model._model.correlations())
    assert len(matrices) > 2
    chosen = [names.index(name) for name in model.selected_]
    order = chosen + [k for k in range(len(names)) if k not in chosen]
    slider = page.locator("#loop")
    slider.focus()
    page.keyboard.press("Home")
    for step, matrix in enumerate(matrices):
        expected = np.array(matrix)[np.ix_(order, order)]
        assert page.locator("output[for=loop]").inner_text().startswith(f"Loop {step}:")
        shown = page.eval_on_selector_all(
            "[data-loops] .cell",
            "cells => cells.map(cell => [Number(cell.getAttribute('fill-opacity')),"
            " cell.classList.contains('negative'), cell.querySelector('title').textContent])",
        )
        values = np.array([-opacity if negative else opacity for opacity, negative, _ in shown])
        np.testing.assert_allclose(values.reshape(expected.shape), expected, atol=0.0051)
        first, second = names[order[0]], names[order[1]]
        assert shown[1][2] == f"{first} and {second}: {values[1]:.2f}"
        page.keyboard.press("ArrowRight")
    # Without a script the last loop is there, too.
    assert f"Loop {len(matrices) - 1}:" in path.read_text(encoding="utf-8")


def test_the_table_sorts_and_narrows(looped, look):
    model, path = looped
    page = look(path)
    heading = page.get_by_role("button", name="coefficient")
    cells = page.locator("#variable-table tbody tr td:nth-child(4)")

    def numbers():
        return [float(text) if text != "–" else 0.0 for text in cells.all_inner_texts()]

    heading.click()
    assert numbers() == sorted(numbers(), reverse=True) and numbers()[0] > 0
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("coefficient")
    heading.focus()
    page.keyboard.press("Enter")
    assert numbers() == sorted(numbers()) and page.locator("th[aria-sort=ascending]").count() == 1
    rows = page.locator("#variable-table tbody tr:visible")
    page.get_by_label("Find").fill("V")
    assert rows.count() == 5 and page.locator(".controls output").first.inner_text() == "5 of 10 fit"
    page.get_by_label("Find").fill("")
    page.get_by_label("Role").select_option("stable")
    assert rows.count() == len(model.selected_)


def test_the_keyboard_reaches_every_control_and_each_has_a_name(hostile, look):
    page = look(hostile)
    controls = "a[href], button, input, select, summary, [tabindex='0']"
    # Those that are folded away are reached once they are unfolded.
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    total = page.locator(controls).count()
    reached = set()
    for _ in range(total + 5):
        page.keyboard.press("Tab")
        place = page.evaluate(
            f"[...document.querySelectorAll({controls!r})].indexOf(document.activeElement)".replace("\\'", "'")
        )
        if place >= 0:
            reached.add(place)
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none", page.evaluate("document.activeElement.outerHTML")[:200]
    assert reached == set(range(total)) and total > 15
    nameless = page.eval_on_selector_all(
        "svg[role=img]:not([aria-label]), input, select, [role=region]:not([aria-label])",
        "all => all.filter(one => !(one.labels && one.labels.length)).length",
    )
    assert nameless == 0
    levels = page.eval_on_selector_all("h1, h2, h3", "all => all.map(one => Number(one.tagName[1]))")
    assert levels[0] == 1 and all(later - earlier <= 1 for earlier, later in zip(levels, levels[1:]))


def test_hostile_names_are_shown_as_text(hostile, look):
    page = look(hostile)
    assert page.evaluate("window.harmed") is None
    shown = page.locator("#variable-table tbody td:first-child").all_inner_texts()
    hints = page.eval_on_selector_all("#variable-table tbody td:first-child span", "all => all.map(one => one.title)")
    assert (
        HOSTILE[0] in shown and any("onerror" in hint for hint in hints) and HOSTILE[5] in shown and HOSTILE[6] in shown
    )
    assert any(name.startswith('" onload="window.ha') for name in shown)
    assert any(name.startswith("</title><img src=x") for name in shown)
    assert "\u202e" not in page.content() and any(name.startswith("\ufffdevil") for name in shown)
    cut = next(name for name in shown if name.startswith("longlong"))
    assert len(cut) == 44 and cut.endswith("glonglong") and "…" in cut
    assert page.locator("script").count() == 1 and page.locator("img, b b, u").count() == 0


def test_it_prints_without_controls(demo, look):
    page = look(demo)
    page.emulate_media(media="print")
    assert page.locator(".controls:visible, nav:visible").count() == 0
    assert page.pdf().startswith(b"%PDF")


def test_500_variables_with_endless_names_stay_small(command, tmp_path):
    rng = np.random.default_rng(1)
    X = pandas.DataFrame(rng.normal(size=(700, 500)), columns=[f"{k}" + "é<" * 5000 for k in range(500)])
    data, page = tmp_path / "t.parquet", tmp_path / "r.html"
    X.assign(y=X.iloc[:, :5].sum(axis=1) + rng.normal(size=700)).to_parquet(data)
    command("fit", data, "--target", "y", "--method", "dwr", "--steps", 5, "--report", page)
    # Names of ten thousand letters that each take several bytes.
    assert page.stat().st_size < 1_500_000
    # Squares for groups of columns, a row for every variable.
    text = page.read_text(encoding="utf-8")
    correlations = text[text.index('id="decorrelation-h"') :]
    assert correlations.count('class="cell') == 39**2 and text.count("<tr>") > 500


def test_errors_of_other_models_stand_beside(tmp_path, look):
    from sklearn.linear_model import LinearRegression

    from stablevar.datasets import make_biased_linear

    X, y = make_biased_linear(n_samples=800, r=2.0, random_state=0, as_frame=True)
    model = stablevar.SVIRegressor(evidence=None).fit(X, y)
    path = tmp_path / "r.html"
    places = pandas.Series(np.arange(800) // 400, name="place")
    model.report(path, X, y, environments=places, compare={"least squares": LinearRegression().fit(X, y)})
    page = look(path)
    table = page.locator("#evaluation table")
    assert table.locator("th").all_inner_texts() == ["environment", "SVIRegressor", "least squares"]
    shown = table.locator("tbody tr").first.locator("td").all_inner_texts()
    first = np.asarray(places) == 0
    assert float(shown[1]) == pytest.approx(np.mean((model.predict(X)[first] - y[first]) ** 2), rel=1e-4)
    with pytest.raises(ValueError, match="together"):
        model.report(path, X)
    with pytest.raises(ValueError, match="only with X"):
        model.report(path, environments=places)
