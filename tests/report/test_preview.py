"""What previews of links show: a picture of all models, and one of each."""

import re
import struct
import zlib
from pathlib import Path

import pytest
from click.testing import CliRunner

import selfexec as sx
from build import rename_model, requests_run
from selfexec.analysis.selection import Selection
from selfexec.cli import root
from selfexec.errors import InputError
from selfexec.report.data import Data, Options
from selfexec.report.preview import ROWS, file_names, preview
from selfexec.runs import Run
from selfexec.text.numbers import typeset


@pytest.fixture(scope="module")
def data(small_panel: Run) -> Data:
    return Data(Selection.of(small_panel), Options("none"))


def texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_the_picture_of_all_has_the_headline_and_the_numbers_of_the_front(data: Data) -> None:
    assert data.front and data.preview
    shown = texts(data.preview)
    assert " ".join(shown).startswith(data.front.headline.replace("'", "&#x27;"))
    for panel in data.front.lines[0]:
        for column in panel.columns:
            assert column.head in shown
            for model in data.front.models:
                cell = column.cells.get(model)
                assert model in shown and (cell is None or typeset(cell.number) in shown)
    assert len(data.front.models) <= ROWS and not any("more models" in text for text in shown)


def test_the_picture_of_a_model_has_its_numbers_alone_and_a_real_item(data: Data) -> None:
    assert data.front
    shown = texts(preview(data.front, "sim/coin"))
    assert not any(model in " ".join(shown) for model in data.front.models if model != "sim/coin")
    for panel in data.front.panels:
        assert panel.question in " ".join(shown)
        for column in panel.columns:
            assert "sim/coin" not in column.cells or typeset(column.cells["sim/coin"].number) in shown
    example = data.examples["association"]["sim/coin"]
    assert example.said.split(". ")[0] in " ".join(shown)


def helvetica(letter: str) -> float:
    """How wide a bold letter is, in shares of its height: the greatest of its kind in Adobe's metrics of the font."""
    if letter in " .,:;|!'’il/jI":
        return 0.278
    return 0.889 if letter in "mM" else 0.944 if letter in "W%…" else 0.722 if letter.isupper() else 0.611


def test_nothing_sticks_out_of_a_picture_however_long_names_are(tmp_path: Path) -> None:
    claims = [(n % 2 == 0, n % 3 == 0) for n in range(6)]
    run = requests_run(tmp_path / "run", {"M" * 200: claims, "odd": claims, "n o" * 60: claims})
    rename_model(run.folder, "odd", "<script>\u202e")
    front = Data(Selection.of(sx.load(run.folder)), Options()).front
    assert front
    for svg in (preview(front), *(preview(front, model) for model in front.models)):
        assert "<script" not in svg and "\u202e" not in svg
        for x, letters, anchor, look, text in re.findall(
            r'<text x="([\d.]+)" y="[\d.]+" font-size="([\d.]+)" text-anchor="(\w+)"([^>]*)>([^<]*)<', svg
        ):
            wide = float(letters) * sum(map(helvetica, re.sub("&[^;]+;", "x", text)))
            wide *= 1.0 if "bold" in look else 556 / 611
            left = float(x) - (wide if anchor == "end" else 0.0)
            assert left >= 0 and left + wide <= 1200
        assert all(float(y) <= 630 for y in re.findall(r'<text x="[\d.]+" y="([\d.]+)"', svg))


def test_files_are_called_by_the_models_and_no_two_alike() -> None:
    models = ["openai/gpt-4.1", "openai gpt-4.1", "OPENAI-gpt-4.1", "../..", "模型", "x" * 300]
    names = file_names(models)
    assert names["openai/gpt-4.1"] == "openai-gpt-4.1" and [*names] == models
    assert len({name.casefold() for name in names.values()}) == len(models)
    assert all(re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,90}", name) for name in names.values())


def heads(page: Path) -> dict[str, str]:
    found = re.findall(
        r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', page.read_text("utf-8").split("<style>")[0]
    )
    assert len(found) == len(dict(found))
    return dict(found)


