"""Polish, Russian and Ukrainian."""

# ruff: noqa: E501
from __future__ import annotations

from bot.conversation.crisis.wording import Spelling

_POLISH = Spelling(
    {
        "chce": r"chcę|chciał\w*|zamierzam|planuję|myślę o|myślę żeby|myślałam? (?:o|żeby)|myśli o|zaraz|mam ochotę|muszę|powinn[ay]m|mogł[ay]bym|próbował[ay]m|zdecydował[ay]m|będę|jak|lepiej|idę|boję się że|wolę|pozwólcie mi|zastanawiam się (?:nad|czy)",
        "zabic": r"(?:się )?(?:zabić|powiesić|pociąć|ciąć|okaleczyć|otruć|zastrzelić|utopić|okaleczać|zranić|skrzywdzić)(?: się| siebie)?|popełnić samobójstwo|samobójstw\w+|skończyć (?:z sobą|ze sobą|z tym wszystkim|to wszystko|z życiem|swoje życie)|odebrać sobie życie|zrobić sobie (?:krzywdę|coś)|coś sobie zrobić|skoczyć (?:z|pod)(?: \S+){0,3}|rzucić się (?:z|pod)(?: \S+){0,2}|podciąć sobie żyły|się zabiję|ze sobą skończyć|zakończyć (?:swoje |to )?życie|zakończyć to wszystko|zabicie się|samookalecz\w+",
        "kto": r"on|ona|ktoś|(?:mój|moja|moje|mojego|mojej|moją)(?: \w+)? ?\w+|koleżanka|kolega|przyjaciółka|przyjaciel|siostra|brat|mama|tata|córka|syn",
        "kin": r"kogoś|wszystkich|go|ją|ich|jego|ludzi|cię|(?:moj\w+|swoj\w+|tego|tę|tą|tych)(?: \w+)? ?\w+|matkę|ojca|siostrę|brata|szefa|nauczyciel\w+|męża|żonę|sąsiad\w+",
    }
)

