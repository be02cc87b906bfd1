"""The countries that there are: ISO 3166-1, two letters."""

from bot.care.gazetteer import country_codes, folded

COUNTRIES = frozenset(country_codes().values()) - {"AN", "CS", "XK"}
"""249 of them: GeoNames also has two that are no more, and one that has no code there."""

OTHER_NAMES = {"UK": "GB"}
"""What people type for a country, and is another's name for it."""


def country_named(typed: str) -> str | None:
    """The two letters of the country that is meant, by them or by its name; None when there is no such country."""
    wanted = typed.strip().upper()
    wanted = OTHER_NAMES.get(wanted, wanted)
    if wanted not in COUNTRIES:
        wanted = country_codes().get(folded(typed).removeprefix("the "), "")
    return wanted if wanted in COUNTRIES else None
