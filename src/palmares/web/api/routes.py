"""
The API as routes.

    ROUTES      every handler of it, literally; the document describes them
    PATH        where they are
"""

from __future__ import annotations

from typing import Any

from palmares.web.api import (
    about,
    accounts,
    bridge,
    calculators,
    decisions,
    entries,
    nations,
    players,
    publications,
    queue,
    rankings,
    regulations,
    reports,
    tournaments,
)

PATH = "/api/v1"

ROUTES: tuple[Any, ...] = (
    about.about,
    rankings.rankings,
    rankings.ranking,
    rankings.nations,
    rankings.totals,
    players.players,
    players.player,
    players.standing,
    players.awards,
    players.award,
    players.history,
    players.expiries,
    nations.nations,
    nations.nation,
    tournaments.tournaments,
    tournaments.tournament,
    tournaments.placings,
    publications.publications,
    publications.publication,
    publications.manifest,
    publications.proof,
    regulations.regulations,
    regulations.regulation,
    regulations.edition,
    regulations.editions,
    calculators.calculators,
    calculators.performance,
    calculators.master_points,
    calculators.percentile,
    calculators.victory_points,
    bridge.events,
    bridge.event,
    reports.reports,
    reports.report_draft,
    reports.report,
    reports.report_save,
    reports.report_names,
    reports.report_hand_in,
    reports.report_take_back,
    reports.report_withdraw,
    queue.queue,
    queue.waiting,
    queue.approve,
    queue.give_back,
    decisions.decisions,
    decisions.rehearse,
    decisions.decide,
    entries.entries,
    entries.entry,
    entries.verification,
    entries.lookalikes,
    entries.report_rows,
    accounts.accounts,
    accounts.account,
    accounts.account_invite,
    accounts.account_link,
    accounts.account_role,
    accounts.account_disable,
    accounts.account_enable,
    accounts.account_uncode,
)
"""Every handler of the API; who may use it says `palmares.web.rights`, as of every other."""
