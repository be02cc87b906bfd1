"""French and Spanish."""

# ruff: noqa: E501
from __future__ import annotations

from bot.conversation.crisis.wording import Spelling

_FRENCH = Spelling(
    {
        "envie": r"j'ai envie de|envie de|je veux|j'veux|jveux|je voudrais|j'aimerais|je vais|j'vais|jvais|je pense (?:a|à|serieusement a)|je compte|j'ai pense à|je songe à|j'ai decide de|je préfère|j'essaie de|j'ai essaye de|idées? de|penser à|besoin de|pret[e]? à|vouloir|comment|pensées? de|je pourrais|faut que je|je dois|je finirai par|peur de|laissez ?moi|laisse ?moi|pulsions? de|j'hesite à",
        "tuer": r"me tuer|m'tuer|me suicider|m'suicider|me pendre|me foutre en l'air|me jeter (?:sous|du|de|dans|par)(?: \S+){0,3}|me tirer une balle|me noyer|en finir(?: avec (?:la vie|ma vie|tout))?|mettre fin à (?:ma vie|mes jours|tout|mes souffrances|tout ça)|m'ôter la vie|me faire du mal|me faire mal|me mutiler|me scarifier|me couper|me tailler les veines|m'ouvrir les veines|me buter|me crever|passer à l'acte|me flinguer|faire une (?:connerie|betise|overdose)|avaler (?:tous|toute|mes|des|une)(?: \S+){0,4}(?:médicaments|médocs|cachets|boite|pilules|comprimés)|sauter (?:du|de|d'un|d'une|par)(?: \S+){0,2} ?(?:pont|toit|fenêtre|balcon|immeuble|train|étage|falaise)|sauter sous(?: \S+){0,3}",
        "qui": r"il|elle|quelqu'un|(?:mon|ma|mes|un|une|notre)(?: \w+)? ?(?:ami|amie|pote|copine|copain|soeur|sœur|frère|frere|mère|mere|maman|père|pere|papa|fille|fils|femme|mari|cousine?|collègue|ex|coloc|meilleure? \w+|tante|oncle|élève|voisine?|compagnon|compagne|mec|meuf|enfant)",
        "kin": r"quelqu'un|tout le monde|des gens|les gens|les tous|tous|(?:mon|ma|mes|ce|cette|ces|le|la|les|leur)(?: \w+)? ?(?:mère|mere|père|pere|parents|frère|frere|soeur|sœur|femme|mari|ex|copain|copine|mec|patron(?:ne)?|chef|profs?|professeure?|voisine?|collègues?|classe|camarades?|enfants?|bébé|famille|connard|salaud|fils|fille|école|type|beau ?père|coloc)",
    }
)

