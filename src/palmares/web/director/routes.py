"""Routes of directors: reports on their way to the journal, for people and programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Annotated, Any, Literal

import msgspec
from litestar import Response
from litestar.datastructures import UploadFile
from litestar.openapi.spec import Example
from litestar.params import FromPath, QueryParameter, RawBody
from litestar.status_codes import (
    HTTP_201_CREATED,
    HTTP_409_CONFLICT,
    HTTP_422_UNPROCESSABLE_ENTITY,
)
from msgspec import Meta

from palmares.core.errors import FactsRejected, Location, Problem, Refused, brief
from palmares.core.messages import msg
from palmares.formats import SUFFIXES
from palmares.regulations import get_regulation
from palmares.web.http.parameters import field, text_of, whole_number
from palmares.web.http.replies import is_api, private_answer, redirected
from palmares.web.http.routing import to
from palmares.web.http.state import Request, awarding_regulations
from palmares.web.shared.downloads import attached
from palmares.web.shared.parameters import (
    LATEST,
    Before,
    ReportNumber,
    RequestBody,
    SeenVersion,
    Text,
    body_or_form,
    decode_body,
)
from palmares.web.submissions import parse, report_form, submissions
from palmares.web.submissions.parse import ParsedReport, as_utf8
from palmares.web.submissions.preview import names_of_form
from palmares.web.submissions.report_page import (
    CHECK,
    NAMES,
    STEPS,
    SubmissionPage,
    submission_page,
)
from palmares.web.submissions.steps import (
    create_draft,
    find_report,
    move_report,
    owns,
    parse_report,
    save_report,
    send_message,
)
from palmares.web.submissions.submissions import (
    OPEN,
    Matches,
    ReportRow,
    Stale,
    Submission,
    report_row,
)
from palmares.web.submissions.understood import (
    EXTRA_ANSWERS,
    SHEET,
    USUAL_DAY,
    USUAL_GAME,
    disciplines,
    is_key,
)

MOST = 100
"""Reports on a page: each brings its contents, whose title is looked for."""

FileName = Annotated[
    str,
    QueryParameter(
        description="What the file is called; it stands in lists where the report has no name.",
        max_length=parse.LONGEST_FILENAME,
    ),
]
_LONGEST = 200
AS_TEXT = "as_text"
"""In an address and a form: the contents are shown as text where they could be a form."""
BACK_TO_REPORTS = "desk"
"""In a form, in place of a step: what was typed is saved, and the reports are shown."""
ANSWER_PREFIX = "tournament."
"""What begins the names of fields beside contents that do not say them."""
_UNSAVED = msg(
    "This report was changed elsewhere after you opened it, and nothing was saved over it. Here is"
    " what you typed: save it to replace what is saved, or open the report again."
)

Limit = Annotated[
    int, QueryParameter(description=f"So many rows at most, {MOST} at once.", ge=1, le=MOST)
]
Version = Annotated[
    int,
    QueryParameter(
        description="The version that was seen; where it is another now, nothing is done (409).",
        ge=1,
        examples=[Example(value=1)],
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectorPage:
    """The reports of the account, the latest first, and the form of a new one."""

    submissions: tuple[ReportRow, ...]
    suffixes: tuple[str, ...]  # of files that are read
    disciplines: tuple[str, ...]  # of which one can be chosen at once
    usual_game: str  # the one of them that is assumed; empty: none
    problem: str | None = None
    text: str = ""  # what was pasted, and could not be kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Reports:
    """One's own reports, the latest first."""

    items: tuple[ReportRow, ...]
    next: str | None  # the address of the next rows; none: these are the last


class ReportMove(RequestBody, frozen=True, kw_only=True):
    """The version of a report that the sender saw, and its next state.

    Where it has another version now, nothing is done (409).
    """

    version: SeenVersion
    state: Literal["submitted", "draft", "withdrawn"]