POLISH = _POLISH.wording(
    "pl",
    "_w_ _na_ _ze_ _sie_ nie_ _mam_ jestem chce zyc zyci zabi umrze umier samob wszyst tabletk tne zegn lepiej mnie _moj _ona_ chcia koncz boje",
    {
        "intent": (
            r"(?:<chce>)(?: \S+){0,3} (?:<zabic>)",
            r"(?:zabiję|powieszę|zastrzelę|potnę|utopię|tnę|okaleczam|zabijam) się(?: \w+)*|się (?:zabiję|powieszę|potnę|tnę|zabić|powiesić)(?! (?:ze|z) (?:śmiechu|nudów))|skończę ze sobą|popełnię samobójstwo|odbiorę sobie życie|odebrać sobie życie|myśli samobójcze|myślę o samobójstwie|próba samobójcza|(?:nie|już nie) (?:chcę|chce|mam (?:już )?(?:ochoty|siły|po co))(?: \w+)? (?:już |dalej )?(?:żyć|istnieć|się obudzić|obudzić się|być na tym świecie|dalej żyć)(?: \w+)*|list (?:pożegnalny|samobójczy)|ile (?:\S+ ){1,6}(?:umrzeć|zabić|śmiertelna|żeby się)|(?:bezbolesn\w+|jak najłatwiej|najszybsz\w+|sposób|sposoby)(?: \S+){0,5} (?:umrzeć|się zabić|śmierć|samobójstwo|zabicie się)|śmiertelna dawka|(?:dzisiaj|dziś|jutro)(?: \S+){0,3} (?:to zrobię|kończę z tym|się zabiję|umrę|skończę to)|nie chcę (?:już )?żyć|nie chce mi się (?:już )?żyć",
        ),
        "means": (
            r"(?:wzięł[ae]m|wziąłem|łyknęł[ae]m|połknęł[ae]m|połknąłem|łyknąłem)(?: \S+){0,4} (?:tablet\w+|leki|leków|pigułki|opakowani\w+|proszki|prochy)(?: \w+)*|(?:sznur|nóż|tabletki|żyletka|pistolet|pętla|lina|żyletkę|nóż)(?: \S+){0,4} (?:przede mną|obok mnie|w ręce|gotow\w+)|(?:stoję|siedzę|jestem)(?: \S+){0,3} (?:na|przy)(?: \S+){0,2} (?:moście|dachu|krawędzi|torach|balkonie)(?: \S+){0,6}|podcięł[ae]m sobie żyły|(?:zbieram|mam|odkładam)(?: \w+){0,2} tabletki(?: \S+){0,4}",
        ),
        "harm": (
            r"(?:tnę|okaleczam|ranię|pocięł[ae]m|pociąłem|ciął[ea]m|krzywdzę|przypalam) się(?: \w+)*|(?:znowu|znów|wrócił[ae]m do)(?: \w+)? (?:się )?(?:tnę|cięcia|pocięł[ae]m|okaleczania|ciąć|okaleczam)(?: \w+)*|się (?:tnę|okaleczam|pociął\w*|pocięł\w*)(?: \w+)*|samookalecz\w+",
        ),
        "wish": (
            r"(?:<chce>)(?: \S+){0,3} (?:umrzeć|zniknąć|nie żyć|nie istnieć|zasnąć i|nigdy się nie (?:obudzić|urodzić)|już się nie obudzić|nie obudzić|być martw[ay])(?! ze śmiechu)|(?:wolał[ay]bym|żeby|oby|gdyby|szkoda że)(?: \S+){0,4} (?:nie żyć|umarł\w*|nie żył\w*|się nie urodzić|się nie urodził\w*|nie istnieć|umrzeć|się nie obudził\w*|się nie obudzić)|nikt(?: \S+){0,4} (?:tęsknił\w*|zauważy\w*|płakał\w*|zatęskni|obejdzie|brakowa\w+)(?: \w+)*|(?:lepiej|łatwiej)(?: \S+){0,4} (?:beze mnie|gdyby mnie nie|jakbym nie|gdybym (?:umarł\w*|zniknął|zniknęła|nie))(?: \w+)*|(?:jak|gdy|gdybym|kiedy|jeśli) (?:umrę|zniknę|umarł\w*|mnie nie będzie|mnie zabraknie|się zabiję)(?: \w+)*|chcę umrzeć|chce umrzec|nie obudzić się(?: \w+)*",
        ),
        "despair": (
            r"(?:nie mam|nie widzę|brak|bez|straci\w+|nie ma|nie widze)(?: \w+){0,3} (?:sensu|powodu|po co|siły|nadziei|celu|wyjścia|sił|przyszłości)(?: \w+)? ?(?:żyć|życia|by żyć|żeby żyć|życie|w życiu|dalej|wstawać|dla mnie|w tym wszystkim)?$|(?:życie|moje życie)(?: \S+){0,3} (?:nie ma (?:już )?sensu|bez sensu|nic nie warte|nie jest nic warte)(?: \w+)*|(?:nie|już nie)(?: \w+)? (?:wytrzymam|wytrzymuję|daję rady|dam rady|daję już rady|mogę|mam siły|mam już siły)(?: \w+){0,2}(?: dłużej| dalej| tak| żyć| z tym)?$|(?:mam dość|mam dosyć|zmęczon[ya]|zmęczył\w+)(?: \w+)? (?:życia|życiem|mojego życia|istnieni\w+|tego życia|wszystkiego i)(?: \w+)*|(?:jestem|byciem|bycie)(?: \w+){0,3} (?:ciężarem|problemem|kulą u nogi)(?: \w+)*|(?:wszystkim|rodzinie|świat\w*|im|wam|dzieciom|rodzicom)(?: \S+){0,4} (?:lepiej|łatwiej)(?: \w+)? beze mnie|nie zasługuję na życie|po co (?:mam )?(?:dalej )?żyć|chcę żeby (?:to|wszystko)(?: \w+)? się (?:skończyło|już skończyło)(?: \w+)*|nie widzę (?:już )?(?:wyjścia|sensu)(?: \w+)*",
        ),
        "farewell": (
            r"(?:moja|to moja|mój|to mój) ostatni\w*(?: \S+){0,2}(?: wiadomość| noc| dzień| list)?(?: \w+)*|żegnaj(?:cie)?(?: \w+)*|(?:jak|kiedy|gdy) (?:mnie )?(?:już )?(?:mnie )?(?:nie będzie|odejdę|zabraknie)(?: \w+)*|(?:zaopiekuj|zajmij|zajmijcie) się(?: \S+){0,6} (?:nie będzie|odejdę|umrę|zabraknie)(?: \w+)*|(?:już|nigdy)(?: \w+){0,2} mnie nie (?:zobacz\w+|usłysz\w+)(?: \w+)*|przepraszam za wszystko(?: \w+)*|jutro (?:już )?mnie (?:już )?nie będzie|chcę się pożegnać(?: \w+)*|odchodzę na zawsze",
        ),
        "friend": (
            r"(?:<kto>)(?: \S+){0,5} (?:chce|mówi|grozi|pisze|powiedział\w*|napisał\w*|próbował\w*|planuje|myśli)(?: \S+){0,4} (?:się zabić|zabić się|się zabije|umrzeć|nie chce (?:już )?żyć|samobójstw\w+|odebrać sobie życie|skończyć ze sobą|coś sobie zrobi\w*|powiesić|się pociąć|skoczyć|żyć|sobie zrobić)(?: \w+)*|(?:<kto>)(?: \S+){0,4} (?:się tnie|tnie się|popełni samobójstwo|próba samobójcza|myśli samobójcze|połkn\w+ (?:tabletki|leki)|wzi\w+ (?:tabletki|leki|garść)\w*|list pożegnalny|nie chce żyć|okalecza się|stoi na (?:moście|dachu)|chce się zabić)(?: \w+)*|boję się że(?: \S+){0,3} (?:się zabije|coś sobie zrobi|zrobi sobie)",
        ),
        "threatened": (
            r"(?:on|ona|mąż|były|chłopak|ojciec|partner|ojczym)(?: \S+){0,5} (?:grozi|powiedział|chce|mówi|próbował)(?: \S+){0,4} (?:mnie zabi\w+|zabije mnie|zabić mnie|udusić|że mnie zabije)(?: \w+)*|(?:mąż|chłopak|ojciec|on|ojczym) mnie (?:bije|dusi|pobił)(?: \w+)*",
        ),
        "attack": (
            r"(?:<chce>)(?: \S+){0,3} (?:zabić|zadźgać|zastrzelić|udusić|zamordować|otruć|skrzywdzić|pobić|zarżnąć|dźgnąć|zatłuc|zranić|wysadzić|podpalić) (?:<kin>|szkołę|dom|biuro|kościół)|(?:zabiję|zastrzelę|zadźgam|uduszę|zarżnę|zatłukę|zamorduję) (?:<kin>)|(?:go|ją|ich) (?:zabiję|zastrzelę|zadźgam|uduszę|zatłukę)(?: \w+)*|(?:przyniosę|wezmę|zabiorę)(?: \S+){0,3} (?:broń|nóż|pistolet|bombę)(?: \S+){0,3} (?:szkoły|pracy|klasy|uczelni)|głosy(?: \S+){0,6} (?:zabi\w+|skrzywdzi\w+|zrani\w+|krzywd\w+)(?: \w+)*|(?:zabił[ae]m|zadźgał[ae]m|zastrzelił[ae]m) (?:kogoś|moj\w+ \w+|człowieka)|(?:zabić|skrzywdzić) (?:go|ją|ich|kogoś|wszystkich)(?: \w+)*",
        ),
        "threat": (
            r"(?:powinien|powinni|musi|muszą|zasługuj\w+)(?: \S+){0,3} (?:umrzeć|zginąć|zdechnąć|na śmierć)(?: \w+)*|boję się że (?:kogoś|go|ją|zrobię)(?: \w+)? (?:skrzywdzę|zabiję|uderzę|krzywdę)(?: \w+)*|chcę żeby (?:umarł\w*|zdechł\w*|cierpi\w+|on|ona|zginął|zginęli)(?: \w+)*",
        ),
    },
    idioms=(
        r"(?:umr\w+|umier\w+|umarł\w*|zdych\w+|martw\w+|padam|padł\w*|zdechn\w+)(?: \w+)? (?:ze? |od )(?:śmiechu|głodu|nudów|wstydu|gorąca|zimna|ciekawości|zmęczenia|strachu|upału|zazdrości|pragnienia|nudy)|umierałam ze śmiechu|zabi\w+ (?:czas|nudę|mnie śmiechem)|(?:mama|matka|tata|ojciec|rodzice|szef|szefowa|nauczyciel\w*|żona|mąż|dziewczyna|chłopak|siostra|brat|trener|ona|babcia)(?: \w+)? mnie (?:zabij\w+|udusi|uduszą|ukatrupi)(?! (?:nożem|jeśli))|(?:zabije|zabiją|udusi) mnie(?! (?:nożem|jeśli))|(?:mnie|mi) (?:zabija\w*|dobija\w*)|zabija mnie(?: \w+)*|zabił[ay]bym za(?: \w+)*|suicide squad|legion samobójców|misja samobójcza|martwy punkt|martwa natura|(?:bateria|telefon|roślin\w*)(?: \w+){0,3} (?:padł\w*|zdechł\w*|umarł\w*)|się zabić (?:ze|o|na schodach|na tym|na rowerze)(?: \w+)*|(?:ściąć|obciąć) włosy|skaleczył\w+ się(?: \w+)*|zaciął\w* się(?: \w+)*|pociąć się przy(?: \w+)*|skoczyć (?:po|do|na) \w+(?! mnie)|żegnaj(?:cie)? (?:wakacje|weekendzie|dieto|zimo|lato|2\d+)|skończyć (?:to|z tym) (?:zadanie|projekt|sprzątani\w+)",
    ),
    play=(
        r"lol|haha\w*|hehe\w*|xd+|gra|grze|gry|gram|grać|level|poziom|boss|bossa|minecraft|fortnite|valorant|lol|cs|runda|rundzie|rundę|mecz|meczu|turniej\w*|wrog\w+|zombie|granat\w*|żart\w*|szachy|szachach|siłowni\w*|trening\w*|egzamin\w*|sesja|kartkówk\w+|matm\w+|wstyd\w*|pizza|pizzę|czekolad\w*|ciasto|basen|fifie|fifę|monopoly",
    ),
    story=(
        r"piosenk\w+|tekst|śpiewa|utw[óo]r\w*|filmi?e?u?|serial\w*|odcin\w+|sezon\w*|książ\w+|powieś\w+|rozdział\w*|postać|postaci|bohater\w*|autor\w*|wiersz\w*|cytat\w*|spektakl\w*|teatr\w*|oper\w+|dokument\w*|artykuł\w*|wiadomości|badani\w+|statystyk\w*|wypracowani\w+|referat\w*|wykład\w*|lekcj\w+|prac[aęy] (?:magistersk\w+|licencjack\w+)|profilaktyk\w+|kurs\w*|przetłumacz\w*|znaczy|oznacza|po angielsku|wyrażeni\w+|histori\w+|wojn\w+|wiek\w*|gra|grze|rpg|sen|śnił\w*|sniło|koszmar\w*|anime|manga|podcast|eutanazj\w+|w \d{4}|werter\w*",
    ),
    past=(
        r"kiedyś|lata temu|lat temu|rok temu|dawno|jako nastolat\w+|kiedy (?:był\w*|miał\w*)|wtedy|przeżył\w*|wyzdrowiał\w*|bezpieczn\w+|(?:już|teraz) (?:jest |jest ze mną |czuję się |mi )?(?:dobrze|lepiej)|jest (?:już )?(?:lepiej|ok)|mam to za sobą|za sobą",
    ),
    present=(r"znowu|znów|nadal|wciąż|dzisiaj|dziś|jutro|gorzej|wróci\w+|teraz chcę|chcę",),
    negation=(
        r"(?:nie|nigdy|bez|ani|przestał\w*|żadnych)(?: (?:się|chcę|chciał\w*|zamierzam|mam|zamiaru|planuję|myślę|o|zrobił[ay]?bym|myśli|bym|żeby|planów|mówię|jest|to))*",
    ),
    ages=(
        r"mam(?: (?:tylko|dopiero|już|prawie|ledwo))* (?P<age>[89]|1[0-7]|osiem|dziewięć|dziesięć|jedenaście|dwanaście|trzynaście|czternaście|piętnaście|szesnaście|siedemnaście) lat(?:ka|ek)?(?! (?:doświadczeni\w+|stażu|małżeństwa|temu|do|gwarancji|praktyki))|(?:skończył\w+) (?P<age2>[89]|1[0-7]) lat",
    ),
    minor=(
        r"(?:jestem|chodzę)(?: \w+)? (?:w|do) (?:[3-8]|czwart\w+|piąt\w+|szóst\w+|siódm\w+|ósm\w+|trzeci\w+) klas\w+(?! (?:liceum|technikum))|jestem (?:nieletni\w?|niepełnoletni\w?)|chodzę do podstawówki|nie mam (?:jeszcze )?(?:18|osiemnastu)(?: lat)?|jestem (?:ósmo|siódmo)klasist\w+",
    ),
    parts=(r"ale|a|potem|bo|więc|chociaż",),
)

