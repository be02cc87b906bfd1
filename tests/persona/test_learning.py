"""Late jobs, vectors that the index has already, other languages, long utterances, and answers that are too long."""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta

import pytest

from bot.config import Background, Persona
from bot.conversation.put_right import as_put_right
from bot.domain import Job, JobKind, Scope, Utterance, VectorKind
from bot.errors import MalformedOutput
from bot.indexing.indexing import Indexer
from bot.llm.scripted import Answers, ScriptedChatModel, ScriptedEncoder
from bot.persona.bank import Bank
from bot.persona.extract import LONGEST_SAID, Extraction, Extractor
from bot.ports import Vectors
from bot.storage.vectors.memory import NumpyVectorIndex
from tests.living import FirstPersonGate, WordTopics, unheard
from tests.looking import add_jobs
from tests.open_rows import open_rows
from tests.stored import ANN, ANNS_DM, START, Rows

DAY = timedelta(days=1)
GERMAN = "Ich habe zwei Hunde und wohne mit meiner Frau in Leeds."


class ListeningEncoder(ScriptedEncoder):
    """Keeps what it was asked to encode."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[str] = []

    async def encode(self, texts: Sequence[str]) -> Vectors:
        self.heard += texts
        return await super().encode(texts)


class AnnsBank:
    """A bank of people's own words over real stores."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.index = NumpyVectorIndex()
        self.encoder = ListeningEncoder()
        self.bank = Bank(
            utterances=rows.utterances,
            traits=rows.traits,
            jobs=rows.jobs,
            extractor=extractor(None, encoder=self.encoder),
            encoder=self.encoder,
            index=self.index,
            indexer=Indexer(
                events=rows.events, traits=rows.traits, passages=rows.passages, index=self.index, encoder=self.encoder
            ),
            persona=Persona(),
            hear=unheard,
            withheld=lambda _said: False,
            telling=str,
            put_right=as_put_right,
        )

    async def says(self, text: str, after: timedelta) -> None:
        """Learns what was said `after` the start; the order of the calls is that of the jobs."""
        said = await self.rows.accept(text, after=after)
        await add_jobs(self.rows.jobs, [Job(JobKind.TRAITS, said.id)])
        job = await self.rows.jobs.claim(START, timedelta(minutes=5))
        assert job is not None
        assert job.subject == said.id
        await self.bank.run(job)

    async def current(self) -> list[str]:
        return [trait.text for trait in await self.rows.traits.current(ANN.id, ANNS_DM)]


@pytest.fixture
async def anns() -> AsyncIterator[AnnsBank]:
    async with open_rows() as rows:
        yield AnnsBank(rows)


def extractor(model: ScriptedChatModel | None, encoder: ScriptedEncoder | None = None, words: int = 20) -> Extractor:
    return Extractor(
        model=model,
        gate=FirstPersonGate(),
        encoder=encoder or ScriptedEncoder(),
        topics=WordTopics(),
        persona=Persona(trait_words=words, gate_threshold=0.0),
        deadline=Background().deadline,
    )


async def extract(answers: Answers | None, text: str) -> tuple[Extraction, ScriptedChatModel]:
    model = ScriptedChatModel(answers or "")
    said = Utterance(ANNS_DM, "m1", ANN, text, START, id=1)
    return await extractor(model if answers else None).extract(said), model


async def test_an_older_statement_that_comes_late_supersedes_nothing(anns: AnnsBank) -> None:
    await anns.says("I live in York.", 2 * DAY)
    await anns.says("I live in Leeds.", DAY)
    assert await anns.current() == ["I live in York."]
    [now] = await anns.rows.traits.current(ANN.id, ANNS_DM)
    await anns.says("I live in Rome.", 3 * DAY)
    assert await anns.current() == ["I live in Rome."]
    assert now.until is None


