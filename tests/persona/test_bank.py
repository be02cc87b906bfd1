"""The persona banks on real stores: traits are added, refreshed and superseded, and none is ever lost."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from sqlalchemy import select

from bot.config import Background, Persona
from bot.conversation.put_right import as_put_right
from bot.domain import AGENT_ID, Job, JobKind, Place, Scope, Speaker, Trait, Utterance, VectorKind
from bot.errors import ModelFailed
from bot.indexing.indexing import Indexer
from bot.llm.scripted import Answers, ScriptedChatModel, ScriptedEncoder
from bot.persona.bank import Bank
from bot.persona.extract import Extractor
from bot.storage.shared.tables import traits
from bot.storage.vectors.memory import NumpyVectorIndex
from tests.living import FirstPersonGate, WordTopics, unheard
from tests.looking import add_jobs, vectors_in
from tests.open_rows import open_rows
from tests.stored import AGENT, ANN, ANNS_DM, BEN, BETA, HALL, START, Rows, reply_to

DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
LEASE = timedelta(minutes=5)
SIGN = "heavy"
"""What the look withholds here."""


class Person:
    """A bank over real stores, and a way to say things to it. Without `answers` traits are people's own words."""

    def __init__(self, rows: Rows, answers: Answers | None = None) -> None:
        self.rows = rows
        self.index = NumpyVectorIndex()
        self.model = ScriptedChatModel(answers) if answers is not None else None
        encoder, topics, persona = ScriptedEncoder(), WordTopics(), Persona()
        extractor = Extractor(
            model=self.model,
            gate=FirstPersonGate(),
            encoder=encoder,
            topics=topics,
            persona=persona,
            deadline=Background().deadline,
        )
        self.bank = Bank(
            utterances=rows.utterances,
            traits=rows.traits,
            jobs=rows.jobs,
            extractor=extractor,
            encoder=encoder,
            index=self.index,
            indexer=Indexer(
                events=rows.events, traits=rows.traits, passages=rows.passages, index=self.index, encoder=encoder
            ),
            persona=persona,
            hear=unheard,
            withheld=lambda said: SIGN in said.text,
            telling=str,
            put_right=as_put_right,
        )

    async def says(
        self, text: str, after: timedelta = timedelta(0), *, speaker: Speaker = ANN, place: Place = ANNS_DM
    ) -> Utterance:
        """Says something and has its traits learnt."""
        said = await self.rows.accept(text, speaker=speaker, place=place, after=after)
        said = (await self.rows.sessions.append(said, BETA, 1000)).utterances[-1]
        await self.rows.inbox.remembered([said.id], [Job(JobKind.TRAITS, said.id)])
        await self.bank.run(await self.claimed(said.id))
        return said

    async def claimed(self, subject: int) -> Job:
        """The job of that utterance."""
        while (job := await self.rows.jobs.claim(START, LEASE)) is not None:
            if (job.kind, job.subject) == (JobKind.TRAITS, subject):
                return job
        raise AssertionError("there is no such job")

    async def everything(self) -> list[tuple[str, Place, str]]:
        """Speaker, place and text of every trait there ever was, oldest first."""
        columns = select(traits.c.speaker_id, traits.c.place_key, traits.c.text).order_by(traits.c.id)
        async with self.rows.database.reading() as connection:
            return [(row.speaker_id, Place.parse(row.place_key), row.text) for row in await connection.execute(columns)]

    async def past(self) -> list[tuple[str, object, int | None]]:
        """Text, end and successor of the traits that are no longer true."""
        columns = select(traits.c.text, traits.c.until, traits.c.superseded_by).where(traits.c.until.is_not(None))
        async with self.rows.database.reading() as connection:
            return [(row.text, row.until, row.superseded_by) for row in await connection.execute(columns)]

    async def current(self, speaker: Speaker = ANN, place: Place = ANNS_DM) -> list[Trait]:
        return await self.rows.traits.current(speaker.id, place)


@pytest.fixture
async def rows() -> AsyncIterator[Rows]:
    async with open_rows() as opened:
        yield opened


async def still_due(rows: Rows) -> Job | None:
    return await rows.jobs.claim(START + DAY, LEASE)


