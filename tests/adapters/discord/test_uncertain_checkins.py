"""A check-in of which nobody knows whether it has arrived is looked for in Discord's history."""

from dataclasses import replace

from tests.adapters.discord.test_messenger import sent
from tests.adapters.discord.world import dm, open_world, outgoing


async def test_one_that_arrived_is_found_and_one_with_the_same_words_of_long_ago_is_another() -> None:
    async with open_world() as world:
        ann = world.env.create_user("ann")
        checkin = replace(outgoing(dm(ann), "How did it go?"), checkin_id=1)
        first = await sent(world, checkin)
        await world.env.advance_time(300)
        again = await sent(world, replace(checkin, uncertain=True))
        await world.env.advance_time(3 * 24 * 3600)
        later = await sent(world, replace(outgoing(dm(ann), "How did it go?", uncertain=True), checkin_id=2))
    assert again == first
    assert later != first