FRENCH = _FRENCH.wording(
    "fr",
    "vivre mort _que_ _de_ _la_ _je_ jai jen _j_ _moi _ma_ _mon_ _mes_ vie_ _vie mour suicid tuer veux envie peux _plus_ adieu pas_ elle_ _il_ scarif jveux jvais",
    {
        "intent": (
            r"je me (?:fous|jette|tire|flingue|bute|supprime|taillade|ouvre)(?: \S+){0,2} (?:en l'air|sous|dans le vide|une balle|du|les veines)(?: \w+)*",
            r"(?:<envie>)(?: \S+){0,3} (?:<tuer>)",
            r"je (?:vais |veux )?(?:me )?(?:tue|suicide|pends|scarifie|mutile|taillade|suiciderai|tuerai|flingue|bute)(?: \S+){0,3}(?: ce soir| cette nuit| demain| moi)?|me suicider|me tuer(?: \w+)?|(?:idées?|pensées?|envies?|pulsions?) (?:suicidaires?|noires|de suicide|de mort|morbides)(?: \S+){0,2}|suicidaire|mettre fin à (?:mes jours|ma vie)|m'ôter la vie|tentative de suicide|(?:je|j)(?: \S+){0,4} (?:plus|pas) (?:envie de |vouloir |continuer à )?(?:vivre|exister|être en vie|être là|me réveiller|être de ce monde)(?: \w+){0,2}|plus (?:envie|la force|aucune envie|le courage|la volonté) de vivre|(?:j'ai|ma|la) (?:ecrit |redige )?(?:ma |une )?lettre d'adieu|combien de (?:\S+ ){1,5}(?:pour mourir|mourir|mortel\w*|pour se tuer|pour en finir|pour me tuer)|(?:mourir|me tuer|me suicider|se suicider) sans (?:souffrir|douleur|avoir mal)|(?:moyen|façon|méthode|manière)(?: \S+){0,5} (?:mourir|en finir|se suicider|se tuer|me tuer)|dose (?:mortelle|létale)|(?:ce soir|cette nuit|demain)(?: \S+){0,3} (?:j'en finis|je me tue|c'est fini pour moi|je meurs|je me suicide|je pars pour toujours)|j'en finis|en finir avec (?:la|ma|cette) vie|(?:je veux|j'aimerais|envie de|je voudrais|je vais|vaut mieux) en finir(?: une)?",
        ),
        "means": (
            r"j'ai (?:\S+ ){0,4}(?:pris|avalé|avale|gobé)(?: \S+){0,5} (?:médicaments|medicaments|médocs|medocs|cachets|comprimés|boite|boîte|pilules|somnifères|plaquettes?)(?: \S+){0,3}|(?:corde|lame|couteau|pilules|médicaments|cachets|rasoir|arme|flingue|medocs|cutter)(?: \S+){0,4} (?:devant moi|à côté de moi|dans la main|prêtes?|prets?|à la main|sur la tempe)|je suis(?: \S+){0,4} (?:pont|toit|rebord|balcon|bord|rails|voies)(?: \S+){0,5} (?:sauter|fini|adieu|saute|plus|vide|vais|train)|je me suis (?:coupé|ouvert|tailladé|taillade|coupée)(?: \S+){0,2}(?: veines| bras| poignets)(?: \w+)*|j'ai fait une (?:overdose|tentative)",
        ),
        "harm": (
            r"je me (?:suis )?(?:\w+ )?(?:mutile|mutilée?|scarifie|scarifiée?|coupe les|coupe (?:les|la|le|pour|à|quand|tous|encore|depuis)|fais du mal|fait du mal|fais (?:volontairement )?mal|brûle|taille|griffe|frappe|punis)(?: \S+){0,3}|recommenc\w* à me (?:couper|mutiler|scarifier|faire)(?: \w+)*|automutil\w*|scarifications?|besoin de me (?:couper|faire (?:du )?mal|scarifier|punir)",
        ),
        "wish": (
            r"pens\w+ à (?:la |ma (?:propre )?)mort",
            r"manquer\w* à personne",
            r"(?:<envie>)(?: \S+){0,2} (?:mourir|crever|disparaître|disparaitre|être mort\w*|être morte|dormir (?:pour toujours|à jamais|et ne)|ne (?:plus|jamais|pas) (?:me )?(?:réveiller|exister|être|vivre)|m'endormir (?:et|pour)|ne plus être)(?! de (?:rire|faim|honte|chaud|soif|froid|fatigue))|(?:envie|veux|voudrais|aimerais|souhaite|espère|espere) (?:de )?(?:mourir|crever|disparaitre|être mort\w*|ne plus \w+)(?! de)|(?:je )?(?:préférerais|prefererais|aurais préféré|voudrais|aimerais)(?: \S+){0,3} (?:être mort\w*|ne (?:pas|jamais) (?:être|etre) née?|n'être jamais née?|jamais née?|jamais exister|n'avoir jamais)|jamais (?:dû )?(?:naître|naitre|née?)(?: \w+)?|(?:personne|qui|ça)(?: \S+){0,3} (?:remarquera\w*|manquera\w*|manquerais|pleurera\w*|regretter\w*|s'en apercevra\w*|verrait)(?: \S+){0,5}|(?:mieux|tranquilles?|heureux|débarrassés?|plus simple)(?: \S+){0,2} (?:sans moi|si je (?:n'étais|mourais|meurs|disparai\w+|n'existais|suis morte?)|quand je serai)(?: \w+)*|si je (?:mourais|meurs|disparais\w*|n'étais plus là|mourrais|crevais|me tuais|me tue)(?: \S+){0,4}|(?:que|si) je (?:sois|serais|serai|suis|étais) (?:morte?|crevée?|plus là)|mieux (?:morte?|mourir)",
        ),
        "despair": (
            r"(?:plus|aucune?|pas|sans|à quoi bon|perdu)(?: \w+){0,2} (?:raison|raisons|sens|envie|goût|espoir|force|but|intérêt)(?: \w+)? ?(?:de|à|pour)? ?(?:vivre|la vie|continuer|exister|ma vie|rester en vie|me battre|me lever|moi|vie)|(?:la |ma )?vie(?: \S+){0,3} (?:plus de sens|pas la peine|vaut plus|aucun sens|plus rien|pas d'être vécue|plus la peine)(?: \w+)*|(?:je |j')(?:n'en |n'|en |ne )?(?:peux|tiens|supporte|arrive)(?: \w+)? plus(?: \w+)?$|je n'en peux plus$|j'en peux plus(?: de (?:vivre|la vie|cette vie|tout|moi))?$|j'en peux plus de (?:vivre|la vie|cette vie|tout|exister)|(?:fatiguée?|marre|ras le bol|lasse?|épuisée?)(?: \w+)? (?:de|d')? ?(?:vivre|la vie|ma vie|cette vie|exister|être en vie|être là)|(?:qu')?(?:un |le )?(?:fardeau|poids|boulet)(?: \S+){0,2} (?:pour|à)(?: \w+)*|je (?:ne )?(?:mérite|merite) pas (?:de )?vivre|(?:le monde|tout le monde|ma famille|ils|vous|mes \w+|elle|il)(?: \S+){0,4} (?:mieux|heureux|tranquille\w*) sans moi|je veux que (?:ça|ca|tout|la douleur)(?: \S+)? (?:s'arrête|arrete|cesse|finisse|s'arrete|soit fini)(?: \w+)*|(?:je ne )?(?:vois|voit) (?:plus|pas|aucune?) (?:d'issue|de solution|d'avenir|issue|d'autre issue|d'autre solution)(?: \w+)*|je baisse les bras|à quoi (?:ça sert de|bon) (?:vivre|continuer)",
        ),
        "farewell": (
            r"(?:mon|ma|c'est mon|ceci est mon) (?:dernier|dernière) (?:message|nuit|jour|lettre|soirée|soir|au revoir)(?: \w+)*|adieu(?: \S+){0,4}|(?:quand|une fois que|si|lorsque) je (?:ne )?(?:serai|suis) (?:plus là|partie?|morte?|plus de ce monde)(?: \w+)*|(?:occupe|occupez|prends|prenez)(?: \S+){0,6} (?:quand je|plus là|serai partie?|après ma mort)(?: \w+)*|(?:vous|tu) (?:ne )?(?:me )?(?:reverrez|reverras|verrez|verras|n'entendr\w+)(?: \w+)* (?:plus|jamais)|pardon(?:nez)?(?: \S+){0,3} (?:pour tout|ce que je vais faire)(?: \w+)*|je (?:vous |te )?(?:dis|fais)(?: \w+){0,3} (?:adieu|mes adieux)|demain je (?:ne )?(?:serai|serais) plus(?: \w+)*|j'ai (?:donné|tout donné|rédigé mon testament)(?: \S+){0,3}|pour la dernière fois(?: \w+)* (?:adieu|aime)|je pars pour toujours",
        ),
        "friend": (
            r"(?:<qui>)(?: \S+){0,6} (?:se (?:tuer|suicider|pendre|faire du mal|mutile\w*|scarifie\w*|jeter|tue|suicide|foutre en l'air|couper|coupe|noyer|ouvrir)|en finir|mettre fin à (?:ses jours|sa vie)|s'ôter la vie|veut mourir|veux mourir|veut plus vivre|plus envie de vivre|ne veut plus vivre|suicidaires?|suicidaire|sauter du|passer à l'acte|s'est (?:ouvert|coupé|taill)\w*|avalé (?:des|tous|une|ses|plein)(?: \w+)*|pris (?:des|tous ses|tous|une boite|une boîte|plein de) (?:médic\w+|medic\w+|cachets|de \w+)|tentative de suicide|lettre d'adieu|messages? d'adieu)(?: \w+)*|(?:peur|inquiète?|crains)(?: \S+){0,4} (?:qu'il|qu'elle|que)(?: \S+){0,4} (?:se (?:tue|suicide|fasse)|fasse (?:une|du|quelque)|passe à)(?: \w+)*",
        ),
        "threatened": (
            r"(?:il|elle|mari|ex|copain|père|pere|mec|beau ?père|conjoint|compagnon)(?: \S+){0,4} (?:menace|menacé|veut|va|dit|essaie|essaye|essayé)(?: \S+){0,4} (?:me|nous) (?:tuer|poignarder|étrangler|frapper|buter|égorger)(?: \w+)*|(?:il|mari|copain|père|ex) (?:me|m'a) (?:frappe|bat|étrangle|étranglée?|frappée?|battue?)(?: \w+)*",
        ),
        "attack": (
            r"(?:<envie>)(?: \S+){0,3} (?:(?:le|la|les|l'|te|vous|leur|lui) ?)?(?:\w+ )?(?:tuer|poignarder|égorger|étrangler|buter|assassiner|massacrer|empoisonner|abattre|planter|faire du mal à|frapper|descendre|crever|flinguer|blesser|faire mal à|tirer sur|étouffer|noyer) (?:<kin>)|(?:<envie>)(?: \S+){0,2} (?:le|la|les|l'|te) ?(?:tous )?(?:tuer|poignarder|égorger|buter|étrangler|planter|abattre|massacrer|assassiner|descendre|flinguer|crever|tabasser)(?: \w+)*|(?:arme|couteau|fusil|bombe|flingue|pistolet)(?: \S+){0,4} (?:à l'école|au lycée|au collège|au travail|en cours|à la fac|au boulot|en classe)(?: \w+)*|(?:voix)(?: \S+){0,6} (?:tuer|blesser|frapper|faire du mal|poignarder|tue|mal)(?: \w+)*|(?:faire sauter|faire exploser|brûler|mettre le feu|incendier|tirer)(?: \S+){0,3} (?:école|ecole|lycée|lycee|collège|bureau|maison|église|mosquée|foule|usine|classe)(?: \w+)*|(?:fusillade|tuerie|carnage|massacre)(?: \S+){0,4} (?:je|demain|lycée|école|vais)(?: \w+)*|je (?:vais |)(?:le|la|les|te|vous) (?:tue|tuerai|bute|buterai|plante|planterai|égorge|égorgerai|crève)(?: \w+)*|j'ai (?:tué|poignardé|étranglé|abattu) (?:quelqu'un|mon \w+|ma \w+|un \w+|une \w+)|(?:il|elle|ils)(?: \w+)? (?:vont|va|doit|doivent|mérite\w*) (?:tous |de )*(?:mourir|payer|crever)(?: \w+)*",
        ),
        "threat": (
            r"(?:peur|crains)(?: \S+){0,4} (?:tuer|blesser|faire du mal|frapper|lui faire|étrangler)(?: \w+)*|je (?:veux|voudrais|souhaite) (?:qu'il|qu'elle|qu'ils|que mon \w+|que ma \w+) (?:meure|crève|souffre|meurent|crèvent|souffrent)(?: \w+)*",
        ),
    },
    idioms=(
        r"(?:veux|vais|voulais|pense|envie|compte|voudrais) (?:pas|plus|jamais|aucunement)(?: de| à)? (?:mourir|crever|me (?:tuer|suicider|faire du mal)|en finir|disparaître)",
        r"(?:mort|morte|mourir|meurs|crever|crève|mourrais|mourait|mourante?|crevé)(?: \w+)? (?:de|d') ?(?:rire|faim|soif|honte|chaud|froid|fatigue|peur|ennui|envie|chaleur|rires?|trouille|jalousie|rire|curiosité|amour)|mort de rire|mdrr*|ptdr+|à mourir de \w+|tuer le temps|(?:mère|maman|père|papa|parents|chef|patron|patronne|prof|femme|mari|copine|copain|soeur|frère|coach|elle|il|ils|on)(?: \w+)? (?:va|vont|allait|aurait|pourrait|voudra) (?:me|m') ?(?:tuer|étrangler|buter|massacrer|assassiner|égorger)(?! avec)|(?:ça|ca|tu|il|elle|cette? \w+|ce \w+|le \w+|la \w+)(?: \w+)? me tue(?:nt)?|(?:je|j)(?: \w+)? tuerais pour|tuer pour (?:un|une|du|des|avoir)|à tomber par terre|suicide squad|suicide collectif politique|la mort dans l'ame|c'est pas la mort|(?:batterie|téléphone|portable|pc|plante\w*)(?: \w+){0,3} mort\w*|en finir avec (?:ce|cet|cette|ces|mes|le|les|mon|la (?:vaisselle|dissert\w*|semaine|journée|réunion|grève))(?! vie)|me couper (?:les cheveux|les ongles|la parole|une|un|du|la frange)|je me coupe (?:les cheveux|les ongles|la frange|une)|(?:coupé|coupée|fait mal|brûlé) (?:en|au|à la|en faisant|avec le papier|dans ma chute|en tombant)(?: \w+)*|me faire mal (?:au|à la|aux|en)(?: \w+)*|frappe (?:de|du)|sauter (?:un repas|le petit|à la corde|en parachute|à l'élastique|de joie|au plafond)|adieu (?:les|l'|au|à la|aux|le|la|mes|mon|ma) ?(?!monde|vie|jours)\w+|peine de mort|nature morte|point mort|mort né",
    ),
    play=(
        r"lol|haha\w*|mdr+|ptdr+|xptdr|jeux?|joue|jouer|niveau|boss|minecraft|fortnite|valorant|lol|partie|round|match|tournoi|ennemis?|zombies?|grenades?|blague|rigole|plaisante|façon de parler|figure de style|gênant|honte|salle de sport|muscu|partiels?|exams?|devoirs|maths|chocolat|gâteau|pizza|loup ?garou|échecs|plongeoir|piscine|parachute|élastique",
    ),
    story=(
        r"chansons?|paroles|chante|chanteur|chanteuse|films?|séries?|épisode|saison|livre|roman|chapitre|personnages?|héros|héroïne|auteur|poème|citation|pièce|théâtre|opéra|documentaire|article|infos|actualités|étude|études|statistiques|exposé|dissertation|mémoire|cours|prévention|formation|traduire|traduction|signifie|veut dire|expression|histoire|guerre|siècle|jeu|jdr|jeu de rôle|rêve|rêvé|cauchemar|anime|manga|podcast|euthanasie|en \d{4}|madame bovary|camus|scénario|conférence|colloque",
    ),
    past=(
        r"avant|à l'époque|il y a (?:\w+ ){0,3}(?:ans|mois)|quand j'(?:étais|avais)|ado|plus jeune|survécu|guérie?|en sécurité|ça va mieux|je vais mieux|va mieux|derrière moi|j'en suis sortie?|aujourd'hui je vais|autrefois|dans le passé",
    ),
    present=(
        r"encore|toujours|ce soir|cette nuit|demain|de nouveau|pire|revenues?|revient|reviennent|maintenant je|là|envie de",
    ),
    negation=(
        r"(?:jamais|pas|aucune?|sans|plus jamais|nullement|ne veux pas|veux pas|plus)(?: (?:pas|envie|du tout|de|à|l'intention|intention|vouloir|l'idée|idée|vais|non|me|pensé|je|d'idées?|des))*",
    ),
    ages=(
        r"(?:j'ai|g|je n'ai que|j'ai que)(?: (?:que|seulement|juste|à peine|bientôt|presque|tout juste|eu))* (?P<age>[89]|1[0-7]|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|dix sept) ?ans(?! (?:d|de|que|et demi que|en arriere|dans|pour|passes|derriere)\b)",
    ),
    minor=(
        r"je suis(?: \w+)? en (?:cm1|cm2|ce1|ce2|6 ?e(?:me)?|5 ?e(?:me)?|4 ?e(?:me)?|3 ?e(?:me)?|sixième|cinquième|quatrième|troisième|seconde|2nde|première|1ere)(?! (?:année|annee|division|position|ligne|place))|je suis(?: \w+)? (?:mineure?|au collège|collégien\w*|moins de 18 ans)|je suis pas (?:encore )?majeure?|je vais avoir (?P<age2>[89]|1[0-7]) ans",
    ),
    parts=(r"mais|et|puis|alors|car|donc|parce",),
)

