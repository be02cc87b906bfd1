"""Changed facts are no restatements, and statements about different things contradict nothing."""

import pytest

from bot.persona.relate import Relation, relate

RESTATE = 0.9
SURE, UNSURE = 0.95, 0.5


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I have two dogs.", "I have three dogs."),
        ("I have 2 dogs.", "I own three dogs."),
        ("I have twenty-one hens.", "I have 22 hens."),
        ("My exam is on Monday.", "My exam is on Tuesday."),
        ("I have an exam in May.", "I have an exam in June."),
        ("My son is 5.", "My son is 6."),
        ("My son is five years old.", "My son is six."),
        ("I am 30 and live in Rome.", "I am 31 and live in Rome."),
    ],
)
@pytest.mark.parametrize("cosine", [SURE, UNSURE])
def test_another_number_or_date_in_the_same_words_contradicts(old: str, new: str, cosine: float) -> None:
    assert relate(old, new, cosine, RESTATE) is Relation.CONTRADICTS
    assert relate(new, old, cosine, RESTATE) is Relation.CONTRADICTS


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I have two dogs.", "I have three cats."),
        ("I have two dogs.", "I have two dogs and three cats."),
        ("I have two dogs.", "I like three dogs."),
        ("I love Paris.", "I love London."),
        ("My brother is called Tom.", "My brother is called Sam."),
        ("I have lived in Leeds for years.", "I have lived in Leeds, near the river Aire."),
        ("I work with Tom on Monday.", "I work with Sam on Tuesday."),
        ("I know two of us.", "I know three of us, in the old band that I left for good."),
    ],
)
@pytest.mark.parametrize("cosine", [SURE, UNSURE])
def test_other_numbers_dates_or_names_never_restate(old: str, new: str, cosine: float) -> None:
    assert relate(old, new, cosine, RESTATE) is Relation.OTHER
    assert relate(new, old, cosine, RESTATE) is Relation.OTHER


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I have two dogs.", "I have 2 big dogs."),
        ("I speak English.", "i speak english well."),
        ("My exam is on Monday.", "I have my exam on monday."),
        ("I have twenty one hens.", "I keep 21 hens."),
        ("I may go to sea.", "I might go to sea."),
    ],
)
def test_the_same_number_date_or_name_in_other_words_may_restate(old: str, new: str) -> None:
    assert relate(old, new, SURE, RESTATE) is Relation.RESTATES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I like dogs.", "I do not have dogs."),
        ("I love my mother.", "I have no mother."),
        ("I love coffee.", "I have not had coffee."),
        ("I live in Leeds with my sister.", "I live in a small flat."),
        ("I work for my father.", "I work at a bakery."),
        ("I eat red meat daily.", "I do not buy red meat daily."),
        ("My sister likes dogs.", "My sister does not have dogs."),
        ("I drink tea.", "I do not always drink tea."),
    ],
)
@pytest.mark.parametrize("cosine", [SURE, UNSURE])
def test_statements_about_different_things_contradict_nothing(old: str, new: str, cosine: float) -> None:
    assert relate(old, new, cosine, RESTATE) is Relation.OTHER
    assert relate(new, old, cosine, RESTATE) is Relation.OTHER


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I love tea.", "I hate tea."),
        ("I enjoy swimming.", "I don't like to swim."),
        ("I have a dog.", "I do not have a dog any more."),
        ("I smoke.", "I have stopped smoking."),
        ("I am a vegetarian.", "I am no longer a vegetarian."),
        ("My sister smokes.", "My sister does not smoke."),
        ("I live in Leeds with my sister.", "I live in York in a small flat."),
        ("I work at the BBC.", "I now work for Google."),
    ],
)
@pytest.mark.parametrize("cosine", [SURE, UNSURE])
def test_the_opposite_and_another_named_value_still_contradict(old: str, new: str, cosine: float) -> None:
    assert relate(old, new, cosine, RESTATE) is Relation.CONTRADICTS


def test_two_negations_that_mean_the_same_may_restate() -> None:
    assert relate("I hate tea.", "I don't like tea.", SURE, RESTATE) is Relation.RESTATES
    assert relate("I hate tea.", "I do not hate tea.", SURE, RESTATE) is Relation.CONTRADICTS
