"""German and Dutch."""

# ruff: noqa: E501
from __future__ import annotations

from bot.conversation.crisis.wording import Spelling

_PLAY = (
    r"lol|haha\w*|hihi|lmao|rofl|xd|spass|scherz|witz|games?|spiel|spiele|zocken|level|boss|endboss|minecraft|fortnite|lol|valorant|"
    r"raid|runde|match|turnier|gegner|zombies?|grandes?|schach|sport|training|fitness\w*|hausaufgaben|peinlich|mathe|klausur|pizza|schokolade|kuchen"
)

_GERMAN = Spelling(
    {
        "me": r"mich(?: selbst| selber)?|mir(?: selbst| selber)?",
        "self": r"sich(?: selbst| selber)?",
        "kil": r"umbringen|umbring|umzubringen|töten|zu töten|killen|zu killen|erschiessen|zu erschiessen|erhängen|zu erhängen|aufhängen|aufzuhängen|"
        r"vergiften|zu vergiften|ertränken|zu ertränken|ritzen|zu ritzen|verletzen|zu verletzen|schneiden|wehtun|weh tun|wegmachen|auslöschen|unalive\w*",
        "leben": r"meinem (?:\w+ )?leben ein ende|mein (?:\w+ )?leben (?:zu )?(?:beenden|nehmen)|mir das leben (?:zu )?nehmen|mir (?:et)?was (?:an(?:zu)?tun|schlimmes an(?:zu)?tun)|"
        r"schluss (?:zu )?mach(?:en|e)|selbstmord|suizid|freitod|mir die (?:pulsadern|adern) (?:auf(?:zu)?schneiden|auf)|mir die kugel (?:zu )?geben",
        "kin": r"ihn|sie|alle|alle anderen|jemanden|jemand|leute|menschen|euch|dich|(?:mein\w*|dies\w+|den|die|das|unser\w*|sein\w*)(?: \w+)? ?(?:mutter|vater|eltern|bruder|schwester|freund\w*|frau|mann|ex|exfreund\w*|"
        r"chef\w*|lehrer\w*|mitschüler\w*|klasse|nachbar\w*|kollege\w*|kinder?|sohn|tochter|baby|typen?|familie|kerl|schwein|mitbewohner\w*|opa|oma|stiefvater)",
        "wer": r"er|sie|jemand|(?:mein\w*|unser\w*|ein\w*)(?: \w+)? ?(?:\w*freund\w*|schwester|bruder|mutter|mama|papa|vater|tochter|sohn|frau|mann|cousin\w*|kumpel|kollegin|kollege|mitbewohner\w*|partner\w*|ex|schüler\w*|onkel|tante|oma|opa|klassenkamerad\w*|mädchen|kind)",
    },
    umlauts=True,
)

