"""What is said of language models: by `hello-again model` in the terminal, and by the owner's page."""

from bot.texts.translating import speaks

speaks(__name__)

NO_GPU = "no GPU that is used"
GPU = "{name} with {free:.1f} GB free"
MACHINE = "This machine: {gpu}, {memory:.1f} GB of memory free, {cores} processors, {disk:.0f} GB of disk free."
NOTHING_BETTER = (
    "Nothing better than the bundled model fits: it wants 4 GB of free memory and 3 GB of disk. It is used."
)
SUITS = "{name} suits it best ({why})."
SUITS_AND_IS_HERE = "{name} suits it best ({why}), and is here; model.id: auto takes it."
GET_IT = "`hello-again model get {name}` fetches it; model.id: auto then takes it."
FITS_MEMORY = "{licence}, {size:.1f} GB: the best of the catalogue that fits its memory"
FITS_PROCESSORS = (
    "{licence}, {size:.1f} GB: the best of the catalogue that fits memory, and {cores} processors read prompts quickly"
    " enough"
)
FITS_GPU = "Apache-2.0: the largest that fits the GPU in four bits, {need:.1f} GB"
SERVER = "{program} runs at {url} and offers: {models}."
NO_MODEL = "no model loaded"
AT_SERVER = "To have it answer, write into config.yaml:"

GROUP_HERE = "Here:"
GROUP_TO_FETCH = "To fetch, with `hello-again model get NAME`:"
GROUP_SLOW = "Slow on this machine:"
GROUP_LARGE = "Too large for this machine:"
NOT_VERIFIED = "* Not verified: its size and file were found in one place only."
SIZES = "In GB: the size of the file, and the memory that the model takes."
MORE_IDS = "model.id also takes a GGUF file, a folder, and a model on the hub (owner/name, owner/name:Q4_K_M)."

COMES_ALONG = "{name} comes with the program: there is nothing to fetch."
IS_HERE = "{name} is here: {place}"
USE_IT = "`hello-again model use {name}` makes it answer."
NOT_HERE = "{name} is not here yet: `hello-again model get {name}` fetches it. Nothing was changed."
USED = "{file} says model.id: {name} now. It answers from the next start on."
ENGINE_CHANGED = "model.engine was remote and is auto now."
OVERRIDDEN = "But {variable} is set in the environment, and overrides it."

READS_BEGINNINGS = "It reads what every conversation begins with, once …"

QUESTION = "Say hello, and ask me one thing about my day."
LOADING = "Loading {name} …"
ANSWERING = "It answers …"
LOADED = "{name}, {detail}; loaded in {seconds:.1f} s."
ASKED = "You: {words}"
SAID = "It:  {words}"
FIRST_WORD = "First word after {seconds:.2f} s, then {rate}."
RATE = "{number:.0f} tokens a second"
TOO_SHORT = "too short to time"