async def test_a_new_trait_is_stored_with_its_origin_and_indexed(rows: Rows) -> None:
    ann = Person(rows)
    said = await ann.says("I have two dogs and I work nights.", DAY)
    first, second = await ann.current()
    assert (first.text, second.text) == ("I have two dogs.", "I work nights.")
    for trait in (first, second):
        assert (trait.speaker_id, trait.place, trait.since) == (ANN.id, ANNS_DM, START + DAY)
        assert trait.sources == (said.id,)
        assert (trait.refreshed, trait.until, trait.superseded_by) == (None, None, None)
    assert await vectors_in(ann.index, Scope(VectorKind.TRAIT, ANNS_DM.key)) == 2
    assert await still_due(rows) is None


async def test_what_has_no_trait_ends_its_job(rows: Rows) -> None:
    ann = Person(rows)
    await ann.says("How are you?")
    assert await ann.everything() == []
    assert await still_due(rows) is None


@pytest.mark.parametrize("again", ["i have two dogs!", "I have two big dogs that I love and I have two dogs."])
async def test_a_restated_trait_is_refreshed_with_a_further_source(rows: Rows, again: str) -> None:
    ann = Person(rows, ["I have two dogs.", "I have two dogs."])
    first = await ann.says("I have two dogs.")
    second = await ann.says(again, DAY)
    [trait] = await ann.current()
    assert trait.text == "I have two dogs."
    assert (trait.since, trait.refreshed) == (START, START + DAY)
    assert trait.sources == (first.id, second.id)


async def test_words_that_are_nearly_the_same_restate(rows: Rows) -> None:
    ann = Person(rows)
    await ann.says("I have two lovely old dogs at home with the family in Leeds.")
    await ann.says("I have two lovely old dogs at home with the family near Leeds.", DAY)
    [trait] = await ann.current()
    assert trait.refreshed == START + DAY


async def test_a_contradicted_trait_stays_with_its_end_and_its_successor(rows: Rows) -> None:
    ann = Person(rows)
    await ann.says("I live in Leeds.")
    await ann.says("I live in York.", DAY)
    [now] = await ann.current()
    assert now.text == "I live in York."
    assert now.since == START + DAY
    assert await ann.past() == [("I live in Leeds.", START + DAY, now.id)]


async def test_a_trait_may_be_superseded_and_come_back(rows: Rows) -> None:
    ann = Person(rows)
    for day, text in enumerate(["I like tea.", "I no longer like tea.", "I like tea."]):
        await ann.says(text, day * DAY)
    [now] = await ann.current()
    assert (now.text, now.since) == ("I like tea.", START + 2 * DAY)
    assert [text for text, _, _ in await ann.past()] == ["I like tea.", "I no longer like tea."]


async def test_one_new_trait_may_supersede_several(rows: Rows) -> None:
    ann = Person(rows)
    await ann.says("I live in Leeds. I am based in London.")
    await ann.says("I live in York.", DAY)
    [now] = await ann.current()
    assert now.text == "I live in York."
    assert await ann.past() == [(text, START + DAY, now.id) for text in ("I live in Leeds.", "I am based in London.")]


async def test_what_is_said_twice_in_one_utterance_is_one_trait(rows: Rows) -> None:
    ann = Person(rows, ["I have two dogs. I have two dogs."])
    await ann.says("I have two dogs, yes I have two dogs.")
    assert await ann.everything() == [(ANN.id, ANNS_DM, "I have two dogs.")]


async def test_places_are_never_mixed(rows: Rows) -> None:
    ann = Person(rows)
    await ann.says("I live in Leeds. I have two dogs.")
    await ann.says("I live in York. I have two dogs.", DAY, place=HALL)
    assert [trait.text for trait in await ann.current()] == ["I live in Leeds.", "I have two dogs."]
    assert [trait.text for trait in await ann.current(place=HALL)] == ["I live in York.", "I have two dogs."]
    assert all(trait.refreshed is None and len(trait.sources) == 1 for trait in await ann.current())
    assert await ann.past() == []


async def test_speakers_are_never_mixed(rows: Rows) -> None:
    hall = Person(rows)
    await hall.says("I live in Leeds.", place=HALL)
    await hall.says("I live in York.", DAY, speaker=BEN, place=HALL)
    assert [trait.text for trait in await hall.current(ANN, HALL)] == ["I live in Leeds."]
    assert [trait.text for trait in await hall.current(BEN, HALL)] == ["I live in York."]


