from bot.language.lexicon import question_stems, stems, words


def test_words_are_lower_case_without_what_follows_an_apostrophe() -> None:
    assert words("Ann's dog didn’t bark: I've 2 cats, café_au_lait!") == [
        *("ann", "dog", "did", "bark", "i", "2", "cats", "café", "au", "lait"),
    ]


def test_what_says_nothing_is_left_out_and_forms_of_a_word_come_together() -> None:
    assert stems("When did you go hiking with your mom?") == ["go", "hike", "mother"]
    assert stems("I went on a hike with the mothers") == ["go", "hike", "mother"]


def test_words_can_be_left_out() -> None:
    assert stems("Melanie ran a race", ["melanie"]) == ["run", "race"]


def test_another_language_has_its_own_stems_and_a_question_is_looked_up_by_both() -> None:
    said = stems("Ich habe gestern mit meinen Freunden die alten Häuser in der Stadt besucht")
    assert "haus" in said
    asked = question_stems("Welche Häuser habe ich mit den Freunden in der Stadt besucht?")
    assert {"haus", "freund", "stadt"} <= asked
    assert "häuser" in asked  # as a short text, which counts as English, would have it


def test_scripts_without_spaces_are_cut_into_pairs() -> None:
    assert words("昨日犬と散歩") == ["昨日", "日犬", "犬と", "と散", "散歩"]
    assert words("猫") == ["猫"]


def test_nothing_is_no_words() -> None:
    assert words("") == []
    assert stems("the of and") == []
    assert question_stems("?!") == frozenset()
