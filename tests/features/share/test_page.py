"""The page for readers: identical bytes for identical pairs, sentences as data, and its behaviour in a browser."""

from __future__ import annotations

import base64
import csv
import hashlib
import html
import io
import json
import random
import re
import zlib
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from chromium import Chromium, chromium

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.evaluations.thresholds import ThresholdAnalysis
from parapluie_gui.analysis.threshold import counts
from parapluie_gui.api.material import build_material
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.explain.page import known_edits
from parapluie_gui.features.share.page import PageContents, supplement_html, write_supplement
from parapluie_gui.features.talks.talk import Talk, TalkPair
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.formulas import CellWriter, mark
from parapluie_gui.scores.signature import Signature, pair_key
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.storage.store import ScoreStore

ROWS = 300
HOSTILE = (
    "</script><script>document.title = 'taken'</script>",
    "<img src=x onerror=\"document.title = 'taken'\">",
    "a line\u2028and \u2029another\nand a third",
    "עברית \u202eright to left\u202c & more",
    '=HYPERLINK("http://example.org")',
    "half \ud800 a letter, 😀 a whole one",
)


def material(rows: int = ROWS, *, group: bool = True):
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, rows).astype(np.int8)
    labels[7] = -1
    sources = [f"The cat number {row} sat on the mat." for row in range(rows)]
    hypotheses = [f"The dog number {row} sat upon the mat." for row in range(rows)]
    sources[: len(HOSTILE)] = hypotheses[10 : 10 + len(HOSTILE)] = HOSTILE
    corpus = Corpus(
        "Cats & <b>dogs</b>",
        [f"p {row}/ü" for row in range(rows)],
        sources,
        hypotheses,
        label=labels,
        human=random.random(rows),
        group=[f"group {row % 3}" for row in range(rows)] if group else None,
        extra={"length": [float(row) for row in range(rows)], "word": ["x"] * rows},
    )
    table = ScoreTable(rows)
    values = {"pluie.direct": random.normal(2 * labels - 1, 2), "edit_distance": random.random(rows).round(2)}
    values["pluie.direct"][3] = np.nan
    for name, numbers in values.items():
        table.declare(name, Signature.from_fields(name, {"name": name}))
        table.put(np.arange(rows), {name: numbers})
    return replace(build_material(corpus, table), y="pluie.direct", given={"edit_distance": 0.5})


def parts(text: str) -> dict[str, bytes]:
    """Return the data parts of a page, decompressed, by name."""
    scripts = re.findall(r'<script type="application/octet-stream" id="part-(\w+)">([^<]*)</script>', text)
    return {name: zlib.decompress(base64.b64decode(packed)) for name, packed in scripts}


def joined(unpacked: dict[str, bytes]) -> list[str]:
    """Return the sentences, which are stored as word numbers."""
    words, texts, number = json.loads(unpacked["words"]), [""], 0
    for byte in unpacked["sentences"]:
        number = number << 7 | byte & 127
        if byte < 128:
            if number:
                texts[-1] += words[number - 1]
            else:
                texts.append("")
            number = 0
    return texts[:-1]


def test_the_page_is_deterministic_and_its_policy_allows_only_its_own_code():
    page = PageContents(material(), "CC0")
    text = supplement_html(page)
    assert text == supplement_html(page)
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])
    assert "default-src 'none'" in policy and "unsafe" not in policy
    for kind, inside in (("script", text.split("<script>")[1]), ("style", text.split("<style>")[1])):
        own = inside.partition(f"</{kind}>")[0]
        assert base64.b64encode(hashlib.sha256(own.encode()).digest()).decode() in policy
    assert "@software{parapluie_inspector" in text
    assert "taken" not in text and "http://" not in re.sub(r"xmlns=\S+", "", text) and "<b>dogs" not in text
    assert re.search(r"\son\w+=|style=", text) is None, "blocked by a policy with hashes"


def test_scores_and_sentences_can_be_read_back():
    shared = material()
    unpacked = parts(supplement_html(PageContents(shared, "CC0", columns=("length", "word"))))
    numbers = np.frombuffer(unpacked["numbers"], "<f4").reshape(-1, ROWS)
    for place, each in enumerate(shared.score_columns):
        np.testing.assert_array_equal(numbers[place], each.values.astype(np.float32))
    np.testing.assert_array_equal(numbers[-1], np.arange(ROWS))
    np.testing.assert_array_equal(np.frombuffer(unpacked["labels"], np.int8), shared.labels)
    sentences = joined(unpacked)
    assert (
        sentences[0] == HOSTILE[0]
        and sentences[21] == HOSTILE[0]
        and sentences[10] == HOSTILE[5].replace("\ud800", "?")
    )
    assert json.loads(unpacked["texts"])["word"] == ["x"] * ROWS


