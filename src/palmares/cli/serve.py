"""serve, invite: the site on a journal, and accounts of it."""

from __future__ import annotations

import ctypes
import errno
import gc
import logging
import os
import secrets
import signal
import socket
import sys
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from ipaddress import ip_network
from multiprocessing import connection, parent_process
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.app import Typed, command, pattern
from palmares.cli.options import in_journal, setting
from palmares.cli.sources import opened
from palmares.cli.terminal import set_last_words
from palmares.core.errors import PalmaresError, Refused, brief
from palmares.core.extras import needs
from palmares.core.files import PERMISSIONS, write_secret
from palmares.core.settings import SETTINGS
from palmares.web.settings import Settings, address, check_secret

if TYPE_CHECKING:
    import uvicorn
    from litestar import Litestar

    from palmares.journal.store.journal import Journal
    from palmares.web.http.state import AppState


COLOUR = Typed("colour", pattern("(#[0-9A-Fa-f]{6})", str), "{} is no colour, such as #0c5a78.")
PROXY = Typed(
    "address",
    lambda text: ",".join(str(ip_network(part.strip())) for part in text.split(",")),
    "{} is no address of a proxy, such as 127.0.0.1, or of its network, such as 10.0.7.0/24.",
)
ENDED = "The site has stopped."
GRACE = 10
"""Seconds in which requests may end when the site does."""
NUMBERS = "PROMETHEUS_MULTIPROC_DIR"
"""The variable with the folder in which processes add up numbers for Prometheus."""
PATIENCE = 15
"""Seconds without an answer after which a worker is replaced."""
_BETWEEN_COLLECTIONS = 700  # objects: as Python has it; what runs for months keeps less waiting
_VARIABLE, _THREADS = "_RJEM_MALLOC_CONF", "POLARS_MAX_THREADS"
_MODEST = "dirty_decay_ms:0,muzzy_decay_ms:0,narenas:1"
_M_TRIM_THRESHOLD, _M_ARENA_MAX = -1, -8
_TRIM_ABOVE = 256 * 2**10
_ARENAS = 1


@command()
@in_journal
@setting("public-url", metavar="URL")
@setting("name", metavar="NAME")
@setting("accent", metavar="COLOUR", type=COLOUR)
@setting("regulations", metavar="NAMES")
@setting("host")
@setting("port", type=click.IntRange(1, 65535))
@setting("proxy", metavar="ADDRESS", type=PROXY)
@setting("secret-file", type=click.Path(dir_okay=False, path_type=Path))
@setting("workers", metavar="N", type=click.IntRange(1, 64))
@setting("quiet", is_flag=True, default=False, show_default=False)
def serve(
    journal: str,
    public_url: str | None,
    name: str,
    accent: str,
    regulations: str | None,
    host: str,
    port: int,
    proxy: str | None,
    secret_file: Path | None,
    quiet: bool,  # noqa: FBT001  a flag of the command line
    workers: int,
) -> None:
    """Run the site: rankings for anyone, as pages and as JSON; pages for directors and officers.

    The first start prints a link, good once and for an hour, that makes the first administrator.
    Every request is a line of JSON on standard error. Ctrl-C ends it.

    \b
    Examples:
        palmares serve --journal federation.db
        palmares serve --journal postgresql://palmares@db/federation \\
            --public-url https://rankings.example --proxy 127.0.0.1 \\
            --secret-file /etc/palmares/secret --workers 4
    """
    needs("site", "The site")
    prepare_polars()
    from palmares.journal.store.journal import create_journal
    from palmares.regulations import listed_regulations

    chosen, root = listed_regulations(regulations), address(public_url, host, port)
    create_journal(journal).close()  # before a secret is made beside another program's database
    if regulations is not None:
        os.environ[SETTINGS["regulations"].variable] = ",".join(chosen)  # for every worker
    settings = Settings(
        journal=journal,
        secret=site_secret(journal, secret_file),
        name=name,
        accent=accent,
        public_url=root,
        log=sys.stderr,
        requests=not quiet,
    )
    listener = listen(host, port)
    if workers > 1:
        with closing(create_journal(journal)) as prepared:  # before workers open it
            _announce(open_site(prepared, settings))
        _supervise(settings, listener, proxy, workers)
    else:
        app = _make(settings)
        _announce(app.state.app_state)
        answer(app, listener, proxy)


