import numpy as np
import pytest

from bot.domain import AGENT_ID, Speaker, Utterance
from bot.memory.fragments import NONE_SUCH, Key, best_first, fill, joined, key_scores, shown_of
from bot.memory.passage_shelf import PassageShelf
from tests.memory.test_passage_shelf import ANN, passage

BEN = Speaker("test:ben", "Ben")
BOT = Speaker(AGENT_ID, "Monica")


def shelf_of(*sessions: str) -> PassageShelf:
    """A shelf of sessions, each a string of speakers: a(nn), b(en), m(onica)."""
    shelf = PassageShelf()
    who = {"a": ANN, "b": BEN, "m": BOT}
    lines = [(session, who[letter]) for session, letters in enumerate(sessions, 1) for letter in letters]
    shelf.add([passage(at, session, speaker=speaker) for at, (session, speaker) in enumerate(lines, 1)], {})
    return shelf


def said(shelf: PassageShelf) -> dict[int, Utterance]:
    by_id = {int(key): at for at, key in enumerate(shelf.ids)}
    return {by_id[one.id]: one.utterance for one in (passage(n) for n in range(1, len(shelf) + 1))}


def words(text: str) -> int:
    return len(text.split())


def test_keys_end_with_the_speaker_of_the_query() -> None:
    shelf = shelf_of("amab", "ba")
    similarity = np.arange(1, 7, dtype=np.float32)
    assert np.flatnonzero(key_scores(shelf, similarity, 1, ANN.id) > NONE_SUCH).tolist() == [0, 2, 5]
    assert np.flatnonzero(key_scores(shelf, similarity, 2, ANN.id) > NONE_SUCH).tolist() == [2, 5]
    assert np.flatnonzero(key_scores(shelf, similarity, 3, ANN.id) > NONE_SUCH).tolist() == [2]


def test_for_somebody_new_keys_end_with_anybody_but_the_companion() -> None:
    shelf = shelf_of("amb")
    found = key_scores(shelf, np.ones(3, dtype=np.float32), 1, "test:new")
    assert np.flatnonzero(found > NONE_SUCH).tolist() == [0, 2]


@pytest.mark.parametrize(
    ("value", "shown"), [("key", (1, 2)), ("next", (3,)), ("keynext", (1, 2, 3)), ("session", (0, 1, 2, 3))]
)
def test_what_is_shown_of_a_key(value: str, shown: tuple[int, ...]) -> None:
    assert shown_of(shelf_of("amab", "ba"), Key((1, 2), 1.0), value) == shown  # type: ignore[arg-type]


def test_the_last_utterance_of_a_session_has_no_next() -> None:
    shelf = shelf_of("am", "ba")
    assert shown_of(shelf, Key((1,), 1.0), "next") == ()
    assert shown_of(shelf, Key((1,), 1.0), "keynext") == (1,)


def test_keys_are_taken_by_similarity_until_the_budget_is_full() -> None:
    shelf = shelf_of("amamamam")
    lines = said(shelf)
    shown = [(Key((at,), 1.0 - at / 10), (at, at + 1)) for at in (4, 0, 2)]
    assert [key.positions for key, _ in fill(shown, lines, 4, words)] == [(4,), (0,)]
    assert [key.positions for key, _ in fill(shown, lines, 6, words)] == [(4,), (0,), (2,)]
    overlapping = [(Key((0,), 0.9), (0, 1)), (Key((1,), 0.8), (1, 2))]
    assert len(fill(overlapping, lines, 3, words)) == 2, "a line that several show counts once"
    assert len(fill(shown, lines, 1, words)) == 1, "the best one is always shown"


def test_what_touches_becomes_one_fragment_in_the_order_in_which_it_was_said() -> None:
    shelf = shelf_of("amam", "ama")
    lines = said(shelf)
    chosen = [(Key((5,), 0.9), (5, 6)), (Key((2,), 0.8), (2, 3)), (Key((1,), 0.7), (1, 2))]
    fragments = joined(shelf, chosen, lines)
    assert [[line.id for line in one.lines] for one in fragments] == [[6, 7], [2, 3, 4]]
    assert [one.keys for one in fragments] == [(6,), (3, 2)]
    assert [one.score for one in fragments] == [0.9, 0.8]


def test_sessions_are_never_joined() -> None:
    shelf = shelf_of("am", "am")
    fragments = joined(shelf, [(Key((1,), 0.9), (1,)), (Key((2,), 0.8), (2,))], said(shelf))
    assert [[line.id for line in one.lines] for one in fragments] == [[2], [3]]


def test_the_best_come_first() -> None:
    scores = np.array([0.1, 0.9, 0.5, 0.9, -2.0], dtype=np.float32)
    assert best_first(scores, 3).tolist() == [1, 3, 2]
    assert best_first(scores, 10).tolist() == [1, 3, 2, 0]
    assert best_first(scores, 10, 0.5).tolist() == [1, 3]
    assert not len(best_first(np.zeros(0, dtype=np.float32), 3))


def test_of_a_session_that_is_too_long_as_much_as_fits_around_the_key_is_shown() -> None:
    shelf = shelf_of("amamamam")
    lines = said(shelf)
    whole = [(Key((4,), 1.0), tuple(range(8)))]
    assert [positions for _, positions in fill(whole, lines, 3, words)] == [(3, 4, 5)]
    assert [positions for _, positions in fill(whole, lines, 0, words)] == [(4,)]
    assert [positions for _, positions in fill(whole, lines, 8, words)] == [tuple(range(8))]