def test_sentences_with_more_words_than_one_or_two_bytes_can_number_are_stored():
    rows = 9_000
    shared = material(rows)
    sources = [f"{2 * row:x} 猫{row:x} {row:o}_\t {row:b}a" for row in range(rows)]
    shared = replace(shared, corpus_parts=replace(shared.corpus_parts, corpus=replace(shared.corpus, source=sources)))
    unpacked = parts(supplement_html(PageContents(shared, "CC0")))
    assert len(json.loads(unpacked["words"])) > 1 << 14
    assert joined(unpacked)[::2] == sources


def test_both_of_two_judges_are_on_the_page():
    about = material()
    table = ScoreTable(ROWS)
    for judge in ("pocket", "smollm2-135m"):
        signature = Signature.from_fields("pluie.direct", {"name": "pluie", "model": judge, "template": "DIRECT"})
        table.put(np.arange(ROWS), {table.declare("pluie.direct", signature): np.ones(ROWS)})
    page = supplement_html(PageContents(build_material(about.corpus, table.with_full_names()), "CC0"))
    assert "DIRECT · Pocket" in page and "DIRECT · SmolLM2" in page


def test_a_page_can_contain_only_scores_and_ids():
    text = supplement_html(PageContents(material(), ""))
    unpacked = parts(text)
    assert set(unpacked) == {"numbers", "id", "labels", "texts"} and "the sentences are not in this page" in text
    assert not any(b"cat" in part or b"taken" in part for part in unpacked.values())


def test_pairs_with_scored_variants_include_their_edits(tmp_path):
    shared = material(20)
    source, hypothesis = "A 😀 cat sat here.", "A 😀 dog sat there."
    corpus = replace(shared.corpus, source=[source] * 20, hypothesis=[hypothesis] * 20)
    shared = replace(shared, corpus_parts=replace(shared.corpus_parts, corpus=corpus))
    signature = shared.signatures["pluie.direct"]
    variants = [source, hypothesis, "A 😀 dog sat here.", "A 😀 cat sat there."]
    with ScoreStore(tmp_path / "scores.sqlite") as store:
        store.put(signature, [pair_key(source, variant) for variant in variants], [3.0, -2.0, -1.0, 2.0])
    page = PageContents(shared, "CC0", edits=partial(known_edits, tmp_path / "scores.sqlite"))
    edits = json.loads(parts(supplement_html(page))["edits"])
    first, second = edits["pluie.direct"]["0"]
    units = source.encode("utf-16-le")
    assert units[2 * first[0] : 2 * first[1]].decode("utf-16-le") == "cat" and first[4] == -4
    assert second[4] == -1


def test_impossible_pages_are_refused(tmp_path):
    bare = build_material(Corpus("c", ["1"], ["a"], ["b"]), ScoreTable(1))
    with pytest.raises(ParapluieError, match="Score the pairs first"):
        supplement_html(PageContents(bare, "CC0"))
    with pytest.raises(ParapluieError, match=r'no column "nope".*"length"'):
        supplement_html(PageContents(material(), "CC0", columns=("nope",)))
    with pytest.raises(ParapluieError, match="There is no folder"):
        write_supplement(tmp_path / "no" / "page.html", PageContents(material(), "CC0"))


# In a browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    with chromium(folder) as started:
        started.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
        started.folder = folder
        yield started
        assert started.told == [], "the page wrote to the console"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    shared = material()
    thresholds = ThresholdAnalysis()
    done = [(thresholds, analyse(thresholds, shared, thresholds.options(), lambda done, total: None))]
    path = tmp_path_factory.mktemp("page") / "a page é.html"
    return write_supplement(path, PageContents(shared, "CC0", done=done, report="report.html")).as_uri()


def counted(shared, name: str, threshold: float, rows=slice(None)) -> tuple[str, list[str]]:
    """Return the accuracy and outcomes at a threshold, computed by the program, in the page's format."""
    column = shared.score_column(name)
    true = counts(column.values[rows], shared.labels[rows], threshold, column.higher_is_closer)
    words = ("true positives", "false positives", "false negatives", "true negatives")
    numbers = (true.tp, true.fp, true.fn, true.tn)
    return f"accuracy {true.accuracy:.3f}", [f"{word}: {number}" for word, number in zip(words, numbers, strict=True)]


