"""The words by which open threads are known, in English: what is ahead, under way, planned or wished for.

What is grave is known by `grave.py`, in seven languages.
"""

from __future__ import annotations

import re
from enum import StrEnum


class Kind(StrEnum):
    """What keeps a thread open."""

    AHEAD = "ahead"
    """Something with a time of its own."""
    WORRY = "worry"
    """Lighter than what is grave: stress, trouble, loneliness."""
    DEATH = "death"
    """Of somebody dear, or of an animal."""
    ILLNESS = "illness"
    """Their own, or an injury."""
    ILLNESS_OF = "illness of others"
    SEPARATION = "separation"
    JOB_LOSS = "job loss"
    FEAR = "fear"
    SLEEP = "sleep"
    """That there is none."""
    UNDER_WAY = "under way"
    PLAN = "plan"
    WISH = "wish"
    TOLD = "told"
    """Nothing of these: it only was said, and a model is to judge whether it matters."""


ME = r"(?:i|we)"
AM = r"(?:i'm|i am|im|we're|we are)"
HAVE = r"(?:i've|i have|we've|we have)"
VERY = (
    r"(?:(?:just|also|actually|really|so|still|currently|finally|recently|now|definitely|super|very|feeling|been"
    r"|a bit|a little"
    r"|pretty|kinda|kind of|quite|getting|totally|thrilled|excited|all) )*"
)
OCCASION = re.compile(
    r"\b(?:exams?|tests?|finals|interview|appointment|surgery|operation|audition|competition|tournament|race"
    r"|marathon|match"
    r"|presentation|recital|performance|hearing|scan|check-?up|deadline|speech|first day|defen[cs]e|driving test"
    r"|game|gig)\b",
    re.IGNORECASE,
)
EVENT = re.compile(
    r"\b(?:trip|vacation|holiday|flight|wedding|concert|show|conference|meeting|date|party|birthday|graduation"
    r"|ceremony|move"
    r"|moving|festival|class|course|workshop|retreat|camping|visit|reunion|opening|event|fundraiser|parade|fair"
    r"|exhibit\w*"
    r"|release|launch|start|due|therapy|session|results?)\b",
    re.IGNORECASE,
)
BARE = re.compile(rf"^(?:(?:an?|the|big|final|first|job|driving|dentist|doctor'?s) )*{OCCASION.pattern}", re.IGNORECASE)
"""An occasion without a word of whose it is: "exam on Friday"."""
FUTURE = re.compile(
    rf"{BARE.pattern}"
    rf"|\b(?:{AM} {VERY}(?:going|gonna|planning|about to|off to|heading|supposed to|due to|scheduled|taking"
    r"|having|starting"
    r"|moving|flying|leaving|meeting|visiting|hosting|running|performing|attending|travell?ing|doing|getting"
    r"|seeing|giving"
    r"|joining|throwing|organi[sz]ing|competing|playing|presenting|driving|hiking|camping|picking|speaking"
    r"|launching|opening"
    r"|excited (?:for|about)|nervous (?:for|about)|looking forward)"
    rf"|(?:i'll|i will|we'll|we will) (?:be )?(?!try|see|let|keep|make sure|check|tell|send|show|know|never"
    rf"|always)\w+"
    rf"|{ME} {VERY}(?:have|'ve got|got) (?:an?|my|our|to|some|two|three|another|the) \w+|{HAVE} (?:got|an?)\b"
    rf"|{ME} (?:can't|cannot) wait (?:for|to)|{ME} (?:leave|fly|start|begin|move)\b"
    r"|my (?:[\w'-]+ ){1,4}(?:is|are|has|have|starts?|begins|will)\b|(?:there's|there is|here comes) (?:an?|my|our)\b"
    r"|(?:i|we) (?:signed up|registered|entered|booked|got tickets|bought tickets)\b)",
    re.IGNORECASE,
)
CUES: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (Kind.WORRY,
         rf"\b{AM} {VERY}(?:nervous|stressed(?: out)?|overwhelmed|struggling|upset|heartbroken"
         rf"|lonely|exhausted|burned out|stuck|torn|homesick)\b|\b{HAVE} {VERY}(?:struggling|having (?:a )?"
         rf"(?:trouble|hard time|tough time|rough time|problems)|feeling {VERY}(?:down|low|stuck|lost|lonely|stressed"
         rf"|anxious))\b"
         rf"|\b{AM} {VERY}having (?:a )?(?:hard|tough|rough) time\b|\b{HAVE} hit a (?:setback|snag)\b"),
        (Kind.UNDER_WAY,
         rf"\b(?:{AM}|{HAVE} {VERY}been) {VERY}(?:working (?:on|hard on|towards?)|learning|training|preparing"
         rf"|prepping"
         rf"|looking (?:for|into)|trying (?:to (?!stay|be|keep|remember|think|figure out what)|out)|studying"
         rf"|taking (?:an?|up|some)|writing|building"
         rf"|in the (?:middle|process) of|applying|renovating|redecorating|saving|practi[cs]ing|searching"
         rf"|house.?hunting|recovering"
         rf"|reading|developing|creating|setting up|organi[sz]ing|putting together|making (?:an?|some|my)"
         rf"|editing|filming|recording)\b"
         rf"|\b(?:{ME}|{HAVE}) {VERY}(?:started|joined|enrolled|signed up|began|begun|applied|adopted|took up"
         rf"|opened)\b"
         rf"|\b{ME} {VERY}(?:got|landed) (?:the|an?|this|my) (?:\w+ ){{0,2}}job\b"),
        (Kind.PLAN,
         rf"\b{AM} {VERY}(?:planning|hoping|thinking (?:of|about)|considering|looking to|getting ready"
         rf"|gearing up|about to"
         rf"|going to|gonna|aiming)\b|\b{ME} {VERY}plan (?:to|on)\b|\b(?:{ME}|{HAVE}) {VERY}decided to\b"
         rf"|\b(?:i|we) (?:can't|cannot) wait (?:to|for)\b|\b{ME} {VERY}need to (?:find|get|decide|start|talk"
         rf"|see|fix|sell|buy)\b"),
        (Kind.WISH,
         rf"\b{ME} {VERY}(?:want|hope|wish i could)\b (?:to|i can)?|\b(?:i'd|i would|we'd) {VERY}(?:love|like) to\b"
         rf"|\bmy (?:\w+ )?(?:dream|plan) (?:is|for)\b|\bone day (?:i|we)\b"),
    )
)  # fmt: skip
NOT_ONE = re.compile(
    r"\bkeep \w+ing\b|\b(?:mak(?:e|ing)|do|doing|try|get|finish) (?:it|that|this|them)\b"
    r"|\b(?:you|ya|your|yours|you're|you'll|you've|u|ur|yourself)\b|\?|\blet's\b|\bif\b|\b(?:would|could"
    r"|should) have\b|\bused to\b"
    r"|\bwon't\b|\bnever\b|\bnot (?:going|planning|gonna|sure)\b|\bno longer\b|\b(?:don't|doesn't|didn't"
    r"|not) (?:want|plan|worried)\b"
    r"|\bi'll (?:definitely|try|do|be sure|make sure|keep)\b(?! \w+ing)|\bkeep (?:you )?(?:posted|updated)\b"
    r"|\bwhen i was\b"
    r"|\b(?:i|we) (?:hope|wish) (?:so|it|that|to see|to hear|this)\b|\b(?:talk|see|catch|chat"
    r"|speak) (?:to you )?(?:soon|later)\b"
    r"|\bwant to (?:say|thank|make sure|let|help|know|hear|see|be|make a|share|keep|stay|show|learn more)\b"
    r"|\bable to\b|\bat (?:first|the time)\b|\bwanna know\b|\bas a kid\b|\bgrowing up\b|\byears ago\b|\bback then\b"
    r"|\b(?:can't|cannot) wait to (?:see|hear|share|show|tell|find out|get started)\b|\blooking forward to (?:it"
    r"|that|this|hearing|seeing)\b"
    r"|\btake (?:your|the|that) advice\b|\bcheck (?:it|that|them|those) out\b|\bsupport(?:ing|ive)?\b"
    r"|\bexcited to (?:see|hear|share|tell|be)\b"
    r"|\bas soon as\b|\b(?:years?|months) ago\b|\bgive (?:it|this|that|them) a\b|\bgive (?:back"
    r"|something back)\b|\bgoing to need\b"
    r"|\bmake (?:it|this|that|them) (?:work|happen|count|through)\b|\bpositive(?:ly)? (?:impact|affect)\b"
    r"|\b(?:savou?r|enjoy) (?:all|every)\b"
    r"|\b(?:find|figure out) (?:a|the|some|better)? ?(?:\w+ )?ways? to\b|\bfocus on\b|\bbring(?:ing)? people\b"
    r"|\bas usual\b"
    r"|\bbeliev(?:e|ing) in\b|\bdreams? come true\b|\b(?:learning|learned) (?:a (?:ton|lot)|so much)\b"
    r"|\blike (?:this|that|these|those)\b"
    r"|\bkeep on\b|\bbeen one\b|\bstay (?:determined|positive|strong|motivated)\b|\bthe state of\b"
    r"|\btry (?:making|doing) (?:it|that|this)\b"
    r"|\bmake (?:a|the) (?:\w+ )?(?:difference|change|impact)\b|\bdifference\b|\bkeep (?:going|pushing|up"
    r"|working|at)\b|\bbest of luck\b",
    re.IGNORECASE,
)
"""Said to somebody, of what may be or has been, or a mere manner of speaking."""
REGULAR = re.compile(r"\b(?:every|usually|always|often|whenever|sometimes|each|normally|weekly|daily)\b", re.IGNORECASE)
OVER = re.compile(
    r"\b(?:last (?:week|weekend|month|year|night|\w+day)|yesterday|ago|was|were|went|had|got back|came back)\b",
    re.IGNORECASE,
)
POINTING = re.compile(
    r"\b(?:it|it's|that|that's|this(?! (?:week|month|year|morning|afternoon|evening|spring|summer|fall|autumn|winter"
    r"|\w+day|weekend)\b)|them|there|those|these|they|he|she|one|stuff|something|things?)\b",
    re.IGNORECASE,
)
DEAR = re.compile(
    r"\b(?:my (?:mom|mum|mother|dad|father|wife|husband|son|daughter|kids?|sister|brother|partner|girlfriend"
    r"|boyfriend|dog|cat"
    r"|grand\w+|family|friend|job|health|boss|career)|job|school|degree|baby|adopt\w*|doctor|hospital|surgery"
    r"|anniversary|moving)\b",
    re.IGNORECASE,
)
OUTCOME = re.compile(
    r"\b(?:went|was|were|had|got|did|passed|failed|finished|ended|won|lost|made it|came|happened|turned out|over"
    r"|done|cancell?ed"
    r"|called off|postponed|no longer|any ?more|gave up|changed my mind|decided|quit|stopped|completed|submitted"
    r"|finally"
    r"|already|better|fine now|got through|worked out)\b",
    re.IGNORECASE,
)
CALLED_OFF = re.compile(
    r"\b(?:cancell?ed|called off|no longer|not going (?:after all|any ?more)|changed my mind|decided (?:not"
    r"|against)|postponed"
    r"|fell through|never ?mind)\b",
    re.IGNORECASE,
)
LEAD = re.compile(
    r"^\W*(?:(?:hey|hi|hello|yo|yeah|yep|yes|wow|oh|well|thanks?(?: so much| a lot)?|thank you|sure|ok(?:ay)?"
    r"|haha|cool|great"
    r"|awesome|so|and|but|also|plus|btw|by the way|anyway|no|right|totally|absolutely|definitely|exactly|lol|actually"
    r"|not much|as for me|on another note|guess what|long time no (?:see"
    r"|talk))\b(?: there)?(?:[ ,]+[A-Z][a-z]+(?=[,!.]))?[\s,.!;:–-]*)+"
    r"|^[A-Z][a-z]+[,!] (?=(?:I|We|My|You)\b)",
    re.IGNORECASE,
)
CLAUSES = re.compile(
    r"(?<!\s)\s*[,;:]\s*(?:(?:and|but|so|because|plus)\s+)?(?=(?:i|i'\w+|my|we|we'\w+)\b)|\s[-–—]+\s|(?<!\s)\s+(?:and|but"
    r"|so)\s+(?=(?:i|i'\w+|my|we|we'\w+)\b)",
    re.IGNORECASE,
)
