"""Signatures of the drand beacon: verified where the library is installed."""

from __future__ import annotations

import pytest

from palmares.tournaments.draw import sources
from palmares.tournaments.draw.announcement import DrawRefused
from palmares.tournaments.draw.draw import explanation, run
from tests.tournaments.draw.test_draw import VECTORS, file_of

REAL = next(vector for vector in VECTORS if "a real drand round" in vector["why"])
ROUND = 657_413
SIGNATURE = REAL["randomness"][0]["signature"]
VERIFIES = sources.verifies()  # there is no build of drand-verify for Python 3.13
OTHERS = [SIGNATURE[:-1] + "a", "0" * 96, "f" * 96] if VERIFIES else []


@pytest.mark.parametrize("signature", [SIGNATURE] if VERIFIES else [])
def test_a_round_of_the_beacon_is_signed(signature: str) -> None:
    assert sources.is_signed(ROUND, signature)
    assert not sources.is_signed(ROUND + 1, signature)


@pytest.mark.parametrize("signature", OTHERS)
def test_another_signature_is_refused(signature: str) -> None:
    with pytest.raises(DrawRefused) as refused:
        run(file_of(REAL["announcement"]), REAL["recorded_at"], [{"signature": signature}])
    assert refused.value.code == "reveal"
    assert "the signature is not that of round 657,413" in str(refused.value)


def test_without_the_library_the_draw_says_that_it_is_unverified(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def drawn() -> list[str]:
        result = run(file_of(REAL["announcement"]), REAL["recorded_at"], REAL["randomness"])
        return [sentence for sentence in explanation(result, {}) if "unverified" in sentence]

    assert bool(drawn()) is not VERIFIES
    monkeypatch.setattr(sources, "installed", lambda _: False)
    assert drawn() == ["The signature of drand is unverified here: drand-verify is not installed."]