def size(png: bytes) -> tuple[int, int]:
    """By the first chunk of the file, whose sum is right."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n" and zlib.crc32(png[12:29]) == struct.unpack(">I", png[29:33])[0]
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def test_a_page_with_an_address_has_its_picture_next_to_it_and_says_where(small_panel: Run, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    page = sx.report(small_panel, tmp_path / "my report.html", evidence="none", url="https://example.org/a/?b&c")
    told = heads(page)
    assert told["og:image"] == "https://example.org/a/my%20report.preview.png"
    assert told["og:url"] == "https://example.org/a/?b&amp;c"
    assert told["twitter:card"] == "summary_large_image"
    assert told["og:title"] + ". " + told["og:description"] == told["description"]
    picture = (tmp_path / "my report.preview.png").read_bytes()
    assert size(picture) == (1200, 630) == (int(told["og:image:width"]), int(told["og:image:height"]))
    sx.report(small_panel, page, evidence="none", url="https://example.org/a/?b&c")
    assert (tmp_path / "my report.preview.png").read_bytes() == picture  # the same again


def test_a_page_without_an_address_has_a_title_and_no_picture(small_panel: Run, tmp_path: Path) -> None:
    told = heads(sx.report(small_panel, tmp_path / "report.html", evidence="none"))
    assert "og:title" in told and "og:image" not in told and "og:url" not in told
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_what_stands_in_the_head_of_a_hostile_model_is_only_text(tmp_path: Path) -> None:
    run = requests_run(tmp_path / "run", {"odd": [(True, False)] * 4})
    rename_model(run.folder, "odd", '"><script>alert(1)</script>\u202e')
    head = sx.report(run.folder, tmp_path / "report.html").read_text("utf-8").split("<style>")[0]
    assert "<script" not in head and "\u202e" not in head


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "report.html", "https://", "https://a b.org", "https://a.org/\n"]
)
def test_what_is_no_address_is_refused_before_anything_is_written(small_panel: Run, tmp_path: Path, url: str) -> None:
    with pytest.raises(InputError, match="no address of a page"):
        sx.report(small_panel, tmp_path / "report.html", url=url)
    assert [*tmp_path.iterdir()] == []


def test_an_address_takes_a_page_that_is_a_file(small_panel: Run) -> None:
    given = ["report", str(small_panel.folder), "-o", "-", "--url", "https://a.org/"]
    result = CliRunner().invoke(root, given)
    assert "written next to the page" in str(result.exception or result.output)


@pytest.mark.slow
def test_a_folder_of_figures_has_the_pictures_and_one_figure_alone_comes_alone(
    small_panel: Run, tmp_path: Path
) -> None:
    sx.report(small_panel, tmp_path / "a.html", evidence="none", figures=tmp_path / "all")
    there = {path.name for path in (tmp_path / "all").iterdir()}
    assert {"preview.svg", "preview-sim-coin.svg", "models.tex"} <= there
    assert ("preview-sim-coin.png" in there) == ("margins.png" in there)
    sx.report(small_panel, tmp_path / "b.html", evidence="none", figures=tmp_path / "one", figure="loss")
    alone = {path.name for path in (tmp_path / "one").iterdir()}
    assert alone == {name for name in there if name.startswith("loss.")}
    sx.report(small_panel, tmp_path / "c.html", evidence="none", figures=tmp_path / "two", figure="preview-sim-coin")
    assert {path.stem for path in (tmp_path / "two").iterdir()} == {"preview-sim-coin"}


def test_a_figure_that_is_not_there_and_one_without_a_folder_are_refused(small_panel: Run, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no such figure of these runs. There are margins, "):
        sx.report(small_panel, tmp_path / "a.html", evidence="none", figures=tmp_path / "f", figure="nope")
    with pytest.raises(InputError, match="give a folder for it"):
        sx.report(small_panel, tmp_path / "a.html", figure="loss")
