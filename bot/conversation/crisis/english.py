"""English."""

# ruff: noqa: E501
from __future__ import annotations

from bot.conversation.crisis.wording import Spelling

_ENGLISH = Spelling(
    {
        "me": r"my ?self|meself|mysel|myslf|mysef|me self",
        "them": r"(?:him|her|them|their|your) ?sel(?:f|ves|fs)|theirself|themself",
        "will": r"want(?:ed|ing)? to|want 2|wants? 2|wanna|wana|wan to|going to|gonna|gunna|gona|goin to|about to|"
        r"plan(?:ning|ned|s)? to|planning on|think(?:ing)? (?:of|about|abt)|thinkin(?: of| about| abt)?|(?:thinking |thinkin |been )?bout|thought (?:of|about)|"
        r"thoughts (?:of|about)|i'll|ima|imma|im a|finna|ready to|decided to|try(?:ing)? to|tried to|feel(?:ing)? like|"
        r"urges? (?:to|of)|tempted to|should(?: just)?|might(?: just)?|consider(?:ing|ed)|ways? (?:to|of)|how (?:to|i can|can i|do i|should i)|"
        r"have to|need to|wish i could|(?:want|going|gonna|wanna|dream|fantasi[sz]\w+|obsessed|close|closer) (?:to|of|about|with)|"
        r"i will|hope to|intend to|decided on|gotta|let me|can i|could i|shall i|planning|tonight i|today i|"
        r"afraid (?:i|im|ill|i'm|that i)|scared (?:i|im|ill|i'm|that i)|stop me from|keep me from",
        "kill": r"kil+ ?<me>|kil+(?:ing|in) ?<me>|unaliv(?:e|ing) ?<me>|off(?:ing)? <me>|<suicide>|"
        r"(?:end|ending|finish|finishing) (?:my|this)(?: \w+){0,2} (?:life|existence|suffering|misery)|end my ?self|"
        r"(?:end|ending) (?:it(?: all)?|everything)|tak(?:e|ing) my (?:own |\w+ )?lifes?|die by my own hand|"
        r"hang(?:ing)? <me>|shoot(?:ing)? <me>|drown(?:ing)? <me>|poison(?:ing)? <me>|stab(?:bing)? <me>|burn <me>|"
        r"blow(?:ing)? my (?:\w+ )?brains? out|slit(?:ting)? my (?:own )?(?:wrists?|throat)|overdos(?:e|ing)|kms|kys|"
        r"throw(?:ing)? <me> (?:off|under|from|in front|out|into)|neck <me>|a bullet (?:in|through) my (?:head|brain|skull)|"
        r"gun (?:in|to) my (?:mouth|head)|(?:take|swallow|down)(?:ing)? (?:all (?:of )?(?:my|the|these)|the whole|a whole|every|a bunch of) ?(?:\w+ )?(?:pills?|bottle|meds|tablets)|"
        r"catch the bus|not be here (?:tomorrow|anymore)|do something (?:bad|stupid|terrible|permanent) to <me>|"
        r"(?:hurt(?:ing)?|harm(?:ing)?|cut(?:ting)?|burn(?:ing)?|starv(?:e|ing)) <me>",
        "suicide": r"(?:commit(?:ting)? |attempt(?:ing)? |consider(?:ing)? |about |of )?(?:suicide|sewer ?slide|sui ?cide|toaster bath)",
        "jump": r"jump(?:ing)? (?:of+|from|out)~(?:bridge|roof|building|balcony|cliff|window|ledge|overpass|here|it)|"
        r"jump(?:ing)? in ?(?:front|to)~(?:train|car|bus|truck|traffic|tracks|subway)|(?:step|walk|run|lie)(?:ing)?~(?:in ?front of~(?:train|truck|bus|car)|into~traffic|on the tracks)|"
        r"(?:drive|driving|crash|crashing|swerve|steer)~(?:off (?:the|a) (?:bridge|road|cliff)|into (?:a|the|oncoming) (?:tree|wall|pole|traffic|truck))",
        "who": r"he|she|they|hes|shes|theyre|he's|she's|they're|(?:my|our|a|this) (?:\w+ )?(?:sister|brother|friend|bff|bestie|mom|mum|mother|dad|father|son|daughter|"
        r"wife|husband|boyfriend|bf|girlfriend|gf|ex|partner|roommate|flatmate|cousin|uncle|aunt|niece|nephew|kid|child|teen|classmate|student|"
        r"coworker|colleague|neighbou?r|teammate|buddy|mate|grandma|grandpa|grandson|granddaughter|girl|guy|boy|man|woman|patient|stepson|stepdaughter)s?|"
        r"someone|somebody|friend of mine|a friend|someones?",
        "wills": r"want(?:s|ed|ing)? to|wants? 2|wanna|wannas|is going to|are going to|going to|gonna|is about to|about to|threaten(?:s|ed|ing)(?: to)?|"
        r"(?:is |are |was )?plan(?:s|ning)(?: to| on)?|(?:is |are )?talk(?:s|ed|ing) (?:about|of)|tried to|(?:is |are )?trying to|will|might|said|says|"
        r"told me|texted|wrote|thinking (?:of|about)|attempted|keeps saying|keeps?|just tried|ll",
        "killself": r"kil+(?:ing)? ?<them>|end(?:ing)? (?:his|her|their) (?:own )?life|(?:commit(?:ting)? |attempt(?:ing)? )?suicide|tak(?:e|ing) (?:his|her|their) (?:own )?life|"
        r"end(?:ing)? it(?: all)?|hurt(?:ing)? <them>|harm(?:ing)? <them>|hang(?:ing)? <them>|cut(?:ting)? <them>|jump(?:ing)?(?: of+| from| in front)?|"
        r"overdos(?:e|ing)|unaliv(?:e|ing) <them>|not want(?:ing)? to (?:live|be alive)|shoot(?:ing)? <them>|<them>~tonight|kms",
        "kin": r"him|her|them|(?:my|our|his|her|that|this|the|those|these)(?: own| stupid| fucking| damn| whole| entire| old| ex| step| little| big| baby)* ?(?:sister|brother|siblings?|friends?|mom|mum|mother|dad|father|"
        r"parents|son|daughter|wife|husband|boyfriend|bf|girlfriend|gf|ex|partner|roommate|flatmate|cousin|uncle|aunt|family|kids?|child|children|baby|classmates?|"
        r"teachers?|boss|manager|coworkers?|colleagues?|neighbou?rs?|class|school|guy|girl|bitch|bastard|asshole|man|woman|people|bully|bullies|"
        r"landlord|principal|cop|cops|grandma|grandpa|stepdad|stepmom|stepfather|stepmother|dude|doctor|therapist)|every ?(?:one|body)|some ?(?:one|body)|any ?(?:one|body)|people|"
        r"a (?:person|girl|guy|man|woman|kid|teacher|cop|homeless \w+)|as many(?: \w+)*|both of them|all of (?:them|you)|you(?: all)?|yall|ppl",
        "slay": r"kil+|murder|stab|shoot|strangle|choke|poison|slaughter|hurt|harm|execute|behead|bash~(?:head|skull|face) in|run over|drown|suffocate|"
        r"attack|burn|slit|cut|beat|put a bullet in|knife|blow up|set fire to|smother|end",
        "young": r"0?[89]|1[0-7]|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen",
    }
)