GERMAN = _GERMAN.wording(
    "de",
    "_ich_ _zu_ _die_ _der_ _und_ ich mich mein mir nicht leben sterb tot bring töt umbring suizid selbstmord _er_ sie_ alle welt ritz",
    {
        "intent": (
            r"bring(?:e)? ich mich(?: \S+){0,3} um|(?:töte|kille|erhänge|erschiesse|ritze|häng|hänge) ich mich(?: auf)?",
            r"(?:<me>)(?: \S+){0,4} (?:<kil>)(?! (?:vor|ueber) )",
            r"bringe? mich(?: \S+){0,3} um|(?:töte|kille|ritze|erhänge|erschiesse|verletze|schneide) mich(?: \w+){0,3}(?: selbst| selber)?|hänge mich(?: \S+){0,2} auf",
            r"<leben>(?: \S+){0,2}(?: begehen| machen| verüben)?~(?:ich|will|möchte|heute)|(?:ich|will|wollte|möchte|denke|dachte|überlege|plane|werde|könnte|daran|gedanken|ans?)(?: \S+){0,6} (?:<leben>)",
            r"suizidal|suizidgedanken|selbstmordgedanken|selbstmordversuch(?: \w+)?|abschiedsbrief(?:e)?(?: \S+){0,3}(?: geschrieben| fertig| schreiben)?|(?:ich|will|kann)(?: \S+){0,4} nicht mehr (?:leben|am leben sein|weiterleben|da sein|aufwachen)|nicht mehr leben(?: \w+){0,2}(?: will| möchte| wollen| kann)?",
            r"wie viele? (?:\w+ ){1,3}(?:braucht|brauche|muss|nehmen|sind|bis)(?: \S+){0,6}(?:sterben|töd\w+|umzubringen|sterbe|reichen)|(?:schmerzlos\w*|schnell\w*|einfach\w*|leicht\w*|beste)(?: \w+){0,2} (?:sterben|umbringen|umzubringen|art zu sterben|weg zu sterben|zu sterben)|tödliche (?:dosis|menge)|(?:heute|morgen|diese) (?:nacht|abend) (?:bring|mach|beende|sterbe|werde ich sterben)(?: \S+){0,4}|heute (?:nacht )?(?:mach|beende) ich (?:es|schluss|ein ende)",
        ),
        "means": (
            r"(?:hab|habe)(?: \S+){0,5} (?:tabletten|pillen|schlaftabletten|überdosis)(?: \S+){0,4} (?:genommen|geschluckt|eingeworfen|vor mir|gesammelt|gehortet)|(?:tabletten|pillen|strick|seil|messer|rasierklinge|klinge|waffe|pistole)(?: \S+){0,3} (?:vor mir|neben mir|in der hand|bereit|liegen bereit|am (?:arm|hals))",
            r"(?:stehe|sitze|bin|steh|sitz)(?: \S+){0,3} (?:auf|am|an)(?: \S+){0,2} (?:brücke|dach|hochhaus|gleisen?|rand|geländer|bahngleis\w*|balkon|abgrund)(?: \S+){0,6}|(?:pulsadern|arme?|handgelenk\w*)(?: \S+){0,2} (?:aufgeschnitten|geschnitten)",
        ),
        "harm": (
            r"(?:schneide?|ritze?) (?:ich )?(?:mir|mich)(?: \S+){0,3} (?:arme?n?|beine?n?|haut|handgelenke?|oberschenkel)",
            r"(?:ich|hab\w*|wieder)(?: \S+){0,4} (?:geritzt|selbst verletzt|selber verletzt|selbstverletz\w+|absichtlich verletzt)|(?:drang|druck|lust)(?: \S+){0,3} (?:zu ritzen|mich zu (?:ritzen|verletzen|schneiden))|ritze? mich|ritzen(?: \w+)? (?:hilft|angefangen)|selbstverletzung(?: \w+)? (?:wieder|angefangen)",
        ),
        "wish": (
            r"(?:einschlafen|schlafen)(?: \S+){0,4} (?:nie|nicht)(?: \w+)? (?:mehr |wieder )?aufwachen",
            r"(?:ohne mich)(?: \S+){0,5}(?:besser|leichter|glücklicher)",
            r"(?:hoffe|wünsche|wünschte|wär)(?: \S+){0,5} (?:auto|zug|bus|lkw|krebs)(?: \S+){0,5} (?:erwischt|überfährt|trifft|holt)",
            r"(?:will|möchte|wollte|mag|würde|wünschte|könnte|darf|lass mich|lasst mich|wünsche mir)(?: \S+){0,5} (?:sterben|tot sein|tot wäre|tot zu sein|verschwinden|nicht mehr (?:da|hier) sein|nie wieder aufwachen|nicht mehr aufwachen|einschlafen und|für immer (?:schlafen|weg|einschlafen)|ewig schlafen|nicht mehr existieren)",
            r"(?:wäre|wär|bin)(?: \S+){0,4} (?:tot|nie geboren|besser tot|lieber tot|nicht mehr da|nicht geboren)|nie geboren (?:worden|wäre)|(?:niemand|keiner|wer)(?: \S+){0,3} (?:würde|wird)?(?: \S+){0,2} (?:mich )?(?:vermissen|vermisst|merken)(?: \S+){0,4}(?:weg|tot|wäre|bin)?|(?:ohne mich)(?: \S+){0,3} (?:besser|dran)|besser(?: \S+){0,3} ohne mich|wenn ich(?: \S+){0,3} (?:tot|weg|nicht mehr da|gestorben)(?: \S+){0,2} (?:bin|wäre|sein)?",
            r"(?:vor|von|unter)(?: \S+){0,3} (?:zug|auto|brücke|dach|lkw|bahn|hochhaus|balkon|u bahn)(?: \S+){0,3} (?:springen|werfen|stürzen|schmeissen|zu springen|zu werfen)|spring\w*(?: \S+){0,2} (?:von|vor)(?: \S+){0,3} (?:brücke|dach|zug|hochhaus|bahn)|gegen (?:einen|den|nen) baum (?:fahren|zu fahren)|(?:morgen|morgens) nicht mehr auf(?:zu)?wachen",
        ),
        "despair": (
            r"kein\w* (?:bock|lust|kraft|grund|sinn|willen|energie)(?: \w+)?(?: mehr)? (?:zu leben|auf(?: das| mein| dieses)? leben|weiterzuleben)",
            r"(?:wozu|warum|wofür)(?: \S+){0,5} (?:weiterleben|weitermachen|am leben|noch leben)",
            r"(?:kann|halte?|ertrage?|schaffe?|pack)(?: \S+){0,4} nicht mehr(?: \S+){0,2}(?: aus| ertragen| weiter| weitermachen| aushalten| so weiter| leben)?$|(?:keinen?|kein)(?: \w+)? (?:sinn|grund|ausweg|hoffnung|lebenswille|lebensmut|kraft)(?: \S+){0,4}(?: mehr| zu leben| weiterzuleben| weiterzumachen| im leben)|(?:mein |das )?leben(?: \S+){0,3} (?:sinnlos|keinen sinn|nicht mehr lebenswert|nichts mehr wert|nicht lebenswert|satt)|(?:lebensmüde|des lebens müde|müde vom leben|müde zu leben)|(?:alle[ns]?|familie|welt|ihr|sie|kinder|eltern)(?: \S+){0,5} (?:besser dran|besser|leichter|ohne mich)(?: \S+){0,2} (?:ohne mich|wenn ich weg|dran)|(?:nur )?eine last(?: \S+){0,4}|(?:will|möchte)(?: \S+){0,3} (?:nicht mehr|dass (?:es|alles)(?: \w+)? (?:aufhört|vorbei ist|endet))$|es soll(?: \w+){0,2} (?:vorbei sein|aufhören)|nichts mehr(?: \S+){0,3} (?:lohnt|leben|hält mich)|nicht mehr weiterleben|verdiene? es nicht zu leben",
        ),
        "farewell": (
            r"(?:meine?|die) letzte\w* (?:nachricht|nacht|tag|worte)(?: \S+){0,3}|lebt? wohl|lebewohl|(?:wenn|nachdem|sobald) ich (?:tot|weg|nicht mehr (?:da|hier)|gegangen)(?: \w+)? ?(?:bin|sein)?|(?:ich )?(?:verabschiede|verabschieden)(?: \S+){0,4}(?: für immer| von euch| von allen)|(?:abschied|tschüss|auf wiedersehen)(?: \S+){0,3} (?:für immer|von allen|nehmen|welt)|(?:werdet|wirst)(?: \w+)? mich (?:nie wieder|nicht mehr|nie mehr) (?:sehen|hören)|(?:kümmere?|kümmert) (?:dich|euch)(?: \S+){0,6} (?:weg bin|tot bin|nicht mehr bin|nicht mehr da bin)|morgen bin ich (?:nicht mehr|weg|tot)(?: \w+)?|alles verschenkt|testament (?:geschrieben|gemacht)",
        ),
        "friend": (
            r"(?:<wer>)(?: \S+){0,6} (?:<self>)(?: \S+){0,5} (?:umbring\w*|töten|umzubringen|das leben nehmen|etwas an(?:zu)?tun|was an(?:zu)?tun|erhängen|ritzt|verletzt|erschiessen|zu töten|an(?:tut)?)|(?:<wer>)(?: \S+){0,5} (?:nicht mehr leben|sterben)(?: \S+){0,2} (?:will|möchte|wollen|wolle)|(?:<wer>)(?: \w+){0,2} (?:will|möchte|droht|spricht|redet|schreibt)(?: \S+){0,6} (?:sterben|nicht mehr leben|selbstmord|suizid|sich umzubringen|sich um|schluss machen will|nicht mehr leben will)|(?:<wer>)(?: \S+){0,4} (?:suizidal|selbstmordgefährdet|suizidgefährdet|überdosis|tabletten (?:genommen|geschluckt)|steht auf (?:der|einer|dem) (?:brücke|dach)|abschiedsbrief)(?: \w+)?|(?:<wer>)(?: \S+){0,5} (?:selbstmordversuch|suizidversuch)(?: \w+)?|(?:angst|sorge\w*)(?: \S+){0,4} (?:<self>)(?: \S+){0,3} (?:umbringt|was antut|etwas antut|tötet)",
        ),
        "threatened": (
            r"(?:mann|ex|freund|vater|er|sie|frau|stiefvater)(?: \S+){0,5} (?:mich|uns)(?: \S+){0,3} (?:umzubringen|umbringen|töten|zu töten|abstechen|erschiessen|erstechen|würgt|schlägt)(?! wenn)(?: \w+)?|(?:er|sie|mann|vater|freund) (?:würgt|schlägt|bedroht)(?: \w+)? mich(?: \S+){0,4}",
        ),
        "attack": (
            r"(?:ich|werde|will|möchte|könnte|muss)(?: \S+){0,5} (?:<kin>)(?: \S+){0,4} (?:umbring\w*|töten|abstechen|erstechen|erschiessen|abknallen|vergiften|kaltmachen|erwürgen|abschlachten|ermorden|in die luft jagen|umlegen|zusammenschlagen|weh ?tun|verletzen|zu töten|umzubringen)|bring(?:e)? (?:ihn|sie|den|die|alle|meine?n?|dich|euch|diesen)(?: \S+){0,4} um|amok(?:lauf|laufen| laufe| läuft)?(?: \S+){0,4}|(?:stech|knall|schlag)e? (?:ihn|sie|alle|meine?n?|den|die)(?: \S+){0,3} (?:ab|tot)|(?:waffe|messer|pistole|gewehr|bombe)(?: \S+){0,3} (?:mit |in )(?:in )?(?:die|der|zur) (?:schule|arbeit|klasse|uni)(?: \S+){0,3}|stimmen(?: \S+){0,5} (?:töten|umbringen|verletzen|wehtun|wehzutun|umzubringen|töte)|(?:die|meine) (?:schule|klasse|haus|büro)(?: \S+){0,3} (?:anzünden|in die luft|sprengen|abfackeln)|(?:lust|drang|gedanken|plan|daran|angst)(?: \S+){0,4} (?:<kin>)(?: \S+){0,2} (?:zu (?:töten|verletzen|erstechen|erschiessen|schlagen)|umzubringen|abzustechen|wehzutun|weh zu tun|anzutun|etwas anzutun|was anzutun)|ich habe (?:jemanden|ihn|sie|meine?n? \w+) (?:erstochen|erschossen|getötet|umgebracht|abgestochen)",
        ),
        "threat": (
            r"(?:er|sie|die|alle)(?: \S+){0,3} (?:werden|wird|sollen|muss|müssen|verdient\w*)(?: \S+){0,4} (?:sterben|bluten|dafür bezahlen|büssen)(?: \S+){0,3}|(?:angst|fürchte)(?: \S+){0,3} (?:dass )?ich (?:jemandem|ihm|ihr|meinem \w+|meiner \w+|jemanden)(?: \S+){0,3} (?:antue|wehtue|verletze|umbringe|töte)|ich will dass (?:er|sie)(?: \w+)? (?:stirbt|sterben|leidet|tot ist|sind)",
        ),
    },
    idioms=(
        r"(?:will|möchte|werde|wollte)(?: \w+){0,2} (?:nicht|nie|niemals|auf keinen fall)(?: wirklich)? (?:sterben|umbringen|tot sein|töten|verletzen|mir etwas antun)|mich nicht (?:umbringen|töten|verletzen|ritzen)|mir nichts an(?:tun)?|keine selbstmordgedanken|nicht suizidal",
        r"(?:mutter|mama|vater|papa|eltern|chefin|chef|lehrer\w*|frau|mann|freundin|freund|trainer|schwester|bruder|die|der|er|sie)(?: \w+)? (?:bringt|bringen|wird|werden|würde|würden|killt)(?: \S+){0,3} (?:mich)(?: \S+){0,4} (?:um|umbringen|töten|killen|köpfen)|(?:bringt|bringen|killt|killen) mich(?: \S+){0,3}(?: um| noch)?|(?:sterbe|sterben|starb|gestorben|tot|totgelacht|gleich)(?: \w+)? (?:vor|an) (?:lachen|langeweile|hunger|durst|scham|neugier|hitze|lange?weile|peinlichkeit|kälte|aufregung|angst|sehnsucht)|vor (?:lachen|langeweile|hunger|scham|hitze|neugier|neid|durst|peinlichkeit|sehnsucht)(?: \w+)? (?:sterben|gestorben|tot|umkommen|sterbe)|(?:lach|lache|lachen) mich (?:tot|schlapp|kaputt)|totgelacht|totlachen|tot(?:al)? müde|todmüde|todernst|todsicher|zum sterben schön|zeit tot(?:zu)?schlagen|zum sterben (?:langweilig|peinlich|gut)|leben und leben lassen|(?:für|fuer) (?:\w+ ){1,3}(?:sterben|töten|morden)|suicide squad|selbstmordkommando|(?:akku|handy|pflanzen?)(?: \w+){0,3} (?:tot|sterben|gestorben)|mich (?:beim|aus versehen|versehentlich)(?: \S+){0,3} (?:verletzt|geschnitten)|beim (?:kochen|rasieren|sport|fussball|schneiden)(?: \S+){0,4} (?:geschnitten|verletzt|verbrannt)|schluss (?:gemacht|machen|machte)? ?(?:mit|für heute|fuer heute|mit meine\w+)|mit (?:ihm|ihr|meine\w* \w+) schluss(?: \w+)*|(?:spring|springen|springe) (?:vom|ins) (?:\w*meter\w*|zehner|wasser|becken|\w*brett)|umgebracht vor|nicht mehr vor (?:lachen|hunger|müdigkeit|hitze)|(?:ihn|sie|alle|euch|dich) (?:im|in|beim) (?:spiel|schach|fifa|mario ?kart|match|fortnite|uno|monopoly|cod)(?: \S+){0,2}",
    ),
    play=(_PLAY,),
    story=(
        r"lied|lieder|songs?|songtext|text von|liedtext|singt|film|filme|serie|folge|staffel|buch|roman|kapitel|figur|charakter|hauptfigur|autor|gedicht|zitat|theater|oper|doku|artikel|nachrichten|studie|studien|statistik|referat|aufsatz|hausarbeit|vorlesung|prävention|unterricht|übersetz\w*|bedeutet|heisst auf|auf englisch|sagt man|auf französisch|auf spanisch|auf deutsch|redewendung|geschichte|historisch|im krieg|werther|kafka|goethe|spiel|rollenspiel|traum|geträumt|anime|manga|podcast|tatort|krimi|thriller|philosoph\w*|sterbehilfe|im jahr|dokumentation|seminar|kurs",
    ),
    past=(
        r"früher|damals|vor (?:\w+ )?jahren|als (?:ich|teenager|kind|jugendliche\w*)(?: \w+)? ?(?:war|\d+)?|überlebt|überwunden|geheilt|in sicherheit|geht(?: es)? mir (?:jetzt |wieder |inzwischen |heute )?(?:besser|gut)|nicht mehr suizidal|lange her|vorbei|hinter mir|zum glück",
    ),
    present=(
        r"wieder|immer noch|noch immer|heute(?! (?:geht|bin))|jetzt gerade|gerade|schlimmer|zurück|morgen|will ich|nicht mehr leben",
    ),
    negation=(
        r"(?:nicht|nie|niemals|kein\w*|ohne|nie wieder|würde nie|weder|keinesfalls)(?: (?:mehr|vor|vorhabe|daran|mich|mir|dass|ich|zu|wieder|gedanken|an|etwa|selbst|selber|wirklich|im traum))*",
    ),
    ages=(
        r"ich (?:bin|werde)(?: (?:erst|gerade|nur|noch|jetzt|halt|übrigens|ja|schon|bald|morgen|fast))* (?P<age>[89]|1[0-7]|acht|neun|zehn|elf|zwölf|dreizehn|vierzehn|fünfzehn|sechzehn|siebzehn)(?: (?:jahre?(?: alt| jung)?|j|und|aber|m|w|geworden|lol|haha)(?! (?:lang|her|zu|in|bei|verheiratet))| ?,|$)|bin (?P<age2>[89]|1[0-7])(?: jahre alt)?$|(?:mit meinen) (?P<age3>1[0-7]) jahren|ich (?P<age4>1[0-7]) (?:m|w|jahre)",
    ),
    minor=(
        r"ich (?:bin|gehe)(?: \w+)? in (?:der|die) (?:[3-9]|10|dritte\w*|vierte\w*|fünfte\w*|sechste\w*|siebte\w*|achte\w*|neunte\w*|zehnte\w*) klasse|ich bin(?: \w+)? (?:minderjährig|unter 18|noch nicht 18|noch keine 18)|ich bin (?:\w+ )?(?:fünft|sechst|siebt|acht|neunt|zehnt)klässler\w*|ich werde (?:nächstes|in \w+) \w+ 18",
    ),
    parts=(r"aber|und|dann|weil|doch|während",),
)

