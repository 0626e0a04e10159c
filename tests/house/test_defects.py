"""The seeded defects of ``make defects`` fit the code as it is now."""

from __future__ import annotations

import pytest

from tests.defects import DEFECTS, ROOT, Defect, asked, place_of


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.what)
def test_a_seeded_defect_has_its_line_and_its_tests(defect: Defect) -> None:
    assert place_of(defect.right, ROOT).is_file()
    assert asked(defect)
