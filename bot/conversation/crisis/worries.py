"""How people say plainly that it is somebody else who is in danger, and what draws themselves in, by language. Pure.

Narrower than the rules named "friend", which see the danger: these only choose between two kind texts, and where it is
not plain whom it threatens, the writer gets their own. So only a person right before the words of danger counts, in
the third person, with no comma and no "I" in between: in chat people leave out the "I" after a comma.
"""

# ruff: noqa: E501
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.conversation.crisis.wording import Spelling


@dataclass(frozen=True, slots=True)
class Worry:
    """One language. Both patterns are for text as those of `Wording`."""

    another: re.Pattern[str]
    """Somebody else is said to be in danger."""
    too: re.Pattern[str]
    """The writer is, as well, or may be: "me too", "together", "asking for a friend"."""


def _worry(macros: Mapping[str, str], another: str, too: str, *, words: bool = True, umlauts: bool = False) -> Worry:
    spelling = Spelling(macros, words=words, umlauts=umlauts)
    return Worry(spelling.pattern(another), spelling.pattern(too))


def _gap(stops: str, most: int = 4) -> str:
    """Up to so many words, none of them a comma or one of `stops`."""
    return rf"(?: (?!(?:{stops})(?: |$))\w+){{0,{most}}}"


WORRIES: Mapping[str, Worry] = {
    "en": _worry(
        {
            "person": r"(?:(?:best|little|big|older|younger|close|good|old|online|dear) )?(?:sister|brother|friend|bff|bestie|mom|mum|mother|dad|father|son|daughter|wife|husband|boyfriend|bf|girlfriend|gf|ex|partner|roommate|flatmate|cousin|uncle|aunt|niece|nephew|kid|child|classmate|student|coworker|colleague|neighbou?r|teammate|buddy|mate|grandma|grandpa|grandson|granddaughter|stepson|stepdaughter|patient)",
            "who": r"he|she|they|someone|somebody|him|her|them|hes|shes|theyre|shell|theyll|(?:my|our|a|this|his|her) <person>s?|(?:a|this) (?:guy|girl|boy|kid|man|woman|person)|friend of mine",
            "says": r"(?: (?:just )?(?:says?|said|keeps saying|is saying|tells me|told me|keeps telling me|texted(?: me)?|wrote(?: me)?|writes|messaged me|admitted|confessed|thinks|feels)(?: to me)?(?: that)?(?: (?:he|she|they|hes|shes|theyre))?)?",
            "self": r"(?:him|her|them|their) ?sel(?:f|ves)|theirself",
            "often": r"(?: (?:really|just|still|actually|seriously|probably|maybe|might|may|always|also|now|even|often|sometimes|secretly|is|are|was|has|have|had|been|s)){0,3}",
            "wants": r"wants?|wanted|wanna|going|gonna|plans?|planning|planned|intends?|threatens?|threatened|threatening|about|try|tries|tried|trying|think|thinks|thinking|thoughts|talks?|talked|talking|will|would|could|attempted|considering|keeps trying|keeps talking|keeps threatening|keeps thinking|ll|might|may",
            "deed": r"(?:commit(?:ting)? )?suicide|kil+(?:ing)? <self>|end(?:ing)? (?:his|her|their)(?: own)? life|end(?:ing)? it(?: all)?|tak(?:e|ing) (?:his|her|their)(?: own)? life|(?:hurt|harm|hang|cut|shoot|drown|unaliv)(?:e|t?ing)? <self>|jump(?:ing)?(?: of+| from| in front)?|overdos(?:e|ing)|die|dying|be dead|not (?:be alive|live|be here)|stop living|do(?:ing)? something (?:to <self>|stupid|bad)",
        },
        r"(?:<who>)<says><often>(?: (?:<wants>))?<often>(?: (?:to|about|of|on|with|try to|trying to)){0,2} (?:<deed>)(?: any ?more| tonight| today| tomorrow| soon| right now)?"
        r"|(?:<who>)<says><often> (?:(?:doesnt|does not|dont|do not|didnt) want|no longer wants?) to (?:live|be alive|be here|exist)(?: any ?more)?"
        r"|(?:<who>)<says><often>(?: (?:is|are|feels?|seems|sounds|gets|got|re))? (?:suicidal|self ?harming|cutting <self>|hurting <self>|cuts <self>|hurts <self>|self ?harms)"
        r"|(?:<who>)(?: (?:has|have|just|s|recently))* (?:sent|texted|wrote|posted|messaged|left)(?: me| us| everyone)?(?: a| his| her| their)? (?:suicide|goodbye|farewell) (?:note|letter|text|message|post)s?"
        r"|(?:<who>)(?: (?:has|have|just|s))* (?:took|taken|swallowed)(?: (?:a|the|his|her|their|some|all|of|whole|bunch|lot|load|too many|entire|bottle|pack)){0,5} (?:pills|bottle|meds|medication|tablets|painkillers)"
        r"|(?:<who>)(?: (?:has|just|s))* (?:overdosed|slit (?:his|her|their) wrists?)|(?:<who>)<says>(?: (?:is|s))? (?:standing |sitting )?on (?:the|a) (?:bridge|roof|ledge|tracks)"
        r"|(?:stop|prevent|keep|save)(?:ping|ing)? (?:<who>) from (?:<deed>)",
        r"me (?:too|as well|either|also|neither)|(?:so|neither) (?:do|am|will|can|would|did|should|have) i|i (?:do|am|will|would|might|may|should|could|have|want it|wanna|think so|feel it) (?:too|as well|also)|i (?:also|too)|im (?:too|also)|same (?:here|for me|with me|as me)|(?:the|that) same(?: way| thing)?|likewise|my ?self|ourselves|together|both of us|(?:we|us) (?:both|two|want|wanna|will|plan|planned|decided|are going|gonna|might|could)|(?:follow|join|go with|come with|die with|(?:want|wanna|going|gonna|will|should)(?: \w+){0,3} with|(?:live|life|go on|exist|nothing)(?: \w+){0,2} without|(?:feel|am|im|just|exactly) like) (?:him|her|them)|(?:for|for a) friend|not me|pact|my turn|i(?:m| am)? next|(?:i|im)(?: \w+){0,3} (?:too|as well|either)|i envy|jealous of|i (?:get it|understand (?:him|her|them|why))|i (?:cant|can not|cannot) (?:go on|do this|take|live|cope|anymore)",
    ),
    "de": _worry(
        {
            "who": r"er|sie|jemand|(?:mein|meine|unser|unsere|ein|eine|der|die)(?: \w+)? ?(?:freundin|freund|schwester|bruder|mutter|mama|papa|vater|tochter|sohn|frau|mann|cousine?|kumpel|kollegin|kollege|mitbewohner(?:in)?|partner(?:in)?|ex|schüler(?:in)?|onkel|tante|oma|opa|klassenkamerad(?:in)?|mädchen|kind)",
            "gap": _gap("ich|mich|mir|wir|uns|mein|meine|und|jetzt|aber|weil"),
            "says": r"(?: (?:sagte?|meinte?|schreibt|schrieb|droht|hat(?: mir)?(?: gerade| grad| eben)? (?:gesagt|geschrieben))(?: mir)?(?: ,)?(?: dass)?(?: er| sie)?)?",
            "deed": r"sich(?: selbst| selber)?(?: heute| wieder| bald| jetzt| das| etwas| was)* (?:umbring\w*|umzubringen|töten|zu töten|tötet|leben (?:zu )?nehmen|an(?:zu)?tun|antut|erhängen|ritzen|ritzt|verletzen|verletzt|erschiessen)|nicht (?:mehr|länger) leben|sterben|selbstmord begehen|suizid begehen|vom dach springen|springen|tot sein",
        },
        r"(?:<who>)<says>(?: , | )?<gap> (?:will|möchte|wollte|könnte|droht|denkt daran|überlegt|hat vor|versucht|redet davon|spricht davon|plant)<gap> (?:<deed>)(?: will| möchte)?"
        r"|(?:<who>)<says><gap> (?:<deed>) (?:will|möchte|wollte|könnte|wird)"
        r"|(?:<who>)<says><gap> sich(?: selbst)? (?:etwas antut|was antut|umbringt|ritzt|verletzt|tötet)|(?:<who>) ritzt sich"
        r"|(?:<who>)<gap> (?:suizidal|suizidgefährdet|selbstmordgefährdet)|(?:<who>)<gap> (?:tabletten|pillen) (?:genommen|geschluckt)|(?:<who>)<says><gap> (?:auf (?:dem dach|der brücke)) steht|(?:<who>) (?:steht|sitzt) auf (?:dem dach|der brücke|einer brücke)",
        r"ich (?:auch|ebenso|genauso|mit)|mir (?:auch|geht es (?:genauso|auch so))|geht mir (?:auch|genauso)|wir beide|zusammen|gemeinsam|mich(?: selbst| selber)?(?: auch)? (?:umbring|töt|verletz)\w*|uns (?:umbring|töt)\w*|mit (?:ihm|ihr)(?: mit)?|ohne (?:ihn|sie)|frage für|ich folge|ich will(?: \w+){0,3} (?:auch|mit)|ich kann nicht mehr",
        umlauts=True,
    ),
    "fr": _worry(
        {
            "who": r"il|elle|quelqu'un|(?:mon|ma|un|une|notre)(?: \w+)? ?(?:ami|amie|pote|copine|copain|soeur|frère|mère|maman|père|papa|fille|fils|femme|mari|cousine?|collègue|ex|coloc|tante|oncle|élève|voisine?|compagnon|compagne|mec|meuf|enfant)",
            "gap": _gap("je|j|jai|me|m|ma|mon|mes|moi|nous|on|et|mais|donc|alors|que", 2),
            "says": r"(?: (?:vient de (?:me |m')(?:dire|écrire)|(?:m'a |m'|me |a )?(?:dit|dis|écrit))(?: qu'(?:il|elle)| que| ,)?)?",
            "deed": r"se (?:tuer|suicider|pendre|faire du mal|jeter|mutiler|scarifier|noyer|foutre en l'air|couper|tirer une balle)|en finir|mourir|mettre fin à (?:ses jours|sa vie)|s'ôter la vie|passer à l'acte|sauter",
        },
        r"(?:<who>)<says><gap> (?:veut|voudrait|va|pense à|menace de|parle de|essaie de|essaye de|a essayé de|risque de|songe à|a envie de|pourrait)<gap> (?:<deed>)"
        r"|(?:<who>)<says>(?: ne)? (?:veut|voudrait) (?:plus|pas) (?:vivre|exister)|(?:<who>)<says> (?:a|n'a) plus envie de vivre"
        r"|(?:qu')?(?:<who>)<gap> se (?:tue|suicide|mutile|scarifie|coupe|fasse du mal|fait du mal|pende|jette)(?: ce soir)?|(?:<who>)<gap> est suicidaire|(?:<who>)<gap> (?:a|s'est) (?:avalé|pris|tailladé|ouvert)(?: \w+){0,4} (?:cachets|médicaments|comprimés|veines)|(?:<who>)(?: m'| me)?(?: a)? (?:envoyé|écrit|laissé)(?: une?| un)? (?:lettre|message|mot) d'adieu",
        r"moi (?:aussi|non plus)|pareil|comme (?:lui|elle)|ensemble|nous deux|tous les deux|avec (?:lui|elle)|sans (?:lui|elle)|me (?:tuer|suicider)|le (?:suivre|rejoindre)|la (?:suivre|rejoindre)|pour (?:un|une) ami|je (?:le )?veux aussi|je n'en peux plus",
    ),
    "es": _worry(
        {
            "who": r"él|ella|alguien|(?:mi|un|una|nuestr[oa])(?: mejor| mayor)? ?(?:amig[oa]|herman[oa]|novi[oa]|mamá|madre|papá|padre|hij[oa]|espos[oa]|marido|mujer|prim[oa]|compañer[oa]|ex|pareja|alumn[oa]|vecin[oa]|tí[oa]|abuel[oa]|chic[oa]|colega|sobrin[oa])",
            "gap": _gap("yo|me|mi|mis|nos|y|pero|ahora|que", 2),
            "says": r"(?: (?:me )?(?:acaba de (?:decir|escribir)(?:me)?|dice|dijo|ha dicho|escribió|escribe)(?: que| ,)?)?",
            "deed": r"(?:suicidar|matar|quitar la vida|hacer daño|cortar|ahorcar|tirar|lanzar)(?:se)?|quitarse la vida|hacerse daño|morir(?:se)?|acabar con (?:su vida|todo)|suicidio",
        },
        r"(?:<who>)<says><gap> (?:(?:se )?quiere|(?:se )?va a|piensa(?: en)?|está pensando en|intentó|intenta|ha intentado|amenaza con|podría|planea|habla de)(?: en)? (?:<deed>)"
        r"|(?:<who>)<says><gap> no quiere (?:vivir|seguir(?: viviendo| viva| vivo)?)(?: más)?|(?:<who>)<says><gap> se (?:mata|corta|suicida|hace daño|autolesiona|quiere morir)|(?:<who>)<gap> (?:es|está) suicida|(?:<who>)<gap> se (?:tomó|ha tomado|tragó)(?: \w+){0,4} (?:pastillas|frasco|caja)",
        r"yo (?:también|tampoco|igual)|a mí también|igual que yo|como (?:él|ella)|junt[oa]s|los dos|las dos|nosotr[oa]s|con (?:él|ella)|sin (?:él|ella)|suicidarme|matarme|para un amigo|no aguanto más|no puedo más",
    ),
    "pt": _worry(
        {
            "who": r"ele|ela|alguém|(?:o meu|a minha|meu|minha|um|uma|nosso|nossa)(?: melhor)? ?(?:amig[oa]|irmã|irmão|namorad[oa]|mãe|pai|filh[oa]|espos[oa]|marido|mulher|prim[oa]|colega|ex|tia|tio|alun[oa]|vizinh[oa]|avó|avô|sobrinh[oa])",
            "gap": _gap("eu|me|meu|minha|nós|nos|e|mas|agora|que", 2),
            "says": r"(?: (?:me )?(?:diz|disse|falou|escreveu|está dizendo|tá dizendo|acabou de (?:me )?(?:dizer|escrever|falar))(?: que| ,)?)?",
            "deed": r"se (?:matar|suicidar|cortar|machucar|enforcar|jogar|mutilar)|(?:matar|suicidar|cortar|magoar|enforcar|atirar) se|morrer|tirar a própria vida|acabar com a (?:própria )?vida|pular d\w+|suicídio",
        },
        r"(?:<who>)<says><gap> (?:quer|vai|pensa em|está pensando em|tá pensando em|tentou|ameaça|pode|fala em|ameaçou) (?:<deed>)"
        r"|(?:<who>)<says><gap> não quer (?:mais )?viver|(?:<who>)<says><gap> se (?:mata|corta|mutila|machuca|mate|suicide)|(?:<who>)<gap> está suicida|(?:<who>)<gap> tomou(?: \w+){0,4} (?:comprimidos|remédios|cartela)",
        r"eu (?:também|tampouco|igual)|também (?:eu|quero)|como (?:ele|ela)|juntos|juntas|nós (?:dois|duas)|a gente|com (?:ele|ela)|sem (?:ele|ela)|me matar|matar me|para um amigo|pra um amigo|não aguento mais",
    ),
    "it": _worry(
        {
            "who": r"lui|lei|qualcuno|(?:il |la |un |una )?(?:mio|mia|nostr[oa]|un|una)(?: miglior\w?)? ?(?:amic[oa]|sorella|fratello|mamma|madre|papà|padre|figli[oa]|moglie|marito|fidanzat[oa]|ragazz[oa]|cugin[oa]|collega|ex|zi[oa]|alunn[oa]|vicin[oa]|compagn[oa]|nonn[oa]|nipote|coinquilin[oa])",
            "gap": _gap("io|mi|mio|mia|noi|ci|e|ma|adesso|che", 2),
            "says": r"(?: (?:mi )?(?:dice|ha (?:appena )?(?:detto|scritto)|scrive)(?: che| ,)?)?",
            "deed": r"uccider(?:e|si)|ammazzar(?:e|si)|suicidarsi|morire|togliersi la vita|farla finita|farsi (?:del )?male|tagliarsi|impiccarsi|buttarsi|al suicidio",
        },
        r"(?:<who>)<says><gap> (?:(?:si )?vuole|pensa di|pensa|minaccia di|sta per|ha provato a|ha tentato di|potrebbe|parla di)(?: di)? (?:<deed>)"
        r"|(?:<who>)<says><gap> non vuole più vivere|(?:<who>)<says><gap> si (?:uccide|uccida|ammazza|ammazzi|taglia|suicida|suicidi|butta|fa del male)|(?:<who>)<gap> ha preso(?: \w+){0,4} (?:pastiglie|pillole)",
        r"anch'io|anche io|neanch'io|pure io|come (?:lui|lei)|insieme|tutti e due|noi due|con (?:lui|lei)|senza di (?:lui|lei)|uccidermi|ammazzarmi|per un amico|non ce la faccio più",
    ),
    "nl": _worry(
        {
            "who": r"hij|ze|zij|iemand|(?:mijn|m'n|onze|een)(?: beste| oude| kleine)? ?(?:vriendin|vriend|zusje|zus|broertje|broer|moeder|ma|mama|papa|vader|dochter|zoon|vrouw|man|neefje|neef|nichtje|nicht|collega|huisgenoot|maat|partner|ex|leerling|oom|tante|oma|opa|klasgenoot)",
            "gap": _gap("ik|me|mij|mijn|we|wij|ons|en|maar|nu|dus", 3),
            "says": r"(?: (?:zegt|zei|appt|stuurt|schrijft|schreef|heeft gezegd)(?: me| mij)?(?: ,)?(?: dat)?(?: hij| ze| zij)?)?",
            "deed": r"zelfmoord (?:te )?plegen|(?:zichzelf|zich) (?:van kant (?:te )?maken|iets aan (?:te )?doen|wat aan (?:te )?doen|(?:te )?doden|pijn (?:te )?doen|(?:te )?snijden|op ?(?:te )?hangen)|dood|doodgaan|sterven|niet meer leven|(?:te )?springen|er een eind aan (?:te )?maken",
        },
        r"(?:<who>)<says><gap> (?:wil|wilde|gaat|dreigt|probeert|overweegt|denkt eraan om|praat over)<gap> (?:<deed>)(?: wil)?|(?:<who>)<says><gap> (?:<deed>) (?:wil|gaat)"
        r"|(?:<who>)<says><gap> (?:zichzelf|zich) (?:iets aandoet|wat aandoet|snijdt|pijn doet|doodt)|(?:<who>) snijdt zich(?:zelf)?|(?:<who>)<gap> suïcidaal|(?:<who>)<says><gap> (?:al )?(?:haar|zijn|de) pillen (?:heeft )?geslikt|(?:<who>) (?:staat|zit) op (?:het dak|de brug)",
        r"ik (?:ook|eveneens|net zo)|mij ook|samen|wij (?:allebei|samen)|we (?:willen|gaan|allebei)|allebei|met (?:hem|haar)|zonder (?:hem|haar)|mezelf|voor een vriend|ik kan niet meer",
    ),
    "pl": _worry(
        {
            "who": r"on|ona|ktoś|(?:(?:mój|moja|moje) )?(?:przyjaciółka|przyjaciel|koleżanka|kolega|siostra|brat|mama|tata|córka|syn|dziewczyna|chłopak|żona|mąż|kuzyn|kuzynka|babcia|dziadek|znajomy|znajoma|kumpel|uczeń|uczennica|dziecko)",
            "gap": _gap("ja|mnie|mi|mój|moja|my|nas|i|a|ale|teraz|że", 2),
            "says": r"(?: (?:mówi|powiedział|powiedziała|napisał|napisała|pisze|grozi)(?: mi)?(?: ,)?(?: że)?)?",
            "deed": r"się (?:zabić|powiesić|pociąć|otruć)|(?:zabić|powiesić|pociąć|otruć) się|umrzeć|odebrać sobie życie|popełnić samobójstwo|skończyć ze sobą|zrobić sobie krzywdę|(?:coś sobie|sobie coś) zrobić|skoczyć|samobójstwie",
        },
        r"(?:<who>)<says><gap> (?:chce|chciał|chciała|planuje|próbował|próbowała|myśli o|zamierza|może) (?:<deed>)"
        r"|(?:<who>)<says><gap> nie chce (?:już )?żyć|(?:<who>)<says><gap> (?:popełni samobójstwo|się zabije|zabije się|(?:coś sobie|sobie coś) zrobi|się tnie|tnie się|okalecza się|ma myśli samobójcze)|(?:<who>)<gap> (?:połknął|połknęła|wziął|wzięła)(?: \w+){0,3} (?:tabletki|tabletek|leki|leków)",
        r"ja (?:też|także|również)|mnie też|razem|my (?:oboje|obie)|oboje|z (?:nim|nią)|bez (?:niego|niej)|za (?:nim|nią)|nie mam siły|nie daję rady|dla (?:kolegi|koleżanki|znajomego)",
    ),
    "ru": _worry(
        {
            "who": r"он|она|кто то|(?:(?:мой|моя|мои|наш|наша|один|одна) )?(?:лучший |лучшая |младший |младшая |старший |старшая )?(?:подруга|друг|сестра|брат|мама|папа|мать|отец|дочь|дочка|сын|муж|жена|парень|девушка|знакомый|знакомая|одноклассник|одноклассница|коллега|бабушка|дедушка)",
            "gap": _gap("я|меня|мне|мы|нас|и|а|но|теперь|что", 2),
            "says": r"(?: (?:говорит|сказал|сказала|пишет|написал|написала|грозится|угрожает)(?: мне)?(?: ,)?(?: что)?(?: он| она)?)?",
            "deed": r"убить себя|покончить с (?:собой|жизнью)|умереть|повеситься|(?:с)?прыгнуть|совершить (?:суицид|самоубийство)|(?:о )?суициде|(?:о )?самоубийстве|наложить на себя руки|вскрыться|вскрыть вены|резать себя",
        },
        r"(?:<who>)<says><gap> (?:хочет|хотел|хотела|собирается|пытался|пыталась|грозится|угрожает|думает|планирует|может)<gap> (?:<deed>)"
        r"|(?:<who>)<says><gap> не хочет (?:больше )?жить|(?:<who>)<says><gap> (?:убьёт себя|покончит с собой|повесится|режет себя|режется|(?:с)?прыгнет)|(?:<who>)<says><gap> (?:наглотался|наглоталась|выпил|выпила)(?: \w+){0,2} (?:таблеток|таблетки)",
        r"я (?:тоже|также|следом)|мне тоже|и я|вместе|мы (?:оба|обе|хотим|решили)|с (?:ним|ней)|без (?:него|неё)|за (?:ним|ней)|не могу больше|больше не могу|для (?:друга|подруги)",
    ),
    "uk": _worry(
        {
            "who": r"він|вона|хтось|(?:(?:мій|моя|наш|наша|один|одна) )?(?:найкращий |найкраща |молодший |молодша |старший |старша )?(?:подруга|друг|сестра|брат|мама|тато|мати|батько|донька|дочка|син|чоловік|дружина|хлопець|дівчина|знайомий|знайома|однокласник|однокласниця|колега|бабуся|дідусь)",
            "gap": _gap("я|мене|мені|ми|нас|і|й|та|а|але|тепер|що", 2),
            "says": r"(?: (?:каже|сказав|сказала|пише|написав|написала|погрожує)(?: мені)?(?: ,)?(?: що)?(?: він| вона)?)?",
            "deed": r"(?:в|у)бити себе|покінчити (?:з собою|з життям)|померти|повіситися|повіситись|стрибнути|вчинити (?:суїцид|самогубство)|(?:про )?суїцид|(?:про )?самогубство|накласти на себе руки|різати себе",
        },
        r"(?:<who>)<says><gap> (?:хоче|хотів|хотіла|збирається|намагався|намагалася|погрожує|думає|планує|може)<gap> (?:<deed>)"
        r"|(?:<who>)<says><gap> не хоче (?:більше )?жити|(?:<who>)<says><gap> (?:(?:в|у)б'є себе|покінчить з собою|повіситься|ріже себе|ріжеться|стрибне)|(?:<who>)<says><gap> (?:наковтався|наковталася|випив|випила)(?: \w+){0,2} (?:таблеток|таблетки|пігулок)",
        r"я (?:теж|також|слідом)|мені теж|і я|разом|ми (?:обидва|обидві|хочемо|вирішили)|з (?:ним|нею)|без (?:нього|неї)|за (?:ним|нею)|не можу більше|більше не можу|для (?:друга|подруги)",
    ),
    "tr": _worry(
        {
            "who": r"(?:(?:en iyi|kız|erkek|küçük|bir) )?(?:arkadaşım|kardeşim|ablam|abim|annem|babam|kızım|oğlum|eşim|karım|kocam|sevgilim|kuzenim|öğrencim|komşum|teyzem|dayım|amcam|dostum)|biri|birisi",
            "gap": _gap("ben|beni|bana|benim|biz|bizi|ve|ama|şimdi", 3),
        },
        r"(?:<who>)<gap> (?:intihar etmek istiyor|intihar edecek|intihara kalkıştı|intihardan bahsediyor|intiharı düşünüyor|intihar etmeyi düşünüyor|ölmek istiyor|yaşamak istemiyor|(?:intihar etmek|ölmek|kendini öldürmek) istediğini (?:söylüyor|söyledi|yazdı)|kendini (?:öldürmek istiyor|öldürecek|asacak|kesiyor|yaralıyor)|kendine zarar veriyor|canına kıyacak|veda mesajı (?:attı|yazdı|gönderdi)|bir kutu (?:hap|ilaç) (?:içti|yuttu|içmiş))",
        r"ben ?de|bende|birlikte|beraber|ikimiz|onunla|onsuz|kendimi|dayanamıyorum",
    ),
    "ar": _worry(
        {
            "who": r"(?:صديقتي|صديقي|صديق لي|صاحبي|صاحبتي|أخي|أختي|أخوي|أمي|أبي|زوجي|زوجتي|ابني|ابنتي|بنتي|حبيبي|حبيبتي|خطيبي|خطيبتي|زميلي|زميلتي|قريبي|هو|هي)",
            "says": r"(?: (?:قال|قالت|يقول|تقول|بيقول|بتقول|كتب|كتبت)(?: لي)?(?: (?:إنه|إنها|أنه|أنها))?)?",
        },
        r"(?:^| )و?<who><says> (?:(?:يريد|تريد|بدو|بدها|عايز|عايزة|حاول|حاولت|يحاول|تحاول|يهدد|تهدد|ينوي|تنوي|ناوي|راح|رح)(?: أن| بأن| إنه| إنها)? (?:(?:ي|ت)(?:قتل|ؤذي) (?:نفسه|نفسها)|(?:ي|ت)(?:موت|نتحر)|(?:ي|ت)نهي (?:حياته|حياتها)|الموت|الانتحار)|(?:يفكر|تفكر|بيفكر|بتفكر) (?:في |ب)(?:ال)?(?:انتحار|موت)|س(?:ي|ت)(?:نتحر|قتل (?:نفسه|نفسها))|لا (?:ي|ت)ريد (?:أن (?:ي|ت)عيش|العيش|الحياة)|(?:ي|ت)(?:ؤذي|جرح) (?:نفسه|نفسها)|بلعت?(?: \S+){0,2} (?:حبوب|دواء|دوا))(?= |$)",
        r"(?:و|^| )أنا (?:أيضا|كمان|برضه|مثله|مثلها)|وأنا|معه(?: |$)|معها(?: |$)|معا(?: |$)|سوا(?: |$)|بدونه|بدونها|نفسي|كلانا",
        words=False,
    ),
    "hi": _worry(
        {
            "who": r"(?:(?:मेरा|मेरी|मेरे|mera|meri|mere)(?: \S+)? (?:दोस्त|सहेली|बहन|भाई|माँ|मां|पापा|बेटा|बेटी|पत्नी|पति|गर्लफ्रेंड|बॉयफ्रेंड|रूममेट|friend|dost|behen|behan|bhai|beti|beta|girlfriend|boyfriend|roommate|biwi|pati|saheli)|वह|वो|woh)",
            "gap": r"(?: (?!मैं|मुझ|मेर|हम|और|लेकिन|main |mai |mujh|mer[aie] |hum |aur |lekin )\S+){0,6}",
        },
        r"(?:^| )<who><gap> (?:(?:आत्महत्या|सुसाइड|suicide|khudkushi|aatmahatya|atmahatya|(?:खुद|khud) (?:को|ko) (?:मारना|खत्म करना|maarna|marna))(?: (?:करना|karna))?|मरना|मर जाना|marna|mar jana|जान देना|jaan dena) (?:चाहता|चाहती|chahta|chahti) (?:है|hai)|(?:^| )<who><gap> (?:जीना नहीं|jeena nahi|jina nahi) (?:चाहता|चाहती|chahta|chahti)(?= है| hai|$)|(?:^| )<who><gap> (?:आत्महत्या|सुसाइड|suicide|khudkushi) (?:की बात|ki baat|करने वाल|karne wal|के बारे में सोच|ke bare me soch)\S*",
        r"मैं भी|main bhi|mai bhi|मुझे भी|mujhe bhi|हम दोनों|hum dono|साथ|saath|के बिना|ke bina",
        words=False,
    ),
    "ja": _worry(
        {
            "who": r"(?:友達|友人|妹|姉|弟|兄|母|父|娘|息子|彼氏|彼女|彼|夫|妻|同僚|知り合い|親友|先輩|後輩|生徒|クラスメイト|ママ|お母さん|お父さん|旦那|嫁|いとこ|フォロワー)",
            "often": r"(?:ずっと|最近|もう|また|昨日|さっき|今|本気で|急に|何度も|毎日)*",
        },
        r"<who>(?:が|から)<often>(?:死にたい|自殺したい|消えたい|死ぬ|自殺する|飛び降りる|生きていたくない|死んでやる|もう死ぬ|命を絶つ)(?:と|って)(?:言って(?:い|る|き|た|て)|いって(?:い|る|き|た|て)|言った|言い出|言われ|連絡|line|ライン|メッセージ|メール|送って|泣いて|話して)|<who>が<often>(?:自殺しようと|死のうと|自殺を考えて|首を吊ろうと|飛び降りようと|自殺未遂|死にたがって|自殺しそう|(?:自傷(?:行為)?|リスカ|リストカット)を?(?:して|し始め|繰り返)|薬を(?:大量に|たくさん|全部)飲)",
        r"(?:私|わたし|あたし|俺|僕|ぼく|うち|自分)(?!の)|一緒に|同じ気持ち|ついて(?:い|行)く",
        words=False,
    ),
    "zh": _worry(
        {
            "who": r"(?:我的?|我家)?(?:最好的|一个|一個)?(?:女朋友|男朋友|朋友|闺蜜|閨蜜|妹妹|姐姐|弟弟|哥哥|妈妈|媽媽|爸爸|女儿|女兒|儿子|兒子|男友|女友|老公|老婆|同学|同學|室友|同事|表妹|表哥|网友|網友|学生|學生|他|她|有人)",
            "often": r"(?:刚才|刚刚|刚|剛剛|剛|昨天|今天|昨晚|一直|总是|總是|最近|老是|又|真的|很|好|已经|可能|现在)*",
            "says": r"(?:(?:跟我|对我|對我|给我|給我|和我)?(?:哭着|打电话)?(?:说|說|讲|发消息说|发微信说|发短信说)(?:他|她|自己)?)?",
        },
        r"(?:^| |担心|擔心|害怕|怕|听说|聽說|发现|發現)<who><often><says><often>(?:(?:想|要|打算|准备|準備|企图)(?:去)?(?:自杀|自殺|死(?!你|我|他)|跳楼|跳樓|轻生|輕生|割腕|上吊|寻死|结束(?:自己的?)?生命)|不想(?:再)?活|自残|自殘|割腕|有自杀(?:念头|倾向)|吞了.{0,3}药|吃了.{0,4}安眠药|写了遗书|活不下去)",
        r"我(?:也|跟着|陪|和他|和她|跟他|跟她|同样)|一起|一样|我们俩|咱们|没有(?:他|她)我|(?:替|帮)朋友问",
        words=False,
    ),
    "ko": _worry(
        {
            "who": r"(?:(?:제|내|우리|저희|친한|제일 친한) )*(?:친구|동생|여동생|남동생|언니|누나|오빠|형|엄마|아빠|어머니|아버지|딸|아들|남친|여친|남자친구|여자친구|남편|아내|와이프|동료|선배|후배|걔|제자|학생|지인|사촌|이모|룸메이트)(?:가|이)",
            "often": r"(?:자꾸|계속|요즘|방금|오늘|어제|아까|갑자기|진짜|매일|저한테|나한테|제게)",
        },
        r"(?:^| )<who>(?: <often>)* ?(?:(?:죽고 ?싶다고|자살하고 ?싶다고|자살하겠다고|자살한다고|죽겠다고|죽는다고|살기 ?싫다고|사라지고 ?싶다고|죽을 ?거라고|약을 ?(?:많이|다|잔뜩|한 ?통) ?먹었다고) ?(?:해요|해서|했|하는데|하네|하더|말했|말해서|말하는데|말하네|그래요|그랬|문자|카톡|연락|울)|자해를? ?(?:해요|해서|하고|했|하는|합니다)|자살하려|자살(?:을)? ?시도|뛰어내리려|죽으려고|약을 ?(?:많이|다|잔뜩|한 ?통) ?먹)",
        r"(?:나|저)도|내가|제가|같이|함께|(?:나|저)랑|우리 둘|따라",
        words=False,
    ),
}
"""By code of language."""
