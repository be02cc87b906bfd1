"""Cases of corrections are found as the program takes them."""

from __future__ import annotations

from lab.evaluation.putting_right import Case, cases_in


def test_a_line_that_puts_right_one_of_the_last_three_is_a_case() -> None:
    lines = ["we bought a Fiat", "it is blue", "*Ford", "what else?", "hm", "so", "*Opel"]
    assert [*cases_in(lines)] == [Case("we bought a Fiat", "*Ford", "we bought a Ford")]