_RUSSIAN = Spelling(
    {
        "hochu": r"хочу|хотел[аи]?|хочется|хочеться|собираюсь|думаю(?: о| об| как)?|думал[аи]?(?: о| как)?|мысли|мыслей|планирую|решил[аи]?|пытал(?:ся|ась)|пробовал[аи]?|буду|могу|надо|нужно|пора|лучше|как|готов[аы]?|боюсь(?: что)?|дайте|желание|сегодня|попробую|мечтаю",
        "ubit": r"убить себя|себя убить|покончить с собой|покончить с жизнью|покончить со всем|самоубийств\w*|самоубиться|самовыпил\w*|выпилиться|роскомнадзор\w*|суицид\w*|повеситься|вскрыть (?:себе )?вены|вскрыться|порезать (?:себя|вены|руки)|резать себя|резаться|порезаться|застрелиться|утопиться|отравиться|наложить на себя руки|свести сч[её]ты с жизнью|уйти из жизни|причинить себе (?:вред|боль)|сделать (?:с собой|себе) что(?: |-)?(?:нибудь|то)|что(?: |-)?(?:то|нибудь) (?:с собой )?сделать с собой|(?:прыгнуть|спрыгнуть|броситься|сброситься|сигануть|выпрыгнуть|шагнуть)(?: \S+)? (?:с|под|из)(?: \S+){0,2} ?(?:мост\w*|крыш\w+|поезд\w*|окн\w+|балкон\w*|машин\w+|этаж\w*|метро|электричк\w+)?|закончить (?:вс[её]|эту жизнь|свою жизнь|жизнь|это вс[её])|роскомнадзорнуться|убьюсь|наглотаться таблеток|выпить (?:все|пачку)(?: \S+)? ?таблет\w+|умереть сегодня",
        "kto": r"он|она|кто то|(?:мой|моя|моего|моей|мою|моему|наш|наша|одн\w+)(?: \w+)? ?\w+|подруг\w+|друг|сестр\w+|брат|мама|папа|дочь|дочка|сын|муж|жена|парень|девушка|знаком\w+|одноклассни\w+",
        "kin": r"его|е[её]|их|всех|вас|тебя|кого то|кого нибудь|людей|человека|(?:сво\w+|мо\w+|эт\w+|тво\w+)(?: \w+)? ?\w+|мать|отца|отчима|брата|сестру|мужа|жену|соседа|соседку|учител\w+|начальник\w*|одноклассник\w*|бывш\w+|родителей|реб[её]нка",
    }
)

