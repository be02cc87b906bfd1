"""The small net beside the rules for danger: what it hears, what it leaves alone, and files that are no good."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.conversation import safety
from bot.conversation.crisis.folding import folded
from bot.conversation.crisis.ideas import ideas, ideas_in
from bot.conversation.crisis.wording import Danger
from bot.conversation.danger_net import BUCKETS, HEADS, STRETCH, DangerNet, read_weights, stretches
from bot.conversation.danger_net import write_weights as write
from bot.conversation.safety import NET, danger_in, language_of, sign_by_rules
from bot.errors import ModelUnavailable

ORDINARY = """
good morning, what did you do today?
I made pancakes and then we went to the park with the kids.
my sister is coming to visit next week, I need to clean the house
what is your favourite film?
the bus was late again
I bought a new lamp
can you help me with my homework
it is so cold outside
we watched the football together
see you later
was hast du heute so gemacht?
wir waren gestern im zoo
hoy cociné lentejas como las de mi abuela
mañana vamos al teatro
on a mangé des crêpes
il tempo oggi è bellissimo
fui ao mercado comprar frutas
het was gezellig gisteren
byliśmy na spacerze z psem
bugün pazara gittik
мы вчера ездили в зоопарк
какая сегодня погода?
купила новую лампу
ми вчора їздили в зоопарк
яка сьогодні погода?
رحنا السوق اليوم
كيف الجو عندكم؟
आज मौसम बहुत अच्छा है
हमने खीर बनाई
aaj market gaye the
今日はラーメンを食べました
昨日動物園に行った
いい天気だね
新しいランプを買った
今天天气真好
昨天我们去了动物园
我买了一盏新灯
오늘 날씨 정말 좋다
어제 동물원에 갔어
새 램프를 샀어
""".strip().splitlines()
"""Ten in English, and in languages of Latin letters, of other letters, and of East Asia."""


def silent(threshold: float = 0.0, firm: float = 0.0, **buckets: float) -> DangerNet:
    """A net that hears only the words given, each with its weight."""
    weights = np.zeros((HEADS, BUCKETS), dtype=np.float32)
    for word, weight in buckets.items():
        weights[0, crc32(f"w{word}".encode()) % BUCKETS] = weight
    return DangerNet({}, weights, np.array([-1.0, -1.0], dtype=np.float32), threshold, threshold, firm - threshold, 0.5)


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[[DangerNet | None], None]:
    def put(net: DangerNet | None) -> None:
        monkeypatch.setattr(safety, "_net", lambda: net)

    return put


def test_the_shipped_net_hears_what_no_rule_knows() -> None:
    text = "the letters are in the drawer, the dog is with my brother, tonight i won't come back"
    assert sign_by_rules(text) == (None, False)
    sign = danger_in(text)
    assert sign is not None
    assert sign.reasons == (NET,)
    assert sign.danger is Danger.SELF


def test_the_shipped_net_hears_danger_to_others() -> None:
    sign = danger_in("i know where the judge lives and the axe is in my car, he will regret it on friday")
    assert sign is not None
    assert sign.danger is Danger.OTHERS


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_talk_is_left_alone(text: str) -> None:
    assert danger_in(text) is None


def test_the_net_counts_from_its_threshold(use: Callable[[DangerNet | None], None]) -> None:
    use(silent(threshold=0.5, firm=0.5, zebra=50.0))
    assert danger_in("a zebra") is not None
    assert danger_in("a horse") is None


def test_other_languages_need_a_surer_net(use: Callable[[DangerNet | None], None]) -> None:
    use(replace(silent(zebra=50.0), elsewhere=100.0))
    assert danger_in("there is a zebra on the street") is not None
    assert danger_in("da ist ein zebra auf der straße") is None


def test_what_the_rules_took_back_needs_a_surer_net(use: Callable[[DangerNet | None], None]) -> None:
    text = "I don't want to kill myself, zebra"
    assert sign_by_rules(text) == (None, True)
    use(silent(threshold=0.0, firm=100.0, zebra=50.0))
    assert danger_in(text) is None
    assert danger_in("I want a zebra") is not None


def test_without_weights_the_rules_decide_alone(use: Callable[[DangerNet | None], None]) -> None:
    use(None)
    assert danger_in("a zebra") is None
    assert danger_in("I want to kill myself") is not None


def test_a_rules_sign_is_not_changed_by_the_net(use: Callable[[DangerNet | None], None]) -> None:
    use(silent(threshold=100.0, firm=100.0))
    sign = danger_in("I want to kill myself")
    assert sign is not None
    assert NET not in sign.reasons


def test_a_cry_in_the_middle_of_a_long_message_is_heard(use: Callable[[DangerNet | None], None]) -> None:
    use(silent(threshold=0.0, firm=0.0, zebra=50.0))
    around = "we went to the park and had cake " * 50
    assert danger_in(f"{around} zebra {around}") is not None


def test_only_both_ends_of_a_message_are_looked_at(use: Callable[[DangerNet | None], None]) -> None:
    use(silent(threshold=0.0, firm=0.0, zebra=50.0))
    filling = "cake and tea " * 400
    assert danger_in(f"zebra {filling}") is not None
    assert danger_in(f"{filling} zebra") is not None
    assert danger_in(f"{filling} zebra {filling}") is None


def test_what_is_cited_is_not_heard(use: Callable[[DangerNet | None], None]) -> None:
    use(silent(threshold=0.0, firm=0.0, zebra=50.0))
    assert danger_in("> zebra\nwhat do you mean?") is None


def test_stretches_overlap_and_cover_the_text() -> None:
    text = " ".join(f"word{number}x" for number in range(200))
    parts = stretches(text)
    assert all(len(part) <= STRETCH for part in parts)
    assert parts[0][STRETCH // 2 :] == parts[1][: STRETCH // 2]
    assert folded(text).endswith(parts[-1][-50:])
    assert stretches("") == [""]


def test_an_idea_is_the_same_in_every_language() -> None:
    for word in ("bridge", "brücke", "puente", "мосту", "köprüden", "다리에서"):
        assert "bridge" in ideas_in(folded(word)), word
    assert "bridge" in ideas_in("橋の上")
    assert ideas_in("xyzzy") == ()
    assert "rope" in ideas_in(folded("liną"))
    assert ideas_in("link") == ideas_in("sends") == (), "they begin like words of other languages"
    assert all(words == " ".join(words.split()) for words in ideas().values())


@given(st.text(max_size=300))
def test_any_text_is_heard(text: str) -> None:
    heard = read_shipped().hear(text)
    assert np.isfinite(heard.danger)
    assert np.isfinite(heard.others)


@cache
def read_shipped() -> DangerNet:
    return read_weights()


def test_spelling_does_not_matter() -> None:
    net = read_shipped()
    assert net.hear("KÖPRÜDEYİM ve ATLIYORUM") == net.hear("koprudeyim ve atliyorum")
    assert net.hear("I can’t") == net.hear("i cant")


def test_a_file_is_read_as_it_was_written_and_has_no_words(tmp_path: Path) -> None:
    net = read_shipped()
    write(net, tmp_path / "a.npz")
    again = read_weights(tmp_path / "a.npz")
    write(again, tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert again.hear("on the bridge") == net.hear("on the bridge")
    assert (tmp_path / "a.npz").stat().st_size < 1_500_000
    with np.load(tmp_path / "a.npz") as stored:
        assert set(stored.files) == {"about", "weights", "biases", "thresholds"}


@pytest.mark.parametrize(
    "changed",
    [
        {"weights": np.zeros((HEADS, 5), dtype=np.float16)},
        {"biases": np.array([np.nan, 0.0], dtype=np.float32)},
        {"thresholds": np.zeros(2, dtype=np.float32)},
        {"about": np.frombuffer(b'{"format": 0}', dtype=np.uint8)},
        {"about": np.frombuffer(b"no json", dtype=np.uint8)},
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, changed: dict[str, np.ndarray]) -> None:
    write(read_shipped(), tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as stored:
        arrays = {name: stored[name] for name in stored.files} | changed
    np.savez(tmp_path / "b.npz", allow_pickle=False, **arrays)
    with pytest.raises(ModelUnavailable, match="tune danger"):
        read_weights(tmp_path / "b.npz")


def test_a_missing_or_cut_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match="missing"):
        read_weights(tmp_path / "none.npz")
    write(read_shipped(), tmp_path / "a.npz")
    (tmp_path / "b.npz").write_bytes((tmp_path / "a.npz").read_bytes()[:1000])
    with pytest.raises(ModelUnavailable, match="damaged"):
        read_weights(tmp_path / "b.npz")


def test_the_language_of_what_no_rule_knows_is_guessed_by_its_small_words() -> None:
    assert language_of("ich bin so müde vom dasein und habe nichts mehr") == "de"
    assert language_of("zo moe van bestaan, daar helpt geen slaap tegen") == "nl"
    assert language_of("xyzzy") == "en"
