"""The draw in Python and in JavaScript, each written from the specification: the same results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

import palmares
from palmares.core.canonical import canonical
from palmares.tournaments.draw.announcement import DrawRefused
from palmares.tournaments.draw.draw import result, run
from tests.amounts import amount
from tests.browser.conftest import FLAGS, chromium
from tests.tournaments.draw.random_announcements import Case, case

SCRIPT = Path(palmares.__file__).parent / "web" / "assets" / "draw.js"
VECTORS = json.loads(Path(__file__).with_name("vectors.json").read_text("utf-8"))["vectors"]
ASKED_AT_ONCE = 500
RUN = """([cases, isRecorded]) => cases.map(([text, recordedAt, reveals]) => {
    const {seedText, ...result} = palmaresDraw.run(text, recordedAt, reveals, isRecorded);
    return result;
})"""


def _drawn(text: str, recorded_at: str, reveals: list[Any]) -> dict[str, Any]:
    try:
        return result(run(text.encode(), recorded_at, reveals))
    except DrawRefused as refused:
        return {"refused": refused.code}


def test_both_programs_draw_the_same() -> None:
    vectors: list[Case] = [
        (canonical(vector["announcement"]), vector["recorded_at"], vector["randomness"])
        for vector in VECTORS
    ]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        page = browser.new_page()
        page.add_script_tag(content=SCRIPT.read_text("utf-8"))
        results = [vector["result"] for vector in VECTORS]
        assert page.evaluate(RUN, [vectors, False]) == results
        drawn = [at for at, result in enumerate(results) if "refused" not in result]
        recorded = page.evaluate(RUN, [[vectors[at] for at in drawn], True])
        assert recorded == [results[at] for at in drawn]
        many = amount(100_000)
        for start in range(0, many, ASKED_AT_ONCE):
            numbers = range(start, min(start + ASKED_AT_ONCE, many))
            cases = [case(number) for number in numbers]
            for number, given, theirs in zip(
                numbers, cases, page.evaluate(RUN, [cases, False]), strict=True
            ):
                assert (number, theirs) == (number, _drawn(*given))
        browser.close()