class ReportNames(RequestBody, frozen=True, kw_only=True):
    """Who the names of a report are, and the entries that it replaces."""

    version: SeenVersion
    names: Annotated[
        dict[Text, Text],
        Meta(description="The `key` of a name  ->  the id of a player, or `new`."),
    ] = msgspec.field(default_factory=dict)
    replaces: Annotated[
        list[Annotated[int, Meta(ge=1, le=LATEST)]],
        Meta(description="Entries in force whose reports this one replaces.", max_length=1000),
    ] = msgspec.field(default_factory=list)
    tournament: Annotated[
        dict[Text, Text],
        Meta(
            description="What the report does not say, by the `field` of its `questions`: `name`,"
            " `0.entry_fee`, `0.main.entrants`; and `sheet`, the worksheet that is read."
        ),
    ] = msgspec.field(default_factory=dict)


async def submission(request: Request, number: ReportNumber) -> Response[SubmissionPage]:
    """A report with all that it would do.

    Problems stand with their lines and columns; names with the players they are or may be; points
    and ranks with what they were and would be.
    """
    step = request.query_params.get("step", "")
    if step and step not in STEPS:
        raise Refused(msg("There is no step %(step)s. There are: %(known)s.", step=brief(step),
                          known=", ".join(STEPS)))  # fmt: skip
    report = await find_report(request, number)
    as_text = AS_TEXT in request.query_params
    return await _page(request, report, step=step, as_text=as_text)


async def _page(
    request: Request, report: Submission, status: int = 200, **more: Any
) -> Response[SubmissionPage]:
    return await private_answer(
        request,
        await request.run_long(submission_page, request, report, **more),
        status_code=status,
    )


# ── by forms ─────────────────────────────────────────────────────────────────────────────────────


async def director(request: Request) -> Response[bytes]:
    """One's reports."""
    return await _reports_page(request)


async def _reports_page(
    request: Request, status: int = 200, problem: str | None = None, text: str = ""
) -> Response[bytes]:
    own_reports = await request.app_state.ask(submissions.reports_of, request.user.id)
    page = DirectorPage(
        submissions=tuple(map(report_row, own_reports)),
        suffixes=SUFFIXES,
        disciplines=disciplines(),
        usual_game=await _usual_game(request),
        problem=problem,
        text=text,
    )
    return await private_answer(request, page, status_code=status)


async def _usual_game(request: Request) -> str:
    """The game that is assumed: the only one of the site's lists, or that of one's last report."""
    games = {get_regulation(name).discipline for name in awarding_regulations()}
    if len(games) == 1:
        return games.pop()
    return await request.app_state.ask(submissions.usual_game, request.user.id)


_TEMPLATE = """\
name:
discipline:
end_date:
entrants:

rank,name,nation
1,Ada Novak,CZE
2,Ben Olsen,DEN
3-4,Carla Rossi,ITA
3-4,Tom Dugan,ENG
"""


async def submission_template() -> Response[bytes]:
    """A sheet to fill in."""
    headers = {"Cache-Control": "no-store", **attached("result.csv")}
    return Response(_TEMPLATE.encode(), media_type="text/csv; charset=utf-8", headers=headers)


async def submission_draft(request: Request) -> Response[bytes]:
    """A new one: pasted, sent as a file, or an empty form."""
    form = await request.form()
    text = text_of(form.get("text"))
    answers = {key: value for key, value in _tournament(form).items() if value}
    if "discipline" not in answers and (game := await _usual_game(request)):
        answers[USUAL_GAME] = game
    if "end_date" not in answers:  # the last Sunday
        today = request.app_state.today()
        answers[USUAL_DAY] = (today - timedelta(days=today.isoweekday() % 7)).isoformat()
    try:
        contents = await _brought(form, text)
        number = await create_draft(request, *contents, Matches(tournament=answers))
    except Refused as error:
        return await _reports_page(request, HTTP_422_UNPROCESSABLE_ENTITY, str(error), text)
    return redirected(to.submission(number))