_SPANISH = Spelling(
    {
        "quiero": r"quiero|kiero|quisiera|quería|queria|voy a|vo a|pienso(?: en)?|pensando en|he pensado en|pensé en|ganas de|planeo|planeando|decidí|decidido|intenté|intentar|deseo|deseos de|debería|tengo que|necesito|podría|puedo|puedo dejar de pensar en|pensamientos de|idea de|ideas de|cómo|como|mejor|prefiero|estoy por|a punto de|impulsos? de|miedo (?:a|de)|dan ganas de|déjenme|déjame|considerando|considerado|vamos a|querer|quiera",
        "matarme": r"matarme|suicidarme|quitarme (?:la|mi) vida|ahorcarme|colgarme|cortarme(?: las venas)?|hacerme daño|lastimarme|acabar con (?:mi vida|todo|esto|mi existencia|mi sufrimiento|mi dolor)|terminar con (?:mi vida|todo|mi existencia|mi sufrimiento)|tirarme (?:de|desde|del|al|por|a las|frente)(?: \S+){0,3}|lanzarme (?:de|desde|del|al|por|a las|frente)(?: \S+){0,3}|aventarme (?:de|desde|del|al|a)(?: \S+){0,3}|pegarme un tiro|volarme la cabeza|dispararme|ahogarme|envenenarme|suicidio|autolesionarme|tomarme (?:todas|un frasco|el frasco|toda)(?: \S+){0,4}|saltar (?:de|desde|del|al|por)(?: \S+){0,2} ?(?:puente|edificio|balcón|ventana|azotea|vías|tren|techo|vacío)|me (?:mato|suicido)|herirme|rajarme|quemarme|no despertar",
        "quien": r"él|ella|alguien|dice que|(?:mi|mis|un|una|nuestr[oa])(?: \w+)? ?(?:amig[oa]s?|herman[oa]|novi[oa]|mamá|mama|madre|papá|papa|padre|hij[oa]|espos[oa]|marido|mujer|prim[oa]|compañer[oa]|ex|pareja|alumn[oa]|vecin[oa]|tí[oa]|mejor amig[oa]|abuel[oa]|chic[oa]|colega|sobrin[oa])",
        "kin": r"a alguien|a todos|a todas|a la gente|gente|personas|alguien|a él|a ella|a tod[oa]s|(?:a )?(?:mi|mis|ese|esa|esos|este|esta|al|a la|a los|a las|el|la|los|su)(?: \w+)? ?(?:madre|mamá|mama|padre|papá|papa|padres|herman[oa]s?|espos[oa]|marido|mujer|ex|novi[oa]|jef[ea]|profesor\w*|profe|maestr[oa]|vecin[oa]s?|compañer[oa]s?|hij[oa]s?|bebé|familia|cabrón|imbécil|tipo|desgraciad[oa]|maldit[oa]|clase|escuela|padrastro|perr[oa] esa|hdp)",
    }
)