def _make(settings: Settings) -> Litestar:
    """The site; Python does not collect garbage until it is ready."""
    gc.disable()
    from palmares.web.app import site

    return site(settings)


def _announce(app_state: AppState) -> None:
    """Print the address of the site, and a link for the first administrator.

    Raises:
        StoreError: the journal is damaged, and no page could be shown.
    """
    from palmares.journal.projection.snapshots import from_snapshot
    from palmares.web.accounts.login import first_link
    from palmares.web.http.routing import link

    with app_state.journal.reading() as reader:
        from_snapshot(reader)
    root = app_state.settings.public_url
    click.echo(f"{root} (Ctrl-C ends it)")
    token = first_link(app_state)
    if token is not None:
        address = link(root, token)
        click.echo(f"The first administrator: {address}\n(good once, for an hour)")
    sys.stdout.flush()


def answer(app: Litestar, listener: socket.socket, proxy: str | None = None) -> None:
    """Answer requests until the process is ended."""
    import uvicorn

    set_last_words(ENDED)
    with listener:
        _make_ready(app)
        uvicorn.Server(server_config(app, proxy)).run(sockets=[listener])


def server_config(app: Any, proxy: str | None, **more: Any) -> uvicorn.Config:
    """The settings with which Uvicorn serves an application; `more` are its own."""
    import uvicorn

    from palmares.web.http.security import LimitedProtocol, connection_limit

    return uvicorn.Config(
        app,
        http=LimitedProtocol,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        proxy_headers=proxy is not None,
        forwarded_allow_ips=proxy or "",
        **{"limit_concurrency": connection_limit(), **more},
    )


def _make_ready(app: Litestar) -> None:
    """Log the server's own messages, and begin to read the journal."""
    from palmares.web.http.logs import ServerMessages

    logging.getLogger("uvicorn").addHandler(ServerMessages(app.state.log))
    Thread(target=_warm_up, args=(app,)).start()


def _warm_up(app: Litestar) -> None:
    """Compute the front page before visitors ask; errors of the journal are left to them."""
    from palmares.web.api.description import description
    from palmares.web.http.templating import compiled
    from palmares.web.rankings.front import front_page

    app_state: AppState = app.state.app_state
    try:
        with suppress(PalmaresError):
            front_page(app_state, app_state.snapshot(), app_state.today())
        compiled()
        description(app.state.routes)
    finally:  # later objects are collected; cycles among these hold 0.2 MB
        gc.freeze()
        gc.set_threshold(_BETWEEN_COLLECTIONS)
        gc.enable()


# ── several processes ────────────────────────────────────────────────────────────────────────────


def _supervise(
    settings: Settings, listener: socket.socket, proxy: str | None, workers: int
) -> None:
    """Have several processes answer until this one is ended; one that dies is replaced.

    They share the database and the socket, and no memory: each has its own facts and pages.
    Numbers for Prometheus lie in a folder, and `/metrics` of any process has the sums.

    Args:
        settings: of the site; what it has to say goes to standard error.
        listener: where to listen.
        proxy: whose word on who asks is believed.
        workers: so many.

    Raises:
        Refused: no worker can start.
    """
    from uvicorn.config import STARTUP_FAILURE
    from uvicorn.supervisors import Multiprocess

    set_last_words(ENDED)
    make = partial(_worker, replace(settings, log=None))  # a stream cannot be sent
    config = server_config(
        make, proxy, factory=True, workers=workers, timeout_worker_healthcheck=PATIENCE
    )
    with TemporaryDirectory(prefix="palmares-numbers-") as folder, listener:
        os.environ[NUMBERS] = folder
        supervisor = Multiprocess(config, [listener])
        supervisor.run()
    if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
        raise Refused("No worker could start.")


def _worker(settings: Settings) -> Litestar:
    """The site in a process of its own, which ends with its parent."""
    from uvicorn.config import STARTUP_FAILURE

    prepare_polars()
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        app = _make(replace(settings, log=sys.stderr))
    except PalmaresError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(STARTUP_FAILURE)
    _make_ready(app)
    return app