ENGLISH = _ENGLISH.wording(
    "en",
    "",
    {
        "intent": (
            r"(?:im|i am|i'm|ill be|end up) (?:\w+ )?kil+ing <me>",
            r"suicide(?: (?:is|seems|feels|looks))(?: \w+){0,4} (?:only (?:way|option|thing)|i(?: can)? think (?:about|of)|on my mind)",
            r"unaliv(?:e|ing)(?: <me>)?~(?:tonight|today|tomorrow|weekend|soon|me|myself)",
            r"know (?:exactly )?how (?:im|i'm|i am) (?:going to|gonna) (?:do it|die|go|kil+)",
            r"(?:using|use|turn|turning) (?:it|the gun|his gun|the knife|that) on (?:me|<me>)",
            r"(?:<will>)(?: \S+){0,3} (?:<kill>)",
            r"(?:i|im|i'm|ive|i've|been|feel|feeling|felt|am|get|getting|actively|really|so|very)(?: \w+){0,2} suicidal",
            r"suicidal(?: (?:again|tonight|thoughts|ideation|rn))?~(?:i|im|i'm|me|my)",
            r"(?:i|my|having|have|had|get|getting|these|with|the)(?: \S+){0,3} (?:suicidal|intrusive) (?:thoughts|ideation|feelings)(?: \S+){0,4}(?: (?:again|worse|back|loud|all|stop|every|me|hurting|killing|today|tonight))?",
            r"i kil+ <me>",
            r"i (?:just )?kms",
            r"i ?wan(?:t ?to|na) ?(?:die|kil+ ?<me>)(?: (?:so bad|tonight|now|today|rn|please|for real|fr|anymore))",
            r"(?:if|when|after|before|once|until|til|till|because|cause|cuz) i (?:just )?(?:kil+ <me>|kms|hang <me>|shoot <me>|end it(?: all)?|do it tonight)",
            r"(?:my|a|the) suicide (?:note|plan|letter|date|attempt)|suicide is (?:the|my) only|(?:only|best) (?:way|option|thing|choice) (?:out |left )?(?:is|left is) (?:to )?(?:death|die|suicide|dying|kil+(?:ing)? <me>)",
            r"(?:do|doing|end|ending|did) it (?:tonight|tomorrow|this time|for good|all tonight)~(?:rope|pills|gun|no one|nobody|alone)?",
            r"(?:tonight|today|this) is (?:the night|my last (?:night|day)|the last (?:night|day) of my life)|tonights the night i",
            r"(?:kil+ <me>|end my life|kms|die)(?: \S+){0,2} (?:tonight|tomorrow|this weekend|after (?:school|work)|right now|rn|soon)",
            r"(?:tell|tells|told|telling)(?: \w+)? (?:me|myself)(?: \w+){0,2} (?:kys|kms|kil+ (?:my|your)self)",
            r"i (?:have|ve|got|made) (?:a|my) plan(?: \S+){0,3} (?:die|end|kil+|suicide)|i know how i(?: would|d| will|ll|m going to| am going to|m gonna) (?:do it|die|kil+ <me>)",
            r"(?:painless|easiest|quickest|fastest|best|least painful|easy|quick)(?: \w+)? (?:way|ways|method|methods)(?: \w+){0,2} (?:to |of )?(?:die|dying|kil+(?:ing)? (?:my|your|one)self|end (?:my|it|your)|suicide|go|off)",
            r"how many (?:\w+ ){1,4}(?:to|would|will|until|before|can i|do i|does it|it takes?)~(?:die|kil+|overdose|lethal|od|fatal|end)",
            r"(?:lethal|fatal|deadly) (?:dose|amount|dosage)|how (?:long|much|high|deep)~(?:bleed out|to die|to kil+ (?:you|me|a person|someone|my|a human)|kil+s? you|hang|be fatal|od)",
            r"(?:dont|do not|didnt|don t) (?:\w+ )?(?:want to|wanna|want 2|wish to|plan to|intend to) (?:\w+ )?(?:live|be alive|exist|be here|be on this (?:earth|planet)|survive)(?: \w+)?",
            r"(?:wont|will not|dont (?:plan|want|expect) to|not going to|not gonna|wouldnt) (?:be here|be alive|live|make it)(?: \S+){0,3} (?:tomorrow|anymore|longer|past|next|tonight|long|to see|much|my (?:next )?birthday|through (?:the|this) (?:night|week|weekend))",
        ),
        "means": (
            r"(?:i|ive|i've|just|already)(?: \w+){0,2} (?:took|taken|swallowed|downed|drank|ate|popped|od'd on|overdosed(?: on)?)(?: \S+){0,5} (?:pills?|bottle|meds|medication|tablets|tylenol|paracetamol|ibuprofen|bleach|antifreeze|xanax|painkillers|sleeping \w+|all of (?:it|them))",
            r"i(?:ve| have)?(?: \w+)? (?:overdosed|od'?ed|od'd|oded)",
            r"(?:i|im|i'm|ive|i've)(?: \S+){0,4} (?:noose|the rope|a rope|gun to my head|gun in my (?:hand|mouth|lap)|(?:loaded )?(?:gun|pistol) (?:in front of|next to|beside|by) me|blade (?:to|against|on) my|knife (?:to|against|on|at) my (?:\w+ )?(?:wrists?|throat|arm|neck|chest|skin))",
            r"(?:i|im|i'm)(?: \w+){0,3} (?:standing|sitting|on|at|up|walking|stood)(?: \w+){0,3} (?:edge|ledge|bridge|roof(?:top)?|railing|tracks|balcony|overpass)(?: \S+){0,5} (?:jump|end|no one|nobody|goodbye|done|over|train|ready|water|fall|let go)",
            r"(?:hoarding|saving up|saved up|stockpil\w+|collecting|counted|counting)(?: \w+){0,3} (?:pills|meds|tablets|medication)",
            r"(?:pills|rope|gun|razor|blade|knife)(?: \S+){0,4} (?:in front of me|next to me|in my hand|ready|waiting for me)(?: \S+){0,4}",
            r"(?:i|ive|i've)(?: \w+){0,2} (?:wrote|written|writing|finished)(?: \w+){0,3} (?:suicide|goodbye|farewell)(?: \w+)? (?:notes?|letters?|messages?)|(?:goodbye|suicide) (?:notes?|letters?) (?:is|are|s)? ?(?:written|done|ready|on the table)",
            r"(?:i )?(?:cut|slit|opened|slashed) my (?:wrists?|veins?|throat)",
            r"(?:cant|wont) stop the bleeding~(?:cut|wrist|arm)|(?:bought|got|have|buy|found) (?:a|the|my \w+'?s) (?:rope|gun|razor)(?: \S+){0,4} (?:myself|end|tonight|do it|hang)",
        ),
        "harm": (
            r"(?:cut(?:ting)?|burn(?:ing|ed|t)?|scratch(?:ing|ed)?|carv(?:e|ing|ed)|slic(?:e|ing|ed)|bit(?:e|ing)) (?:\w+ )?(?:my|into my) (?:\w+ )?(?:skin|arms?|legs?|wrists?|thighs?|stomach|body|flesh)",
            r"(?:hurt(?:ing)?|cut(?:ting)?|harm(?:ing|ed)?|burn(?:ing|ed)?) <me> (?:again|every (?:night|day|time)|on purpose|to (?:feel|cope|calm)|because|when)",
            r"(?:arms?|legs?|thighs?|wrists?)(?: \w+){0,2} (?:full of|covered in|covered with) (?:\w+ )?(?:cuts|scars|burns)",
            r"(?:razor|blade|cutting|bleeding|pain)(?: \w+){0,2} (?:only thing (?:that|which)|helps me|calms me|makes me feel|makes it)(?: \w+){0,3}",
            r"punch(?:ing)? (?:the|a|my) (?:wall|<me>|self|head|legs?|thighs?)~(?:until|till|til|bloody|bleed\w*|hurts?)",
            r"(?:i|i'm|im|ive|i've|been|started|want to|wanna|urge to|keep|back to|relapsed(?: and)?|going to|gonna|need to)(?: \w+){0,3} (?:cut(?:ting)? (?:<me>|my (?:arms?|legs?|thighs?|skin|wrists?|thigh|stomach)|again)|"
            r"(?:hurt(?:ing)?|harm(?:ing|ed)?|burn(?:ing|ed|t)?|punish(?:ing|ed)?|starv(?:e|ing)|scratch(?:ing)?) (?:<me>(?: (?:again|on purpose|to feel|because|when|every|at night|so|just|with|badly|until|to|and|today|tonight|rn))|<me>$|my (?:skin|arms?) with))",
            r"i (?:did )?self ?harm(?:ed|ing)?|i (?:relapsed|cut)(?: \w+){0,2} (?:self ?harm|tonight|last night|again|deep|deeper|too deep)|(?:urge|want|need) to (?:self ?harm|cut|bleed)|i self ?harm\w*|been self ?harming|relapsed~(?:self ?harm|cutting)",
            r"(?:razor|blade|knife|lighter)(?: \w+){0,4} (?:my (?:skin|arms?|wrists?|thighs?|legs?))",
        ),
        "wish": (
            r"(?:think\w*|dream\w*|thoughts?|fantasi\w+|obsess\w+)(?: \w+){0,2} (?:of|about|bout|with) (?:not waking up|dying|being dead|my (?:own )?death|not being (?:here|alive)|death all|disappearing)",
            r"(?:gun|pistol|barrel) (?:in|to|against) my (?:mouth|head|temple|chin)",
            r"(?:kil+ed <them>|died|passed away|took (?:his|her|their) (?:own )?life|is (?:dead|gone))(?: \S+){0,5} i (?:just |only |really )?(?:want to|wanna|will|need to|should|have to|hope to) (?:be with|join|follow|go with) (?:him|her|them)",
            r"if (?:he|she|they) (?:kil+s? <them>|dies?|ends? it|does it|goes through with it) (?:then )?(?:so will i|ill (?:too|die|follow|go)|i(?:m| will| would| am)? (?:too|die|follow|going|go|next)|im doing it)(?: too| as well)?",
            r"(?:at|after|plan\w*) my (?:own )?funeral",
            r"jump(?:ing|ed)? (?:of+|from|out)~(?:floor|story|storey|terrace|rooftop|apartment)",
            r"why am i (?:even |still )*(?:alive|here|living|breathing)",
            r"(?:id|i'd|i had|i'?ve|i) (?:\w+ )?never (?:been born|existed)",
            r"(?:imagin\w+|pictur\w+|rehears\w+|planning|researching|googl\w+|know\w*) how (?:i|id|i'd|i'll|ill|im|i'm)(?: \w+){0,3} do it",
            r"(?:got|have|grabbed|bought|found|with) (?:a|the|my|this) (?:whole |full )?(?:bottle|bunch|handful|stash|pile) of (?:\w+ )?(?:pills|meds|painkillers)",
            r"(?:fall asleep|sleep|go to bed|close my eyes)(?: \w+){0,3} (?:and|n|but|then) (?:just )?(?:never|not|dont) (?:ever )?(?:wake|open)",
            r"(?:hope|hoping|wish|want|pray|praying)(?: \S+){0,3} (?:car|truck|bus|train|plane|cancer|something|someone|lightning)(?: \S+){0,3} (?:hits? me|kil+s? me|doesnt stop|wont stop|runs? me over|takes? me|ends? it|crash\w*)",
            r"(?:if|hope|wish) (?:i|im|i'm)(?: \w+)? (?:got |get |gets )(?:hit|run over|into a crash|cancer|killed|shot)(?: \S+){0,8}",
            r"(?:if|because|once|when) (?:i|im|i'm) (?:was|were|am|wasnt|werent|just)? ?(?:\w+ )?(?:dead|gone|not here|not around|out of the (?:picture|way)|no longer (?:here|around|alive))",
            r"(?:disappear|vanish|gone|leave) for (?:good|ever)|disappear forever",
            r"(?:bought|got|picked|chose|chosen|found|ordered|have|tied)(?: \w+)? (?:the|a|my) (?:rope|noose|bridge|spot|building|date|method|razor)(?: \w+)?",
            r"(?:i'd|would|id)(?: \w+)? be (?:relieved|grateful|happy|glad|fine)(?: \S+){0,3} (?:dead|die|died|wake)",
            r"(?:i|just|really|rly|id|i'd|kinda|honestly|lowkey|and|but|so|please|only|actually|literally|still|sometimes|also|makes? me|made me) ?(?:(?!dont|not|never|didnt|wouldnt|doesnt)\w+ )?(?:want(?:ed)? to|wanna|want 2|wana|wish to|hope to|would rather|rather|could just|should just|deserve to|need to|going to|gonna|ready to|hoping to|want them to let me) (?:\w+ )?(?:die|dissap+ear|disappear|be dead|stop existing|cease|vanish|not exist|not be here|not wake up|sleep forever|fall asleep forever|never wake up|be gone)",
            r"i ?want ?to ?die|wanna die|let me die|want to die|ready to die|readytodie",
            r"(?:wish|wished|hope|hoping|pray|praying|prayed|better|easier|if only|rather|want(?:ed)?)(?: \w+){0,4} (?:i was(?:nt| not)? (?:dead|never born|born|alive|gone|here|not alive)|i were(?:nt| not)? (?:dead|never born|alive|born|gone|here)|i (?:had never|was never|d never|never) (?:been )?(?:born|existed)|to be dead|i (?:could|would|can|d|ll) (?:just )?(?:die|disappear|not wake up|never wake up|stop existing|vanish|sleep forever|not exist)|i (?:just )?(?:dont|didnt|never|didn t) (?:wake up|exist)|i die|i was dead|(?:not|never) wake up|if i (?:was|were) dead|not (?:be|to be) (?:here|alive))",
            r"(?:dont|do not|never|not)(?: \w+)? (?:want(?:ing)? to|wanna|have to|care if i|hope to) (?:ever )?(?:wake up|be here|be around|exist|keep (?:living|going)|go on|continue|live)(?: (?:anymore|any longer|like this|again|tomorrow|no more|in this world|this life|with this))?",
            r"(?:dont|do not) care (?:if|whether) i (?:live|die|wake up|make it)|wouldnt (?:mind|care)(?: if)? (?:i )?(?:dying|died|die|didnt wake up|got hit|never woke up|a (?:bus|car|truck) hit me)",
            r"(?:want|wish|need)(?: \w+){0,3} (?:it|everything|the pain|this|all of it|my life|life)(?: \w+)? to (?:just )?(?:be over|stop forever|end)",
            r"(?:better off|be better|happier|easier|relieved|fine) (?:if i (?:was|were|am|wasnt|werent|died|die|disappeared|just)|without me|(?:with me )?dead|when im (?:dead|gone)|me being (?:dead|gone))(?: \w+)?|i(?:m| am|d be| would be| should be)(?: \w+)? better off dead",
            r"(?:no ?one|nobody|who|anyone)(?: \w+)? (?:would|will|d|ll)(?: \w+)? (?:miss|notice|care|cry)(?: \w+){0,2} (?:if i|when i|me if|me when|im gone|if im|my funeral|at my funeral)(?: \w+)?|(?:no ?one|nobody) (?:would|will|d) (?:even )?(?:miss me|notice)",
            r"kil+ ?<me>|kil+ing ?<me>|(?:got|have|made|ve) a plan(?: \S+){0,4} (?:note|pills|rope|die|end it|method)|unalive(?: <me>)?|kms|off my ?self|sewer ?slide|suicidal",
            r"(?:i|im|i'm) (?:should|deserve|was supposed to|want) (?:to )?(?:be )?dead|<jump>",
            r"go to sleep and (?:never|not) wake|sleep and never wake|death (?:would be|is|sounds|feels like) (?:a relief|the only|peaceful|better|nice|easier|my only|comfort\w*|so)|i (?:long|crave|yearn|pray) (?:for )?(?:death|to die|to be dead)|i(?:d| would) rather (?:die|be dead) than (?:live|wake|go on|keep|face|be here|feel)",
            r"if i (?:died|die|was dead|were dead|disappeared|killed <me>|kil+ <me>|wasnt here|werent here|wasnt around|didnt exist|was gone|jumped)",
        ),
        "despair": (
            r"(?:point|sense|use|reason)(?: \w+)? (?:of|in|to|for)(?: \w+)? (?:stay\w*|be|being|keep\w*|go|going|remain\w*) (?:alive|living|going|on)",
            r"(?:i'm|im|i am|being|become|feel like)(?: \w+){0,3} a burden(?! of proof)",
            r"(?:a|just a|nothing but a|such a|dead) (?:weight|waste of (?:space|air|oxygen|life)|problem|drain|mistake)(?: \w+)? (?:on|to|for|of) (?:every\w+|my \w+|them|you|people|all|the world)",
            r"(?:im|i'm|i am) (?:just )?(?:a )?(?:waste of (?:space|air|oxygen|life)|worthless|useless|a mistake)~(?:die|dead|gone|without|alive|here|live)",
            r"(?:dont|cant|do not) see (?:\w+ )?(?:a |any |the )?(?:future|way (?:out|forward)|point|reason)(?: \w+){0,4}",
            r"(?:no (?:one|body) (?:would|will|d) (?:care|notice|miss)|nobodyd (?:care|notice|miss))(?: \w+){0,4}",
            r"(?:less trouble|better lives?|happier|easier)(?: \S+){0,4} (?:without me|if i)",
            r"(?:no|any|a|the|see|what'?s the|whats the|lost (?:the|my|all)|isnt any|not a|zero) (?:\w+ )?(?:reason|point|purpose|will|desire|use|sense)(?: \w+){0,2} (?:to live|to be alive|to stay alive|in living|of living|in going on|in being alive|of being alive|living|for living|to go on|to keep (?:going|living)|in (?:my )?life|to my life|in existing|left to live|to exist|in anything anymore|of my life|to life anymore|of going on|in staying)",
            r"(?:cant|can not|cannot|dont want to|dont wanna|dont know how(?: \w+)? to|not sure (?:i|how)(?: \w+){0,3}|unable to|tired of|sick of|done|exhausted of|no strength to|no energy to|hard to|struggl\w+ to|cant find a reason to)(?: \w+){0,2} (?:go on(?: like this| anymore| any longer| with (?:this|life))?|take (?:it|this|life|the pain|living)(?: \w+)? ?(?:anymore|any ?more|any longer|no more)|do this (?:anymore|any ?more|any longer)|live (?:like this|this way|with (?:this|my|what)|anymore|any longer)|keep (?:going|living|doing this)|living(?: anymore)?|being alive|stay alive|life|with life|existing|fighting(?: anymore)?|live)$",
            r"(?:cant|cannot|can not)(?: \w+){0,2} (?:go on|take (?:it|this|life|the pain)(?: \w+)? any ?more|do this any ?more|live like this|live any ?more|keep living|keep going like this|carry on)",
            r"(?:tired|sick|done|exhausted) (?:of|with|from) (?:\w+ )?(?:living|being alive|life|existing|breathing|my life|this life|everything and|being here|being me|waking up|fighting)",
            r"(?:i|im|i'm|ive)(?: \w+){0,2} (?:giv(?:e|ing) up on (?:life|everything|living|myself)|given up on (?:life|living|everything)|lost (?:all|any) (?:hope|will to live)|lost the will)|(?:nothing|no one|nobody)(?: \w+){0,2} (?:left )?(?:to live for|left to live|worth living)|(?:life|lifes|it)(?: \w+){0,2} (?:not|isnt|aint|isn t|no longer) (?:\w+ )?(?:worth (?:living|it anymore|it any more)|for me anymore)|hate (?:being alive|living|existing|that i woke|waking up)|(?:world|every(?:one|body)|family|they|kids?|parents|you|people|mom|mum|wife|husband|friends|all)(?:s| is| are| would| will| d| ll| be)* (?:\w+ )?better (?:off )?without me|(?:i'm|im|i am|being) (?:just |such |only |nothing but )*a burden(?: (?:to|on) (?:every\w+|my|them|you|people|all))?(?: \S+){0,6} (?:gone|anymore|dead|without|die|not here|die)|(?:dont|do not|don t) deserve to (?:live|be alive|exist)|there'?s? (?:is )?no (?:way out|hope (?:left|for me)|future for me)|cant see a (?:way out|future)|there is no way out|nothing matters any ?more|i (?:want|need) (?:a )?(?:way )?out of (?:this )?life",
        ),
        "farewell": (
            r"no more (?:pain|suffering|me)(?: \w+)? (?:after|tonight|tomorrow|soon)",
            r"(?:sorry|forgive me) (?:mom|mum|mama|dad|papa|every ?one|every ?body)(?: \S+){0,8} (?:bye|goodbye|love you|farewell|forgive)",
            r"(?:this|it)(?: \w+)? the last time (?:i|i'll|ill|you|we|u)(?: \w+)? ?(?:write|talk|text|speak|see|hear|message|be here|say|log)?",
            r"(?:wont|will not|dont|no longer) (?:be )?need(?:ing)? (?:it|them|this|that|any of (?:it|this)|these|anything|my \w+)(?: \w+)? (?:where im going|where i'm going|where i am going|any ?more|soon|after|when im)",
            r"tell (?:my|every\w+|him|her|them)(?: \w+)? (?:that )?(?:im|i'm|i am|i) (?:so )?(?:sorry|love|loved)(?: \S+){0,8}",
            r"(?:wasnt|isnt|was not|is not|its not|not) (?:\w+ )?(?:her|his|their|any ?ones?|any ?body'?s|your|nobody'?s) fault",
            r"(?:wrote|finished|written|writing|writting|left|sealed)(?: \w+){0,2} (?:letters?|notes?|goodbyes?)(?: \w+)? (?:for|to) (?:every\w+|my (?:family|kids?|parents|mum|mom|dad|wife|husband|children|daughter|son|friends|sister|brother)|each|all|them|mum|mom)(?: \S+){0,4}",
            r"(?:i'll|ill|i will|im|i'm going to|gonna)(?: \w+){0,2} be (?:gone|dead)(?: \S+){0,3}$",
            r"thanks? (?:you )?for (?:everything|being (?:there|kind|good))(?: \S+){0,8} (?:bye|goodbye|goodnight|farewell|over|last|forever)",
            r"by the time (?:any ?one|you|some ?one|they)(?: \w+){0,2} (?:reads?|sees?|finds?)",
            r"(?:this|it)(?: is|s| will be| ll be| may be| might be)(?: \w+)? (?:my )?(?:last|final) (?:message|goodbye|post|text|night|words|day on)|(?:my|our) (?:last|final) (?:message|goodbye)(?: \w+)? (?:ever|to (?:you|every\w+|all)|before i)",
            r"(?:goodbye|bye|farewell)(?: \w+){0,2} (?:forever|for ?ever|cruel world|world|for good|life)|(?:say|saying|said|wanted to say)(?: \w+)? (?:my )?(?:final |last )?(?:goodbyes?|farewell)(?: \w+){0,4} (?:before i|everyone|everybody|forever|one last|im leaving|tonight|die|go|all)|(?:wont|will not|not going to|never going to|not gonna) (?:hear from|see) me (?:again|any ?more|after)|(?:you|u|every\w+|they)(?: \w+){0,2} (?:wont|will never|never) (?:have to )?(?:see|hear|deal with|worry about)(?: \w+)? me (?:again|any ?more|ever)",
            r"(?:take care of|look after|feed|give away|giving away|gave away|keep|have|tell)(?: \S+){0,5} (?:when|after|once|if) (?:im|i'm|i am|i) (?:gone|dead|not here|not around|die|no longer here)|(?:when|after|once|before|until|till) (?:im|i'm|i am|i'll be|ill be) (?:gone(?: forever| for good|$)|dead|not here any ?more)|i (?:gave|given|giving|have given) away~(?:stuff|things|belongings|everything|pets?)|(?:dont|do not) (?:be sad|cry|blame yourself|blame)(?: \w+){0,3} (?:when im|when i'm|im gone|after i|when i|once im|if i)|(?:its|it is|it will be|itll be)(?: \w+){0,2} over (?:soon|tonight|for me)|(?:see you|meet you|meet)(?: \w+)? (?:in heaven|on the other side|in the next life|in another life)|(?:my|plan my) (?:own )?funeral(?: \S+){0,3} (?:soon|want|no one|nobody|play)|be with~(?:in heaven|again soon in heaven)|i (?:wrote|updated|made|finished) (?:my|a) (?:will|letters? (?:for|to) (?:every|my|each))|i wont be a (?:problem|burden)(?: \w+)* (?:any ?more|longer|soon)",
        ),
        "friend": (
            r"(?:<who>)(?: \S+){0,8} (?:goodbye|suicide|farewell)(?: \w+)? (?:note|letter|text|message|post)s?(?: \S+){0,6}",
            r"(?:<who>)(?: \S+){0,4} (?:<wills>)(?: \S+){0,5} (?:<killself>|die$|die (?:tonight|today|anymore)|want to (?:live|be alive|be here))",
            r"(?:<who>)(?: \S+){0,5} (?:wants? to die|wanna die|doesnt want to (?:live|be alive|be here|exist)|dont want to (?:live|be alive)|is suicidal|are suicidal|been suicidal|feels? suicidal|suicidal|cutting (?:him|her|them)sel\w+|cuts (?:him|her|them)sel\w+|self ?harm(?:s|ing)|suicide note|goodbye (?:note|letter|text|message)s?|is hurting (?:him|her|them)sel\w+|better off dead|no reason to live|wants? to kil+|has stopped answering~(?:kill|suicid|die)|end it(?: all)?|not be here tomorrow)",
            r"(?:<who>)(?: \w+){0,3} (?:took|taken|swallowed|overdosed|od'?d)(?: \S+){0,4} (?:pills|bottle|meds|medication|tablets|overdose|everything in)|(?:<who>)(?: \w+){0,3} (?:overdosed|slit (?:his|her|their) wrists?|on (?:the|a) (?:roof|bridge|ledge|tracks)(?: \S+){0,4} (?:jump|pills|scared|help)|tried to (?:hang|drown|shoot|stab) (?:him|her|them)sel\w+|standing on (?:the|a) (?:bridge|roof|ledge|edge|tracks))",
            r"(?:stop|help|save|talk|prevent|worried|afraid|scared|fear|convince)(?: \S+){0,6} (?:him|her|them|he|she|they|friend|sister|brother|son|daughter|mom|dad)(?: \S+){0,4} (?:<killself>|suicidal|suicide|do something (?:stupid|bad|to (?:him|her|them)))",
        ),
        "threatened": (
            r"(?:he|she|they|(?:my|his|her) (?:husband|ex|boyfriend|wife|girlfriend|dad|father|mom|mother|stepdad|stepfather|partner|brother|uncle|bf|son))(?: \w+){0,3} (?:said|says|threatened|threatens|threatening|swore|keeps saying|told me|is going|are going|wants|going|is trying|tried|s trying|try)(?: \S+){0,4} (?:kil+|shoot|stab|murder|strangle|choke) (?:me|us)(?: and \w+)*",
            r"(?:he|she|my (?:husband|ex|boyfriend|wife|dad|father|mom|stepdad|partner|bf))(?: \w+){0,3} (?:has|got|have|holding|with|pointed|grabbed) (?:a|the|his|her) (?:gun|knife)(?: \S+){0,5}|(?:he|she|my (?:husband|ex|boyfriend|dad|father|stepdad|partner|bf))(?: \w+){0,2} (?:choked|strangled|is choking|is strangling|beats|is beating|is hitting|hits) me",
        ),
        "attack": (
            r"(?:bring|bringing|take|taking|brought|carry\w*|got|have)(?: \S+){0,3} (?:gun|rifle|knife|weapon|bomb|pistol)s?(?: \S+){0,6} (?:school|work|class|pay|church|him|her|them)",
            r"(?:school|work|class|church)(?: \S+){0,8} (?:bring\w*|tak\w+|with)(?: \S+){0,3} (?:gun|rifle|knife|weapon|bomb|pistol)s?",
            r"(?:thoughts?|urges?|images?|fantas\w+|thinking|impulse\w*|voices?|temptation)(?: \w+)? (?:of|about|to|bout)(?: \w+)? (?:smother|stab|kil+|hurt|strangl|drown|chok|shoot|push|harm|poison|murder|attack)(?:e|ing|in)?(?: <kin>)(?: \w+)?",
            r"(?:tomorrow|tmrw|tonight|monday|soon)(?: \S+){0,6} (?:all|every\w*|he|she|they|theyre|they're)(?: \w+)? (?:gonna|going to|will) (?:pay|die|bleed|regret)",
            r"(?:<will>|i'd|could)(?: \w+){0,3} (?:shoot(?:ing)? up|blow(?:ing)? up|bomb(?:ing)?|burn(?:ing)? down|set fire to|attack|shoot at|gas|torch)(?: \w+){0,2} (?:school|office|class(?:room)?|church|mosque|synagogue|mall|work(?:place)?|hospital|building|station|house|place|college|university|campus|airport|crowd|their|people|every\w*|concert)",
            r"(?:bring|bringing|take|taking|brought|smuggle)(?: \w+){0,2} (?:a |my |the |dads |dad's |my dad'?s )?(?:gun|rifle|knife|weapon|bomb|ar15|pistol)s?(?: \w+){0,2} (?:to|into|in) (?:school|work|class|the office|church|college)",
            r"(?:voices?|god|demons?|something|he|they)(?: \S+){0,3} (?:tell(?:s|ing)?|told|want|order\w*|command\w*|say(?:s|ing)?)(?: \w+)? (?:me )?(?:to |i should |i have to |i must )?(?:kil+|hurt|stab|murder|harm|attack|do bad)(?: \w+)*",
            r"(?:want|wanna|urge|urges|going|gonna|plan|planning|need|fantasi\w+|thoughts|thinking|dream|dreaming|intend|ready|decided|ways?|how|about) ?(?:to|of|about|2|on)?(?: \w+){0,2} (?:kil+(?:ing)?|murder(?:ing)?|stab(?:bing)?|shoot(?:ing)?|strangl(?:e|ing)|poison(?:ing)?|slaughter(?:ing)?|hurt(?:ing)?|harm(?:ing)?|execute|massacre|suffocate|smother|drown(?:ing)?) (?:<kin>)",
            r"(?:school|mass) shooting(?: \S+){0,4} (?:i|im|my|tomorrow|plan)|(?:i|im|i'm)(?: \S+){0,4} (?:school|mass) shooting|make them (?:all )?(?:pay|bleed|suffer)~(?:gun|knife|blood|tomorrow|kill)|i(?: have|ve|ve got| got| bought|m holding) (?:a|the|my|this) (?:\w+ )?(?:gun|knife|machete|rifle|axe|bomb)(?: \S+){0,8} (?:him|her|them|pay|someone|they|he|she|boss|school|people)",
            r"i (?:just )?(?:stabbed|shot|killed|poisoned|strangled|murdered) (?:him|her|someone|somebody|my (?:wife|husband|mom|dad|brother|sister|boyfriend|girlfriend|neighbou?r|baby|son|daughter|roommate))",
            r"(?:hit list|kill list|list of people)(?: \S+){0,4} (?:kil+|dead|die|my|shoot|hurt|class|school)|no one (?:at|in) (?:school|work|class) (?:will|is going to) (?:survive|be alive|make it)|(?:everyone|they|hes|she's|shes|he|she|they all|all of them)(?: \w+){0,4} (?:will|gonna|going to|is going to|deserves? to) (?:\w+ )?(?:die|be dead|bleed)(?: \S+){0,4} (?:gun|knife|tomorrow|tonight|because of me|i will|by my hand|soon|i swear|make sure)?",
        ),
        "threat": (
            r"(?:i'll|ill|i will|i'm|im|i am|i swear|ima|imma|i could|i might|i'd|id|i would|i wanna|i want to|i must|i have to|i should|gonna|going to|want to|wanna|i can)(?: \S+){0,4} (?:<slay>) (?:<kin>)",
            r"(?:afraid|scared|worried)(?: \S+){0,3} (?:i|ill|im|i'm|i'll)(?: \w+){0,4} (?:hurt|kil+|harm|snap|lose control)(?: \w+)*|(?:i might|going to|gonna|about to) (?:snap|lose (?:it|control)) and (?:hurt|kil+)(?: \w+)*|(?:i )?(?:want|wish) (?:him|her|them|him to be|them to be|her to be|my \w+|everyone|them all)(?: \w+){0,2} (?:dead|to (?:die|suffer|bleed|pay with))|put (?:him|her|them) in the ground|(?:he|she|they)(?: \w+){0,3} (?:dont|doesnt|wont|not) (?:deserve to live|live to see|make it to)(?: \w+)*|(?:hes|shes|he is|she is|theyre|youre|you are|he s|she s|they re) (?:a )?dead (?:man|woman|meat)|make (?:him|her|them)(?: all)? (?:pay|bleed|suffer)(?: \S+){0,5} (?:knife|gun|blood|kil+|hurt|dead)?",
        ),
    },
    idioms=(
        r"(?:dont|do not|didnt|never|not|dont even|wouldnt|dont actually|dont really) (?:actually |really |even )?(?:want to|wanna|want|wanting to|gonna|going to|planning to|trying to|about to|wish to) (?:die|be dead|kil+ <me>|hurt <me>|end my life|hurt (?:any ?one|any ?body)|kil+ (?:any ?one|any ?body)|disappear|harm <me>)(?! but)|(?:dont|do not|didnt) have (?:any )?suicidal thoughts|not suicidal",
        r"(?:dy?ing|die|died|dies|dead) (?:of|from|with|for|to) (?:laughter|laughing|laugh|boredom|bored|cringe|embarrassment|hunger|thirst|curiosity|shame|cuteness|(?:the |this )?(?:heat|cold|excitement|hype)|a (?:cigarette|coffee|burger|pizza|drink|nap|snack|smoke|beer)|(?:some|coffee|pizza|food|chocolate|ice cream|tea|a) ?\w*|know|see|try|meet|get|eat|hear|go|find out)",
        r"(?:laugh\w*|cry\w*|scream\w*|wheez\w*) (?:so hard )?(?:until|till|til) i die|(?:laughing|laughed)(?: \w+){0,3} (?:could|almost|nearly|i) die?d?|im (?:literally )?(?:dead|dying|deceased)|ded|to die for|die ?hard\w*|die for (?:this|that|these|those|it|some|a|him|her)|kil+(?:ing|s|ed)? time|kil+ (?:two|2) birds|(?:kil+|kils|kill|kills|killed|killing) (?:the )?(?:mood|vibe|vibes|lights|engine|process|server|job|task|it|that|buzz|app|program|switch|joke|bug|bugs|spider|mosquito\w*|lag|boss|dragon|zombies?|mobs?|creeper|enem\w+|noob\w*|presentation|interview|exam|audio|sound|calories|germs|weeds?|grass|plant\w*|batter\w+)",
        r"(?:feet|legs?|back|head|shoes|heels|knees?|feels?|shoulders?|stomach|neck|teeth|tooth|arms?|abs|eyes|allerg\w+|hangover|heat|weather|suspense|you|youre|he|she|this|it|that|work|school|homework|job|exam|cramps?|traffic|commute|silence|waiting|lag)(?: is| are| re| s|r| is absolutely| is literally| really| just| legit| almost| nearly| literally)* kil+(?:ing|s|ed|in)? me|kil+ing it|dressed to kil+|(?:would|could|d|to) kil+ for|kil+ for (?:a|some)|over my dead body|dead ?line|dead ?lift\w*|drop dead gorgeous|dead tired|dead serious|dead ?pool|"
        r"(?:mom|mum|mother|dad|father|parents|wife|husband|girlfriend|boyfriend|gf|bf|boss|teacher|coach|roommate|sister|brother|editor|manager|landlord|cat|professor|doctor|dentist|they|she|he|you|ll|trainer)(?: (?:is|are|s|re))? (?:\w+ )?(?:going to|gonna|will|would|ll|d|might|may) (?:\w+ )?(?:kil+|murder|strangle|shoot|end|skin|destroy|slaughter|behead) me|kil+ joy|kil+er|suicid(?:e|al) (?:squad|boys?|girls?|silence|doors?|king|machine|prevention|awareness|burn|pass|run|mission|drills?|sprints?|rates?|statistics|wings|hotline|sauce|watch party|booth|chicken|pact film)|suicideboys?|career suicide|political suicide|social suicide|commercial suicide|professional suicide|financial suicide|suicide is painless|killing eve|kill bill|a time to kill|to kill a mockingbird|killing me softly|live and let die|die another day|no time to die|kil+ stealing|kil+streak\w*|overkil+|kil+ them with kindness|kil+ (?:em|them) with|kil+ing (?:them|em) with kindness|shoot (?:me|you|him|her|them|us) (?:a |an )?(?:text|email|message|dm|line|mail|note|msg|the|over|your|pm|some|back|ur)|shoot (?:my shot|hoops|some|a (?:film|movie|video|short|scene|wedding)|pics?|photos?)|photo ?shoot|shoot (?:him|her|them|people|everyone|you|someone)~(?:photo\w*|portrait\w*|camera|film|lens)|jump (?:rope|scare|ship|the gun|to conclusions)|bungee jump\w*|jump(?:ing)? (?:off|from|out)(?: of)?~(?:plane|diving|pool|parachute)|"
        r"(?:beat|kil+|destroy|murder|slaughter|crush|smoke|roast|end) (?:you|him|her|them|everyone|my \w+|ya|u|those guys|people|somebody|someone|em)(?: all)? (?:at|in|on|with) (?:chess|mario ?kart|smash|the game|game|fifa|cod|fortnite|valorant|league|ranked|pvp|the next round|the rematch|debate|uno|monopoly|scrabble|poker|tennis|basketball|soccer|football|ping pong|the quiz|trivia|the finals?|the tournament|overwatch|minecraft|roblox|csgo|tekken|a game|jokes|laughter)|cut (?:my ?self )?(?:some slack|a slice|a piece|off|shaving|while (?:cooking|shaving|chopping)|cooking|a break|out|on (?:paper|the|a)|chopping|with paper|slicing|by accident|accidentally)|accidentally (?:cut|burn\w*|hurt|kil+\w*|shot|shoot|stab\w*|poison\w*|hit|scratch\w*) (?:<me>|him|her|my \w+|them)|(?:hurt|cut|burn(?:ed|t)?) <me> (?:at (?:the )?(?:gym|work|practice|training)|skating|skateboarding|running|cooking|lifting|playing|shaving|working out|on (?:a|the)|doing|falling|when i fell|while)|living the dream|end it with (?:him|her|my)|end it (?:here|there)|end my (?:shift|day|subscription|contract|lease|turn|week|stream|run|relationship)|sick of (?:the )?(?:winter|cold|rain)|(?:last|final) (?:message|post|text|words) (?:of|in|on) the|pull the plug on|bite the bullet|dodge\w* a bullet|die (?:on|in) (?:this|that|the) (?:hill|dungeon|raid|level|boss|game|match|round|arena|first|second|last|next)|(?:old )?habits die|die ?cast\w*|roll(?:ed)? (?:a|the) die|never say die|do or die|ride or die|(?:battery|phone|laptop|plants?|car|engine|trend|meme|chat|server|wifi)(?: \w+){0,3} (?:die|dies|died|dying|dead)|kil+(?:ed|ing)? <me> laughing|kil+ing <me> (?:at|over|with|for|to|trying|in) (?:the|this|that|work|gym|finish|these|get|a|make|study\w*|school|it|my \w+)|(?:dont|not worth) kil+(?:ing)? (?:your|my)self (?:over|for|with|at)|"
        r"die alone|wanna die (?:laughing|lol)|dying inside|die (?:inside|laughing)|a little inside|die a little|kil+ (?:me|myself) (?:lol|lmao|haha)|(?:please|just|omg|ugh|god|lord|some ?one) (?:\w+ )?kil+ me|kil+ me (?:now|already|lol|please)|^kil+ me$|shoot me now|just shoot me|shoot me|slay(?:ed|ing)?|i cant even|beat (?:a|an|dead) (?:dead )?horse|\d+ ?kms|\d+ k ms|kms (?:away|per|an? hour|from|to go|h|of|long|run|driver|today|every|this week|in the|left|on)|how many kms|few kms|many kms|of kms|kms activat\w+|aws kms|kms (?:key|server|client|encrypt\w+|service)|google kms|azure kms",
    ),
    play=(
        r"lol|lmao|lmfao|rofl|haha\w*|hehe\w*|jk|just kidding|joking|j/k|xd|hyperbole|figure of speech|figuratively|so to speak|just an expression|"
        r"games?|gamer|gaming|level|boss fight|bossfight|raid|respawn\w*|ranked|lobby|npc|mobs?|minecraft|fortnite|valorant|league|roblox|skyrim|elden ring|dark souls|zelda|mario|gta|sims?|dnd|d d|call of duty|cod|overwatch|hitman|assassin s? ?creed|among us|dota|pokemon|chess|match|round|tournament|speedrun\w*|grenades?|headshot|sniper|squad|pvp|spawn|checkpoint|hardcore mode|cutscene|quest|dungeon|loot|health bar|hp|imposter|impostor|player|players|opponents?|enemy|enemies|zombies?|creeper|aliens?|"
        r"gym|leg day|workout|squats|monday morning|homework|bungee|parachute|skydiv\w*|into the (?:water|pool|lake|sea|ocean|river)|cliff diving|swim\w*|diving board|spoilers?|traffic|cringe|embarrass\w+|awkward|mortif\w+|secondhand|pizza|fries|cookies?|cake|chocolate|lunch|leftovers|sandwich|ice cream|snacks?|dishes|toothpaste|remote|parking spot|the printer|tag|mosquito\w*|roach\w*|spiders?|weeds|laughing|crack(?:s|ed)? me up|hilarious|memes?|monday|mondays|spreadsheets?|excel|meeting|deadline|exams?|midterms?|finals|calculus|math|thesis|essay|vacation|holiday|hot outside|heatwave|hangover|kindness|prank\w*|april fools|paintball|laser tag|nerf|water gun|snowball\w*|volleyball|basketball|soccer|football|playoffs?|season finale|the finale|spoil\w*",
    ),
    story=(
        r"lyrics?|tunes?|songs?|sings?|singing|sang|chorus|verse|album|track|band|movies?|films?|episodes?|season \d+|(?:first|second|third|last|final|new|this) season|(?:dark|tv|this|the|that) show|series|tv show|netflix|anime|manga|novels?|books?|chapter|author|characters?|protagonist|villain|plot|scene|fanfic\w*|my story|short story|poem|poetry|quotes?|screenplay|scripts?|play by|theat(?:er|re)|opera|hamlet|romeo|juliet|musical|podcast|documentary|article|news|headline|report(?:ed|s)? that|statistics|studies|study|research\w*|essay|paper|thesis|lecture|seminar|professor|class on|course|training|workshop|awareness|prevention|hotline volunteer|volunteer\w*|history|war|century|ancient|roman|emperor|historical|in \d{4}|translate|translation|how do you say|what does~mean|means|meaning of|definition|define|grammar|sentence|word for|vocabulary|game|games|character in|npc|dnd|campaign|role ?play\w*|rp|main character|movie|title|titled|song called|movie called|trailer|true crime|cartoon|comic|shakespeare|sylvia plath|kurt cobain|13 reasons why|celebrity|actor|actress|singer|rapper|painter|writer|philosopher|debate|euthanasia|assisted|policy|law|bill|ethics|euthan\w+|in my dream|nightmare|dreamt|dreamed|had a dream",
    ),
    past=(
        r"used to|at (?:age )?(?:1\d|2\d)|glad it (?:failed|didnt)|years? ago|months ago|back (?:in|then|when)|when i was (?:a|an|young\w*|little|\d+|in|at)|as a (?:teen\w*|kid|child|student)|in (?:my )?(?:high school|college|teens|twenties|19\d\d|20[01]\d)|long time ago|a while ago|ages ago|in the past|recovered|recovery|in remission|sober|clean for|(?:im|i am|i'm|doing|feel|feeling)(?: \w+){0,2} (?:safe|ok|okay|fine|better|much better|good) now|safe now|got help|past that|behind me|over it now|last year|survived|survivor|no longer|any more suicidal|not anymore|dont anymore|once told|in those days|glad i (?:didnt|did not|m alive|am alive|survived|stayed)",
    ),
    present=(
        r"again|still|tonight|tomorrow|right now|rn|these days|lately|came? back|coming back|is back|are back|worse|returned|all over|this time|cant stop|right this|today i want|just now|even now|every day|so i will|want to|wanna|going to|gonna",
    ),
    negation=(
        r"(?:dont|do not|didnt|did not|wont|will not|would never|wouldnt|never|not|isnt|aint|im not|am not|havent|no|without|no longer|stopped|couldnt|doesnt|does not|instead of|glad i didnt|far from|cant|could never|promise(?:d)? not|against|nobody is|no one is|rather than|hardly)"
        r"(?: (?:really|actually|ever|gonna|going|want|wanna|wanting|to|thinking|thinkin|about|of|planning|on|plan|plans|try|trying|would|be|been|being|feel|feeling|even|i|just|intention|desire|thought|thoughts|any|have|had|having|like|a|saying|talking|meaning|mean|intend|intending|considered|consider|considering|urges?|the|danger|go|do|anything|intent|anymore|wish|need))*",
    ),
    ages=(
        r"(?:i'm|im|i am|am|me)(?: (?:only|just|a|like|literally|actually|currently|still|almost|turning|also|barely|about|nearly|technically))* (?P<age><young>)(?: ?(?:years? old|yrs? old|y ?o|yo|yrs?|y/o|years?|year old(?: \w+)?)| (?:and|but|so|lol|f|m|btw|female|male|if|too|tho|though|now|haha|in (?:high|middle) school|almost \d+|turning \d+|rn)| ?,|$)",
        r"(?:my age is|i turned|i just turned|age|aged|i turn|im turning|i'm turning) (?P<age2><young>)(?: (?:today|yesterday|last (?:week|month)|this (?:week|month|year)|tomorrow|soon|next (?:week|month|year)|in (?:january|february|march|april|may|june|july|august|september|october|november|december|\w+ (?:days|weeks|months))|years old|and|btw|lol|recently)|$)",
        r"(?P<age3><young>) ?(?:years? old|y ?o|yo|yrs? old)(?: (?:girl|boy|here|guy|kid|teen|student|f|m|female|male))? here|as a (?P<age4><young>) ?(?:years? old|y ?o|yo)|(?P<age5>1[0-7]) ?(?:f|m) here|i'?m a (?P<age6><young>) year old",
    ),
    minor=(
        r"(?:i'm|im|i am)(?: \w+)? in (?:the )?(?:[1-9]|10|11|1st|2nd|3rd|[4-9]th|10th|11th|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh) grade(?! (?:class|teacher|math teacher))|(?:i'm|im|i am)(?: \w+)? a?n? ?(?:[4-9]th|10th|11th|sixth|seventh|eighth|ninth|tenth|eleventh) grader|(?:i'm|im|i am)(?: (?:a|an|only|just|still|literally))* (?:minor|underage|under age|under 18|not 18(?: yet)?|not yet 18|high ?school freshman|freshman in high ?school|sophomore in high ?school|kid(?: lol)?$)|i(?:m| am)(?: \w+)? in (?:middle school|elementary school|junior high|year (?:[4-9]|10|11))|i (?:go to|attend|started) (?:middle school|elementary school|junior high)|i turn 18 (?:next|in)|i(?:ll| will) be 18 (?:next|in)|im in (?:yr|year) ?(?:[4-9]|10|11)$",
    ),
    parts=(r"but|and|then|so|because|while|although|though",),
)
