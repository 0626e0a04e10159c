"""Whatever a stranger sends, the site does not fail."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.amounts import amount
from tests.web.conftest import AsRole, Client

LETTERS = st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_characters="\x7f")
VALUES = st.one_of(
    st.text(LETTERS, max_size=60),
    st.sampled_from(
        ["", ";", ",", "*/*;q=x", "text/html;q=", "a/b/c", "Bearer", "Bearer \xff", "Basic x",
         "multipart/form-data", "multipart/form-data; boundary=",
         "multipart/form-data; boundary=\xff",
         "application/x-www-form-urlencoded; charset=martian", "palmares=", "palmares=null",
         "palmares=\xff; forms=\xff", "forms=" + "0" * 128, "de;q=nan", "de;q=1e999", "-1",
         '"', 'W/"x"', "a" * 5000]
    ),
)  # fmt: skip
HEADERS = st.dictionaries(
    st.sampled_from(
        ["accept", "accept-language", "cookie", "authorization", "content-type", "content-length",
         "if-none-match", "sec-fetch-site", "origin", "host", "x-forwarded-for",
         "hx-request", "range", "accept-encoding", "x-http-method-override"]
    ),
    VALUES.map(lambda value: value.strip().encode("latin-1")),
    max_size=5,
)  # fmt: skip
PATHS = st.one_of(
    st.sampled_from(
        ["/", "/sign-in", "/sign-in?next=//x", "/sign-in/code", "/sign-in/codes", "/welcome/x",
         "/account", "/account/password", "/account/tokens", "/administrator", "/health",
         "/ready", "/favicon.ico",
         "/metrics",
         "/api/v1/x", "/assets/../app.py", "/assets/%2e%2e/app.py", "/assets/", "/assets/vendor",
         "/assets/%00", "/%ff", "/%00", "/rankings/wbgf?page=%ff", "/rankings/wbgf/9999-99-99",
         "/rankings/%2e%2e", "/rankings/wbgf?page=" + "9" * 400]
    ),
    st.text(max_size=20).map(lambda text: "/" + text.replace("\\", "")),
)  # fmt: skip
PART = b'--x\r\nContent-Disposition: form-data; name="name"; filename="\xff"\r\n\r\n\xff\r\n--x--'
BODIES = st.one_of(
    st.binary(max_size=60),
    st.sampled_from(
        [b"name=%ff&password=%00", b"name=" + b"\xff" * 9, b"&&==&", b"--x--\r\n",
         PART]
    ),
)  # fmt: skip


@settings(
    max_examples=amount(3_000),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    method=st.sampled_from(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]),
    path=PATHS,
    headers=HEADERS,
    body=BODIES,
    own=st.booleans(),
)
def test_a_stranger_breaks_nothing(
    client: Client, method: str, path: str, headers: dict[str, bytes], body: bytes, own: bool
) -> None:
    """No error of ours, whatever is sent; from a page of ours, or from elsewhere."""
    if own:
        headers = headers | {"sec-fetch-site": b"same-origin"}
    sent = [(name.encode(), value) for name, value in headers.items()]
    try:
        request = client.build_request(method, path, headers=sent, content=body)
    except Exception:  # noqa: BLE001  no address at all
        return
    answer = client.send(request, follow_redirects=False)
    assert answer.status_code < 500
    assert answer.headers["x-request-id"]
    assert "Traceback" not in answer.text


WORDS = st.one_of(
    st.text(max_size=30), st.sampled_from(["director", "officer", "1", "-1", "9" * 30])
)


@settings(
    max_examples=amount(2_000),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    path=st.sampled_from(
        ["/account/password", "/account/tokens", "/account/tokens/1/revoke",
         "/administrator/invitations", "/administrator/accounts/2/role",
         "/administrator/accounts/2/link", "/administrator/accounts/999/codes"]
    ),
    fields=st.dictionaries(
        st.sampled_from(["name", "role", "label", "days", "old", "password", "again"]), WORDS
    ),
)  # fmt: skip
def test_nor_does_an_administrator(as_role: AsRole, path: str, fields: dict[str, str]) -> None:
    answer = as_role("administrator").post(path, data=fields, follow_redirects=False)
    assert answer.status_code in (200, 303, 400, 404, 422, 429)
