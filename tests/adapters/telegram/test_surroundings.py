"""Groups that the companion comes to and goes from, people who have left Telegram, and commands that are none."""

import pytest

from adapters.telegram.reading import dm_with
from bot.domain import PlaceKind
from bot.errors import DeliveryFailed, StorageError
from tests.adapters.telegram.world import Ear, Running, outgoing, running
from tests.platform.telegram_server import Fault, User

pytestmark = pytest.mark.filterwarnings("ignore:Deprecated since version v22.2:DeprecationWarning")


async def refusal(here: Running, person: User) -> DeliveryFailed:
    """Why nothing can be sent to somebody."""
    with pytest.raises(DeliveryFailed) as raised:
        await anext(here.messenger.send(outgoing(dm_with(person.id), "Hello")))
    return raised.value


async def test_a_group_that_removes_it_and_takes_it_back_is_told() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        group = here.world.add_group("Home", [ann], admins=[ann])
        here.world.block(ann)
        here.world.kick(group, ann)
        here.world.bring_back(group, ann)
        await here.ear.until(lambda: len(here.ear.told) == 2)
        assert here.ear.told == [("left", str(group.id)), ("joined", str(group.id))]


async def test_a_group_left_is_told_again_when_it_could_not_be_stored() -> None:
    class Forgetful(Ear):
        """Fails once."""

        async def left(self, platform: str, server: str) -> None:
            if self.failing:
                self.failing -= 1
                raise StorageError("the disk is full")
            await super().left(platform, server)

    async with running(Forgetful(failing=1)) as here:
        ann = here.world.add_user("Ann")
        group = here.world.add_group("Home", [ann], admins=[ann])
        here.world.kick(group, ann)
        await here.ear.until(lambda: bool(here.ear.told))
        assert here.ear.told == [("left", str(group.id))]


async def test_groups_that_it_lost_long_ago_are_noticed_at_the_start() -> None:
    ear = Ear()
    async with running() as here:
        telegram, world = here.telegram, here.world
        ann = world.add_user("Ann")
        kept, lost, unsure = (world.add_group(name, [ann], admins=[ann]) for name in ("Kept", "Lost", "Unsure"))
        world.kick(lost, ann)
        await here.ear.until(lambda: bool(here.ear.told))
        world.updates.clear()
        ear.servers = [str(unsure.id), str(kept.id), str(lost.id), "-1009999999999"]
        telegram.faults.next("getChatMember", Fault.BAD_GATEWAY)
        async with running(ear, telegram=telegram):
            await ear.until(lambda: len(ear.told) == 2)
        assert ear.told == [("left", str(lost.id)), ("left", "-1009999999999")]


async def test_whose_account_is_deleted_is_gone_and_who_blocks_it_is_not() -> None:
    async with running() as here:
        ann, bob, cem = (here.world.add_user(name) for name in ("Ann", "Bob", "Cem"))
        bob.deactivated = True
        here.world.block(ann)
        cem.started = False
        codes = {person.first_name: (await refusal(here, person)).code for person in (ann, cem, bob)}
        await here.ear.until(lambda: bool(here.ear.told))
        assert codes == {"Ann": "dm_closed", "Cem": "dm_closed", "Bob": "person_gone"}
        assert not (await refusal(here, bob)).retry
        await here.ear.until(lambda: len(here.ear.told) == 2)
        assert set(here.ear.told) == {("gone", f"telegram:{bob.id}")}


async def test_that_somebody_is_gone_and_cannot_be_stored_stops_nothing() -> None:
    class Broken(Ear):
        """Cannot erase."""

        async def gone(self, speaker_id: str) -> None:
            await super().gone(speaker_id)
            raise StorageError("the disk is full")

    async with running(Broken()) as here:
        ann, bob = here.world.add_user("Ann"), here.world.add_user("Bob")
        bob.deactivated = True
        await refusal(here, bob)
        await here.ear.until(lambda: bool(here.ear.told))
        here.world.say(ann, ann, "/help")
        assert (await here.world.reply(ann)).text == "Ann asked help"


async def test_everybody_in_a_group_reads_it_and_its_topics() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        group = here.world.add_group("Home", [ann], admins=[ann], topics=["Food"])
        here.world.say(ann, group, "for all")
        here.world.say(ann, group, "for all in a topic", topic=group.topic("Food"))
        here.world.say(ann, ann, "for you")
        heard = {said.text: said.place_public for said in await here.heard(3)}
        assert heard == {"for all": True, "for all in a topic": True, "for you": None}


async def test_who_may_manage_the_whole_group() -> None:
    async with running() as here:
        ann, bob, cem, dot = (here.world.add_user(name) for name in ("Ann", "Bob", "Cem", "Dot"))
        group = here.world.add_group("Home", [ann, bob, cem, dot], admins=[ann, bob, cem])
        group.untrusted.add(cem.id)
        for person in (ann, bob, cem, dot, ann):
            here.world.say(person, group, "/help")
        here.world.say(ann, ann, "/help")
        await here.ear.until(lambda: len(here.ear.calls) == 6)
        may = {
            (asker.speaker.name, asker.place.kind): (asker.may_manage, asker.may_manage_server)
            for _, asker in here.ear.calls
        }
        assert may == {
            ("Ann", PlaceKind.CHANNEL): (True, True),
            ("Bob", PlaceKind.CHANNEL): (True, True),
            ("Cem", PlaceKind.CHANNEL): (True, False),
            ("Dot", PlaceKind.CHANNEL): (False, False),
            ("Ann", PlaceKind.DM): (True, False),
        }


@pytest.mark.parametrize("in_group", [True, False])
async def test_a_command_that_is_passed_on_edited_or_told_twice_is_done_once(in_group: bool) -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        group = here.world.add_group("Home", [ann], admins=[ann])
        where = group if in_group else ann
        bobs = {"type": "hidden_user", "sender_user_name": "Bob", "date": 1}
        here.telegram.faults.next("getUpdates", Fault.DUPLICATE_UPDATE)
        here.world.say(ann, where, "Hello")  # what is asked for already
        await here.heard(1)
        command = here.world.say(ann, where, "/memory forget t1")
        await here.ear.until(lambda: bool(here.ear.calls))
        here.world.edit(command, "/memory forget everything")
        here.world.say(ann, where, "/memory forget everything", forward_origin=bobs)
        here.world.say(ann, where, "/help")
        await here.ear.until(lambda: len(here.ear.calls) >= 2)
        _, heard = await here.heard(2)
        await here.world.until(lambda: len(here.world.said(ann)) >= 2)
    assert [(call.command, call.get("what")) for call, _ in here.ear.calls] == [("memory forget", "t1"), ("help", "")]
    assert here.telegram.faults.struck == [("getUpdates", Fault.DUPLICATE_UPDATE)]
    assert heard.text == "[forwarded message: /memory forget everything]"


async def test_words_that_are_edited_into_a_command_are_corrected_and_it_is_not_done() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        said = here.world.say(ann, ann, "I live in Rome")
        here.world.edit(said, "/memory forget everything")
        await here.ear.until(lambda: bool(here.ear.edits))
        assert here.ear.edits == [(f"{ann.id}/{said.id}", "/memory forget everything")]
        assert here.ear.calls == []