async def submission_save(request: Request, number: FromPath[int]) -> Response[Any]:
    """Other contents."""
    form = await request.form()
    before = await find_report(request, number)
    changed = _typed(form, before, await _unconfirmed(request, form, before))
    try:
        changed = await _changed(request, form, changed)
        await save_report(request, changed, whole_number(form))
    except Stale as stale:
        other_book = changed.format not in parse.TEXTS and changed.content != stale.now.content
        if stale.now.state not in OPEN or other_book:  # a page cannot send a workbook again
            return await _meanwhile(request, stale.now)
        unsaved = replace(changed, state=stale.now.state, version=stale.now.version)
        return await _page(request, unsaved, HTTP_409_CONFLICT, problem=_UNSAVED, step=CHECK)
    except Refused as error:
        unsaved = changed if before.state in OPEN else before
        wrong, problem = HTTP_422_UNPROCESSABLE_ENTITY, str(error)
        return await _page(request, unsaved, wrong, problem=problem, step=CHECK)
    view = {AS_TEXT: 1} if AS_TEXT in form else {}
    stays = view or {"as_form", ANSWER_PREFIX + SHEET} & form.keys()
    return _next_page(number, form, CHECK if stays else "", **view)


def _next_page(number: int, form: Mapping[str, Any], step: str = "", **view: int) -> Response[Any]:
    """Redirect to the step that the form asks for after saving; or to *step*."""
    wanted = field(form, "step")
    if wanted == BACK_TO_REPORTS:
        return redirected(to.director())
    return redirected(to.submission(number, step=wanted if wanted in STEPS else step, **view))


async def _unconfirmed(
    request: Request, form: Mapping[str, Any], before: Submission
) -> dict[str, str]:
    """The assumed values, where the form asks for another step or worksheet: they stay assumed."""
    if not {"step", ANSWER_PREFIX + SHEET} & form.keys():
        return {}
    read = await request.run_long(parse_report, request.app_state, before)
    return {each.field: each.value for each in read.questions if each.assumed}


def _typed(
    form: Mapping[str, Any], before: Submission, unconfirmed: Mapping[str, str]
) -> Submission:
    """The report with the contents and answers as they were typed."""
    kind, content = before.format, before.content
    if "text" in form:
        text = text_of(form.get("text"))
        kind, content = kind if before.filename else parse.kind_of(text), text.encode()
    elif any(map(report_form.is_field, form)):
        kind, content = "toml", report_form.written(report_form.taken(form)).text.encode()
    typed = {key: text for key, text in _tournament(form).items() if unconfirmed.get(key) != text}
    matches = replace(before.matches, tournament={**before.matches.tournament, **typed})
    return replace(before, format=kind, content=content, matches=matches)


async def _changed(request: Request, form: Mapping[str, Any], typed: Submission) -> Submission:
    """The report as it was typed, or with the file that was chosen, or as the form it becomes.

    Raises:
        Refused: a file is none that is read, or contents cannot be what was asked for.
    """
    answers = typed.matches.tournament
    if _has_file(form):
        name, kind, content = await _brought(form, "")
        answers = {key: value for key, value in answers.items() if key != SHEET}
        matches = replace(typed.matches, tournament=answers)
        return replace(typed, filename=name, format=kind, content=content, matches=matches)
    if "as_form" in form:
        content = await request.run_long(parse.as_form, typed.format, typed.content, answers)
        matches = replace(typed.matches, tournament={})
        return replace(typed, format="toml", content=content, matches=matches)
    if typed.format in parse.TEXTS and (encoding := field(form, "encoding")):
        return replace(typed, content=as_utf8(typed.content, encoding))
    return typed


async def submission_names(request: Request, number: FromPath[int]) -> Response[Any]:
    """Who its names are, and what it replaces."""
    form = await request.form()
    before = await find_report(request, number)
    names = await request.run_long(names_of_form, form, request.app_state.snapshot())
    matches = replace(before.matches, names=names.chosen, replaces=_replaced(form))
    try:
        await save_report(request, replace(before, matches=matches), whole_number(form))
    except Stale as stale:
        return await _meanwhile(request, stale.now)
    if names.problem:
        report, wrong = await find_report(request, number), HTTP_422_UNPROCESSABLE_ENTITY
        more = {"problem": names.problem, "step": NAMES, "typed_names": names.unclear}
        return await _page(request, report, wrong, **more)
    return _next_page(number, form)


class MessageText(RequestBody, frozen=True, kw_only=True):
    """A message about a report."""

    text: Text


