from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain import AGENT_ID, Passage, Place, PlaceKind, Speaker, Utterance
from bot.memory.passage_shelf import PassageShelf

PLACE = Place("test", PlaceKind.DM, "ann")
START = datetime(2024, 1, 1, tzinfo=UTC)
ANN, BOT = Speaker("test:ann", "Ann Smith"), Speaker(AGENT_ID, "Monica")


def passage(number: int, session: int = 1, text: str = "", speaker: Speaker = ANN) -> Passage:
    said = Utterance(
        PLACE,
        f"m{number}",
        speaker,
        text or f"word{number}",
        START + timedelta(minutes=number),
        to_bot=True,
        id=number,
        session_id=session,
    )
    return Passage(said, id=100 + number)


def unit(number: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    vector = np.zeros(16, dtype=np.float32)
    vector[number % 16] = 1.0
    return vector


def test_passages_have_their_facts_and_their_vectors_when_they_come() -> None:
    shelf = PassageShelf()
    shelf.add([passage(1, text="Did you run yesterday?"), passage(2, text="Two cats.", speaker=BOT)], {101: unit(3)})
    assert shelf.ids.tolist() == [101, 102]
    assert shelf.without_vector.tolist() == [102]
    assert shelf.flag("ends_asking").tolist() == [True, False]
    assert shelf.flag("tells_time").tolist() == [True, False]
    assert shelf.agent().tolist() == [False, True]
    assert shelf.names["test:ann"] == ("ann", "smith")
    shelf.put_vectors({102: unit(5), 999: unit(1)})
    assert not len(shelf.without_vector)
    assert (shelf.vectors @ unit(5)).tolist() == [0.0, 1.0]


def test_neighbours_and_sessions_whatever_order_they_came_in() -> None:
    shelf = PassageShelf()
    shelf.add([passage(5, 2), passage(6, 2), passage(1, 1)], {})
    shelf.add([passage(3, 1), passage(2, 1)], {})
    values = np.array([5, 6, 1, 3, 2], dtype=np.float32)
    assert shelf.shifted(values, 1).tolist() == [6, 0, 2, 0, 3]
    assert shelf.shifted(values, -1).tolist() == [0, 5, 0, 2, 1]
    assert shelf.shifted(values, 9).tolist() == [0] * 5
    assert shelf.around(values).tolist() == [6, 5, 2, 2, 4]
    assert shelf.utterances[shelf.in_session_of(4, 1, 1)].tolist() == [1, 2, 3]
    assert shelf.utterances[shelf.in_session_of(0, 5, 5)].tolist() == [5, 6]


@given(st.lists(st.tuples(st.integers(1, 3), st.booleans()), min_size=1, max_size=20))
def test_a_shelf_that_shrank_is_as_one_that_was_filled_with_the_rest(rows: list[tuple[int, bool]]) -> None:
    said = [passage(number, session) for number, (session, _) in enumerate(rows)]
    vectors = {one.id: unit(one.id) for one in said}
    shelf, anew = PassageShelf(), PassageShelf()
    shelf.add(said, vectors)
    shelf.keep(np.array([stays for _, stays in rows]))
    left = [one for one, (_, stays) in zip(said, rows, strict=True) if stays]
    anew.add(left, vectors)
    assert shelf.ids.tolist() == anew.ids.tolist()
    values = np.arange(len(left), dtype=np.float32)
    assert shelf.shifted(values, 1).tolist() == anew.shifted(values, 1).tolist()
    assert shelf.bm25.scores(["word1"]).tolist() == pytest.approx(anew.bm25.scores(["word1"]).tolist())
    if left:
        assert shelf.vectors.tolist() == anew.vectors.tolist()
        shelf.add([passage(50, 9)], {150: unit(7)})
        assert (shelf.vectors @ unit(7))[-1] == 1.0
    else:
        assert not shelf.names


def test_an_empty_shelf_answers() -> None:
    shelf = PassageShelf()
    nothing = np.zeros(0, dtype=np.float32)
    assert not len(shelf)
    assert not len(shelf.shifted(nothing, 1))
    assert not len(shelf.without_vector)
    shelf.put_vectors({1: unit(1)})
    shelf.keep(np.zeros(0, dtype=np.bool_))