RUSSIAN = _RUSSIAN.wording(
    "ru",
    "",
    {
        "intent": (
            r"(?:<hochu>)(?: \S+){0,3} (?:<ubit>)",
            r"(?:я )?(?:убью себя|повешусь|вскроюсь|вскрою (?:себе )?вены|застрелюсь|утоплюсь|покончу с собой|выпилюсь|самоубьюсь|порежу себя|сброшусь|спрыгну с|прыгну с|брошусь под)(?: \S+){0,4}|покончить с собой|убить себя|суицидальн\w+(?: мысли)?|мысли о (?:суициде|самоубийстве|смерти)|попытк\w+ (?:суицида|самоубийства)|не (?:хочу|хочется|хотел[аи]? бы|собираюсь|могу|вижу смысла)(?: \w+)? ?(?:больше |дальше |так )?(?:жить|существовать|просыпаться|быть на этом свете|проснуться)(?: \w+)*|(?:предсмертн\w+|прощальн\w+) (?:записк\w+|письм\w+)|сколько (?:\S+ ){1,6}(?:умереть|отравиться|передоз\w*|смертельн\w+|чтобы не проснуться)(?: \w+)*|(?:безболезненн\w+|л[её]гк\w+|быстр\w+|способ\w*|как)(?: \S+){0,4} (?:умереть|покончить|убить себя|самоубийств\w+|суицид\w*|уйти из жизни)(?: \w+)*|смертельная доза|(?:сегодня|завтра|этой ночью)(?: \S+){0,3} (?:умру|меня не станет|вс[её] закончу|покончу|сделаю это|меня не будет)(?: \w+)*|жить (?:больше |уже )?не (?:хочу|хочется|буду)(?: \w+)*",
        ),
        "means": (
            r"(?:выпил[аи]?|наглотал(?:ся|ась)|съел[аи]?|принял[аи]?|приняла)(?: \S+){0,4} (?:таблет\w+|пачк\w+|снотворн\w+|уксус\w*|лекарств\w*|упаковк\w+)(?: \w+)*|наглотал(?:ся|ась)(?: \w+)*|(?:вер[её]вк\w+|нож|таблетки|лезвие|пистолет|петля|бритва)(?: \S+){0,4} (?:передо мной|рядом|в руке|в руках|готов\w+|лежат|лежит|куплен\w+)|(?:стою|сижу|я)(?: \S+){0,2} на(?: \S+){0,2} (?:мосту|крыше|краю|подоконнике|рельсах|карнизе|балконе)(?: \S+){0,6}|(?:порезал[аи]?|вскрыл[аи]?)(?: \S+){0,2} (?:вены|руки|себя)|(?:коплю|купил[аи]? (?:вер[её]вку|лезви\w+)|накопил[аи]?|собираю)(?: \w+){0,2} таблетки",
        ),
        "harm": (
            r"(?:режу|порезал[аи]?|резал[аи]?|раню|калечу|бью|прижигаю) (?:себя|себе|руки|вены)(?: \w+)*|(?:снова|опять|начал[аи]?|тянет|хочется)(?: \w+)? (?:резать\w*|порезал(?:ся|ась)|режусь|себя (?:порезал[аи]?|режу|резать)|сделать себе больно|резаться|причинять себе боль)(?: \w+)*|селфхарм\w*|самоповрежд\w+|режусь(?: \w+)*",
        ),
        "wish": (
            r"купил[аи]? (?:вер[её]вку|лезви\w+|пистолет)",
            r"(?:<hochu>|хотел[аи]? бы|хоть бы|скорей бы|лучше бы)(?: \S+){0,3} (?:умереть|сдохнуть|исчезнуть|не существовать|не просыпаться|не проснуться|уснуть и|заснуть и|навсегда уснуть|умру|умер|умерла|сдох\w*|быть м[её]ртв\w+|не рождаться|не родиться|не рождал\w+|не родил\w+)(?! (?:от|со) )|хочу (?:умереть|сдохнуть)|(?:лучше|жаль|зачем)(?: \S+){0,3} (?:я )?(?:не рожд\w+|не родил\w*|родил\w*|умер\w*|сдох\w*|м[её]ртв\w+|меня не было)(?: \w+)*|никто(?: \S+){0,4} (?:скуча\w+|заметит|заплачет|вспомнит|расстроится|заметили)(?: \w+)*|(?:лучше|легче|проще)(?: \S+){0,3} (?:без меня|если меня не|если бы меня|если я (?:умру|исчезну|сдохну))(?: \w+)*|(?:если|когда) (?:я|меня)(?: \w+)? (?:умру|исчезну|не станет|умерла?|сдохну|не будет)(?: \w+)*|(?:уснуть|заснуть) и (?:больше )?(?:не|никогда)(?: \w+)*",
        ),
        "despair": (
            r"(?:нет|не вижу|не осталось|потерял[аи]?|без|никакого|ради чего)(?: \w+){0,3} (?:смысла?|причин\w*|сил\w?|надежды|желания|выхода|будущего)(?: \w+)? ?(?:жить|жизни|в жизни|существовать|дальше|для меня|ни в чем|больше)?$|(?:нет|не вижу|потерял[аи]?)(?: \w+){0,2} (?:смысла?|желания|сил|причин\w*)(?: \w+)? (?:жить|в жизни|жизни|существовать|дальше)(?: \w+)*|жизнь(?: \S+){0,4} (?:бессмысленн\w+|не имеет смысла|потеряла смысл|не стоит|кончена|закончена)(?: \w+)*|(?:больше|дальше|так)(?: \w+){0,2} не могу(?: \w+){0,2}$|(?:я )?не могу (?:больше|так больше|так жить|дальше|жить|это выносить)(?: \w+){0,3}$|не (?:вынесу|выдержу|выдерживаю|выношу)(?: \w+)? ?(?:больше|этого|эту боль)?$|(?:устал[аи]?|надоело|задолбал[аои]?с?ь?)(?: \w+)? (?:жить|от жизни|существовать|быть живой|от этой жизни|бороться)(?: \w+)*|(?:я )?(?:всего лишь |просто |только )*(?:обуза|бремя|обузой)(?: \S+){0,4}|(?:всем|мир\w*|семье|им|родителям|детям|маме)(?: \S+){0,4} (?:лучше|легче)(?: \S+){0,2} без меня|не заслуживаю жи\w+|хочу чтобы (?:вс[её]|это)(?: \w+)? (?:закончилось|кончилось|прекратилось)(?: \w+)*|не вижу выхода|зачем (?:мне )?(?:вообще |дальше )?жить(?: \w+)*|незачем жить|нет смысла жить",
        ),
        "farewell": (
            r"(?:мо[ей]|это мо[её]|последн\w+)(?: \w+)? ?последн\w+ (?:сообщени\w+|ночь|день|слова|пост)(?: \w+)*|прощай(?:те)?(?: \w+)*|(?:когда|если) меня (?:уже |больше )?не (?:станет|будет)(?: \w+)*|(?:позаботься|позаботьтесь|присмотри|присмотрите|заботься)(?: \S+){0,6} (?:меня не|после меня|уйду|умру)(?: \w+)*|(?:больше|никогда)(?: \w+){0,2} (?:меня )?не (?:увид\w+|услыш\w+)(?: \w+)*|простите (?:меня )?за вс[её](?: \w+)*|прости меня за вс[её](?: \w+)*|завтра меня (?:уже )?не (?:будет|станет)|хочу (?:со всеми )?попрощаться(?: \w+)*|ухожу навсегда|всем прощайте",
        ),
        "friend": (
            r"(?:<kto>)(?: \S+){0,5} (?:хочет|говорит|угрожает|пишет|сказал\w*|написал\w*|пытал\w+|собирается|думает|грозится)(?: \S+){0,4} (?:убить себя|покончить|покончит|умереть|не хочет (?:больше )?жить|суицид\w*|самоубийств\w+|повес\w+|прыгн\w+|спрыгн\w+|вскро\w+|убьет себя|резать себя|с собой|не хочет жить|вскрыться)(?: \w+)*|(?:<kto>)(?: \S+){0,4} (?:режет себя|режется|суицидальн\w+|попытк\w+ суицида|наглотал\w+|выпил\w* (?:таблетки|пачку|кучу|много)(?: \w+)*|прощальн\w+|предсмертн\w+|на крыше|на мосту|вскрыл\w* вены|хочет умереть|не хочет жить|стоит на)(?: \w+)*|боюсь(?: \S+){0,4} (?:сделает с собой|убьет себя|покончит с собой|что то сделает)(?: \w+)*",
        ),
        "threatened": (
            r"(?:он|она|муж|бывший|парень|отец|отчим|сожитель)(?: \S+){0,5} (?:угрожает|сказал|хочет|обещает|пытался|грозится|грозит)(?: \S+){0,4} (?:меня убить|убить меня|убьет меня|меня убь[её]т|зарезать|задушить|убийством|прирезать)(?: \w+)*|(?:муж|парень|отец|он|отчим) (?:меня (?:бьет|избивает|душит|избил|душил)|(?:бьет|избивает|душит|избил) меня)(?: \w+)*",
        ),
        "attack": (
            r"(?:<hochu>)(?: \S+){0,3} (?:убить|зарезать|застрелить|задушить|отравить|прирезать|расстрелять|избить|взорвать|сжечь|порезать|покалечить|замочить|поджечь|ударить ножом|перестрелять|причинить вред|навредить|зарубить) (?:<kin>|школу|дом|офис|класс|церковь|кому\w*)|(?:убью|зарежу|застрелю|задушу|прирежу|отравлю|перестреляю|порешу|замочу|расстреляю|зарублю) (?:<kin>)|(?:его|е[её]|их|всех|тебя) (?:убью|зарежу|застрелю|задушу|перестреляю|прикончу|прирежу|убить хочу|хочу убить)(?: \w+)*|(?:принесу|возьму|притащу|иду)(?: \S+){0,3} (?:нож\w*|пистолет\w*|оружи\w+|ружь\w+|бомбу|автомат\w*)(?: \S+){0,3} (?:школу|работу|класс|универ)|голоса(?: \S+){0,6} (?:убить|убивать|убей|зарезать|навредить|вред\w*|причинить)(?: \w+)*|(?:взорву|сожгу|устрою|подожгу|расстреляю)(?: \S+){0,2} (?:школу|дом|стрельбу|резню|офис|класс)(?: \w+)*|(?:я )?(?:убил|убила|зарезал|зарезала|застрелил) (?:человека|его|е[её]|мужа|жену|кого то)(?: \w+)*",
        ),
        "threat": (
            r"(?:долж\w+|заслуж\w+|пусть)(?: \S+){0,3} (?:умереть|сдохнуть|сдохн\w+|умр\w+|смерти|сгореть)(?: \w+)*|боюсь что(?: \S+){0,3} (?:убью|ударю|причиню|сорвусь|покалечу)(?: \w+)*|хочу чтобы (?:он|она|они)(?: \w+)? (?:сдох\w*|умер\w*|страда\w+)(?: \w+)*|(?:он|она|они) (?:у меня )?(?:за это )?(?:заплат\w+)(?: \S+){0,4} (?:кровью|жизнью|нож\w*)",
        ),
    },
    idioms=(
        r"(?:умер\w*|умира\w+|умр\w+|сдох\w*|подыха\w+|помира\w+|помер\w*|помру|лопну|мертв\w*)(?: \w+)? (?:от|со|с) (?:смеха|смеху|голода|голоду|скуки|скуку|стыда|жары|холода|любопытства|усталости|страха|зависти|жажды|тоски|нетерпения|кринжа|волнения|переедания|счастья)|(?:со|от) (?:смеху|смеха|стыда|скуки|голода|кринжа|жары) (?:умер\w*|умира\w+|умр\w+|сдох\w*|помира\w+|чуть не \w+)|убить время|убива\w+ время|убить (?:двух|пару часов|вечер|день|кучу времени)|(?:мама|мать|папа|отец|родители|начальник\w*|учител\w*|препод\w*|жена|муж|девушка|парень|сестра|брат|тренер|она|он|бабушка|шеф|мамка)(?: \w+)? меня (?:убь[её]т|убьют|прибь[её]т|прибьют|придушит|прикончит|зароет)(?! (?:ножом|если))|(?:убь[её]т|убьют|прибь[её]т) меня(?! (?:ножом|если))|меня (?:это |просто |эта \w+ |этот \w+ )*(?:убивает|убивают|добивает|убило)(?: \w+)*|убивает меня(?: \w+)*|убил[аи]? бы за(?: \w+)*|отряд самоубийц|убить билла|убить пересмешника|м[её]ртвая (?:точка|петля|зона)|м[её]ртвые души|до смерти|смертельно (?:устал\w*|скучно|голод\w+)|(?:батарея|телефон|ноут\w*|растени\w+|комп)(?: \w+){0,3} (?:сдох\w*|умер\w*)|порезал(?:ся|ась) (?:когда|бумагой|на кухне|бритвой когда|брился|пока)(?: \w+)*|прыгнуть (?:с парашютом|в бассейн|в воду|с вышки)(?: \w+)*|прыгать с (?:парашютом|вышки)|прощай (?:лето|диета|отпуск|молодость|зима|сон)(?: \w+)*|жить не могу без(?: \w+)*|не могу жить без (?:кофе|шоколад\w*|музыки|чая|интернета|телефона)",
    ),
    play=(
        r"лол|ахах\w*|хаха\w*|хах\w*|хехе\w*|ржу|кек|игр\w+|играю|уров\w+|босс\w*|майнкрафт\w*|дот\w+|кс|каэс|валорант\w*|раунд\w*|матч\w*|турнир\w*|враг\w*|зомби|гранат\w*|шуч\w+|шутк\w+|шахмат\w*|качалк\w+|спортзал\w*|экзамен\w*|сесси\w+|контрольн\w+|матан\w*|стыдно|кринж\w*|пицц\w+|шоколад\w*|торт\w*|бассейн\w*|парашют\w*|моб\w+|катк\w+|респаун\w*|доте|танк\w+",
    ),
    story=(
        r"песн\w+|текст\w*|по[её]т|трек\w*|альбом\w*|фильм\w*|кино|сериал\w*|серии|серия|эпизод\w*|сезон\w*|книг\w+|роман\w*|глав[аеуы]|персонаж\w*|геро\w+|автор\w*|стих\w*|цитат\w*|спектакл\w+|пьес\w+|театр\w*|опер\w+|документал\w+|стать\w+|новост\w+|исследовани\w+|статистик\w*|сочинени\w+|реферат\w*|лекци\w+|диплом\w*|профилактик\w*|курс\w*|переведи\w*|перевод\w*|означает|значит|выражени\w+|истори\w+|войн\w+|век\w*|игр\w+|ролев\w+|сон|снил\w*|приснил\w*|кошмар\w*|аниме|манга|манге|подкаст\w*|эвтанази\w+|в \d{4}|каренин\w*|достоевск\w+|есенин\w*|вертер\w*",
    ),
    past=(
        r"раньше|когда то|лет назад|года? назад|в прошлом|в юности|подростком|когда (?:был\w*|мне было)|тогда|пережил\w*|выжил\w*|выздоровел\w*|в безопасности|(?:сейчас|теперь|уже|мне)(?: \w+)? (?:лучше|хорошо|в порядке|нормально)|позади|справил\w+|давно",
    ),
    present=(r"снова|опять|вс[её] ещ[её]|до сих пор|сегодня|завтра|хуже|вернул\w+|прямо сейчас|хочу",),
    negation=(
        r"(?:не|никогда|нет|без|ни|перестал\w*|никаких)(?: (?:хочу|хотел\w*|собираюсь|собирал\w+|думаю|думал\w*|о|об|планирую|буду|стал\w*|бы|стану|мыслей|про|то|чтобы|планов|намерен\w*|этого|хочется))*",
    ),
    ages=(
        r"мне(?: (?:всего|только|уже|почти|сейчас|ещ[её]|лишь|исполнилось|скоро))* (?P<age>[89]|1[0-7]|восемь|девять|десять|одиннадцать|двенадцать|тринадцать|четырнадцать|пятнадцать|шестнадцать|семнадцать)(?: (?:лет|годиков|и|но)(?! (?:назад|до|осталось|опыта))| ?,|$)",
    ),
    minor=(
        r"(?:я )?(?:учусь|перешел|перешла|я)(?: \w+)? ?в (?:[2-9]|10|третьем|четвертом|пятом|шестом|седьмом|восьмом|девятом|десятом)(?: \w)? ?(?:м )?класс\w?|я несовершеннолетн\w+|мне (?:ещ[её] )?нет (?:18|восемнадцати)|я (?:пяти|шести|семи|восьми|девяти|десяти)классни\w+",
    ),
    parts=(r"но|и|а|потом|потому|хотя",),
)