def assert_counts(browser: Chromium, accuracy: str, outcomes: list[str]) -> None:
    assert accuracy in browser.text("counts")
    assert all(outcome in browser.text("outcomes") for outcome in outcomes)


def test_counts_follow_the_threshold_and_agree_with_the_program(browser, address):
    shared = material()
    browser.look(1280, 900)
    browser.open(address)
    assert_counts(browser, *counted(shared, "pluie.direct", 0.0))
    browser.type("exact", "1.25")
    browser.wait("page.threshold() === 1.25")
    assert_counts(browser, *counted(shared, "pluie.direct", 1.25))
    browser.run("page.at('up').value = 'edit_distance'; page.at('up').dispatchEvent(new Event('change'))")
    assert_counts(browser, *counted(shared, "edit_distance", 0.5))
    assert "up to 0.50" in browser.text("counts")


def test_the_line_can_be_dragged_and_a_box_can_be_drawn(browser, address):
    shared = material()
    browser.open(address)
    left, top, line = browser.run(
        "(() => { const { left, top } = page.at('over').getBoundingClientRect();return [left, top, page.plot.y(0)] })()"
    )
    browser.drag((left + 200, top + line), (left + 200, top + line - 60))
    browser.wait("page.threshold() > 0")
    at = browser.run("page.threshold()")
    assert_counts(browser, *counted(shared, "pluie.direct", at))
    box = browser.run("[page.plot.x(0.2), page.plot.y(5), page.plot.x(0.6), page.plot.y(-5)]")
    browser.drag((left + box[0], top + box[1]), (left + box[2], top + box[3]))
    browser.wait("page.brush")
    low, bottom, high, upper = browser.run("page.brush")
    x, y = shared.score_column("edit_distance").values, shared.score_column("pluie.direct").values
    inside = np.flatnonzero((x >= low) & (x <= high) & (y >= bottom) & (y <= upper))
    assert 0 < len(inside) < ROWS and f"{len(inside)} of {ROWS} pairs" in browser.text("counts")
    assert_counts(browser, *counted(shared, "pluie.direct", at, inside))
    assert browser.run("Number(page.at('table').getAttribute('aria-rowcount'))") == len(inside) + 1
    browser.press("Escape")
    browser.wait("page.brush === null")


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("upon -cat", lambda m, r: "upon" in m.corpus.hypothesis[r] and "cat" not in m.corpus.source[r]),
        ('"number 12"', lambda m, r: "number 12" in m.corpus.source[r] + m.corpus.hypothesis[r]),
        ("pluie.direct > 1 and label=0", lambda m, r: m.score_columns[0].values[r] > 1 and m.labels[r] == 0),
        ("edit_distance<=0.3 group=group", lambda m, r: False),
        ('group="group 1" human>0.5', lambda m, r: r % 3 == 1 and m.corpus.human[r] > 0.5),
        (
            '"Edit distance" < 0.3 upon',
            lambda m, r: m.score_columns[1].values[r] < 0.3 and "upon" in m.corpus.hypothesis[r],
        ),
        ('"group"="group 1"', lambda m, r: r % 3 == 1),
    ],
)
def test_pairs_can_be_filtered(browser, address, text, chosen):
    browser.open(address)
    shared = material()
    wanted = [row for row in range(ROWS) if chosen(shared, row)]
    browser.type("filter", text)
    browser.wait(f"page.at('counts').textContent.startsWith('{len(wanted)} of')")
    assert browser.run("Array.from(page.shown)") == wanted
    assert browser.text("trouble") == ""


def test_a_wrong_filter_is_refused_and_changes_nothing(browser, address):
    browser.open(address)
    browser.type("filter", "blue<0.3")
    browser.wait("page.at('trouble').textContent !== ''")
    assert "no score “blue”" in browser.text("trouble") and '"Edit distance"' in browser.text("trouble")
    assert f"{ROWS} of {ROWS}" in browser.text("counts")


