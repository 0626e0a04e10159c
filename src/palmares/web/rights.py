"""
Who may do what: one table, for pages and API alike.

    RIGHTS      every route by name, and who may use it
    Right       who may
    allowed     whether somebody may

A route without a line here cannot be served: the site refuses to start, and a test names it. The
documentation prints this table (``docs/reference/rights.md``).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class Right(Enum):
    """Who may use a route."""

    ANYONE = "anyone"
    SIGNED_IN = "whoever is signed in"
    DIRECTOR = "directors and officers"
    OFFICER = "officers"
    ADMINISTRATOR = "administrators"


VISITOR = None
_ROLES: Mapping[Right, frozenset[str | None]] = {
    Right.ANYONE: frozenset({VISITOR, "director", "officer", "administrator"}),
    Right.SIGNED_IN: frozenset({"director", "officer", "administrator"}),
    Right.DIRECTOR: frozenset({"director", "officer"}),
    Right.OFFICER: frozenset({"officer"}),
    Right.ADMINISTRATOR: frozenset({"administrator"}),
}

RIGHTS: Mapping[str, Right] = {
    # what anyone sees
    "front": Right.ANYONE,
    "ranking": Right.ANYONE,
    "nation_list": Right.ANYONE,
    "totals": Right.ANYONE,
    "trimmed_rankings": Right.ANYONE,
    "trimmed_nations": Right.ANYONE,
    "players": Right.ANYONE,
    "player": Right.ANYONE,
    "tournaments": Right.ANYONE,
    "tournament": Right.ANYONE,
    "nation": Right.ANYONE,
    "nation_course": Right.ANYONE,
    "nation_chart": Right.ANYONE,
    "published": Right.ANYONE,
    "feed": Right.ANYONE,
    "publication": Right.ANYONE,
    "manifest": Right.ANYONE,
    "facts": Right.ANYONE,
    "proof": Right.ANYONE,
    "regulations": Right.ANYONE,
    "regulation": Right.ANYONE,
    "editions": Right.ANYONE,
    "bridge": Right.ANYONE,
    "event": Right.ANYONE,
    "calculators": Right.ANYONE,
    "calculator": Right.ANYONE,
    "running_chart": Right.ANYONE,
    # coming in
    "sign_in": Right.ANYONE,
    "sign_in_send": Right.ANYONE,
    "code": Right.ANYONE,
    "code_send": Right.ANYONE,
    "set_up": Right.ANYONE,
    "set_up_send": Right.ANYONE,
    "welcome": Right.ANYONE,
    "welcome_send": Right.ANYONE,
    # one's own account
    "sign_out": Right.SIGNED_IN,
    "account": Right.SIGNED_IN,
    "account_password": Right.SIGNED_IN,
    "own_codes": Right.SIGNED_IN,
    "own_codes_send": Right.SIGNED_IN,
    "own_codes_end": Right.SIGNED_IN,
    "token_issue": Right.SIGNED_IN,
    "token_revoke": Right.SIGNED_IN,
    # the officer's desk
    "officer": Right.OFFICER,
    "log": Right.OFFICER,
    "entry": Right.OFFICER,
    "verification": Right.OFFICER,
    "alike": Right.OFFICER,
    "report_cells": Right.OFFICER,
    "decision": Right.OFFICER,
    "decision_send": Right.OFFICER,
    "queue": Right.OFFICER,
    "waiting": Right.OFFICER,
    "approve": Right.OFFICER,
    "give_back": Right.OFFICER,
    # the director's desk
    "director": Right.DIRECTOR,
    "submission_draft": Right.DIRECTOR,
    "submission": Right.DIRECTOR,
    "submission_save": Right.DIRECTOR,
    "submission_names": Right.DIRECTOR,
    "submission_move": Right.DIRECTOR,
    # the administrator's desk
    "administrator": Right.ADMINISTRATOR,
    "invite": Right.ADMINISTRATOR,
    "account_link": Right.ADMINISTRATOR,
    "account_role": Right.ADMINISTRATOR,
    "account_disable": Right.ADMINISTRATOR,
    "account_enable": Right.ADMINISTRATOR,
    "account_uncode": Right.ADMINISTRATOR,
    # the API: what anyone sees
    "guide": Right.ANYONE,
    "api_about": Right.ANYONE,
    "api_document": Right.ANYONE,
    "api_rankings": Right.ANYONE,
    "api_ranking": Right.ANYONE,
    "api_ranking_nations": Right.ANYONE,
    "api_ranking_totals": Right.ANYONE,
    "api_players": Right.ANYONE,
    "api_player": Right.ANYONE,
    "api_player_list": Right.ANYONE,
    "api_player_awards": Right.ANYONE,
    "api_player_award": Right.ANYONE,
    "api_player_history": Right.ANYONE,
    "api_player_expiries": Right.ANYONE,
    "api_nations": Right.ANYONE,
    "api_nation": Right.ANYONE,
    "api_tournaments": Right.ANYONE,
    "api_tournament": Right.ANYONE,
    "api_placings": Right.ANYONE,
    "api_publications": Right.ANYONE,
    "api_publication": Right.ANYONE,
    "api_manifest": Right.ANYONE,
    "api_proof": Right.ANYONE,
    "api_regulations": Right.ANYONE,
    "api_regulation": Right.ANYONE,
    "api_edition": Right.ANYONE,
    "api_editions": Right.ANYONE,
    "api_calculators": Right.ANYONE,
    "api_performance": Right.ANYONE,
    "api_master_points": Right.ANYONE,
    "api_percentile": Right.ANYONE,
    "api_victory_points": Right.ANYONE,
    "api_bridge_events": Right.ANYONE,
    "api_bridge_event": Right.ANYONE,
    # the API: reports on their way
    "api_reports": Right.DIRECTOR,
    "api_report_draft": Right.DIRECTOR,
    "api_report": Right.DIRECTOR,
    "api_report_save": Right.DIRECTOR,
    "api_report_names": Right.DIRECTOR,
    "api_report_hand_in": Right.DIRECTOR,
    "api_report_take_back": Right.DIRECTOR,
    "api_report_withdraw": Right.DIRECTOR,
    # the API: what officers decide
    "api_queue": Right.OFFICER,
    "api_waiting": Right.OFFICER,
    "api_approve": Right.OFFICER,
    "api_give_back": Right.OFFICER,
    "api_decisions": Right.OFFICER,
    "api_rehearse": Right.OFFICER,
    "api_decide": Right.OFFICER,
    "api_entries": Right.OFFICER,
    "api_entry": Right.OFFICER,
    "api_verification": Right.OFFICER,
    "api_lookalikes": Right.OFFICER,
    "api_report_rows": Right.OFFICER,
    # the API: accounts
    "api_accounts": Right.ADMINISTRATOR,
    "api_account": Right.ADMINISTRATOR,
    "api_account_invite": Right.ADMINISTRATOR,
    "api_account_link": Right.ADMINISTRATOR,
    "api_account_role": Right.ADMINISTRATOR,
    "api_account_disable": Right.ADMINISTRATOR,
    "api_account_enable": Right.ADMINISTRATOR,
    "api_account_uncode": Right.ADMINISTRATOR,
    # the site itself
    "assets": Right.ANYONE,
    "robots": Right.ANYONE,
    "health": Right.ANYONE,
    "metrics": Right.ADMINISTRATOR,
}
"""Every route by name."""


def allowed(role: str | None, route: str) -> bool:
    """Whether somebody in a role, or a visitor (none), may use a route."""
    return role in _ROLES[RIGHTS[route]]
