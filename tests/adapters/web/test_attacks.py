"""Some two hundred requests that should get nothing: no word of anybody, and nothing changed.

Each family is one test over one page with two lives; each request of it is sent and judged by itself.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.adapters.web.visits import ADDRESS, NONCE, OWNERS, Visit, browser, open_visit, page_of
from tests.stored import ANN, BEN
from tests.usecases.asking import in_dm, owner

WORDS = ("bakery", "Rex", "bees", "chapel", "quarrel", "disk", "hello-again-2026", "missing vectors", "secret-model")
"""Of Ann, of Ben, and of the owner's pages."""
REFUSED = {303, 400, 403, 404, 405, 413, 415, 421}
FORM = "application/x-www-form-urlencoded"
OWN = {"origin": ADDRESS, "sec-fetch-site": "same-origin"}
PAGES = (
    "/memories",
    "/memories/e1",
    "/timeline",
    "/why",
    "/checkins",
    "/choices",
    "/owner",
    "/owner/models",
    "/owner/settings",
)
WRITES: tuple[dict[str, str], ...] = (
    {"command": "memory forget", "what": "everything"},
    {"command": "memory correct", "entry": "t1", "words": "I have no dogs."},
    {"command": "persona edit", "entry": "new", "words": "I am an attacker."},
    {"command": "privacy consent", "answer": "no"},
    {"command": "privacy pause", "state": "on"},
    {"command": "privacy keep", "days": "30"},
    {"command": "checkin on"},
    {"command": "checkin timezone", "place": "Europe/Berlin"},
    {"command": "checkin hold", "state": "on"},
    {"call": "checkin on"},
)


@dataclass(frozen=True)
class Attack:
    """One request."""

    method: str
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    body: str = ""


def form(fields: dict[str, str]) -> str:
    return "&".join(f"{key}={value.replace(' ', '+')}" for key, value in fields.items())


def post(path: str, fields: dict[str, str], **headers: str) -> Attack:
    given = {key.replace("_", "-"): value for key, value in headers.items()}
    return Attack("POST", path, {"content-type": FORM, **(given or OWN)}, form(fields))


async def state(visit: Visit) -> tuple[Any, ...]:
    """All that an attack could have changed."""
    commands, rows = visit.asking.commands, visit.asking.rows
    known = [[one.text for one in await commands.looking._memories.known(in_dm(who))] for who in (ANN, BEN)]
    decided = [(await rows.privacies.of(who.id), await rows.checkins.wishes(who.id)) for who in (ANN, BEN)]
    return known, decided, (await rows.checkins.circumstances(ANN.id, visit.asking.clock.now())).held


async def judge(visit: Visit, attacks: list[Attack], *, refused: set[int] = REFUSED) -> None:
    """Sends each; none may be answered with words, or change anything."""
    before, got = await state(visit), []
    for one in attacks:
        answer = await visit.client.request(one.method, one.path, headers=one.headers, content=one.body)
        leaks = [word for word in WORDS if word in answer.text]
        token = "csrf" in answer.text and not visit.client.cookies
        if answer.status_code not in refused or leaks or token:
            got.append((one, answer.status_code, leaks))
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store" or one.path.startswith("/static")
    assert not got
    assert await state(visit) == before


async def without_a_visit(_csrf: str) -> list[Attack]:
    """Nobody has come in: pages, forms, and cookies that were made up."""
    cookies = ("", "hello-again=", "hello-again=1", f"hello-again={'a' * 43}", "hello-again=../../etc", "session=admin")
    reads = [Attack("GET", path, {"cookie": cookie}) for path in PAGES for cookie in cookies]
    return [*reads, *(post("/do", {"csrf": "x", **fields}) for fields in WRITES), post("/export", {"csrf": ""})]


async def other_ids(_csrf: str) -> list[Attack]:
    """Ann asks for what is Ben's or the owner's, and for entries that nobody has."""
    codes = (
        "e8",
        "t2",
        "e0",
        "t0",
        "e-1",
        "e99999999999",
        "t1'--",
        "e1%00",
        "e1%0d%0aSet-Cookie:x=1",
        "x1",
        "E8",
        "c1",
        "%2e%2e",
    )
    people = ("speaker", "user", "id", "asker", "as")
    paths = [*(f"/memories/{code}" for code in codes), *OWNERS, "/owner/models", "/owner/begun"]
    paths += [f"/memories/e8?{name}=chat:ben" for name in people]
    return [Attack("GET", path, {"x-forwarded-user": "chat:ben", "x-user": "ben"}) for path in paths]


async def cross_site(csrf: str) -> list[Attack]:
    """Another site has Ann's browser send forms, with her cookie and even with her token."""
    sites: tuple[dict[str, str], ...] = (
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://127.0.0.1:8470"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "http://127.0.0.1:8470.evil.example"},
        {"origin": "http://localhost:8470"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "none", "origin": ADDRESS},
        {"referer": f"{ADDRESS}/memories"},
    )
    return [
        post("/do", {"csrf": csrf, "back": "/memories", **fields}, **site) for site in sites for fields in WRITES[:4]
    ]


async def without_the_token(_csrf: str) -> list[Attack]:
    """The page's own origin, and no token, or a wrong one."""
    tokens = ("", "x", "A" * 43, "%00", "%F0%9F%90%9D", "undefined")
    return [post("/do", {"csrf": token, **fields}) for token in tokens for fields in WRITES[:6]] + [
        post(path, {"csrf": "x", "language": "de"}) for path in ("/export", "/language", "/leave", "/owner/work")
    ]