_DUTCH = Spelling(
    {
        "me": r"mezelf|mijzelf|mn ?zelf|m'n zelf|me zelf|mijn eigen",
        "self": r"zichzelf|zich|zelfmoord",
        "kin": r"hem|haar|hen|ze|hun|iedereen|iemand|mensen|jou|je|jullie|(?:mijn|m'n|mn|die|dat|deze|onze|de)(?: \w+)? ?(?:moeder|vader|ouders|broer|zus|zusje|broertje|vrouw|man|vriend\w*|ex|baas|leraar|docent|klas\w*|buurman|buurvrouw|collega'?s?|kind\w*|baby|zoon|dochter|gast|kerel|familie|stiefvader)",
        "wie": r"hij|ze|zij|iemand|(?:mijn|m'n|mn|onze|een)(?: \w+)? ?(?:\w*vriend\w*|zus\w*|broer\w*|moeder|ma|mama|papa|vader|dochter|zoon|vrouw|man|neef|nicht|collega|huisgenoot|maat|partner|ex|leerling|oom|tante|oma|opa|klasgeno\w+)",
    }
)

DUTCH = _DUTCH.wording(
    "nl",
    "_de_ _het_ _een_ _dat_ _ik_ mijn mezelf niet_ leven dood zelfmoord sterven iedereen niemand _hij_ zij_ beter pillen wil_ hem_ haar_ jullie",
    {
        "intent": (
            r"(?:<me>)(?: \S+){0,3} (?:van kant (?:te )?maken|(?:te )?doden|(?:te )?vermoorden|(?:te )?verhangen|op ?(?:te )?hangen|iets aan ?(?:te )?doen|wat aan ?(?:te )?doen|(?:te )?verdrinken|neer ?(?:te )?schieten|(?:te )?snijden|pijn (?:te )?doen|van het leven (?:te )?beroven|kapot maken|iets aandoe|(?:te )?vergiftigen)",
            r"zelfmoord(?: te)? ?(?:plegen|pleeg|gepleegd)?(?: \S+){0,4} (?:ik|wil|ga|denk)|(?:ik|wil|ga|denk|denken|overweeg|aan|wilde|plan|gedachten)(?: \S+){0,5} (?:zelfmoord\w*|suicide|suicidaal|suïcidaal|suïcide)|suïcidaal|zelfmoordgedachten|(?:mijn|m'n|mn) leven (?:te )?(?:beëindigen|eindigen|benemen)|een eind(?:e)? (?:te )?maken aan (?:mijn|m'n|mn|het|dit|alles)(?: leven)?|(?:er|aan mijn leven|hier)(?: \S+){0,2} (?:een )?einde? (?:aan )?(?:te )?(?:maken|maak)|maak(?: \w+){0,3} een einde? aan(?: \w+)*|maak er(?: \w+){0,2} een einde? aan|(?:ik|wil|kan|hoef)(?: \S+){0,4} niet (?:meer|langer) (?:te )?(?:leven|bestaan|wakker worden|verder leven|hier zijn)|leven hoeft(?: \w+)* niet(?: meer)?|afscheidsbrief(?: \S+){0,3}|hoeveel(?: \S+){1,3} (?:heb je nodig|nodig|moet je|pillen)(?: \S+){0,5} (?:dood|sterven|doodgaan|overlijden)|pijnloo?s\w*(?: \w+){0,3} (?:sterven|dood\w*|einde)|dodelijke dosis|ik maak (?:mezelf|me|mijzelf)(?: \w+)? (?:van kant|dood)|(?:ik )?(?:pleeg|snijd?|verhang) (?:vanavond |vannacht )?(?:mezelf|zelfmoord)(?: \w+)*|uit het leven (?:te )?stappen|stap(?: \w+){0,2} uit het leven",
        ),
        "means": (
            r"(?:heb|net)(?: \S+){0,5} (?:pillen|overdosis|slaappillen|tabletten)(?: \S+){0,3} (?:genomen|geslikt|ingenomen|klaar\w*|verzameld|voor me)|(?:pillen|touw|mes|scheermes|pistool)(?: \S+){0,3} (?:voor me|naast me|in mijn hand|klaar\w*)|(?:sta|zit|ben)(?: \S+){0,3} (?:op|aan|bij)(?: \S+){0,2} (?:brug|dak|spoor|rand|balkon|flat)(?: \S+){0,6} (?:spring\w*|einde|klaar|afscheid|trein|genoeg|los|durf|naar beneden)|(?:polsen|polsslagader\w*)(?: \S+){0,2} (?:door)?(?:ge)?s(?:nijd|ned)\w*",
        ),
        "harm": (
            r"(?:snijd?|sneed|kras|verwond|beschadig|straf)(?: \S+){0,2} (?:<me>|in mijn (?:arm|armen|been|benen|polsen))(?: \w+)*|(?:heb|weer)(?: \S+){0,3} (?:<me>)(?: \S+){0,3} (?:gesneden|verwond|pijn gedaan|beschadigd)|(?:drang|neiging|behoefte)(?: \S+){0,4} (?:snijden|pijn te doen|te verwonden)|zelfbeschadig\w*|automutil\w*",
        ),
        "wish": (
            r"(?:wil|wou|wilde|zou|hoop|wens|liever|mag|laat me)(?: \S+){0,5} (?:dood(?: zijn| was| gaan| ben| te zijn)?|sterven|doodgaan|verdwijnen|niet meer wakker worden|nooit meer wakker (?:worden|word)|nooit geboren|er niet meer (?:zijn|was|ben)|niet meer bestaan|voor altijd slapen)(?! van)|(?:was|ben) ik maar (?:dood|nooit geboren|er niet)|nooit geboren (?:was|zijn)?|niemand(?: \S+){0,4} (?:missen|mist|merken|opvallen|missen als)(?: \S+){0,5}|(?:beter af|beter|makkelijker)(?: \S+){0,2} (?:zonder mij|zonder me|als ik (?:dood|er niet|weg))(?: \w+)*|(?:van|voor|onder)(?: \S+){0,2} (?:brug|dak|trein|flat|balkon|gebouw|auto|vrachtwagen)(?: \S+){0,3} (?:springen|te springen|gooien|te gooien|spring|rijden)|spring\w*(?: \S+){0,2} (?:van|voor)(?: \S+){0,2} (?:brug|dak|trein|flat|gebouw)|als ik(?: \S+){0,2} (?:dood|er niet meer|weg)(?: \w+)? ?(?:ben|was)",
        ),
        "despair": (
            r"(?:geen|niet|zonder)(?: \w+)? (?:zin|reden|doel|hoop|uitweg|toekomst)(?: \w+)? (?:meer )?(?:in het leven|om te leven|in mijn leven|om door te gaan|in leven|om verder te|voor mij|in leven|te leven)(?: \w+)*|(?:leven|het)(?: \S+){0,3} (?:geen zin meer|niet meer waard|zinloos|niet de moeite waard|geen nut meer)|(?:kan|trek|hou|houd|red|wil)(?: \S+){0,4} niet meer(?: \S+){0,2}(?: zo| door| verder| aan| vol)?$|(?:ik )?(?:kan|wil) (?:zo )?niet (?:meer |langer )?(?:verder|door)(?: \w+)*|(?:klaar|moe|zat)(?: \w+)? (?:met|van) (?:het |dit |mijn |m'n )?leven|levensmoe|het leven (?:moe|zat)|(?:alleen maar |enkel )?(?:een|tot) last(?: \S+){0,5}|ik geef het op met leven|ik zie geen (?:uitweg|toekomst|andere uitweg)(?: \w+)*|ik verdien(?: \w+)* niet te leven|ik wil dat (?:het|alles)(?: \w+)? (?:stopt|ophoudt|voorbij is)",
        ),
        "farewell": (
            r"(?:mijn|m'n) laatste (?:bericht|nacht|dag|woorden|berichtje)(?: \S+){0,3}|dit is (?:het einde|mijn laatste|vaarwel)(?: \w+)*|vaarwel(?: \S+){0,3}|afscheid (?:nemen|te nemen|genomen)(?: \S+){0,5}|(?:als|wanneer|zodra) ik er niet meer ben|zorg(?: \w+)? voor(?: \S+){0,5} (?:als ik|er niet meer|weg ben|dood ben)(?: \w+)*|(?:jullie|je)(?: \w+){0,2} (?:zult|zullen|zien|zal)(?: \w+)? me (?:nooit|niet) meer(?: \w+)*|morgen ben ik er niet meer|sorry voor alles(?: \S+){0,3} (?:vaarwel|dag|doei|hou van)",
        ),
        "friend": (
            r"(?:<wie>)(?: \S+){0,6} (?:<self>)(?: \S+){0,5} (?:van kant|doden|ophangen|iets aan ?(?:te )?doe\w*|wat aan ?doe\w*|vermoorden|snijdt|te snijden|pleg\w+|te doden|pijn doet|plegen|verwondt|dood te maken)(?: \w+)*|(?:<wie>)(?: \S+){0,4} (?:wil|zegt|dreigt|praat|appt|stuurt)(?: \S+){0,5} (?:dood|sterven|zelfmoord|niet meer (?:te )?leven|niet meer leven wil|suïcide|wil doodgaan|afscheidsb\w+)(?: \w+)*|(?:<wie>)(?: \S+){0,4} (?:suïcidaal|zelfmoordpoging|overdosis|pillen (?:geslikt|genomen|ingenomen)|staat op (?:de|een|het) (?:brug|dak)|afscheidsbrief|van de brug)(?: \w+)*|bang dat(?: \S+){0,3} (?:zichzelf|zich) (?:iets aandoet|wat aandoet)",
        ),
        "threatened": (
            r"(?:man|ex|vriend|vader|hij|ze|zij|stiefvader|vrouw)(?: \S+){0,5} (?:me|mij|ons)(?: \S+){0,3} (?:te vermoorden|vermoorden|dood te maken|te doden|neersteken|neerschieten|gaat vermoorden|doodmaken|wil vermoorden)(?: \w+)?|(?:hij|ze|man|vriend|vader|ex) (?:wurgt|slaat|bedreigt|mishandelt) (?:me|mij)(?: \w+)*",
        ),
        "attack": (
            r"(?:ik|ga|wil|zal|moet|kan|zou|om)(?: \S+){0,4} (?:<kin>)(?: \S+){0,4} (?:(?:te )?vermoord\w*|(?:te )?doden|neer ?(?:te )?steken|neer ?(?:te )?schieten|dood ?(?:te )?(?:maken|schieten|steken|slaan)|(?:te )?wurgen|(?:te )?vergiftigen|iets aan ?(?:te )?doen|pijn (?:te )?doen|in elkaar (?:te )?slaan|afmaken|kapot ?maken|afslachten|opblazen|van kant maken)|(?:ik )?(?:vermoord|steek|schiet|maak) (?:hem|haar|ze|iedereen|mijn \w+|die \w+|jou|je)(?: \S+){0,3}(?: neer| dood| af| kapot)?|(?:wapen|mes|pistool|bom|geweer)(?: \S+){0,4} (?:mee )?(?:naar|op) (?:school|werk|de klas|het werk)(?: \w+)*|stemmen(?: \S+){0,5} (?:vermoorden|doden|pijn doen|pijn te doen|steken|iets aan te doen|te doden)(?: \w+)*|(?:school|klas|kantoor|huis)(?: \S+){0,3} (?:opblazen|in brand|platbranden|neerschieten|overhoop)(?: \w+)*|ik heb (?:iemand|hem|haar|mijn \w+) (?:neergestoken|neergeschoten|vermoord|gedood)",
        ),
        "threat": (
            r"(?:hij|ze|zij|die \w+|iedereen|allemaal)(?: \S+){0,3} (?:gaan?|moet|moeten|zal|zullen|verdien\w*)(?: \S+){0,4} (?:sterven|boeten|bloeden|dood|eraan)(?: \w+)*|bang dat ik(?: \S+){0,4} (?:pijn doe|iets aandoe|vermoord|ga steken|wat aandoe)|ik wil dat (?:hij|ze|zij)(?: \w+)* (?:dood|sterft|lijdt|sterven)(?: \w+)*",
        ),
    },
    idioms=(
        r"(?:lach|lachen|lachte|lig) (?:me|mij|mezelf|ik me|ik)(?: \w+)? (?:dood|kapot|rot|slap|een breuk)|(?:ga|sterf|stierf|dood|sterven)(?: \w+){0,2} (?:van|aan) (?:het lachen|de honger|de hitte|schaamte|verveling|de kou|lachen|de dorst|nieuwsgierigheid|de pijn|honger|hitte)|(?:dood|kapot) van het lachen|van (?:het lachen|de honger|schaamte|verveling|de hitte|de kou)(?: \w+)? (?:dood\w*|sterven|om\w*)|doodmoe|dood ?gewoon|doodleuk|dodelijk vermoeid|doodop|doodsaai|verveel me dood|schrik\w* me dood|dood ?geschrokken|schaam me dood|tijd (?:te )?doden|om te sterven zo|(?:moeder|ma|mama|vader|papa|ouders|baas|vrouw|man|vriendin|vriend|lerares|leraar|trainer|docent|coach|zus|broer|zij|ze|hij)(?: \w+)? (?:vermoordt|vermoorden|gaat|gaan|zal|zou|zullen|maakt)(?: \w+){0,2} (?:me|mij)(?: \w+){0,3}(?: vermoorden| afmaken| dood| doden)?(?! (?:en|met))|(?:zou|moord\w*)(?: \w+)? (?:een moord doen|voor een)|moord doen|suicide squad|zelfmoordcommando|dood ?lopen\w*|(?:batterij|telefoon|plant\w*)(?: \w+){0,3} dood|per ongeluk(?: \S+){0,4}|(?:gesneden|snee|sneed|brand\w*) (?:bij|tijdens) het(?: \w+)*|(?:hem|haar|jou|je|iedereen|jullie|ze|mijn \w+)(?: \w+)? (?:in|met|bij) (?:fifa|schaken|mario ?kart|het spel|fortnite|de game|monopoly)(?: \w+)*",
    ),
    play=(
        _PLAY,
        r"grapje|geintje|spelletje|spel|potje|ronde|wedstrijd|level|sportschool|toets|tentamen|huiswerk|gênant|taart|toernooi|zwembad|duikplank",
    ),
    story=(
        r"lied\w*|nummer|songs?|songtekst|zingt|films?|serie|aflevering|seizoen|boek|roman|hoofdstuk|personage|karakter|schrijver|gedicht|citaat|toneel\w*|theater|docu\w*|artikel|nieuws|onderzoek|studie|statistiek\w*|werkstuk|spreekbeurt|scriptie|college|preventie|les over|vertaal|vertaling|betekent|uitdrukking|geschiedenis|oorlog|spel|game|rollenspiel|rollenspel|droom|gedroomd|droomde|anime|podcast|euthanasie|in \d{4}|cursus",
    ),
    past=(
        r"vroeger|jaren geleden|jaar geleden|destijds|toen ik(?: \w+)*|als (?:tiener|kind)|overleefd|hersteld|veilig nu|nu veilig|gaat(?: het)? nu (?:beter|goed)|lang geleden|achter me|nu beter|blij dat ik",
    ),
    present=(r"weer|opnieuw|nog steeds|vanavond|vannacht|nu meteen|erger|terug|morgen|vandaag|wil ik",),
    negation=(
        r"(?:(?<!weet )(?<!weten )niet|nooit|geen|zonder|nooit meer|zou nooit)(?: (?:van plan|meer|om|aan|denk|ik|te|mezelf|gedachten|plan|plannen|wil|dat|echt|iets|hoor|over))*",
    ),
    ages=(
        r"(?:ik ben|ben|ik word|ik)(?: (?:pas|net|nog maar|maar|nog|bijna|nu|trouwens|morgen|ook))* (?P<age>[89]|1[0-7]|acht|negen|tien|elf|twaalf|dertien|veertien|vijftien|zestien|zeventien)(?: (?:jaar(?: oud)?|jr|en|maar|m|v|geworden)(?! (?:getrouwd|lang|bezig|geleden|samen|in))| ?,|$)",
    ),
    minor=(
        r"ik (?:zit|ben)(?: \w+)? in (?:groep [3-8]|de (?:brugklas|eerste|tweede|derde|vierde)|klas [1-4]|de brugklas|[1-4] (?:vmbo|havo|vwo|gymnasium))(?: \w+)*|ik zit(?: \w+)? in (?:[1-5](?:e|de)?) ?(?:vmbo|havo|vwo|gymnasium|middelbare)|ik ben(?: \w+)? (?:minderjarig|onder de 18|nog geen 18|brugklasser)|ik zit(?: \w+)? op de basisschool",
    ),
    parts=(r"maar|en|dan|want|omdat|terwijl",),
)
