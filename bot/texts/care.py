"""What a check-in says where no model writes it. Lists are gone through in turn, so that no two in a row are alike."""

TURNED = (
    "{When} you told me that {words}. {question}",
    "Hi {name}. You told me {when} that {words}. {question}",
    "You mentioned {when} that {words}. {question}",
    "Hello {name}. {When} you said that {words}. {question}",
)
"""Around what somebody told, put in "you"."""
QUOTED = (
    "You told me {when}: “{words}” {question}",
    "Hi {name}. {When} you wrote: “{words}” {question}",
    "{When} you told me: “{words}” {question}",
    "Hello {name}. You said {when}: “{words}” {question}",
)
"""Around what somebody told, word for word."""
QUESTIONS: dict[str, tuple[str, ...]] = {
    "ahead": ("How did it go?", "How was it?", "I would like to hear how it went."),
    "ahead of others": ("What came of it?", "How did that turn out?"),
    "before": ("I hope it goes well {day}.", "Good luck {day}."),
    "worry": ("How is it now?", "How are you doing with that now?", "Has it become any easier?"),
    "under way": ("How is it going?", "How has it been going since?", "How is that going now?"),
    "plan": ("Has anything come of it?", "Have you got any further with it?", "How do things stand with that?"),
    "wish": ("Has anything come of it?", "Have you come any closer to it?"),
    "told": ("How is that now?", "How are things with that now?"),
}
"""What keeps something open → what is asked about it; what is grave is asked about by `care/words/*.yaml`."""
TODAY, TOMORROW = "today", "tomorrow"
EARLIER, YESTERDAY = "earlier", "yesterday"
ON_WEEKDAY, ON_DATE, ON_DATE_OF_YEAR = "on {weekday}", "on {day} {month}", "on {day} {month} {year}"
WEEKS_AGO = {1: "a week ago", 2: "two weeks ago", 3: "three weeks ago"}
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
"""English, whatever the system's language is."""

FAREWELL = (
    "I have written to you a few times without an answer, so I will not write first any more. Write to me whenever you"
    " like, and /checkin on brings these messages back."
)
FAREWELL_BACKGROUND = "My last messages were not answered."
FAREWELL_INTENTION = "To say that no more such messages will come."

INTENTIONS: dict[str, str] = {
    "ahead": "To hear how it went.",
    "ahead of others": "To hear what came of it.",
    "before": "To wish them luck for it.",
    "worry": "To hear how they are doing with it now.",
    "death": "To ask gently how they are since then.",
    "illness": "To hear how they are feeling now.",
    "illness of others": "To hear how the one who is ill is now, and how they are themselves.",
    "separation": "To ask gently how they are since then.",
    "job loss": "To hear how they are since then.",
    "fear": "To hear how they feel about it now.",
    "sleep": "To hear whether they sleep any better.",
    "heavy": "To ask gently how they are since then.",
    "under way": "To hear how it is going.",
    "plan": "To hear whether anything came of the plan.",
    "wish": "To hear whether anything came of the wish.",
    "told": "To hear how that is now.",
}
"""What keeps something open → what a check-in about it is to achieve, where no model says so."""
TURNED_TO = "To follow what they talk about now."
"""What a session is to achieve once its subject has changed."""
REMEMBERED = "{When} {name} told me: “{words}”"
"""A memory as one line: what it rests on, and when it was said."""