async def wrong_hosts(csrf: str) -> list[Attack]:
    """A name of another site that points at this machine."""
    hosts = (
        "evil.example",
        "evil.example:8470",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:8470.evil.example",
        "",
        "0.0.0.0:8470",
    )
    reads = [Attack("GET", path, {"host": host}) for host in hosts for path in ("/memories", "/static/page.js")]
    writes = [
        post("/do", {"csrf": csrf, **WRITES[0]}, host=host, origin=f"http://{host}", sec_fetch_site="same-origin")
        for host in hosts
    ]
    return reads + writes


async def paths(_csrf: str) -> list[Attack]:
    """Out of the folder of static files, and around the routes."""
    up = ("../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..%5c", "..\\", "....//", "%252e%252e%252f")
    files = ("app.py", "templates/base.html", "guard.py")
    found = [Attack("GET", f"/static/{one}{name}") for one in up for name in files]
    odd = (
        "/static/",
        "/static/%00",
        "/static//etc/passwd",
        "/memories%0a",
        "/do",
        "/export",
        "/leave",
        "/.git/config",
        "/docs",
    )
    found += [Attack("GET", path) for path in (*odd, "/" + "a" * 3000, "/memories/../owner", "//evil.example/")]
    return found


async def methods(csrf: str) -> list[Attack]:
    """Other methods, and bodies that are no forms of the page."""
    verbs = ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND")
    found = [Attack(verb, path, OWN) for verb in verbs for path in ("/memories", "/do")]
    body = form({"csrf": csrf, **WRITES[0]})
    types = ("text/plain", "application/json", "multipart/form-data; boundary=x", "", "application/xml")
    found += [Attack("POST", "/do", {**OWN, "content-type": kind}, body) for kind in types]
    found += [Attack("POST", path, {**OWN, "content-type": FORM}, body) for path in ("/memories", "/owner", "/")]
    found.append(Attack("POST", "/do", {**OWN, "content-type": FORM}, body + "&x=" + "a" * 70_000))
    found.append(Attack("POST", "/do", {**OWN, "content-type": FORM}, body + "&x=1" * 200))
    return found


Family = Callable[[str], Awaitable[list[Attack]]]
INSIDE: tuple[Family, ...] = (other_ids, cross_site, without_the_token, wrong_hosts, paths, methods)


@pytest.mark.parametrize("family", INSIDE)
async def test_whoever_is_in_gets_no_more_than_their_own(family: Family) -> None:
    async with open_visit() as visit:
        csrf = await visit.csrf()
        await judge(visit, await family(csrf))
        assert (await visit.client.get("/memories")).status_code == 200, "the visit goes on"


async def test_whoever_is_not_in_gets_nothing() -> None:
    async with open_visit() as ann:
        _, guard = page_of(ann.asking)
        async with browser(guard, ann.asking) as stranger:
            await judge(stranger, await without_a_visit(""), refused=REFUSED - {303})


async def test_there_are_two_hundred() -> None:
    families = (without_a_visit, *INSIDE)
    assert sum([len(await family("x")) for family in families]) >= 200


async def test_links_that_are_used_over_or_made_up_open_nothing() -> None:
    async with open_visit() as visit:
        token = visit.asking.links.issue(in_dm(BEN))
        [nonce] = NONCE.findall((await visit.client.get(f"/in/{token}")).text)
        used = visit.asking.links.issue(owner())
        assert visit.asking.links.take(used) is not None
        tokens = (used, token[:-1], token + "0", token.upper(), "0" * 48, "%00", "..", "x" * 1500)
        await judge(visit, [post(f"/in/{one}", {"nonce": nonce}) for one in tokens])
        foreign = ({"origin": "http://evil.example"}, {"sec_fetch_site": "cross-site"}, {"origin": "null"})
        await judge(visit, [post(f"/in/{token}", {"nonce": nonce}, **site) for site in foreign])
        await judge(visit, [post(f"/in/{token}", {"nonce": wrong}) for wrong in ("", "x", nonce[:-1])])
        assert visit.asking.links.whose(token), "its own person can still use it"


async def test_another_persons_token_and_buttons_do_nothing() -> None:
    async with open_visit() as ann:
        _, guard = page_of(ann.asking)
        preview = await ann.do("memory forget", what="everything")
        annas = await ann.csrf()
        async with browser(guard, ann.asking) as ben:
            await ben.enter(in_dm(BEN))
            own = await ben.csrf()
            button = next(
                part.split('"')[0] for part in preview.split('value="') if part.startswith("memory forget||yes")
            )
            before = await state(ben)
            await ben.post("/do", {"csrf": annas, "call": button})
            await ben.post("/do", {"csrf": own, "call": button})
            assert await state(ben) == before
            shown = (await ben.client.get("/memories")).text
            assert "bakery" not in shown


async def test_forms_lead_back_to_pages_of_this_page_alone() -> None:
    async with open_visit() as visit:
        csrf = await visit.csrf()
        for back in (
            "//evil.example",
            "https://evil.example",
            "/\\evil.example",
            "/owner/../x",
            "/memories?x=1",
            "javascript:1",
            "/memories\r\nX: 1",
        ):
            answer = await visit.post("/do", {"csrf": csrf, "back": back, "command": "about"})
            assert answer.headers["location"] == "/memories"


async def test_commands_of_the_owner_are_refused_to_others_in_words() -> None:
    async with open_visit() as visit:
        for command in ("status", "checkin queue", "checkin hold"):
            assert "Only my owner" in await visit.do(command)


async def test_a_cookie_is_for_this_page_and_no_script() -> None:
    async with open_visit() as visit:
        entered = await visit.enter(in_dm())
        [session] = [one for one in entered.headers.get_list("set-cookie") if one.startswith("hello-again=")]
    assert "HttpOnly" in session
    assert "SameSite=strict" in session
    assert "Max-Age=1800" in session
    assert "Domain" not in session