SPANISH = _SPANISH.wording(
    "es",
    "_que_ _de_ _la_ _en_ pienso tirar vivir _mi_ _yo_ quiero estoy soy_ vida mat suicid morir muer nadie todos puedo siento tengo adios pastill mejor cort volvi _mis_ voy_ aguanto vivir perdon amig herman ella_ ojala nunca me_mat me_quier me_voy cansad",
    {
        "intent": (
            r"(?:<quiero>)(?: \S+){0,3} (?:<matarme>)",
            r"me (?:voy a|quiero|vo a|pienso|intenté|quise|quería|puedo|debería|podría|tengo ganas de)(?: \w+)? ?(?:matar|suicidar|ahorcar|colgar|cortar las venas|quitar la vida|pegar un tiro|lastimar|hacer daño|tirar de|tirar al|lanzar|cortar|morir|disparar)(?! (?:mi|cuando|si) )(?: \w+)*|(?:pensamientos|ideas|ideación|intento|pensamiento|deseos) (?:suicidas?|de suicidio|de suicidarme|de muerte)|(?:estoy|soy|siento|ando|me siento)(?: \w+){0,2} suicida|suicidarme|me (?:mato|suicido|ahorco|cuelgo)(?: \w+)*|quitarme la vida|(?:ya )?no (?:quiero|deseo|kiero|tengo ganas de|quisiera)(?: \w+)? (?:vivir|existir|seguir viv\w+|estar viv\w+|despertar|seguir viviendo|seguir aquí|estar aquí|estar en este mundo|seguir en este mundo|seguir adelante|seguir)(?: \w+)*|(?:escribí|escrito|escribiendo|dejé|tengo)(?: \w+){0,3} (?:carta|nota) (?:de despedida|suicida|de suicidio)|carta de despedida|cuánt[oa]s (?:\S+ ){1,6}(?:morir|matar|suicid\w+|mortal|letal|sobredosis)(?:me|se)?|(?:morir|matarme|suicidarme|morirme|matarse|suicidarse) sin (?:dolor|sufrir)|(?:forma|manera|método|modo)(?: \S+){0,5} (?:morir|matarme|suicidarme|suicidarse|matarse|quitarse la vida)|dosis (?:letal|mortal)|(?:esta noche|hoy|mañana)(?: \S+){0,3} (?:me mato|acabo con todo|termino con todo|se acaba todo|me quito la vida|me voy para siempre|me muero|voy a morir)|(?:acabar|terminar) con mi vida",
        ),
        "means": (
            r"(?:me )?(?:tomé|tome|tragué|trague|tragado|tomado|bebí)(?: \S+){0,5} (?:pastillas|pastilla|frasco|píldoras|medicamentos|cloro|veneno|caja|blister|somníferos)(?: \w+)*|(?:soga|cuerda|navaja|cuchillo|pastillas|pistola|arma|cuchilla)(?: \S+){0,4} (?:en la mano|a mi lado|frente a mí|frente a mi|list[oa]s?|delante|en mis manos|en la cabeza)|(?:estoy|sentad[oa]|parad[oa])(?: \S+){0,5} (?:puente|azotea|techo|balcón|borde|vías|cornisa|ventana)(?: \S+){0,6} (?:saltar|salto|adiós|tirarme|lanzarme|nadie|tren|vacío|caer|acabar)|me (?:corté|corte|abrí) las venas|me (?:corté|corte) (?:los brazos|las muñecas)",
        ),
        "harm": (
            r"me (?:volví|volvi|he vuelto|he)(?: \w+)? (?:a )?(?:cortar|lastimar|hacer daño|autolesionar|cortado|lastimado)(?: \w+)*",
            r"(?:me )?(?:he vuelto a|volví a|volvi a|empecé a|vuelvo a|sigo|quiero|necesito|ganas de|recaí y)(?: \S+)? (?:cortarme|lastimarme|hacerme daño|autolesionarme|cortándome|quemarme|lesionarme)(?: \w+)*|me (?:corto|autolesiono|lastimo|hago daño|hago cortes|quemo|rasguño|castigo)(?: (?:los|las|con|a|para|cuando|otra|de|todas|los brazos|mism[oa]|porque|cada|en|por|y|,))(?: \S+)*|me (?:corto|autolesiono|autolesioné|corté (?:otra|de nuevo|anoche))(?! (?:el|la|las uñas))(?: \w+)*|autolesi\w+|cortarme otra vez",
        ),
        "wish": (
            r"(?:mejor|felices|tranquil[oa]s|aliviad[oa]s)(?: \S+){0,2} si (?:yo )?(?:no (?:existiera|estuviera|estoy|hubiera)|muriera|desapareciera|me muero|me muriera)(?: \w+)*",
            r"(?:<quiero>)(?: \S+){0,2} (?:morir(?:me)?|estar muert[oa]|desaparecer|dejar de (?:existir|vivir|respirar)|dormir (?:para siempre|y no)|no (?:despertar|haber nacido|existir|estar)|desaparecer de)(?! de (?:risa|hambre|pena|vergüenza|calor|amor|sueño|frío))|(?:ojalá|ojala|desearía|quisiera|preferiría|mejor|deseo)(?: \S+){0,3} (?:me muera|me muriera|estuviera muert[oa]|estar muert[oa]|no despertar\w*|no haber nacido|nunca haber nacido|no hubiera nacido|no despierte|muert[oa]|me mat(?:e|ara)n?|no existiera|morirme|desapareciera|no existir|morir|me atropell\w+)(?! de)|(?:nunca|no) (?:debí|haber|hubiera|debería haber) (?:nacer|nacido|haber nacido)|(?:nadie|quién|quien)(?: \S+){0,3} (?:extrañar\w+|echar\w+ de menos|notar\w+|va a extrañar\w*|llorar\w+|importar\w+|daría cuenta|extrañe|darán cuenta)(?: \S+){0,5}|(?:mejor|felices|tranquil[oa]s)(?: \S+){0,2} (?:sin mí|sin mi$|si (?:yo )?(?:no (?:existiera|estuviera|estoy)|me muero|muero|desaparezco|me muriera)|muert[oa]$)(?: \w+)*|si (?:me )?(?:muero|muriera|matara|mato|desaparezco|desapareciera|no existiera|no estuviera)(?: \S+){0,5}|(?:quiero|me quiero) morir(?:me)?$|me quiero morir|quiero morir",
        ),
        "despair": (
            r"(?:no|sin|ningun[oa]?|perdí|ya no)(?: \w+){0,3} (?:razón|razones|sentido|motivos?|ganas|esperanza|fuerzas|propósito)(?: \w+)? ?(?:de|para|a|en|por)? ?(?:la que |las que )?(?:vivir|seguir(?: viv\w+)?|la vida|mi vida|existir|continuar|estar viv\w+|levantarme|seguir viviendo)|(?:la |mi )?vida(?: \S+){0,3} (?:no (?:tiene|vale)|ya no|sin sentido)(?: \S+){0,5}|no vale la pena (?:vivir|seguir|estar viv\w+)|(?:ya )?no (?:puedo|aguanto|doy|soporto|resisto)(?: \S+)? más(?: (?:con (?:esto|todo|mi vida|la vida)|así|de verdad))?$|(?:ya )?no (?:puedo|aguanto|soporto)(?: \w+)? (?:seguir así|vivir así|esta vida|la vida|seguir viviendo|este dolor)(?: \w+)*|(?:cansad[oa]|hart[oa]|cansé|harté|canse)(?: \w+)? (?:de )(?:la vida|vivir|mi vida|existir|esta vida|seguir viv\w+|estar viv\w+|luchar)(?: \w+)*|(?:soy|ser|siento)(?: \w+){0,3} (?:una|como una) carga(?: \S+){0,4}|(?:estarían|estaran|estarán|estaría|estará|estarian|sería|estarias|estan)(?: \w+){0,2} mejor sin m[ií]|(?:el mundo|todos|mi familia|mis \w+|ellos)(?: \S+){0,4} mejor sin m[ií]|no merezco (?:vivir|estar viv\w+|seguir)(?: \w+)*|quiero que (?:todo|esto|el dolor)(?: \w+)? (?:termine|acabe|pare|se acabe|se termine)(?: \w+)*|no (?:veo|encuentro|hay) (?:salida|otra salida|futuro|solución para mí)(?: \w+)*|me rindo (?:con|de|ante) (?:la vida|todo|vivir)|para qué (?:seguir viviendo|vivir|seguir)(?: \w+)*",
        ),
        "farewell": (
            r"(?:mi|este es mi|el) últim[oa] (?:mensaje|noche|día|adiós|carta|despedida)(?: \w+)*|adiós(?: \S+){0,2} (?:para siempre|mundo|a todos|vida|mundo cruel)(?: \w+)*|(?:me despido|despedirme|vengo a despedirme)(?: \S+){0,5}(?: de todos| para siempre| de este mundo| de ustedes| de ti| antes)|(?:cuando|una vez que|si) (?:yo )?(?:ya )?no (?:esté|este|estoy)(?: aquí| más)?(?: \w+)*|(?:cuida|cuiden|cuidad|cuídame|alimenta)(?: \S+){0,6} (?:cuando|no esté|me vaya|muera|ya no)(?: \w+)*|no (?:me )?(?:volverán|volverás|volveran|volveras|van) a (?:ver|verme|saber|saber de mí)(?: \w+)*|perdón(?:enme|ame)? por (?:todo|lo que voy a hacer)(?: \S+){0,4}|mañana (?:ya )?no (?:estaré|voy a estar|despertaré)(?: \w+)*|(?:regalé|regalando|repartí)(?: \w+){0,2} mis (?:cosas|pertenencias)|me voy para siempre|nos vemos en (?:el cielo|la otra vida)",
        ),
        "friend": (
            r"(?:<quien>)(?: \S+){0,6} (?:suicidarse|matarse|quitarse la vida|se (?:va a|quiere|quiso|intentó|puede)(?: \w+)? ?(?:matar|suicidar|quitar la vida|morir|lastimar|cortar|tirar|hacer daño|lanzar)|hacerse daño|lastimarse|cortarse|se corta|se lastima|se autolesiona|quiere morir(?:se)?|se quiere (?:morir|matar|suicidar)|no quiere (?:vivir|seguir viv\w+|estar viv\w+)|ya no quiere vivir|acabar con su vida|terminar con su vida|ahorcarse|tirarse (?:de|del|desde|por)|suicida|intento de suicidio|carta de despedida|mensajes? de despedida|se (?:tomó|trag\w+)(?: \S+){0,3} (?:pastillas|frasco|medicamentos)|saltar (?:del|de un|desde)|cortó las venas|se mata)(?: \w+)*|(?:miedo|temo|preocupad[oa])(?: \S+){0,4} (?:se mate|se suicide|se haga daño|haga una (?:locura|tontería)|se quite la vida)(?: \w+)*",
        ),
        "threatened": (
            r"(?:él|ella|marido|espos[oa]|ex|novi[oa]|padre|papá|pareja|padrastro|me)(?: \S+){0,5} (?:amenaz\w+|quiere|dice|dijo|intent\w+|juró|va)(?: \S+){0,4} (?:matarme|me va a matar|me mata|con matarme|apuñalarme|ahorcarme|con un cuchillo|con una pistola|de muerte)(?: \w+)*|(?:me (?:pega|golpea|ahorca|ahorcó|estranguló|está golpeando|amenaza de muerte|golpeó))(?: \w+)*",
        ),
        "attack": (
            r"(?:<quiero>)(?: \S+){0,3} (?:matar|apuñalar|acuchillar|estrangular|asesinar|envenenar|disparar(?:le)?|masacrar|degollar|hacerle daño|lastimar|golpear|herir|quemar|ahorcar|balear|tirotear|hacer daño|ahogar) (?:<kin>)|(?:<quiero>)(?: \S+){0,2} (?:matar|apuñalar|asesin|degoll|acuchill|estrangul|envenen|golpear|quem|lastim|ahorc|disparar)(?:ar)?(?:l[oae]s?|te|se)(?: \w+)*|(?:lo|la|los|las|te|le) (?:voy a|vo a|quiero|juro que voy a|pienso|podría)(?: \w+)? ?(?:matar|apuñalar|acuchillar|disparar|estrangular|degollar|asesinar|envenenar|quebrar|golpear hasta|ahorcar)(?: \w+)*|(?:llevar|llevaré|traer|llevo|meter)(?: \S+){0,4} (?:pistola|arma|cuchillo|navaja|bomba|rifle)(?: \S+){0,4} (?:escuela|trabajo|colegio|instituto|clase|oficina|uni\w*)(?: \w+)*|(?:voces|voz)(?: \S+){0,6} (?:mat\w+|daño|lastim\w+|apuñal\w+|hiera)(?: \w+)*|(?:volar|quemar|incendiar|explotar|bombardear|disparar|prender fuego|poner una bomba)(?: \S+){0,4} (?:escuela|colegio|oficina|iglesia|casa|instituto|mezquita|gente|multitud)(?: \w+)*|(?:tiroteo|masacre)(?: \S+){0,5} (?:voy|mañana|mi escuela|colegio|haré|hacer)(?: \w+)*|(?:maté|apuñalé|estrangulé|acuchillé) a (?:alguien|mi \w+|un \w+|una \w+)|(?:se va a|van a|va a|tiene que|tienen que|merece|merecen|deben|debe)(?: \w+)? ?(?:morir|pagar con (?:su vida|sangre))(?: \w+)*|(?:los|lo|la|las|te) (?:mato|mataré|apuñalo|degüello)(?: \w+)*",
        ),
        "threat": (
            r"(?:miedo|temo)(?: \S+){0,4} (?:matar|lastimar|hacerle daño|hacer daño|hacerles daño|golpear)(?: \w+)*|(?:quiero|ojalá|deseo) que (?:se muera|se mueran|muera|mueran|sufra|sufran)(?: \w+)*|(?:me las va a|las va a|van a|lo va a|me lo va a) (?:pagar|pagarme|pagan)(?: \S+){0,5} (?:cuchillo|pistola|sangre|muerte|arma)",
        ),
    },
    idioms=(
        r"(?:muert[oa]s?|morir(?:me)?|muero|muere|moría|morí|murió|mori|matar|matan?|mataron)(?: \w+)? (?:de|del) (?:la )?(?:risa|hambre|sed|pena|vergüenza|calor|amor|sueño|frío|miedo|envidia|ganas|aburrimiento|cansancio|ternura|susto|curiosidad|coraje|celos)|me (?:muero|moría) (?:por|de)(?: \w+)*|morir de (?:risa|\w+)|matar (?:el|un) (?:tiempo|rato|gusanillo)|matando el tiempo|(?:mamá|mama|madre|papá|papa|padre|padres|jefe|jefa|profe|profesor\w*|novia|novio|esposa|esposo|mujer|marido|hermana|hermano|abuela|ella|él|entrenador)(?: \w+)? (?:me|nos) (?:va|van|iba|iban|vas) a (?:\w+ )?(?:matar|ahorcar|estrangular|colgar|asesinar)(?! con)|(?:va|van|iba) a matarme(?! (?:con|si me))|me (?:mata|matan|matas|está matando|están matando|estan matando|esta matando)(?: (?:la|el|los|las|de|con|cuando|tu|este|esta|esa|ese|lentamente))?(?: \w+)*|(?:mataría|maté|mato) por (?:un|una|algo|tener)|suicide squad|escuadrón suicida|misión suicida|dos pájaros|de muerte lenta|punto muerto|mosquita muerta|(?:batería|celular|móvil|teléfono|planta\w*)(?: \w+){0,3} muert\w+|cortarme (?:el pelo|el cabello|las uñas|un|el fleco)|me (?:corto|corté|corte|lastimé|quemé|hice daño) (?:el pelo|el cabello|las uñas|cocinando|afeitándome|en el|jugando|haciendo|con (?:el|un) papel|al|la rodilla|el tobillo|la espalda|sin querer)(?: \w+)*|sin querer(?: \w+)*|acabar con (?:esto|todo) (?:el|la|lo|antes|ya)(?: \w+)*|terminar con (?:todo|esto) (?:el|la|lo)(?: \w+)*|saltar (?:la cuerda|en paracaídas|de alegría|el|la|a la piscina)|lanzarme (?:a la piscina|en paracaídas|como|al agua)|tirarme (?:a la piscina|al agua|en paracaídas|en el sofá|en la cama|al mar)",
    ),
    play=(
        r"lol|jaja\w*|jeje\w*|jsjs\w*|xd|juegos?|jugando|juego|partida|nivel|boss|jefe final|minecraft|fortnite|valorant|free fire|lol|ronda|torneo|partido|enemigos?|zombies?|granadas?|broma|bromeando|es un decir|ajedrez|gym|gimnasio|tarea|examen|exámenes|mates|qué vergüenza|oso|pizza|tacos|pastel|chocolate|piscina|paracaídas|personaje",
    ),
    story=(
        r"canci[oó]n|canciones|letra|canta|cantante|película|peli|series?|episodio|capítulo|temporada|libro|novela|personajes?|protagonista|autor|autora|poema|cita|obra|teatro|ópera|documental|artículo|noticias?|estudios?|estadísticas|ensayo|tesis|tarea sobre|clase de|curso|prevención|taller|traduce|traducir|traducción|significa|se dice|expresión|historia|guerra|siglo|juego|rol|sueño|soñé|pesadilla|anime|manga|podcast|eutanasia|en \d{4}|romeo|conferencia|guion",
    ),
    past=(
        r"antes|hace (?:\w+ ){0,3}(?:años|anos|meses|tiempo)|cuando (?:era|tenía|estaba)|en aquel entonces|de adolescente|sobreviví|recuperad[oa]|a salvo|estoy (?:mejor|bien)|ya estoy|ahora estoy (?:mejor|bien|a salvo)|superé|lo superé|en el pasado|atrás|quedó atrás|antiguamente",
    ),
    present=(
        r"otra vez|de nuevo|todavía|aún|esta noche|hoy|mañana|sigo|sigue|peor|volvieron|volvió|vuelven|ahora mismo|quiero",
    ),
    negation=(
        r"(?:no|nunca|jamás|sin|tampoco|dejé de|ni|ningún|ninguna|nunca más)(?: (?:me|voy a|quiero|quería|pienso|he|pensado|en|estoy|pensando|haría|va a|de|que|la|intención|ganas|tengo|intento|intenté|a|pensamientos|es|se|trata|digo|loca?|siquiera))*",
    ),
    ages=(
        r"(?:tengo|solo tengo|cumplí|cumpli|cumplo|tngo)(?: (?:solo|apenas|ya|casi|sólo|recién|hoy))* (?P<age>[89]|1[0-7]|ocho|nueve|diez|once|doce|trece|catorce|quince|dieciséis|diecisiete)(?: (?:años?|añitos|anos|y|pero|jaja\w*)(?! (?:de (?:casad[oa]|experiencia|trabajar|vivir|matrimonio|estar|ser|no)|trabajando|viviendo|sin|con|casad[oa]|en|esperando|jugando|aquí|tocando|estudiando))| ?,|$)",
    ),
    minor=(
        r"(?:estoy|voy|curso)(?: \w+)? (?:en|a) (?:primaria|la primaria|(?:la )?secundaria|[3-6] ?(?:º|°|o|ro|to)? de primaria|[1-4] ?(?:º|°|o)? de (?:la )?(?:eso|secundaria)|(?:primero|segundo|tercero|cuarto|quinto|sexto) de (?:la )?(?:primaria|secundaria|eso)|séptimo grado|octavo grado|sexto grado|noveno grado)|soy menor(?: de edad)?$|soy menor de edad|soy menor de 18|voy en (?:primero|segundo|tercero) de secundaria",
    ),
    parts=(r"pero|y|entonces|porque|aunque|mientras",),
)
