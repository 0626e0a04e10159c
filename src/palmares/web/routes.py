"""
The table of routes: every page and every operation of the API, its address and who may use it.

A new page is a row here, `_page` if the API has its data; `show` makes a handler of a view. Rights
are checked from it, addresses are made from it, the API's document and
``docs/reference/rights.md`` are written from it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from litestar.enums import HttpMethod

from palmares.web.accounts import routes as accounts
from palmares.web.accounts.routes import SMALL
from palmares.web.api import description
from palmares.web.bridge import views as bridge
from palmares.web.calculators import routes as calculators
from palmares.web.director import routes as director
from palmares.web.federation import views as federation
from palmares.web.fund import views as fund
from palmares.web.http import health, security, templating
from palmares.web.http.routing import API, Right, Route, to
from palmares.web.officer import routes as officer
from palmares.web.officer import views as officer_views
from palmares.web.officer.recording import entry_page
from palmares.web.players import corrections, figures, search
from palmares.web.players import views as players
from palmares.web.publications import views as publications
from palmares.web.rankings import front, nations
from palmares.web.rankings import routes as rankings
from palmares.web.rankings import views as ranking_views
from palmares.web.rankings.routes import PRINTED
from palmares.web.recognition import views as recognition
from palmares.web.regulations import glossary
from palmares.web.regulations import views as regulations
from palmares.web.shared.parameters import show
from palmares.web.submissions.parse import MEDIA_TYPES
from palmares.web.tournaments import draws, live, live_desk, notices
from palmares.web.tournaments import views as tournaments

ANYONE, SIGNED_IN = Right.ANYONE, Right.SIGNED_IN
DIRECTOR, OFFICER, ADMINISTRATOR = Right.DIRECTOR, Right.OFFICER, Right.ADMINISTRATOR
GET, POST, PUT, DELETE = HttpMethod.GET, HttpMethod.POST, HttpMethod.PUT, HttpMethod.DELETE


def _page(
    name: str,
    path: str | tuple[str, ...],
    right: Right,
    handler: Callable[..., Any],
    template: str,
    api_path: str,
    tag: str,
    api: str = "",
    api_handler: Callable[..., Any] | None = None,
    query: Callable[[Any], Collection[str]] | None = None,
) -> tuple[Route, Route]:
    """A page, and the operation of the API with its data.

    Args:
        name: of the page; that of the operation begins with "api_".
        path: of the page.
        right: who may see the page and read its data.
        handler: answers with the page, and with its data if `api_handler` is not given.
        template: of the page.
        api_path: of the operation, under `/api/v1`.
        tag: under which the API's document lists the operation.
        api: the name of the operation, where it is another.
        api_handler: answers with the data.
        query: the parameters of the page, where it takes others than its handler declares.
    """
    operation = Route(
        api or f"api_{name}", GET, API + api_path, right, api_handler or handler, tag=tag
    )
    return Route(name, GET, path, right, handler, template, operation.name, query=query), operation


# fmt: off
ROUTES: tuple[Route, ...] = (
    # rankings
    Route("front", GET, "/", ANYONE, show(front.front_page), "front.html"),
    Route("pin", GET, "/pin/{player_id}", ANYONE, rankings.pin),
    Route("unpin", GET, "/pin", ANYONE, rankings.unpin),
    Route("api_rankings", GET, API + "/rankings", ANYONE, show(rankings.all_lists), tag="Rankings"),
    *_page("ranking", ("/rankings/{regulation}", "/rankings/{regulation}/{as_of:date}"), ANYONE,
           show(ranking_views.ranking, file=rankings.saved, other_page=rankings.other_list),
           "ranking.html", "/rankings/{regulation}", "Rankings"),
    *_page("nation_list",
           ("/rankings/{regulation}/nations", "/rankings/{regulation}/{as_of:date}/nations"),
           ANYONE,
           show(ranking_views.nation_list, file=partial(rankings.saved, name="nations",
                all_rows=ranking_views.all_nations), other_page=rankings.other_nation_list),
           "nation_list.html", "/rankings/{regulation}/nations", "Rankings",
           api="api_ranking_nations"),
    *_page("totals",
           ("/rankings/{regulation}/totals", "/rankings/{regulation}/{as_of:date}/totals"), ANYONE,
           show(ranking_views.totals, file=partial(rankings.saved, name="totals",
                all_rows=ranking_views.all_totals), other_page=rankings.other_list),
           "totals.html", "/rankings/{regulation}/totals", "Rankings", api="api_ranking_totals"),
    *_page("list_changes",
           ("/rankings/{regulation}/changes", "/rankings/{regulation}/{as_of:date}/changes"),
           ANYONE, rankings.list_changes, "changes.html", "/rankings/{regulation}/changes",
           "Rankings"),
    Route("printed_list", GET,
          ("/rankings/{regulation}/printed", "/rankings/{regulation}/{as_of:date}/printed"), ANYONE,
          rankings.printed_list, "printed.html"),
    Route("printed_list_send", POST,
          ("/rankings/{regulation}/printed", "/rankings/{regulation}/{as_of:date}/printed"), ANYONE,
          rankings.printed_list, "printed.html", largest=PRINTED),
    Route("api_printed_list", POST, API + "/rankings/{regulation}/printed", ANYONE,
          rankings.api_printed_list, tag="Rankings", status=200, sends=rankings.PrintedText,
          largest=PRINTED, reads=True),
    # players
    *_page("players", "/players", ANYONE, show(search.players), "players.html", "/players",
           "Players"),
    *_page("search", "/search", ANYONE, show(search.search_page), "search.html", "/search",
           "Players"),
    Route("player", GET, "/players/{player_id}", ANYONE, players.player),
    Route("api_player", GET, API + "/players/{player_id}", ANYONE,
          show(players.player_page), tag="Players"),
    *_page("player_list",
           ("/players/{player_id}/{regulation}", "/players/{player_id}/{regulation}/{as_of:date}"),
           ANYONE, show(players.player_screen), "player_list.html",
           "/players/{player_id}/{regulation}", "Players",
           api_handler=show(players.player_list_page)),
    *_page("award",
           ("/players/{player_id}/{regulation}/{as_of:date}/awards/{event_id}/{flight}/{kind}",
            "/players/{player_id}/{regulation}/awards/{event_id}/{flight}/{kind}"),
           ANYONE, show(players.award_page), "award.html",
           "/players/{player_id}/{regulation}/awards/{event_id}/{flight}/{kind}", "Players",
           api="api_player_award"),
    Route("player_curve", GET,
          ("/players/{player_id}/{regulation}/curve",
           "/players/{player_id}/{regulation}/{as_of:date}/curve"),
          ANYONE, show(players.curve_page), "player_curve.html", api="api_player_list"),
    *_page("player_corrections", "/players/{player_id}/{regulation}/corrections", ANYONE,
           show(corrections.player_corrections, heavy=True), "player_corrections.html",
           "/players/{player_id}/{regulation}/corrections", "Players"),
    *_page("player_unawarded", "/players/{player_id}/{regulation}/without-points", ANYONE,
           show(players.unawarded_page, heavy=True), "player_unawarded.html",
           "/players/{player_id}/{regulation}/without-points", "Players"),
    Route("api_player_gains", GET, API + "/players/{player_id}/{regulation}/gains", ANYONE,
          show(figures.player_gains), tag="Players"),
    Route("api_player_against", GET,
          API + "/players/{player_id}/{regulation}/against/{rival}", ANYONE,
          show(figures.player_against), tag="Players"),
    # nations
    *_page("nation", "/nations/{code}", ANYONE, show(nations.nation_page), "nation.html",
           "/nations/{code}", "Nations"),
    # tournaments
    *_page("tournaments", "/tournaments", ANYONE, show(tournaments.list_tournaments),
           "tournaments.html",
           "/tournaments", "Tournaments"),
    *_page("tournament", "/tournaments/{tournament_id:path}", ANYONE,
           show(tournaments.tournament_page),
           "tournament.html", "/tournaments/{tournament_id}", "Tournaments"),
    # publications
    *_page("published", "/published", ANYONE, show(publications.publications), "published.html",
           "/publications", "Publications", api="api_publications"),
    Route("feed", GET, "/published.atom", ANYONE, publications.feed),
    *_page("publication", "/published/{entry:int}", ANYONE, publications.publication,
           "publication.html", "/publications/{entry:int}", "Publications",
           api_handler=show(publications.publication_list)),
    Route("manifest", GET, "/published/{entry:int}/manifest", ANYONE, publications.manifest),
    Route("facts", GET, "/published/{entry:int}/facts", ANYONE, publications.facts),
    *_page("publication_verification", "/published/{entry:int}/verification", ANYONE,
           show(publications.verification, heavy=True), "publication_verification.html",
           "/publications/{entry:int}/verification", "Publications"),
    Route("api_manifest", GET, API + "/publications/{entry:int}/manifest", ANYONE,
          publications.manifest, tag="Publications"),
    # draws
    *_page("draws", "/draws", ANYONE, show(draws.draws), "draws.html", "/draws", "Draws"),
    *_page("draw", "/draws/{entry:int}", ANYONE, show(draws.draw_page, heavy=True),
           "draw.html", "/draws/{entry:int}", "Draws"),
    Route("draw_desk", GET, "/desk/draws", DIRECTOR, draws.draw_desk, "draw_desk.html"),
    Route("draw_send", POST, "/desk/draws", DIRECTOR, draws.draw_send, "draw_desk.html"),
    Route("draw_reveal", GET, "/desk/draws/{entry:int}", DIRECTOR, draws.draw_reveal,
          "draw_reveal.html"),
    Route("draw_reveal_send", POST, "/desk/draws/{entry:int}", DIRECTOR, draws.draw_reveal_send,
          "draw_reveal.html", largest=SMALL),
    # notices of events
    *_page("notices", "/notices", ANYONE, show(notices.notices), "notices.html", "/notices",
           "Notices"),
    *_page("notice", "/notices/{event}", ANYONE, show(notices.notice_page, heavy=True),
           "notice.html", "/notices/{event}", "Notices"),
    Route("notice_desk", GET, "/desk/notices", DIRECTOR, notices.notice_desk,
          "notice_desk.html"),
    Route("notice_send", POST, "/desk/notices", DIRECTOR, notices.notice_send,
          "notice_desk.html"),
    # recognition
    *_page("races", "/races", ANYONE, show(recognition.races), "races.html", "/races",
           "Recognition"),
    *_page("race", "/races/{race}", ANYONE,
           show(recognition.race_page, file=recognition.saved_race), "race.html",
           "/races/{race}", "Recognition"),
    *_page("levels", "/levels/{regulation}", ANYONE, show(recognition.levels_page), "levels.html",
           "/levels/{regulation}", "Recognition"),
    Route("levels_feed", GET, "/levels/{regulation}/feed.atom", ANYONE, recognition.levels_feed),
    # the streaming fund
    *_page("fund", "/fund", ANYONE, show(fund.fund_page), "fund.html", "/fund", "Fund"),
    *_page("fund_tournament", "/fund/{tournament_id:path}", ANYONE, show(fund.tournament_page),
           "fund_tournament.html", "/fund/{tournament_id}", "Fund"),
    # live events
    *_page("live_events", "/live", ANYONE, live.live_events, "live_events.html", "/live",
           "Live events"),
    *_page("live_event", "/live/{event}", ANYONE, live.live_event, "live_event.html",
           "/live/{event}", "Live events"),
    Route("live_bracket", GET, "/live/{event}/bracket/{number:int}", ANYONE, live.live_bracket),
    Route("live_stream", GET, "/live/{event}/stream", ANYONE, live.live_stream),
    Route("live_desks", GET, "/director/live", DIRECTOR, live_desk.live_desks, "live_desks.html"),
    Route("live_start", POST, "/director/live", DIRECTOR, live_desk.live_start, "live_desks.html"),
    Route("live_desk", GET, "/director/live/{event}", DIRECTOR, live_desk.live_desk,
          "live_desk.html"),
    Route("live_result", POST, "/director/live/{event}/results", DIRECTOR, live_desk.live_result,
          "live_desk.html", largest=SMALL),
    Route("live_round", POST, "/director/live/{event}/rounds", DIRECTOR, live_desk.live_round,
          "live_desk.html", largest=SMALL),
    Route("live_lot", POST, "/director/live/{event}/lots", DIRECTOR, live_desk.live_lot,
          "live_desk.html", largest=SMALL),
    Route("live_split", POST, "/director/live/{event}/split", DIRECTOR, live_desk.live_split,
          "live_desk.html", largest=SMALL),
    Route("live_report", POST, "/director/live/{event}/report", DIRECTOR, live_desk.live_report,
          "live_desk.html", largest=SMALL),
    Route("live_payments", GET, "/director/live/{event}/payments/{format}", DIRECTOR,
          live_desk.live_payments),
    Route("live_change", GET, "/director/live/{event}/change", DIRECTOR, live_desk.live_change,
          "live_change.html", query=lambda _: ("match",)),
    Route("live_change_send", POST, "/director/live/{event}/change", DIRECTOR,
          live_desk.live_change_send, "live_change.html", largest=SMALL),
    # regulations
    *_page("regulations", "/regulations", ANYONE, show(regulations.all_regulations),
           "regulations.html",
           "/regulations", "Regulations"),
    *_page("regulation", ("/regulations/{regulation}", "/regulations/{regulation}/{edition}"),
           ANYONE, show(regulations.regulation_page), "regulation.html",
           "/regulations/{regulation}", "Regulations",
           api_handler=show(regulations.edition_in_force)),
    *_page("compare_editions", "/regulations/{regulation}/compare", ANYONE,
           show(regulations.editions_page),
           "editions.html", "/regulations/{regulation}/compare", "Regulations"),
    Route("api_edition", GET, API + "/regulations/{regulation}/{edition}", ANYONE,
          show(regulations.regulation_page), tag="Regulations"),
    # calculators
    *_page("calculators", "/calculators", ANYONE, calculators.calculators, "calculators.html",
           "/calculators", "Calculators"),
    Route("calculator", GET, "/calculators/{calculator}", ANYONE, calculators.calculator,
          "calculator.html", query=calculators.query, blanks=True),
    Route("api_performance", GET, API + "/calculators/performance", ANYONE,
          calculators.api_performance, tag="Calculators", blanks=True),
    Route("api_master_points", GET, API + "/calculators/master-points", ANYONE,
          calculators.api_master_points, tag="Calculators", blanks=True),
    Route("api_percentile", GET, API + "/calculators/percentile", ANYONE,
          calculators.api_percentile, tag="Calculators", blanks=True),
    Route("api_victory_points", GET, API + "/calculators/victory-points", ANYONE,
          calculators.api_victory_points, tag="Calculators", blanks=True),
    # bridge
    *_page("bridge", "/bridge", ANYONE, show(bridge.bridge_events), "bridge.html",
           "/bridge/events", "Bridge", api="api_bridge_events"),
    *_page("event", "/events/{event_id:path}", ANYONE, show(bridge.bridge_event_page),
           "bridge_event.html", "/bridge/events/{event_id}", "Bridge", api="api_bridge_event"),
    # signing in
    Route("sign_in", GET, "/sign-in", ANYONE, accounts.sign_in, "sign_in.html"),
    Route("sign_in_send", POST, "/sign-in", ANYONE, accounts.sign_in_send, "sign_in.html",
          largest=SMALL),
    Route("demo_sign_in", POST, "/sign-in/demonstration", ANYONE, accounts.demo_sign_in,
          largest=SMALL),
    Route("code", GET, "/sign-in/code", ANYONE, accounts.code, "code.html"),
    Route("code_send", POST, "/sign-in/code", ANYONE, accounts.code, "code.html",
          largest=SMALL),
    Route("set_up", GET, "/sign-in/codes", ANYONE, accounts.set_up, "set_up.html"),
    Route("set_up_send", POST, "/sign-in/codes", ANYONE, accounts.set_up, "set_up.html",
          largest=SMALL),
    Route("welcome", GET, "/welcome/{token}", ANYONE, accounts.welcome, "welcome.html"),
    Route("welcome_send", POST, "/welcome/{token}", ANYONE, accounts.welcome_send, "welcome.html",
          largest=SMALL),
    # mistakes that readers report
    Route("mistake", GET, "/mistakes", ANYONE, officer.mistake, "mistake.html"),
    Route("mistake_send", POST, "/mistakes", ANYONE, officer.mistake_send, "mistake.html",
          largest=SMALL),
    *_page("notes", "/officer/notes", OFFICER, officer.notes, "officer_notes.html", "/notes",
           "Notes"),
    Route("note_done", POST, "/officer/notes/{number:int}/done", OFFICER, officer.note_done,
          largest=SMALL),
    # one's own account
    Route("sign_out", POST, "/sign-out", SIGNED_IN, accounts.sign_out, largest=SMALL),
    Route("account", GET, "/account", SIGNED_IN, accounts.account, "account.html"),
    Route("account_password", POST, "/account/password", SIGNED_IN, accounts.account_password,
          "account.html", largest=SMALL),
    Route("token_issue", POST, "/account/tokens", SIGNED_IN, accounts.token_issue, "account.html",
          largest=SMALL),
    Route("token_revoke", POST, "/account/tokens/{token:int}/revoke", SIGNED_IN,
          accounts.token_revoke, largest=SMALL),
    # accounts
    Route("administrator", GET, "/administrator", ADMINISTRATOR, accounts.administrator,
          "administrator.html"),
    *_page("federation_face", "/administrator/federation", ADMINISTRATOR,
           show(federation.federation_page), "federation.html", "/federation", "Federation",
           api="api_federation"),
    Route("federation_save", POST, "/administrator/federation", ADMINISTRATOR,
          federation.federation_save, "federation.html",
          largest=federation.LARGEST_FORM),
    Route("invite", POST, "/administrator/invitations", ADMINISTRATOR, accounts.invite,
          "administrator.html"),
    Route("account_change", POST, "/administrator/accounts/{number:int}/{change}", ADMINISTRATOR,
          accounts.account_change, "administrator.html", largest=SMALL),
    # reports of directors
    *_page("director", "/director", DIRECTOR, director.director, "director.html", "/submissions",
           "Reports", api="api_submissions", api_handler=director.reports),
    Route("submission_draft", POST, "/director/submissions", DIRECTOR, director.submission_draft,
          "director.html"),
    Route("submission_template", GET, "/director/result.csv", DIRECTOR,
          director.submission_template),
    *_page("submission", "/director/submissions/{number:int}", DIRECTOR, director.submission,
           "submission.html", "/submissions/{number:int}", "Reports",
           query=lambda _: ("step", "as_text")),
    Route("submission_save", POST, "/director/submissions/{number:int}", DIRECTOR,
          director.submission_save, "submission.html"),
    Route("submission_names", POST, "/director/submissions/{number:int}/names", DIRECTOR,
          director.submission_names, "submission.html"),
    Route("submission_move", POST, "/director/submissions/{number:int}/move", DIRECTOR,
          director.submission_move, "submission.html"),
    Route("submission_message", POST, "/director/submissions/{number:int}/messages", DIRECTOR,
          director.submission_message, "submission.html", largest=SMALL),
    Route("api_submission_message", POST, API + "/submissions/{number:int}/messages", DIRECTOR,
          director.submission_message, tag="Reports", status=200, sends=director.MessageText),
    Route("api_submission_draft", POST, API + "/submissions", DIRECTOR, director.report_draft,
          tag="Reports", takes=tuple(MEDIA_TYPES)),
    Route("api_submission_save", PUT, API + "/submissions/{number:int}", DIRECTOR,
          director.report_save, tag="Reports", takes=tuple(MEDIA_TYPES)),
    Route("api_submission_names", POST, API + "/submissions/{number:int}/names", DIRECTOR,
          director.report_names, tag="Reports", status=200, sends=director.ReportNames),
    Route("api_submission_move", POST, API + "/submissions/{number:int}/state", DIRECTOR,
          director.report_move, tag="Reports", status=200, sends=director.ReportMove),
    # what officers decide
    *_page("officer", "/officer", OFFICER, show(officer_views.officer_page, heavy=True),
           "officer.html", "/queue", "Reports", api="api_queue"),
    *_page("queued_report", "/officer/submissions/{number:int}", OFFICER, officer.review,
           "officer_waiting.html", "/queue/{number:int}", "Reports"),
    Route("report_names", POST, "/officer/submissions/{number:int}/names", OFFICER, officer.settle,
          "officer_waiting.html"),
    Route("proposal_withdraw", POST, "/officer/proposals/{number:int}/withdrawal", OFFICER,
          officer.proposal_withdraw, largest=SMALL),
    Route("report_approve", POST, "/officer/submissions/{number:int}/approval", OFFICER,
          officer.approve, "officer_waiting.html"),
    Route("report_return", POST, "/officer/submissions/{number:int}/return", OFFICER,
          officer.return_to_director, "officer_waiting.html"),
    Route("decision", GET, "/officer/decisions/{name}", OFFICER, officer.decision,
          "officer_decision.html",
          query=officer.query),
    Route("decision_send", POST, "/officer/decisions/{name}", OFFICER,
          officer.decision_send, "officer_decision.html"),
    *_page("log", "/officer/log", OFFICER, officer.entries, "officer_log.html", "/entries",
           "Journal", api="api_entries"),
    *_page("entry", "/officer/log/{sequence:int}", OFFICER, show(entry_page), "officer_entry.html",
           "/entries/{sequence:int}", "Journal"),
    *_page("duplicates", "/officer/players", OFFICER,
           show(officer_views.duplicates_page, heavy=True), "officer_duplicates.html",
           "/duplicates", "Journal"),
    *_page("report_cells", "/officer/reports/{tournament:path}", OFFICER,
           show(officer_views.cells_page), "officer_cells.html", "/reports/{tournament}",
           "Journal", api="api_report_rows"),
    Route("api_decisions", GET, API + "/decisions", OFFICER, officer.decisions,
          tag="Journal"),
    Route("api_decision_preview", POST, API + "/decisions/{name}/preview", OFFICER,
          officer.decision_preview, tag="Journal", status=200, sends=officer.DecisionFields),
    Route("api_decide", POST, API + "/decisions/{name}", OFFICER, officer.decide,
          tag="Journal", sends=officer.ConfirmedDecision, again=200),
    # the site itself
    Route("glossary", GET, "/glossary", ANYONE, glossary.glossary, "glossary.html"),
    Route("guide", GET, "/api", ANYONE, show(description.guide), "guide.html"),
    Route("api_about", GET, API, ANYONE, show(description.about), tag="About"),
    Route("api_document", GET, API + "/openapi.json", ANYONE, description.document),
    Route("assets", GET, "/assets/{file_path:path}", ANYONE, templating.assets),
    Route("federation_style", GET, "/federation.css", ANYONE, federation.federation_style),
    Route("logo", GET, "/federation/logo", ANYONE, federation.logo),
    Route("favicon", GET, "/favicon.ico", ANYONE, templating.favicon),
    Route("robots", GET, "/robots.txt", ANYONE, health.robots),
    Route("health", GET, security.LIVING, ANYONE, health.health),
    Route("ready", GET, security.SERVING, ANYONE, health.ready),
    Route("metrics", GET, "/metrics", ADMINISTRATOR, health.metrics),
)
# fmt: on
"""Every page and operation."""

to.add(ROUTES)