async def submission_message(request: Request, number: ReportNumber) -> Response[SubmissionPage]:
    """A message about a report: from its director to the officers, or from one of them.

    The report has to be submitted, because officers see no draft.
    """
    report = await find_report(request, number, others=True)
    sent = await body_or_form(request, MessageText)
    await send_message(request, report, sent.text)
    if is_api(request):
        return await _page(request, report)
    address = to.submission(number) if owns(request, report) else to.queued_report(number)
    return redirected(f"{address}#messages")


async def submission_move(request: Request, number: FromPath[int]) -> Response[Any]:
    """Submit, take back or withdraw a report."""
    form = await request.form()
    report, wanted = await find_report(request, number), field(form, "to")
    try:
        await move_report(request, report, whole_number(form), wanted)
    except Refused as refused:
        return await _page(request, report, HTTP_422_UNPROCESSABLE_ENTITY, problem=str(refused))
    except Stale as stale:
        if (
            stale.now.state == wanted and stale.now.version == whole_number(form) + 1
        ):  # a second click
            return redirected(to.submission(number))
        return await _meanwhile(request, stale.now)
    return redirected(to.submission(number))


def _tournament(form: Mapping[str, Any]) -> dict[str, str]:
    """The answers of a form, by field; empty where a field was left empty."""
    keys = [key.removeprefix(ANSWER_PREFIX) for key in form if key.startswith(ANSWER_PREFIX)]
    return {key: field(form, ANSWER_PREFIX + key).strip()[:_LONGEST] for key in keys if is_key(key)}


def _has_file(form: Mapping[str, Any]) -> bool:
    """Whether a file was chosen: a form without one sends an empty name."""
    file = form.get("file")
    return isinstance(file, UploadFile) and bool(file.filename)


async def _brought(form: Mapping[str, Any], text: str) -> tuple[str, str, bytes]:
    """The name, kind and contents of a file or text that a director sends.

    Raises:
        Refused: it is nothing, or no file that is read.
    """
    if _has_file(form):
        file: UploadFile = form["file"]
        name = parse.file_name(file.filename)
        if text.strip():
            raise Refused(msg("You pasted a result and chose a file. Keep one of them."))
        content = await file.read()
        return name, parse.kind_of_file(name, content), content
    if "form" in form:
        return "", "toml", report_form.written({}).text.encode()
    if not text.strip():
        raise Refused(msg("Choose a file, or paste a report."))
    return "", parse.kind_of(text), text.encode()


def _replaced(form: Mapping[str, Any]) -> tuple[int, ...]:
    """The entries that are to be replaced."""
    found = (re.fullmatch(r"replaces\.([0-9]{1,18})", key) for key in form)
    return tuple(sorted(int(one[1]) for one in found if one))


async def _meanwhile(request: Request, now: Submission) -> Response[Any]:
    """The report as it is now, for a director who saw another version."""
    words = msg(
        "This report was changed elsewhere meanwhile; nothing was done. This is how it is now."
    )
    return await _page(request, now, HTTP_409_CONFLICT, problem=words)


# ── by programs ──────────────────────────────────────────────────────────────────────────────────


async def reports(
    request: Request, before: Before = LATEST, limit: Limit = MOST
) -> Response[Reports]:
    """The reports of the account, the latest first."""
    rows = await request.app_state.ask(
        submissions.reports_of,
        request.user.id,
        limit + 1,
        before or LATEST,
    )
    more = None
    if len(rows) > limit:
        more = f"{request.scope['path']}?before={rows[limit - 1].id}&limit={limit}"
    return await private_answer(
        request, Reports(items=tuple(report_row(report) for report in rows[:limit]), next=more)
    )