async def test_a_late_trait_ends_when_the_newer_one_began(anns: AnnsBank, monkeypatch: pytest.MonkeyPatch) -> None:
    await anns.says("I live in York.", DAY)
    await anns.says("I live in York!", 3 * DAY)
    stored = []
    apply = anns.rows.traits.apply

    async def keeping(*args: object, **named: object) -> object:
        stored.extend(await apply(*args, **named))  # type: ignore[arg-type]  # hands on whatever it is given
        return stored

    monkeypatch.setattr(anns.rows.traits, "apply", keeping)
    await anns.says("I live in Leeds.", 2 * DAY)
    await anns.says("I live in Rome.", timedelta(0))
    [york] = await anns.rows.traits.current(ANN.id, ANNS_DM)
    assert [(trait.text, trait.since, trait.until, trait.superseded_by) for trait in stored] == [
        ("I live in Leeds.", START + 2 * DAY, START + 3 * DAY, york.id),
        ("I live in Rome.", START, START + DAY, york.id),
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I work as a librarian.", "I quit my job at the library."),
        ("My son is six.", "My son turned seven."),
        ("I have a cat called Pixel.", "We renamed our cat Momo."),
        ("Ich wohne in Utrecht.", "Ich bin nach Graz gezogen."),
        ("Vivo en Utrecht.", "Me mudé a Graz."),
        ("J'habite à Utrecht.", "J'ai déménagé à Graz."),
        ("Vivo a Utrecht.", "Mi sono trasferita a Graz."),
        ("Moro em Utrecht.", "Eu me mudei para Graz."),
        ("Ik woon in Utrecht.", "Ik ben naar Graz verhuisd."),
    ],
)
async def test_what_changed_ends_what_was_true_before(
    anns: AnnsBank, monkeypatch: pytest.MonkeyPatch, before: str, after: str
) -> None:
    for text, day in ((before, 0), (after, 2)):
        statements = Extraction((text,))

        async def extract(_said: Utterance, found: Extraction = statements) -> Extraction:
            return found

        monkeypatch.setattr(anns.bank.extractor, "extract", extract)  # what it finds is not asked here
        await anns.says(text, day * DAY)
    assert await anns.current() == [after]


async def test_what_was_true_before_may_come_late(anns: AnnsBank) -> None:
    await anns.says("I moved to Graz.", 2 * DAY)
    await anns.says("I live in Utrecht.", DAY)
    assert await anns.current() == ["I moved to Graz."]


async def test_known_traits_are_not_encoded_again(anns: AnnsBank) -> None:
    await anns.says("I have a red boat. I work nights.", timedelta(0))
    anns.encoder.heard.clear()
    await anns.says("I sing in a choir.", DAY)
    assert anns.encoder.heard
    assert set(anns.encoder.heard) == {"I sing in a choir."}


async def test_a_known_trait_that_the_index_lost_is_still_compared(anns: AnnsBank) -> None:
    text = "I have two lovely old dogs at home with the family in Leeds."
    await anns.says(text, timedelta(0))
    [known] = await anns.rows.traits.current(ANN.id, ANNS_DM)
    await anns.index.remove(Scope(VectorKind.TRAIT, ANNS_DM.key), [known.id])
    await anns.says("I have two lovely old dogs at home with the family near Leeds.", DAY)
    assert await anns.current() == [text]
    assert text in anns.encoder.heard


async def test_a_trait_in_another_language_needs_no_english_first_person() -> None:
    extraction, model = await extract(["Ich habe zwei Hunde."], GERMAN)
    assert extraction.statements == ("Ich habe zwei Hunde.",)
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        (GERMAN, (GERMAN,)),
        ("J'ai deux chiens. Et toi, tu aimes les chiens ?", ("J'ai deux chiens.",)),
        (
            "私は犬を二匹飼っています。私は東京に住んでいます。",
            ("私は犬を二匹飼っています。", "私は東京に住んでいます。"),
        ),
    ],
)
async def test_without_a_model_other_languages_give_their_statements(text: str, statements: tuple[str, ...]) -> None:
    extraction, _ = await extract(None, text)
    assert extraction.statements == statements


async def test_the_model_is_shown_the_beginning_of_a_long_utterance() -> None:
    long = "I have two dogs. " + "They bark a lot. " * 1000 + "I have a castle."
    extraction, model = await extract(["I have a castle.", "I have two dogs."], long)
    assert all(len(request.messages[-1].content) < 2 * LONGEST_SAID for request in model.requests)
    assert extraction.statements == ("I have two dogs.",)
    assert len(model.requests) == 2


def test_the_number_of_words_is_a_limit() -> None:
    said = "I have two dogs and three cats."
    assert extractor(None, words=7).parse(said, said) == (said,)
    with pytest.raises(MalformedOutput, match="too long"):
        extractor(None, words=6).parse(said, said)
