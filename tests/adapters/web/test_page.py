"""The page as its visitors use it, over the real commands and stores."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from adapters.pace import COMMANDS_PER_MINUTE
from adapters.web.app import build_page
from adapters.web.backstage import Begun
from adapters.web.rendering import html_of
from adapters.web.sessions import LASTS
from bot.domain import Answer, Asker, Call, Event, Place, Trait
from bot.errors import StorageError
from bot.storage.memory.events import SqlEvents
from bot.storage.memory.traits import SqlTraits
from bot.texts import links as links_texts
from bot.texts import page as texts
from bot.texts.platforms import COMMANDS_TOO_FAST
from bot.usecases import looking
from bot.usecases.links import OWNER, VALID
from tests.adapters.web.visits import BENS_SECRET, DAY, NONCE, OWNERS, browser, open_visit, page_of
from tests.stored import ANN, ANNS_DM, BEN, HALL, OTHER_HALL
from tests.usecases.asking import in_channel, in_dm, open_asking, owner, shown

EVERY_PAGE = (
    *("/memories", "/memories/e1", "/memories/t1", "/timeline", "/why", "/checkins", "/checkins?planned=now"),
    "/choices",
)


async def test_a_link_in_the_chat_opens_the_page_of_whoever_asked() -> None:
    async with open_asking() as asking:
        assert await asking.ask("/web") == links_texts.CLOSED.replace("`", "")
        assert await asking.ask("/web", owner()) == links_texts.CLOSED_BY_YOU.replace("`", "")
        _, guard = page_of(asking)
        answer = await asking.answer("/web", in_channel(ANN))
        assert answer.private
        link = next(line for line in answer.text.splitlines() if line.startswith("http"))
        async with browser(guard, asking) as visit:
            door = await visit.client.get(link)
            entered = await visit.post(link, {"nonce": NONCE.findall(door.text)[0]})
            assert (entered.status_code, entered.headers["location"]) == (303, "/")
            assert "I do not know anything about you yet" in (await visit.client.get("/memories")).text


async def test_looking_at_a_link_does_not_use_it_up_but_opening_does() -> None:
    async with open_asking() as asking:
        _, guard = page_of(asking)
        token = asking.links.issue(in_dm())
        async with browser(guard, asking) as visit, browser(guard, asking) as second:
            assert (await visit.client.get(f"/in/{token}")).status_code == 200
            [nonce] = NONCE.findall((await visit.client.get(f"/in/{token}")).text)
            assert (await second.post(f"/in/{token}", {"nonce": nonce})).status_code == 403, "without its own look"
            assert (await visit.post(f"/in/{token}", {"nonce": nonce})).status_code == 303
            assert (await visit.post(f"/in/{token}", {"nonce": nonce})).status_code == 403
            assert (await second.client.get(f"/in/{token}")).status_code == 403


async def test_links_and_visits_end_by_the_clock() -> None:
    async with open_visit() as visit:
        assert timedelta(minutes=15) == VALID
        token = visit.asking.links.issue(in_dm(BEN))
        visit.asking.clock.advance(timedelta(minutes=15) - timedelta(seconds=1))
        assert (await visit.client.get(f"/in/{token}")).status_code == 200
        visit.asking.clock.advance(timedelta(seconds=1))
        assert (await visit.client.get(f"/in/{token}")).status_code == 403
        assert (await visit.client.get("/memories")).status_code == 200
        visit.asking.clock.advance(LASTS - VALID)
        assert (await visit.client.get("/memories")).status_code == 403


async def test_a_new_link_ends_the_one_before() -> None:
    async with open_asking() as asking:
        first, second = asking.links.issue(in_dm()), asking.links.issue(in_dm())
        assert not asking.links.whose(first)
        assert asking.links.whose(second)
        assert asking.links.take(second) == in_dm()
        assert asking.links.take(second) is None


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("path", EVERY_PAGE)
async def test_every_page_of_a_person_is_there_in_every_language(path: str, language: str) -> None:
    async with open_visit() as visit:
        await visit.post("/language", {"csrf": await visit.csrf(), "language": language})
        shown = await visit.client.get(path)
        assert shown.status_code == 200
        assert f'<html lang="{language}">' in shown.text
        assert BENS_SECRET not in shown.text


@pytest.mark.parametrize("path", OWNERS)
async def test_the_owners_pages_are_the_owners_and_hold_nobodys_words(path: str) -> None:
    async with open_visit() as ann, open_visit(OWNER) as alone, open_visit(owner()) as both:
        assert (await ann.client.get(path)).status_code == 404
        for visit in (alone, both):
            shown = await visit.client.get(path)
            assert shown.status_code == 200
            assert "bakery" not in shown.text
            assert BENS_SECRET not in shown.text
        assert (await alone.client.get("/memories")).status_code == 404
        assert (await both.client.get("/memories")).status_code == 200


async def test_what_is_known_is_shown_with_what_was_before_and_its_words() -> None:
    async with open_visit() as visit:
        page = await visit.do("memory correct", "/memories/t1", entry="t1", words="I have three dogs.")
        assert "I have two dogs." in page, "the answer says what it was"
        assert "Nothing here" not in page, "it leads back to a page that is there"
        listed = (await visit.client.get("/memories")).text
        assert "I have three dogs." in listed
        assert "Until" in listed
        assert "I have two dogs." in listed
        entry = (await visit.client.get("/memories/e6")).text
        assert "<blockquote><p>I have two dogs, Rex and Bo.</p>" in entry


async def test_what_was_true_before_has_its_words_and_its_old_address_leads_on() -> None:
    async with open_visit() as visit:
        await visit.do("memory correct", "/memories/t1", entry="t1", words="I have three dogs.")
        led = await visit.client.get("/memories/t1")
        assert led.status_code == 303
        [now] = re.findall(r"/memories/(t\d+)$", led.headers["location"])
        shown = (await visit.client.get(led.headers["location"])).text
        before = shown.partition("What was true before")[2].partition("Where it comes from")[0]
        assert "<p>I have two dogs.</p>" in before
        assert "<blockquote><p>I have two dogs, Rex and Bo.</p>" in before
        assert f"{now} I have three dogs." in await visit.asking.ask("/memory why t1")
        assert (await visit.client.get("/memories/t99")).status_code == 404
        _page, guard = page_of(visit.asking)
        async with browser(guard, visit.asking) as bens:
            assert (await bens.enter(in_dm(BEN))).status_code == 303
            assert (await bens.client.get("/memories/t1")).status_code == 404, "it is Ann's"


async def test_what_the_last_reply_had_in_mind_is_shown_to_its_own_person() -> None:
    async with open_visit(in_channel(ANN)) as ann, open_visit(in_dm(BEN)) as ben:
        for visit in (ann, ben):
            rows = visit.asking.rows
            [event] = await rows.events.readable_in(ANNS_DM, [6])
            await visit.asking.talk(
                ANNS_DM, [(ANN, "What is my dog called?")], after=300 * DAY, reply="Rex.", recalled=shown([event])
            )
        shown_to_ann = (await ann.client.get("/why")).text
        assert "I have two dogs, Rex and Bo." in shown_to_ann
        assert "Rex" not in (await ben.client.get("/why")).text


async def test_a_page_loads_what_it_shows_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    load = SqlEvents.readable_in

    async def readable_in(self: SqlEvents, place: Place, only: Collection[int] | None = None) -> list[Event]:
        found = await load(self, place, only)
        asked.append(len(found))
        return found

    monkeypatch.setattr(looking, "PAGE", 2)
    monkeypatch.setattr(looking, "CHART", 3)
    monkeypatch.setattr(SqlEvents, "readable_in", readable_in)
    async with open_visit() as visit:
        asked.clear()
        pages = [(await visit.client.get(path)).text for path in ("/memories?page=2", "/timeline", "/memories/e3")]
        assert max(asked) <= 3
    assert "Page 2 of 5" in pages[0]
    assert "Page 1 of 3" in pages[1]
    assert "My sister Clara visited us in Leeds." in pages[2]


async def test_an_unknown_entry_loads_nothing_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Collection[int] | None] = []
    load = SqlTraits.readable_in

    async def readable_in(
        self: SqlTraits, place: Place, speaker_ids: Sequence[str], only: Collection[int] | None = None
    ) -> list[Trait]:
        asked.append(only)
        return await load(self, place, speaker_ids, only)

    monkeypatch.setattr(SqlTraits, "readable_in", readable_in)
    async with open_visit() as visit:
        asked.clear()
        assert (await visit.client.get("/memories/t99")).status_code == 404
    assert asked == [[99]]


async def test_what_is_known_and_what_is_set_are_searched_by_the_same_form() -> None:
    forms = []
    async with open_visit(owner()) as visit:
        for path in ("/memories", "/owner/settings"):
            shown = (await visit.client.get(path)).text
            [form] = re.findall(r'<form[^>]*role="search".*?</form>', shown, re.DOTALL)
            assert f'action="{path}"' in form
            assert f'hx-get="{path}"' in form
            forms.append(re.sub("<label.*?</label>", "", form.replace(path, "")))
    assert forms[0] == forms[1]


async def test_searching_finds_words_of_ones_own_alone() -> None:
    async with open_visit() as visit:
        assert "own" in (await visit.client.get("/memories", params={"words": "bakery"})).text
        assert "bees" not in (await visit.client.get("/memories", params={"words": "bees"})).text.replace(
            'value="bees"', ""
        ).replace("words=bees", "")


async def test_what_was_told_a_moment_ago_is_listed_and_found_as_what_it_is() -> None:
    async with open_visit() as visit:
        await visit.asking.talk(ANNS_DM, [(ANN, "I have a <parrot>, Kiko.")])
        await visit.asking.talk(HALL, [(BEN, "I have a parrot, Polly.")])
        listed, found = [(await visit.client.get(path)).text for path in ("/memories", "/memories?words=PARROT")]
        second = (await visit.client.get("/memories?page=2")).text
    for page in (listed, found):
        assert "Told a moment ago" in page
        assert "I have a &lt;parrot&gt;, Kiko." in page.partition("Kept from before")[0]
        assert "Polly" not in page
    assert "1 found" in found
    assert "Kiko" in second, "there is one page"


async def test_who_has_told_something_a_moment_ago_is_not_said_to_be_unknown() -> None:
    async with open_visit(life=False) as visit:
        await visit.asking.talk(ANNS_DM, [(ANN, "I have a parrot, Kiko.")])
        listed = (await visit.client.get("/memories")).text
    assert "I have a parrot, Kiko." in listed
    assert "I do not know anything about you yet" not in listed


async def test_forgetting_takes_the_same_two_steps_and_gives_the_receipt() -> None:
    async with open_visit() as visit:
        preview = await visit.do("memory forget", what="e6")
        assert "two dogs, Rex and Bo" in preview
        assert (await visit.client.get("/memories/e6")).status_code == 200
        done = await visit.press(preview, "Erase it")
        assert "eceipt" in done
        assert (await visit.client.get("/memories/e6")).status_code == 404
        assert "Receipt" in (await visit.client.get("/choices")).text


async def test_an_answer_is_shown_once() -> None:
    async with open_visit() as visit:
        assert "I live in York" in await visit.do("persona edit", entry="new", words="I live in York.")
        assert 'class="answer"' not in (await visit.client.get("/memories")).text


async def test_the_export_is_a_download() -> None:
    async with open_visit() as visit:
        got = await visit.post("/export", {"csrf": await visit.csrf()})
        assert got.headers["content-disposition"] == 'attachment; filename="hello-again.zip"'
        with zipfile.ZipFile(io.BytesIO(got.content)) as archive:
            words = b"".join(archive.read(name) for name in archive.namelist()).decode()
    assert "Rex and Bo" in words
    assert BENS_SECRET not in words


@pytest.mark.parametrize(
    ("command", "fields", "path", "shown"),
    [
        ("checkin on", {}, "/checkins", "Turn them off"),
        ("checkin timezone", {"place": "Europe/Berlin"}, "/checkins", 'value="Europe/Berlin"'),
        ("checkin times", {"times": "09:00 17:30"}, "/checkins", 'value="09:00 17:30"'),
        ("checkin quiet", {"hours": "21:00-07:00"}, "/checkins", 'value="21:00-07:00"'),
        ("checkin often", {"days": "4"}, "/checkins", 'value="4"'),
        ("privacy consent", {"answer": "no"}, "/choices", "You said no."),
        ("privacy pause", {"state": "on"}, "/choices", "Paused."),
        ("privacy keep", {"days": "900"}, "/choices", "For 900 days."),
        ("privacy country", {"country": "de"}, "/choices", 'value="DE"'),
        ("privacy age", {"age": "minor"}, "/choices", "under 18"),
    ],
)
async def test_each_choice_is_a_form(command: str, fields: dict[str, str], path: str, shown: str) -> None:
    async with open_visit() as visit:
        await visit.do(command, path, **fields)
        assert shown in (await visit.client.get(path)).text


async def test_a_form_leads_out_of_a_channel_in_which_one_spoke_and_of_no_other() -> None:
    async with open_visit() as visit:
        assert HALL.key in (await visit.client.get("/choices")).text
        await visit.do("privacy channel", "/choices", state="out", place=OTHER_HALL.key)
        await visit.do("privacy channel", "/choices", state="out", place="nonsense")
        await visit.do("privacy channel", "/choices", state="out")
        opted_out = visit.asking.rows.privacies.opted_out
        assert [await opted_out(ANN.id, one) for one in (HALL, OTHER_HALL)] == [False, False]
        await visit.do("privacy channel", "/choices", state="out", place=HALL.key)
        assert [await opted_out(ANN.id, one) for one in (HALL, OTHER_HALL)] == [True, False]
        assert "I do not read you." in (await visit.client.get("/choices")).text
        await visit.do("privacy channel", "/choices", state="out-everywhere", place="nonsense")
        assert not await opted_out(ANN.id, OTHER_HALL)
        await visit.do("privacy channel", "/choices", state="out-everywhere", place=HALL.key)
        assert [await opted_out(ANN.id, one) for one in (HALL, OTHER_HALL)] == [True, True]
        shown = (await visit.client.get("/choices")).text
        assert "I do not read you on this whole server." in shown
        assert "Do not read me in any of them" not in shown
        await visit.do("privacy channel", "/choices", state="in", place=HALL.key)
        assert [await opted_out(ANN.id, one) for one in (HALL, OTHER_HALL)] == [False, False]


async def test_the_german_page_answers_in_german() -> None:
    async with open_visit() as visit:
        await visit.post("/language", {"csrf": await visit.csrf(), "back": "/choices", "language": "de"})
        shown = await visit.do("privacy keep", "/choices", days="900")
        assert "Ab jetzt: Ich behalte 900 Tage lang, was du sagst." in shown
        assert "Was ich behalte und wie es wieder verschwindet" in shown
        assert "Zuerst schreibe ich" in shown
        exported = await visit.post("/export", {"csrf": await visit.csrf("/choices")})
        with zipfile.ZipFile(io.BytesIO(exported.content)) as archive:
            told = b"".join(archive.read(name) for name in archive.namelist() if name.endswith(".txt")).decode()
        assert "WORUM ES IN UNSEREN GESPRÄCHEN GING" in told
        assert "Written on" not in told


async def test_the_german_page_takes_german_words() -> None:
    async with open_visit() as visit:
        await visit.post("/language", {"csrf": await visit.csrf(), "back": "/checkins", "language": "de"})
        assert "Du hast jetzt keine Ruhezeiten." in await visit.do("checkin quiet", "/checkins", hours="aus")
        shown = (await visit.client.get("/checkins")).text
        assert 'value="aus"' in shown
        shown = await visit.do("privacy keep", "/choices", days="für immer")
        assert 'value="für immer"' in shown


async def test_the_owners_page_is_german_to_its_last_line() -> None:
    async with open_visit(OWNER) as visit:
        csrf = await visit.csrf("/owner")
        await visit.post("/language", {"csrf": csrf, "back": "/owner", "language": "de"})
        shown = (await visit.client.get("/owner")).text
        checks = (await visit.client.get("/owner/checks")).text
        assert "fehlende Vektoren warten" in shown
        assert "Warnung" in shown
        assert "12,3 Token pro Sekunde" in shown
        assert "Platte" in checks
        told = ["There is no model m to fetch: choose one that `hello-again model list` shows."]
        visit.backstage.begun = Begun("get", "m", ended="badly", told=told)
        assert (
            "Ein Modell m zum Herunterladen gibt es nicht: Wähl eines" in (await visit.client.get("/owner/models")).text
        )


async def test_the_model_that_answers_cannot_be_chosen_again() -> None:
    async with open_visit(OWNER) as visit:
        shown = (await visit.client.get("/owner/models")).text
        assert "in use" in shown
        assert 'value="use">Use<span' not in shown


async def test_days_are_ticked() -> None:
    async with open_visit() as visit:
        sent = {"csrf": await visit.csrf(), "back": "/checkins", "command": "checkin days"}
        body = "&".join([*(f"{key}={value}" for key, value in sent.items()), "days=mon&days=fri"])
        headers = {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin"}
        await visit.client.post("/do", content=body, headers=headers)
        wishes = await visit.asking.rows.checkins.wishes(ANN.id)
    assert wishes.days == (0, 4)


async def test_what_the_owner_begins_is_the_owners_alone() -> None:
    wanted = [{"do": do, "name": "m"} for do in ("get", "try", "backup", "use", "stop", "nonsense")] + [{"do": "get"}]
    for asker, asked in ((OWNER, ["get m", "try m", "backup m", "use m", "stop"]), (in_dm(), [])):
        async with open_visit(asker) as visit:
            csrf = await visit.csrf("/owner" if asker == OWNER else "/memories")
            visit.asking.clock.advance(timedelta(minutes=1))
            for fields in wanted:
                answered = await visit.post("/owner/work", {"csrf": csrf, "back": "/owner/models", **fields})
                assert answered.status_code == (303 if asker == OWNER else 404)
            assert visit.backstage.asked == asked


async def test_the_owner_can_stop_all_check_ins() -> None:
    async with open_visit(OWNER) as visit:
        sent = {"csrf": await visit.csrf("/owner"), "back": "/owner/checkins", "command": "checkin hold", "state": "on"}
        await visit.post("/do", sent)
        assert "All of them are stopped." in (await visit.client.get("/owner/checkins")).text


async def test_the_bare_owner_leaves_no_row_as_a_person() -> None:
    async with open_visit(OWNER) as visit:
        sent = {"csrf": await visit.csrf("/owner"), "command": "persona edit", "entry": "new", "words": "I sail."}
        await visit.post("/do", sent)
        assert not await visit.asking.commands.looking._memories.known(OWNER)


class FullDisk:
    """A core that cannot store anything."""

    async def command(self, call: Call, asker: Asker) -> Answer:
        """Fails."""
        raise StorageError("the words of an error")


async def test_a_storage_that_fails_is_told_without_its_words() -> None:
    async with open_asking() as asking:
        page, _ = page_of(asking)
        async with browser(build_page(replace(page, core=FullDisk())), asking) as visit:
            await visit.enter(in_dm())
            failed = await visit.client.get("/checkins")
    assert failed.status_code == 503
    assert "the words" not in failed.text


async def test_forms_have_a_pace() -> None:
    async with open_visit() as visit:
        for _ in range(COMMANDS_PER_MINUTE):
            assert COMMANDS_TOO_FAST not in await visit.do("about")
        assert COMMANDS_TOO_FAST in await visit.do("about")
        visit.asking.clock.advance(timedelta(minutes=1))
        assert COMMANDS_TOO_FAST not in await visit.do("about")


async def test_leaving_ends_the_visit() -> None:
    async with open_visit() as visit:
        cookie = dict(visit.client.cookies)
        assert (await visit.post("/leave", {"csrf": await visit.csrf()})).status_code == 200
        visit.client.cookies.update(cookie)
        assert (await visit.client.get("/memories")).status_code == 403


async def test_a_closed_page_says_where_its_visitor_gets_a_new_link() -> None:
    chat, terminal = html_of(texts.SENTENCES["closed_text"]), html_of(texts.SENTENCES["closed_printed"])
    async with open_visit() as ann, open_visit(OWNER) as printed:
        for path in ("/memories", "/in/unknown", f"/in/{ann.asking.links.issue(in_dm())}x"):
            ann.client.cookies.clear()
            assert chat in (await ann.client.get(path)).text, path
        used = printed.asking.links.issue(OWNER)
        assert printed.asking.links.take(used) == OWNER
        for path in (f"/in/{used}", "/in/terminal-0", *OWNERS):
            async with browser(page_of(printed.asking)[1], printed.asking) as later:
                assert terminal in (await later.client.get(path)).text, path
        left = await printed.post("/leave", {"csrf": await printed.csrf("/owner")})
        assert terminal in left.text


async def test_two_people_see_each_their_own() -> None:
    async with open_visit() as ann:
        _, guard = page_of(ann.asking)
        async with browser(guard, ann.asking) as ben:
            await ben.enter(in_dm(BEN))
            assert BENS_SECRET in (await ben.client.get("/memories")).text
            assert (await ben.client.get("/memories/e1")).status_code == 404


async def test_a_timeline_has_a_colour_a_topic_and_its_relations() -> None:
    async with open_visit() as visit:
        drawn = (await visit.client.get("/timeline")).text
    assert drawn.count('<g class="box t1') == 3, "the bakery"
    assert drawn.count('class="arrow r-') == 4
    assert "e7: changed from e4" in drawn


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("**a** *b* `c`", "<p><strong>a</strong> <em>b</em> <code>c</code></p>"),
        (r"\*a\* <b>&", "<p>*a* &lt;b&gt;&amp;</p>"),
        ("- a\n- b\n\nc", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<p>c</p>"),
        ("> a", "<blockquote>\n<p>a</p>\n</blockquote>"),
        ("*a", "<p>*a</p>"),
        ("**a *b**", "<p>**a *b**</p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
    ],
)
def test_answers_become_html_and_nothing_in_them_does(markdown: str, html: str) -> None:
    assert str(html_of(markdown)) == html


async def test_what_people_write_is_text() -> None:
    async with open_visit() as visit:
        words = 'I like <script>alert(1)</script> & "quotes".'
        await visit.do("persona edit", entry="new", words=words)
        listed = (await visit.client.get("/memories")).text
    assert "<script>alert" not in listed
    assert "&lt;script&gt;" in listed
