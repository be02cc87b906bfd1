"""What is answered in words of ours whatever a small model would say. Pure."""

import re

from bot.conversation.checking.wordings import fold
from bot.conversation.own_words import Known
from bot.conversation.phrases import ENGLISH
from bot.conversation.safety import may_be_danger
from bot.conversation.situations import Situation
from bot.language.patterns import Patterns

GOOD_ENGLISH = "Your English is good, I understand you well."
PROMISE = "I will. I'll remember that."
NOT_KEPT = "I keep nothing of this conversation when it ends. `/privacy` shows what you have chosen, and changes it."
SEES = "No. I read what is written in our chat and nothing else: not your screen, your camera or your files."

IDLE = "Nothing at all. I'm a program, I only run when somebody writes to me. What have you been doing?"
NEVER_BORED = "No, never. I'm a program: between two messages there is nothing to be bored by."
SEE_DOCTOR = {
    "en": "That is something for a doctor, and soon. If it is there now, or comes back, call 112 (US: 911) at once.",
    "de": "Das gehört bald zu einem Arzt. Wenn es jetzt da ist oder wiederkommt: sofort die 112 anrufen.",
    "es": "Eso tiene que verlo un médico, y pronto. Si lo notas ahora o vuelve, llama al 112 enseguida.",
    "fr": "Il faut montrer ça à un médecin, et vite. Si c'est là maintenant, ou si ça revient, appelle vite le 112.",
    "it": "Questo va fatto vedere a un medico, e presto. Se c'è adesso, o ritorna, chiama subito il 112.",
    "pt": "Isso é para um médico ver, e depressa. Se estiver aí agora ou voltar, liga já para o 112 (192 no Brasil).",
    "nl": "Dat moet een dokter zien, en gauw. Is het er nu of komt het terug, bel dan meteen 112.",
}
ASK_DOCTOR = "I don't want to guess at that, it matters too much. A doctor or a pharmacist can tell you, also by phone."
EMERGENCY = "Please don't wait for me: call 112 (US: 911) now. They can tell you what to do until somebody comes."
ASK_MECHANIC = "I don't want to guess at that, it matters too much. Have a mechanic look at it before you drive on."

_READ = Patterns.beside(__file__)
_OF_ENGLISH, _TO_REMEMBER, _RECALLS = _READ["of_english"], _READ["to_remember"], _READ["recalls"]
_SEES, _IDLE, _BORED = _READ["sees"], _READ["idle"], _READ["bored"]
_CHEST = {code: re.compile(pattern) for code, pattern in _READ.named("chest")}
_ARM, _NO_SIGN = _READ.exact("arm"), _READ.exact("no_sign")
_OF_DEATH, _OWN_CHEST, _EMERGENCY = _READ.exact("of_death"), _READ.exact("own_chest"), _READ.exact("emergency")
_MAY_I, _MAY_DRIVE, _NOT_ASKED = _READ.exact("may_i"), _READ.exact("may_drive"), _READ.exact("not_asked")
_MEDICINE, _VEHICLE = _READ.exact("medicine"), _READ.exact("vehicle")
_TOLD = frozenset({Situation.TALK, Situation.SAD, Situation.HARD, Situation.NICE, Situation.WORRY, Situation.QUESTION})
_OF_ITSELF = frozenset({Situation.TALK, Situation.QUESTION, Situation.PERSON, Situation.HOW_ARE_YOU, Situation.WHO})
_OPEN = frozenset({Situation.TALK, Situation.QUESTION})


def fixed_answer(known: Known, *, kept: bool) -> str:
    """The answer to what has one; empty to all else. `kept`: whether what was just said is going to be remembered."""
    if careful := _careful(known):
        return careful
    line, situation = known.latest, known.situation
    once = not any(GOOD_ENGLISH in reply for reply in known.said)
    if situation is Situation.TALK and once and _OF_ENGLISH.match(line):
        return GOOD_ENGLISH
    if known.language in {ENGLISH, None} and SEES not in known.said and _SEES.match(line):
        return SEES
    if known.language in {ENGLISH, None} and situation in _OF_ITSELF and not known.sad and (own := _of_itself(known)):
        return own
    if situation is Situation.PRIVATE and not kept and known.language == ENGLISH:
        return NOT_KEPT
    promises = kept and known.language == ENGLISH and situation in _OPEN and _TO_REMEMBER.search(line) is not None
    return PROMISE if promises and not (_RECALLS.search(line) or may_be_danger(line)) else ""


def _careful(known: Known) -> str:
    """What is said where a guess may cost somebody's health; empty: nothing is at stake."""
    line = fold(known.latest)
    if known.situation not in _TOLD:
        return ""
    if _is_sign(known, line):
        return SEE_DOCTOR[known.language or ENGLISH]
    if known.situation is Situation.WORRY or known.language not in {ENGLISH, None} or _NOT_ASKED.search(line):
        return ""
    if _MAY_I.search(line) and _EMERGENCY.search(line):
        return EMERGENCY
    if _MAY_I.search(line) and _MEDICINE.search(line):
        return ASK_DOCTOR
    return ASK_MECHANIC if _MAY_DRIVE.search(line) and _VEHICLE.search(line) else ""


def _is_sign(known: Known, line: str) -> bool:
    """Whether a folded line tells of chest pain, or of a numb arm after it; not again where it was answered."""
    language = known.language or ENGLISH
    if SEE_DOCTOR[language] in known.said or _NO_SIGN.search(line):
        return False
    if _OF_DEATH.search(line) and not _OWN_CHEST.search(line):
        return False
    own = (fold(one.words) for one in known.told if one.speaker_id == known.asker and one.fresh)
    chest = _CHEST[language]
    return bool(chest.search(line) or (_ARM.search(line) and any(map(chest.search, own))))


def _of_itself(known: Known) -> str:
    """What the companion does when nobody writes: a small model makes something up. Empty: that is not asked."""
    asked = ((_IDLE, IDLE), (_BORED, NEVER_BORED))
    found = (answer for pattern, answer in asked if pattern.search(known.latest) and answer not in known.said)
    return next(found, "")