async def test_the_companion_has_a_bank_of_its_own(rows: Rows) -> None:
    talk = Person(rows)
    await talk.says("I like rain.", speaker=AGENT)
    assert [trait.text for trait in await talk.current(AGENT)] == ["I like rain."]
    assert await talk.everything() == [(AGENT_ID, ANNS_DM, "I like rain.")]
    assert await talk.current() == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [(["I feel a heavy thing."], []), (["I feel a heavy thing.", "I rest."], []), (["I rest."], ["I carry a sail."])],
)
async def test_nothing_is_learnt_of_the_companion_from_its_reply_to_withheld_words(
    rows: Rows, said: list[str], kept: list[str]
) -> None:
    talk = Person(rows)
    lines = [await talk.says(text) for text in said]
    accepted = await rows.inbox.accept(reply_to(lines[-1], "I carry a sail."))
    assert accepted is not None
    reply = (await rows.sessions.append(accepted, BETA, 1000)).utterances[-1]
    await rows.inbox.remembered([reply.id], [Job(JobKind.TRAITS, reply.id)])
    await talk.bank.run(await talk.claimed(reply.id))
    assert [trait.text for trait in await talk.current(AGENT)] == kept
    assert await still_due(rows) is None


async def test_nothing_is_lost(rows: Rows) -> None:
    ann = Person(rows)
    said = [
        "I live in Leeds.",
        "I like tea.",
        "I live in York.",
        "I like tea.",
        "I do not like tea.",
        "I live in Leeds.",
    ]
    heard = [await ann.says(text, day * DAY) for day, text in enumerate(said)]
    everything = [text for _, _, text in await ann.everything()]
    assert everything == [
        "I live in Leeds.",
        "I like tea.",
        "I live in York.",
        "I do not like tea.",
        "I live in Leeds.",
    ]
    assert [trait.text for trait in await ann.current()] == ["I do not like tea.", "I live in Leeds."]
    assert [text for text, _, _ in await ann.past()] == ["I live in Leeds.", "I like tea.", "I live in York."]
    assert await rows.utterances.get([one.id for one in heard]) == heard


async def test_a_job_done_twice_changes_nothing(rows: Rows) -> None:
    ann = Person(rows)
    await ann.says("I live in Leeds.")
    said = await rows.accept("I live in York.", after=DAY)
    await rows.inbox.remembered([said.id], [Job(JobKind.TRAITS, said.id)])
    job = await ann.claimed(said.id)
    await ann.bank.run(job)
    current, past = await ann.current(), await ann.past()
    await ann.bank.run(job)
    assert (await ann.current(), await ann.past()) == (current, past)
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, said.id)])
    assert await still_due(rows) is None
    assert await vectors_in(ann.index, Scope(VectorKind.TRAIT, ANNS_DM.key)) == 2


async def test_an_utterance_that_is_gone_ends_its_job(rows: Rows) -> None:
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, 999)])
    ann = Person(rows)
    assert await ann.bank.run(await ann.claimed(999)) == 0
    assert await still_due(rows) is None


async def test_the_tokens_are_told_and_no_trait_is_stored_as_none(rows: Rows) -> None:
    ann = Person(rows, "NO_TRAIT")
    said = await rows.accept("I see my bus.")
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, said.id)])
    assert ann.model is not None
    tokens = await ann.bank.run(await ann.claimed(said.id))
    assert tokens == ann.model.count_tokens(ann.model.requests[0].messages) + 1
    assert await ann.everything() == []
    assert await still_due(rows) is None


async def test_what_the_companion_calls_out_is_no_trait_of_its_own(rows: Rows) -> None:
    bot = Person(rows, ["I have a baby."])
    await bot.says("A baby on the 20th!", speaker=AGENT)
    assert await bot.everything() == []
    fond = Person(rows, ["My favourite colour is green."])
    await fond.says("Green is my favourite.", HOUR, speaker=AGENT)
    assert [text for *_, text in await fond.everything()] == ["My favourite colour is green."]
    stating = Person(rows, ["I like to listen."])
    await stating.says("I like to listen.", DAY, speaker=AGENT)
    assert [text for *_, text in await stating.everything()][1:] == ["I like to listen."]


