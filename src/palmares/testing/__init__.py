"""
What authors of a regulation test theirs with; `palmares.testing.witness` tests their tests.

    def test_house_rules(): assert house_rules(ladder) == []
    def test_three_ways(): assert three_ways(ladder, [tournament]) == []
"""

from __future__ import annotations

from palmares.testing.house import house_rules
from palmares.testing.ways import three_ways

__all__ = ["house_rules", "three_ways"]