def test_keys_links_and_hostile_sentences_work(browser, address):
    shared = material()
    browser.open(f"{address}#p%200%2F%C3%BC")
    browser.wait("page.chosen === 0")
    for row, sentence in enumerate(HOSTILE):
        browser.wait(f"page.chosen === {row}")
        shown = browser.run("document.querySelector('#pair .sentence').textContent")
        assert shown == sentence.replace("\ud800", "?")
        assert browser.run("document.querySelector('#pair .sentence').dir") == "auto"
        assert browser.run("decodeURIComponent(location.hash)") == f"#{shared.corpus.id[row]}"
        browser.press("j")
    browser.press("K")
    browser.wait(f"page.chosen === {len(HOSTILE) - 1}")
    assert browser.run("document.title") == shared.corpus.name
    assert browser.run("document.images.length + document.querySelectorAll('#pair script').length") == 0
    browser.run("location.hash = '#p%2020%2F%C3%BC'")
    browser.wait("page.chosen === 20")
    marks = browser.run("Array.from(document.querySelectorAll('#pair mark'), each => each.textContent)")
    assert marks == ["cat", "on", "dog", "upon"]


def test_outcomes_sorting_and_visible_rows_work(browser, address):
    shared = material()
    browser.open(address)
    browser.run("page.at('outcomes').children[1].click()")
    false_positives = np.flatnonzero((shared.score_columns[0].values >= 0) & (shared.labels == 0)).tolist()
    assert browser.run("Array.from(page.shown)") == false_positives
    browser.run("document.querySelector('#head [role=columnheader]:nth-child(2) button').click()")
    ordered = browser.run("Array.from(page.table.order)")
    assert ordered == sorted(false_positives, key=lambda row: -shared.score_columns[0].values[row])
    assert browser.run("document.querySelector('[aria-sort=descending]').textContent").startswith(
        shared.score_columns[0].title
    )
    browser.run("page.at('all').click()")
    assert browser.run("document.querySelectorAll('#rows [role=row]').length") < 40 < ROWS
    browser.run("page.at('table').scrollTop = 1e9")
    browser.wait(f"document.querySelector('#rows [aria-rowindex=\"{ROWS + 1}\"]')")


def test_the_worst_error_is_open_beside_the_plot_and_gives_way_to_a_filter(browser, address):
    shared = material()
    browser.look(1280, 900)
    browser.open(address)
    scores = shared.score_columns[0].values
    wrong = (scores >= 0) != (shared.labels == 1)
    far = np.where(wrong & (shared.labels >= 0) & np.isfinite(scores), np.abs(scores), -1.0)
    assert browser.run("page.chosen") == int(far.argmax()) and browser.run("location.hash") == ""
    edges = "(() => { const box = id => page.at(id).getBoundingClientRect();"
    assert browser.run(
        f"{edges} return box('pair').top < box('frame').bottom && box('pair').left >= box('frame').right }})()"
    )
    assert browser.run(f"{edges} return box('table').top >= box('pair').bottom }})()")
    heads = "Array.from(document.querySelectorAll('#head button'))"
    assert browser.run(f"{heads}.every(each => each.scrollWidth <= each.parentElement.clientWidth + 1)")
    assert browser.run("document.querySelectorAll('#rows mark').length > 0")
    outcomes = browser.text("outcomes")
    browser.run("page.at('outcomes').children[1].click()")
    assert browser.text("outcomes") == outcomes, "a count does not change the counts"
    browser.type("filter", '"number 12"')
    browser.wait("page.shown.length < 20 && page.shown.length > 0")
    assert browser.run("page.shown.includes(page.chosen)"), "the pair shown is one of the table"


def test_a_table_longer_than_browsers_can_scroll_is_shown(browser, address):
    browser.open(address)
    browser.run("page.table.setRows(Uint32Array.from({ length: 2_000_000 }, (_, at) => at % 300))")
    browser.run("page.at('table').scrollTop = 1e9")
    browser.wait("document.querySelector('#rows [aria-rowindex=\"2000001\"]')")
    seen = browser.run(
        "(() => { const { bottom } = page.at('table').getBoundingClientRect();"
        "const last = document.querySelector('#rows [aria-rowindex=\"2000001\"]').getBoundingClientRect();"
        "return bottom - last.bottom })()"
    )
    assert -5 <= seen <= 60


def test_a_browser_that_cannot_unpack_the_pairs_shows_a_sentence(browser, address):
    unpacking = "document.getElementById('old')?.textContent.includes('cannot unpack')"
    browser.open(address, "delete window.DecompressionStream", unpacking)
    assert "needs a browser of May 2023 or newer" in browser.text("old")
    assert browser.run("document.getElementById('work').hidden")