async def test_a_model_that_fails_leaves_the_job(rows: Rows) -> None:
    ann = Person(rows, [ModelFailed("broken")])
    with pytest.raises(ModelFailed):
        await ann.says("I have two dogs.")
    assert await ann.everything() == []
    assert await still_due(rows) is not None


@pytest.mark.parametrize(
    ("told", "righting", "now"),
    [
        ("I bought a Fiat.", "*a Ford, not a Fiat 🙈", "I bought a Ford."),
        ("I live at Ropewalk 14.", "ah no, Ropewalk 41", "I live at Ropewalk 41."),
    ],
)
async def test_the_next_line_puts_a_trait_right(rows: Rows, told: str, righting: str, now: str) -> None:
    ann = Person(rows)
    first = await ann.says(told, DAY)
    said = await ann.says(righting, DAY + MINUTE)
    [trait] = [trait for trait in await ann.current() if trait.text == now]
    assert trait.sources == (first.id, said.id)
    assert [text for text, *_ in await ann.past()] == [told]


@pytest.mark.parametrize(
    ("told", "line"),
    [
        ("I live in Leeds.", "my mum is in York, not Leeds"),
        ("I live in Leeds.", "actually, I love York"),
        ("My sister lives in Leeds.", "I live in York, not Leeds"),
        ("I have a red car.", "hers is blue, not red"),
        ("I have 2 kids.", "oh no, it's 6"),
        ("I am 34.", "oh no its 12 already"),
        ("I play chess on Monday.", "sorry, it's Thursday, I'm so tired"),
        ("I have an exam on Monday.", "it's Sunday now"),
        ("I love pizza.", "not pizza again, soup"),
        ("I like my job.", "not my job, Tom's"),
        ("I have a car.", "you have a bike, not a car?"),
        ("I have 2 cats and 2 dogs.", "actually 3 dogs"),
        ("I work at Tesco.", "> not Tesco, Aldi"),
    ],
)
async def test_what_may_be_about_something_else_puts_nothing_right(rows: Rows, told: str, line: str) -> None:
    ann = Person(rows)
    await ann.says(told, DAY)
    await ann.says(line, DAY + MINUTE)
    assert told in [trait.text for trait in await ann.current()]


async def test_a_line_that_could_mean_several_traits_or_comes_late_puts_none_right(rows: Rows) -> None:
    ann = Person(rows)
    await ann.says("I bought a Fiat.", DAY)
    await ann.says("*a Ford, not a Fiat", 2 * DAY)
    assert "I bought a Fiat." in [trait.text for trait in await ann.current()]
    await ann.says("I have two dogs. I have two sons.", 3 * DAY)
    await ann.says("sorry, three", 3 * DAY + MINUTE)
    assert {"I have two dogs.", "I have two sons."} <= {trait.text for trait in await ann.current()}
    await ann.says("I sail in Hull.", 4 * DAY)
    await ann.says("I sing.", 4 * DAY + MINUTE)
    await ann.says("no, in York", 4 * DAY + 2 * MINUTE)
    assert "I sail in Hull." in [trait.text for trait in await ann.current()]


@pytest.mark.parametrize(
    ("told", "renewing", "now"),
    [
        ("My son is six.", "he turned seven", "My son is seven."),
        (
            "My cat is called Pixel and she is grey.",
            "Actually Nixel, not Pixel",
            "My cat is called Nixel and she is grey.",
        ),
        ("My nephew is six.", "Er ist 7 geworden!", "My nephew is 7."),
    ],
)
async def test_who_is_not_named_again_gets_the_new_value(rows: Rows, told: str, renewing: str, now: str) -> None:
    ann = Person(rows)
    first = await ann.says(told, DAY)
    said = await ann.says(renewing, 2 * DAY)
    [trait] = await ann.current()
    assert (trait.text, trait.sources) == (now, (first.id, said.id))
    assert [text for text, *_ in await ann.past()] == [told]
    await ann.says("She turned three, not Mixel.", 3 * DAY)
    assert [one.text for one in await ann.current()] == [now]