async def report_draft(
    request: Request, body: RawBody, filename: FileName = ""
) -> Response[SubmissionPage]:
    """A new report, as a draft.

    Its contents are what is sent, of the type that `Content-Type` says: a report as TOML, a sheet
    as CSV or a workbook, an event as USEBIO's XML, or text as it was pasted. Text is UTF-8, or what
    `charset` says there: `text/csv; charset=windows-1252`. Nothing is recorded:
    the answer says what is wrong with it and where, who its names may be, and the points and ranks
    that it would change.
    """
    number = await create_draft(
        request, *parse.read_upload(request.headers.get("content-type", ""), body, filename)
    )
    page = await request.run_long(submission_page, request, await find_report(request, number))
    location = {"Location": f"{request.scope['path']}/{number}"}
    return await private_answer(request, page, status_code=HTTP_201_CREATED, headers=location)


async def report_save(
    request: Request, number: ReportNumber, version: Version, body: RawBody, filename: FileName = ""
) -> Response[SubmissionPage]:
    """Other contents of a report that is a draft or was returned."""
    report = await find_report(request, number)
    name, kind, content = parse.read_upload(
        request.headers.get("content-type", ""), body, filename or report.filename
    )
    changed = replace(report, filename=name, format=kind, content=content)
    await save_report(request, changed, version)
    return await _page(request, await find_report(request, number))


async def report_names(
    request: Request, number: ReportNumber, body: RawBody
) -> Response[SubmissionPage]:
    """Who the names of a report are, and what it replaces.

    What was said before is forgotten: send all of it. A key that is none of the report's names, and
    a name or last day of the tournament that the report says itself, are refused (422).
    """
    given = decode_body(body, ReportNames)
    report = await find_report(request, number)
    matches = Matches(
        names=given.names,
        replaces=tuple(sorted(given.replaces)),
        tournament=given.tournament,
    )
    await _refuse_unused(request, report, given.version, matches)
    await save_report(request, replace(report, matches=matches), given.version)
    return await _page(request, await find_report(request, number))


async def _refuse_unused(
    request: Request, report: Submission, version: int, matches: Matches
) -> None:
    """Refuse answers that the report does not need, and names that it does not have.

    Raises:
        Stale: it has another version.
        FactsRejected: it does not have a name, or says something of the tournament itself.
    """
    if report.version != version:
        raise Stale(report)
    if report.state in OPEN and (matches.names or matches.tournament):
        answers = {**_ANY_DISCIPLINE, **matches.tournament}
        reading = await request.run_long(parse.read, report.format, report.content, answers)
        unused = list(_unused_answers(report.format, reading, matches))[: parse.MOST]
        if unused:
            raise FactsRejected(unused, so="nothing was saved")


_ANY_DISCIPLINE = {"discipline": "any"}
"""So that contents are read that do not say their discipline."""


def _unused_answers(kind: str, reading: ParsedReport, matches: Matches) -> Iterator[Problem]:
    """Answers to what the report does not ask, and names that it does not have."""
    takes_answers = kind in parse.TAKE_ANSWERS
    used = {*reading.filled, *(EXTRA_ANSWERS if takes_answers else [])}
    for key, value in matches.tournament.items():
        at = Location(f"tournament.{brief(key)}")
        if not is_key(key):
            what = "no field has this name"
            remedy = "Take the `field` of a question, such as `name` or `0.main.entrants`."
        elif value and key not in used and (reading.facts is not None or not takes_answers):
            what = "the report says this itself"
            remedy = "Leave it out; where the report is wrong, send other contents."
        else:
            continue
        yield Problem(at=at, what=what, clause="tournament", remedy=remedy)
    keys = matches.names if reading.facts is None else set(reading.facts["players"]["player_id"])
    for key in (each for each in matches.names if each not in keys):
        what = "no name of the report has this key"
        remedy = "Take the `key` that stands beside the name in `people`."
        yield Problem(at=Location(brief(key)), what=what, clause="names", remedy=remedy)


async def report_move(
    request: Request, number: ReportNumber, body: RawBody
) -> Response[SubmissionPage]:
    """A report is submitted, taken back as a draft, or withdrawn for good.

    Submitted, it waits for an officer; where it is not `ready`, nothing is done (422): its
    `problems`, `people`, `record_problems` and `refusal` say why. Nothing of a report that is
    withdrawn is in the journal.
    """
    given = decode_body(body, ReportMove)
    report = await find_report(request, number)
    await move_report(request, report, given.version, given.state)
    return await _page(request, await find_report(request, number))