def test_the_csv_contains_the_shown_pairs(browser, address):
    shared = material()
    browser.open(address)
    browser.type("filter", "label=1")
    browser.wait("page.shown.length < 300")
    path = browser.folder / "pairs.csv"
    path.unlink(missing_ok=True)
    browser.run("page.at('csv').click()")
    browser.wait_for(path)
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
    wanted = np.flatnonzero(shared.labels == 1)
    assert [row["id"] for row in rows] == [shared.corpus.id[row] for row in wanted]
    for row, place in zip(rows, wanted, strict=True):
        assert row["source"] == mark(shared.corpus.source[place].replace("\ud800", "?"))
        if row["pluie.direct"]:
            assert float(row["pluie.direct"]) == pytest.approx(shared.score_columns[0].values[place], rel=1e-6)


def test_the_page_quotes_and_marks_cells_like_exported_files(browser, address):
    draw = random.Random(7)
    texts = ["".join(draw.choices("'=+-@\t\r\n＝1.5e%a;,\"٣ 😀", k=draw.randrange(7))) for _ in range(5_000)]
    browser.open(address)
    assert browser.run(f"{json.dumps(texts)}.map(unrunnable)") == list(map(mark, texts))
    file = io.StringIO(newline="")
    CellWriter(file).write([[mark(text), "-"] for text in texts])
    assert browser.run(f"{json.dumps(texts)}.map(text => cell(text) + ',-\\r\\n').join('')") == file.getvalue()


def test_infinite_and_large_scores_are_shown(browser, tmp_path):
    shared = material(40)
    values = {"pluie.direct": np.where(shared.labels == 1, 1e300, -1e39), "edit_distance": np.full(40, -np.inf)}
    columns = tuple(replace(column, values=values[column.name]) for column in shared.score_columns)
    path = write_supplement(
        tmp_path / "large.html", PageContents(replace(shared, score_columns=columns, given={}), "CC0")
    )
    browser.open(path.as_uri())
    assert browser.run("Array.from(page.data.columns[0].values)") == values["pluie.direct"].tolist()
    assert browser.run("page.data.columns.filter(each => each.score).map(each => each.threshold)") == [0, None]
    assert browser.run("written(page.data.columns[1], page.data.columns[1].values[0])") == "−∞"
    browser.run("page.setThreshold(0, true)")
    assert "accuracy 1.000" in browser.text("counts")


def test_a_talk_is_shown_step_by_step(browser, tmp_path):
    shared = material()
    pairs = [TalkPair(shared.corpus.source[row], shared.corpus.hypothesis[row], note="secret") for row in (30, 20)]
    talk = Talk("Cats", (replace(pairs[0], steps=("sentences", "guess", "judge")), pairs[1]))
    path = write_supplement(tmp_path / "talk.html", PageContents(shared, "CC0", talk=talk))
    assert "secret" not in path.read_text(encoding="utf-8")
    browser.look(1280, 900)
    browser.open(path.as_uri())
    assert browser.text("step") == "Cats · 2 pairs"
    browser.press("PageDown")
    browser.wait("page.chosen === 30")
    assert browser.text("step") == "Cats · pair 1 of 2: the sentences"
    assert browser.run("document.querySelectorAll('#pair table, #pair mark').length") == 0
    assert not browser.run("page.at('table').checkVisibility()")
    browser.press("PageDown")
    assert "Do both mean the same?" in browser.text("pair") and "Label" not in browser.text("pair")
    browser.press("PageDown")
    assert shared.score_columns[0].title in browser.text("pair") and "Edit distance" not in browser.text("pair")
    browser.run("page.at('next').click()")
    browser.wait("page.chosen === 20")
    for _ in range(9):
        browser.press("PageDown")
    assert browser.text("step").endswith("pair 2 of 2: which words decided") and "Edit distance" in browser.text("pair")
    browser.press("Escape")
    assert browser.run("page.at('table').checkVisibility()") and browser.text("step") == "Cats · 2 pairs"
    with pytest.raises(ParapluieError, match="not on the page"):
        supplement_html(PageContents(shared, "CC0", talk=Talk("", (TalkPair("elsewhere", "said"),))))


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_the_page_fits_the_screen_and_follows_the_systems_colours(browser, address, width, dark):
    browser.look(width, 900, dark=dark)
    browser.open(address)
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    ground = browser.run("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(21, 24, 29)" if dark else "rgb(255, 255, 255)")
    assert browser.run("document.querySelectorAll('#analyses details table').length") > 0
    assert browser.run("document.querySelector('header a').getAttribute('href')") == "report.html"
    names = "input, select, canvas[role], [role=table], section"
    assert browser.run(
        f"Array.from(document.querySelectorAll('{names}')).every(each => each.labels && each.labels.length ||"
        " each.getAttribute('aria-label') || each.querySelector('h2'))"
    )
