"""serve: the site on a journal."""

from __future__ import annotations

import secrets

import click

from palmares.cli.sources import WHERE


@click.command()
@click.option("--journal", metavar="URL", envvar="PALMARES_JOURNAL", required=True, help=WHERE)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", type=int, default=8000, show_default=True)
def serve(journal: str, host: str, port: int) -> None:
    """The site: rankings for anyone, desks for directors and officers, an API for programs.

    \b
    Example:
        palmares serve --journal federation.db
    """
    import uvicorn

    from palmares.web.app import site
    from palmares.web.settings import Settings

    app = site(Settings(journal=journal, secret=secrets.token_hex(32)))
    click.echo(f"http://{host}:{port} (Ctrl-C ends it)")
    uvicorn.run(app, host=host, port=port, log_level="warning", server_header=False)