def _end_with_parent() -> None:
    """End this process when its parent has ended."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)


# ── what it needs ────────────────────────────────────────────────────────────────────────────────


def prepare_polars() -> None:
    """Give free memory back, and have Polars work on one thread; call this before it is loaded.

    What Polars allocates with keeps free memory for the next ten seconds of work, and longer where
    there is none; and it has heaps for every processor, as the C library has for every thread, each
    with gaps of its own. Together that is a third of what a site takes, and lists are made no
    sooner with it. Where there are other libraries, nothing is changed.

    A page asks Polars dozens of questions about a few rows. With more threads it wakes them for
    each, and they look for work that is not there: that is a sixth of what such a question takes,
    and other requests have those processors. Whoever sets the number of threads gets it.
    """
    os.environ.setdefault(_THREADS, "1")
    given = os.environ.get(_VARIABLE)  # by a Polars that we were started from, for instance
    os.environ[_VARIABLE] = f"{given},{_MODEST}" if given else _MODEST  # the last word counts
    with suppress(OSError, AttributeError, TypeError):  # not the GNU C library
        library = ctypes.CDLL(None)
        library.mallopt(_M_TRIM_THRESHOLD, _TRIM_ABOVE)
        library.mallopt(_M_ARENA_MAX, _ARENAS)


def listen(host: str, port: int) -> socket.socket:
    """Open the socket of the site.

    Raises:
        Refused: the address is taken, or is none of this machine's.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        why = str(error.strerror or error).partition(" (while")[0]
        taken = error.errno in (errno.EADDRINUSE, errno.EACCES)
        remedy = " Choose another --port." if taken else ""
        raise Refused(f"{brief(host)}:{port}: {why}.{remedy}") from error
    # An answer leaves in two pieces, head and body. Without this the second waits for the browser
    # to confirm the first, which browsers put off for 40 ms; connections inherit it.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def site_secret(journal: str, file: Path | None) -> str:
    """The secret of a site: given, read, or made beside an SQLite journal.

    Raises:
        Refused: it is too short, cannot be read, others can read it, or there is none.
    """
    secret = SETTINGS["secret"]
    given = secret.given
    if given is None:
        place = journal.removeprefix("sqlite:///")
        if file is None and "://" in place:
            raise Refused(
                f"A site on PostgreSQL needs a secret: {secret.variable}, or --secret-file FILE"
                " (made if there is none)."
            )
        given = _read_or_make(file or Path(f"{place}-secret"))
    return check_secret(given)


def _read_or_make(file: Path) -> str:
    """The secret in a file that only its owner can read; made if there is none."""
    try:
        write_secret(file, secrets.token_hex(32))
    except FileExistsError:
        pass
    except OSError as error:
        raise Refused(f"{brief(file)}: {error.strerror}.") from error
    try:
        if PERMISSIONS and file.stat().st_mode & 0o077:
            raise Refused(f"Others can read {brief(file)}. 'chmod 600 {file}' keeps it secret.")
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{brief(file)} cannot be read: {error}.") from error


@command()
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(("director", "officer", "administrator")),
    default="officer",
    show_default=True,
    help="What NAME may do on the site.",
)
@in_journal
@setting("public-url", metavar="URL")
@setting("port", type=click.IntRange(1, 65535))
def invite(name: str, role: str, journal: str, public_url: str | None, port: int) -> None:
    """Give NAME an account of the site, and print the link to choose a password with.

    The link is good once, for three days. Invited again, NAME gets a new link, and the earlier one
    is no longer good. Whoever is invited as an administrator becomes one, with new codes and
    password: so a site is opened again that no administrator can sign in to.

    \b
    Examples:
        palmares invite "Otto Lind" --role officer --journal federation.db
        palmares invite "Rita Hale" --role administrator --journal federation.db
    """
    needs("site", "The site")
    from palmares.web.accounts.administration import link_of
    from palmares.web.http.routing import link

    root = address(public_url, SETTINGS["host"].default, port)
    with opened(journal) as store:
        token = link_of(open_site(store), name, role)
    click.echo(f"{name}, {role}: {link(root, token)}\n(good once, for three days)")


def open_site(journal: Journal, settings: Settings | None = None) -> AppState:
    """The site on a journal, with its tables, which are made if they are not there.

    Args:
        journal: its entries, and the database of the site's tables.
        settings: of the site; none where nothing asks for them.
    """
    from palmares.web.http.state import AppState
    from palmares.web.migrations import ready

    ready(journal.database)
    return AppState(journal, settings or Settings(journal="", secret=""))
