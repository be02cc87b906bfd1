"""Ukrainian and Turkish."""

# ruff: noqa: E501
from __future__ import annotations

from bot.conversation.crisis.wording import Spelling

_UKRAINIAN = Spelling(
    {
        "hochu": r"хочу|хотіл[аи]|хотів|хочеться|збираюс[ья]|думаю(?: про)?|думал[аи]|думав|думки(?: про)?|планую|вирішил[аи]|вирішив|намагавс[ья]|буду|можу|треба|краще|як|готов[аи]й?|боюс[ья](?: що)?|дайте|бажання|мрію|сьогодні",
        "ubyty": r"(?:в|у)бити себе|себе (?:в|у)бити|покінчити (?:з собою|із собою|з життям|з усім|зі всім)|накласти на себе руки|самогубств\w+|суїцид\w*|повіситис[ья]|порізати (?:себе|вени)|різати себе|різатис[ья]|вкоротити собі віку|застрелитис[ья]|отруїтис[ья]|втопитис[ья]|заподіяти собі (?:шкоду|біль)|зробити (?:щось )?(?:собі|з собою)(?: боляче| щось)?|піти з життя|закінчити (?:все|це життя|своє життя)|(?:стрибнути|зістрибнути|кинутис[ья]|вистрибнути)(?: \S+)? (?:з|під|із)(?: \S+){0,2} ?(?:мост\w*|дах\w+|поїзд\w*|вікн\w+|балкон\w*|потяг\w*|машин\w+)|розкрити вени|наковтатися \w+|звести рахунки з життям",
        "kto": r"він|вона|хтось|(?:мій|моя|мого|моєї|мою)(?: \w+)? ?\w+|подруг\w+|друг|сестр\w+|брат|мама|тато|донька|син|чоловік|дружина|хлопець|дівчина|знайом\w+",
        "kin": r"його|її|їх|всіх|вас|тебе|когось|людей|людину|(?:сво\w+|мо\w+|ц\w+|тво\w+)(?: \w+)? ?\w+|матір|батька|вітчима|брата|сестру|чоловіка|дружину|сусіда|начальника|вчител\w+|однокласник\w*",
    }
)

UKRAINIAN = _UKRAINIAN.wording(
    "uk",
    "",
    {
        "intent": (
            r"(?:<hochu>)(?: \S+){0,3} (?:<ubyty>)",
            r"(?:я )?(?:вб'ю себе|уб'ю себе|повішусь|повішуся|застрелюс[ья]|покінчу з собою|накладу (?:на себе )?руки(?: на себе)?|поріжу себе|стрибну з|кинусь під)(?: \S+){0,4}|покінчити з собою|(?:в|у)бити себе|суїцидальн\w+(?: думки)?|думки про (?:суїцид|самогубство|смерть)|спроб\w+ (?:суїциду|самогубства)|не (?:хочу|хочеться|хотіл\w+ б|можу|бачу сенсу)(?: \w+)? ?(?:більше |далі |так )?(?:жити|існувати|прокидатис[ья]|прокинутис[ья])(?: \w+)*|жити (?:більше |вже )?не (?:хочу|хочеться)(?: \w+)*|(?:передсмертн\w+|прощальн\w+) (?:записк\w+|лист\w*)|скільки (?:\S+ ){1,6}(?:померти|отруїтис\w+|смертельн\w+|щоб не прокинутис\w+)(?: \w+)*|(?:безболісн\w+|легк\w+|швидк\w+|спос[іо]б\w*)(?: \S+){0,4} (?:померти|вбити себе|покінчити|самогубств\w+|піти з життя)(?: \w+)*|(?:сьогодні|завтра|цієї ночі)(?: \S+){0,3} (?:помру|мене не стане|все закінчу|покінчу|зроблю це|мене не буде)(?: \w+)*",
        ),
        "means": (
            r"(?:випи\w+|наковта\w+|прийня\w+)(?: \S+){0,4} (?:таблет\w+|пігул\w+|пачк\w+|снодійн\w+|упаковк\w+)(?: \w+)*|(?:мотузк\w+|ніж|таблетки|лезо|пістолет|петля|пігулки)(?: \S+){0,4} (?:переді мною|поруч|в руці|в руках|готов\w+|лежать|лежить)|(?:стою|сиджу)(?: \S+){0,2} на(?: \S+){0,2} (?:мосту|даху|краю|підвіконні|рейках|балконі)(?: \S+){0,6}|порізал[аи] (?:собі )?(?:вени|руки)",
        ),
        "harm": (
            r"(?:ріжу|порізала?|порізав|раню|калічу|б'ю) (?:себе|собі|руки|вени)(?: \w+)*|(?:знову|знов|почала?|почав|тягне)(?: \w+)? (?:різати\w*|порізала\w*|порізався|ріжу\w*|себе (?:порізала?|ріжу|різати)|зробити собі боляче)(?: \w+)*|самоушкоджен\w+|селфхарм\w*|ріжуся?",
        ),
        "wish": (
            r"(?:<hochu>|хотіл[аи] б|хотів би|краще б)(?: \S+){0,3} (?:померти|здохнути|зникнути|вмерти|не існувати|не прокидатис\w+|не прокинутис\w+|заснути і|заснути й|помру|я помер\w*|не народжув\w+)(?! (?:від|зі|з) )|(?:краще|шкода|нащо|навіщо)(?: \S+){0,3} (?:я )?(?:не народ\w+|народи\w+|помер\w*|здох\w*|мене не було)(?: \w+)*|ніхто(?: \S+){0,4} (?:сум\w+|не помітить|помітить|заплаче|згадає|не помітив)(?: \w+)*|(?:краще|легше)(?: \S+){0,3} (?:без мене|якби мене|якщо мене|якщо я (?:помру|зникну))(?: \w+)*|(?:якщо|коли|якби) (?:я|мене)(?: \w+)? (?:помру|зникну|не стане|не буде|померла?)(?: \w+)*|заснути (?:і|й|та) (?:більше )?(?:не|ніколи)(?: \w+)*",
        ),
        "despair": (
            r"(?:немає?|не бачу|нема|втратил[аи]|втратив|без)(?: \w+){0,3} (?:сенсу?|причин\w*|сил\w?|надії|бажання|виходу|майбутнього)(?: \w+)? ?(?:жити|життя|в житті|існувати|далі|для мене|більше)?$|(?:немає?|не бачу|нема|втратил[аи])(?: \w+){0,2} (?:сенсу|бажання|сил|причин\w*)(?: \w+)? (?:жити|в житті|життя|існувати|далі)(?: \w+)*|життя(?: \S+){0,4} (?:не має сенсу|втратило сенс|не варте|скінчен\w+|без сенсу)(?: \w+)*|(?:я )?(?:більше|далі|так)(?: \w+){0,2} не можу(?: \w+){0,2}$|не можу (?:більше|так більше|так жити|далі|це терпіти)(?: \w+){0,3}$|не (?:витримаю|витримую)(?: \w+)?$|(?:втомил\w+|втомив\w+|набридло)(?: \w+)? (?:жити|від життя|існувати|від цього життя|боротис\w+)(?: \w+)*|(?:я )?(?:лише |просто |тільки )*(?:тягар|тягарем)(?: \S+){0,4}|(?:всім|усім|світ\w*|родині|їм|батькам|дітям|мамі|рідним)(?: \S+){0,4} (?:краще|легше)(?: \S+){0,2} без мене|не заслуговую (?:на життя|жити)|хочу щоб (?:все|це|усе)(?: \w+)? (?:закінчилос\w+|скінчилос\w+|припинилос\w+)(?: \w+)*|не бачу виходу|навіщо (?:мені )?(?:взагалі |далі )?жити(?: \w+)*",
        ),
        "farewell": (
            r"(?:мо[єя]|це мо[єя]) останн\w+ (?:повідомлення|ніч|день|слова)(?: \w+)*|прощавай(?:те)?(?: \w+)*|прощайте(?: \w+)*|(?:коли|якщо) мене (?:вже |більше )?не (?:стане|буде)(?: \w+)*|(?:подбай|подбайте|доглянь|потурбуйся|доглядай)(?: \S+){0,6} (?:мене не|після мене|піду|помру)(?: \w+)*|(?:більше|ніколи)(?: \w+){0,2} (?:мене )?не (?:побач\w+|почу\w+)(?: \w+)*|(?:пробачте?|вибачте|вибач)(?: мені| мене)? за все(?: \w+)*|завтра мене (?:вже )?не (?:буде|стане)|хочу попрощатис\w+(?: \w+)*|йду назавжди",
        ),
        "friend": (
            r"(?:<kto>)(?: \S+){0,5} (?:хоче|каже|погрожує|пише|сказа\w+|написа\w+|намага\w+|збирається|думає)(?: \S+){0,4} (?:(?:в|у)бити себе|покінчити|померти|не хоче (?:більше )?жити|суїцид\w*|самогубств\w+|повіс\w+|стрибн\w+|з собою|накласти на себе|(?:в|у)б'є себе|різати себе|жити)(?: \w+)*|(?:<kto>)(?: \S+){0,4} (?:ріже себе|ріжеться|суїцидальн\w+|спроб\w+ суїциду|наковта\w+|випи\w+ (?:таблетки|пачку|купу|багато)(?: \w+)*|прощальн\w+|на даху|на мосту|хоче померти|не хоче жити)(?: \w+)*|боюс[ья](?: \S+){0,4} (?:зробить з собою|вб'є себе|покінчить з собою)(?: \w+)*",
        ),
        "threatened": (
            r"(?:він|вона|чоловік|колишній|хлопець|батько|вітчим)(?: \S+){0,5} (?:погрожує|сказав|хоче|обіцяє|намагався)(?: \S+){0,4} (?:мене (?:в|у)бити|(?:в|у)бити мене|(?:в|у)б'є мене|мене (?:в|у)б'є|зарізати|задушити|вбивством)(?: \w+)*|(?:чоловік|хлопець|батько|він|вітчим) (?:мене (?:б'є|душить|побив)|(?:б'є|душить|побив) мене)(?: \w+)*",
        ),
        "attack": (
            r"(?:<hochu>)(?: \S+){0,3} (?:(?:в|у)бити|зарізати|застрелити|задушити|отруїти|розстріляти|побити|підірвати|спалити|порізати|підпалити|прирізати|нашкодити) (?:<kin>|школу|дім|офіс|клас)|(?:(?:в|у)б'ю|заріжу|застрелю|задушу|отрую|розстріляю) (?:<kin>)|(?:його|її|їх|всіх|тебе) (?:(?:в|у)б'ю|заріжу|застрелю|задушу|хочу (?:в|у)бити)(?: \w+)*|(?:принесу|візьму|несу)(?: \S+){0,3} (?:ніж|пістолет|збро\w+|рушниц\w+|бомбу)(?: \S+){0,3} (?:школи|роботу|клас\w*|університет\w*)|голоси(?: \S+){0,6} (?:(?:в|у)бит\w+|вбий|зарізати|нашкодити|боляче|шкод\w+)(?: \w+)*|(?:підірву|спалю|влаштую|підпалю)(?: \S+){0,2} (?:школу|дім|стрілянину|офіс|різанину)(?: \w+)*|(?:я )?(?:вбив|вбила|зарізав|зарізала|застрелив) (?:людину|його|її|чоловіка|дружину|когось)(?: \w+)*",
        ),
        "threat": (
            r"(?:ма\w+|заслуг\w+|повин\w+|хай)(?: \S+){0,3} (?:померти|здохн\w+|смерті|помре|помруть)(?: \w+)*|боюс[ья] що(?: \S+){0,3} (?:(?:в|у)б'ю|вдарю|заподію|зірвус\w+|зроблю боляче)(?: \w+)*|хочу щоб (?:він|вона|вони)(?: \w+)? (?:здох\w*|помер\w*|страждa\w+)(?: \w+)*",
        ),
    },
    idioms=(
        r"(?:помер\w*|помир\w+|вмер\w*|вмира\w+|помр\w+|здих\w+|лусн\w+)(?: \w+)? (?:від|зі|з|із) (?:сміху|реготу|голоду|нудьги|сорому|спеки|холоду|цікавості|втоми|страху|заздрощів|спраги|хвилювання)|(?:зі|від) (?:сміху|сорому|нудьги|голоду|спеки) (?:помер\w*|помир\w+|вмира\w+|мало не \w+|ледь не \w+)|(?:в|у)би\w+ (?:час|двох)|вбива\w+ час|(?:мама|мати|тато|батько|батьки|начальник\w*|вчител\w*|дружина|чоловік|дівчина|хлопець|сестра|брат|тренер|вона|він|бабуся|шеф)(?: \w+)? мене (?:(?:в|у)б'є|(?:в|у)б'ють|приб'є|прикінчить)(?! (?:ножем|якщо))|(?:(?:в|у)б'є|(?:в|у)б'ють|приб'є) мене(?! (?:ножем|якщо))|мене (?:це |просто )*(?:вбиває|вбивають)(?: \w+)*|вбиває мене(?: \w+)*|вби\w+ би? за(?: \w+)*|загін самогубців|мертва точка|мертві душі|до смерті|смертельно (?:втомл\w+|нудно|голод\w+)|(?:батарея|телефон|ноут\w*|рослин\w*)(?: \w+){0,3} (?:здох\w*|помер\w*|сі\w+)|порізал\w+ (?:коли|папером|на кухні|пальця|палець|поки)(?: \w+)*|стриб\w+ (?:з парашутом|в басейн|у воду|у басейн|з вишки)(?: \w+)*|прощавай(?:те)? (?:літо|відпустко|дієто|зимо|молодість|сон)(?: \w+)*|жити не можу без(?: \w+)*",
    ),
    play=(
        r"лол|хаха\w*|ахах\w*|хех\w*|ржу|кек|гр[аиіу]|гр[ау]ю|рівен\w*|рівні|бос\w*|майнкрафт\w*|дот\w+|кс|раунд\w*|матч\w*|турнір\w*|ворог\w*|зомбі|гранат\w*|жарт\w*|шах\w+|спортзал\w*|екзамен\w*|сесі\w+|контрольн\w+|матан\w*|соромно|крінж\w*|піц\w+|шоколад\w*|торт\w*|басейн\w*|парашут\w*|моб\w+|катк\w+|респавн\w*|іспит\w*",
    ),
    story=(
        r"пісн\w+|текст\w*|співа\w+|трек\w*|альбом\w*|фільм\w*|кіно|серіал\w*|серії|серія|епізод\w*|сезон\w*|книг\w+|книж\w+|роман\w*|розділ\w*|персонаж\w*|геро\w+|автор\w*|вірш\w*|цитат\w*|вистав\w+|п'єс\w+|театр\w*|опер\w+|документал\w+|статт\w+|новин\w*|дослідженн\w+|статистик\w*|реферат\w*|лекці\w+|диплом\w*|профілактик\w*|курс\w*|переклад\w*|означає|вислів|істор\w+|війн\w+|столітт\w+|гр[аіу]|рольов\w+|сон|наснил\w*|снил\w*|кошмар\w*|аніме|манга|подкаст\w*|евтаназі\w+|в \d{4}|у \d{4}",
    ),
    past=(
        r"раніше|колись|років тому|рік тому|роки тому|в минулому|в юності|підлітком|коли (?:був|була|мені було)|тоді|пережи\w+|вижи\w+|одужа\w+|в безпеці|у безпеці|(?:зараз|тепер|вже|мені)(?: \w+)? (?:краще|добре|в порядку|нормально)|позаду|давно|впорал\w+",
    ),
    present=(r"знову|знов|досі|все ще|сьогодні|завтра|гірше|поверну\w+|прямо зараз|хочу",),
    negation=(
        r"(?:не|ніколи|нема|без|ні|перестал\w+|жодних)(?: (?:хочу|хоті\w+|збираюс\w+|думаю|думал\w+|думав|про|планую|буду|став\w*|би|б|думок|те|щоб|намір\w*|цього))*",
    ),
    ages=(
        r"мені(?: (?:всього|тільки|лише|вже|майже|зараз|ще|виповнилос\w+|скоро))* (?P<age>[89]|1[0-7]|вісім|дев'ять|десять|одинадцять|дванадцять|тринадцять|чотирнадцять|п'ятнадцять|шістнадцять|сімнадцять)(?: (?:років|рочків|і|але)(?! (?:тому|до|досвіду))| ?,|$)",
    ),
    minor=(
        r"(?:я )?(?:навчаюс\w+|вчус\w+|я)(?: \w+)? ?(?:в|у) (?:[2-9]|10|третьому|четвертому|п'ятому|шостому|сьомому|восьмому|дев'ятому|десятому)(?: \w+)? ?клас\w?|я неповнолітн\w+|мені (?:ще )?нема[є]? (?:18|вісімнадцяти)|я (?:п'яти|шести|семи|восьми|дев'яти|десяти)класни\w+",
    ),
    parts=(r"але|і|й|та|а|потім|бо|хоча",),
)

_TURKISH = Spelling(
    {
        "me": r"kendimi|kendime|canıma|canımı|hayatıma|hayatımı|intihar",
        "kim": r"arkadaşım\w*|kardeşim\w*|ablam\w*|abim\w*|annem\w*|babam\w*|kızım\w*|oğlum\w*|eşim\w*|karım\w*|kocam\w*|sevgilim\w*|kuzenim\w*|biri|birisi|öğrencim\w*|komşum\w*|teyzem\w*|dayım\w*|amcam\w*|kız arkadaşım\w*|erkek arkadaşım\w*|dostum\w*",
        "kin": r"onu|onları|herkesi|birini|birilerini|insanları|seni|hepsini|hepinizi|(?!kendi)\w*(?:mı|mi|mu|mü|ımı|imi|umu|ümü|nı|ni|cımı|cimi|masını|nımı|şımı|yi|yı|ları|leri)|o (?:adamı|kadını|herifi|kızı|çocuğu|orospu\w*|iti)",
    }
)

TURKISH = _TURKISH.wording(
    "tr",
    "_bir_ _bu_ _ve_ yorum iyom ben_ _ben beni artik istem olmek oldur intihar kendi hayat yasam kimse herkes yuk_ bensiz veda hap_ ilac arkadas keske ocam_ babam ucem icem acag eceg sonra okul",
    {
        "intent": (
            r"(?:kendimi)(?: \S+){0,3} (?:öldür\w*|as(?:mak|acağım|ıcam|ayım|arım|mayı)\w*|vur(?:mak|acağım|ucam|mayı)\w*|kes(?:mek|eceğim|icem|mek|iyorum|tim|meyi)\w*|at(?:mak|acağım|ıcam|mayı|asım)\w*|yak(?:mak|acağım)\w*|boğ\w+|zehirle\w+|yarala\w+)|intihar (?:et|edece|edice|etmek|etmeyi|düşün|edesim|notu|mektubu|edicem|ediyorum|girişim|ed)\w*(?: \w+)*|intihara? (?:düşün|kalkış|teşebbüs|eğilim|meyil)\w*|intihar(?:ı|a)? düşün\w*|(?:canıma|hayatıma|yaşamıma|bu hayata|her şeye) (?:kıy|son ver|son vermek)\w*(?: \w+)*|intihar düşünceleri\w*|(?:artık )?yaşamak istemiyorum|(?:yaşamak|var olmak|uyanmak|devam etmek|nefes almak)(?: \w+)? iste(?:miyorum|mem|miyom|mıyorum)|veda (?:mektubu|notu|mesajı)\w*(?: \w+)*|(?:kaç|ne kadar) (?:\S+ ){1,5}(?:ölürüm|öldürür|ölmek|ölünür|ölür|yeter)(?: \w+)*|acısız (?:\w+ )?(?:ölüm|ölmenin|ölmek|intihar)\w*(?: \w+)*|ölmenin (?:en )?\w+(?: \w+)? yolu|(?:bu gece|bugün|yarın)(?: \S+){0,3} (?:öleceğim|ölücem|bitireceğim|son verece\w+|bitiriyorum|kendimi öldür\w+|ölmüş olacağım)|her şeyi bitir(?:mek|eceğim|icem)\w*(?: istiyorum)?|hayatımı (?:sonlandır|bitir)\w*",
        ),
        "means": (
            r"(?:hap|ilaç|ilaçlar|haplar|hapları|ilaçları)\w*(?: \S+){0,3} (?:içtim|yuttum|aldım|önümde|biriktir\w+|elimde|hazır)(?: \w+)*|(?:ip|bıçak|jilet|silah|tabanca)\w*(?: \S+){0,3} (?:önümde|elimde|yanımda|hazır|başımda|boynumda|bileğimde)|(?:köprü|çatı|balkon|uçurum|raylar|kenar)\w*(?: \S+){0,4} (?:duruyorum|oturuyorum|üstündeyim|atlayacağım|atlıcam|atlamak|ayım|deyim)(?: \w+)*|bileklerimi (?:kes|jilet)\w*",
        ),
        "harm": (
            r"kendime (?:zarar|acı)(?: \w+)? (?:ver|veriyorum|verdim|vermek)\w*(?: \w+)*|kendimi (?:kesiyorum|kestim|jiletle\w*|yaralıyorum|çiziyorum|kesmeye|kesmek)(?: \w+)*|(?:kolumu|kollarımı|bileğimi|bacağımı|bacaklarımı)(?: \w+){0,2} (?:kesiyorum|kestim|jiletle\w+|çizdim|kesmek)(?: \w+)*",
        ),
        "wish": (
            r"(?:ölmek|yok olmak|kaybolmak|ölüp gitmek|ölmeyi)(?: \w+){0,2} (?:isti?yorum|istiyom|isterdim|istedim|diliyorum|istiom)|(?:keşke)(?: \S+){0,4} (?:ölsem|ölseydim|doğmasaydım|hiç doğmasaydım|uyanmasam|yok olsam|ölmüş olsam|ölsem|doğmamış)(?: \w+)*|ölsem(?: \S+){0,4} (?:kimse|daha iyi|umrunda|fark|keşke|de kurtulsam|kurtul\w+|rahatla\w+)(?: \w+)*|kimse(?: \S+){0,3} (?:özlemez|fark etmez|üzülmez|farketmez|ağlamaz|umursamaz|umurunda)(?: \w+)*|(?:bir daha|hiç|sabah)(?: \w+){0,2} uyanma(?:sam|mak|yayım|dan)(?: \w+)*|uyuyup(?: \w+){0,2} uyanma\w+(?: \w+)*|(?:ben )?(?:öleyim|gebereyim|ölsem|ölüyüm) (?:artık|daha iyi|bari)|ben olmasam(?: \w+){0,3} (?:iyi|rahat|mutlu)(?: \w+)*|(?:köprüden|çatıdan|balkondan|camdan|pencereden|trenin önüne|arabanın önüne)(?: \w+)? atla\w+(?: \w+)*|ölesim (?:var|geliyor)|ölmek istiyorum",
        ),
        "despair": (
            r"(?:yaşama\w*|hayat\w*|yaşamak\w*|devam etmek\w*)(?: \S+){0,3} (?:anlamı|nedeni|sebebi|amacı|isteğim|sebebim|nedenim|anlamsız|gücüm|değmez)(?: \w+)*|(?:artık |daha fazla )?dayanam(?:ıyorum|ayacağım|iyorum|ıyom)(?: \w+)*|(?:hayattan|yaşamaktan|bu hayattan)(?: \w+)? (?:bık|yorul|usan|sıkıl|nefret)\w+|(?:herkes\w*|aile\w*|dünya|çocuk\w*|onlar)(?: \S+){0,3} bensiz(?: \w+)*|bensiz(?: \w+){0,3} (?:iyi|mutlu|rahat)(?: \w+)*|(?:herkese|aileme|onlara|insanlara|sadece) (?:bir )?yük(?:üm|üm ben)?(?: \w+)*|yaşamayı hak etmiyorum|(?:her şey|bu acı|acı|hepsi)(?: \w+)? (?:bitsin|son bulsun)(?: istiyorum| artık)?|çıkış yolu (?:yok|göremiyorum)|(?:hiç )?umudum (?:kalmadı|yok)(?: \w+)*|devam edemiyorum|devam edecek gücüm (?:yok|kalmadı)|yaşamak için (?:bir )?(?:sebep|neden)\w*(?: \w+)*",
        ),
        "farewell": (
            r"(?:bu )?(?:benim )?son (?:mesajım|gecem|günüm|sözlerim|mektubum)(?: \w+)*|(?:elveda|hoşça ?kal\w*)(?: \w+)*|(?:ben )?(?:gittikten|öldükten|gidince|ölünce|gittiğimde|öldüğümde) (?:sonra )?(?:\w+ ?)*(?:bak|iyi bak|ağlama|üzülme|size|sana|emanet|sahip çık)\w*(?: \w+)*|(?:bana )?bir daha (?:beni )?(?:göremey\w+|görmeyece\w+|duyama\w+)(?: \w+)*|her şey için (?:özür|affedin|hakkınızı)(?: \w+)*|yarın (?:ben )?(?:burada |hayatta )?(?:olmayacağım|olmıcam|yokum)|hakkınızı helal edin(?: \w+)*|veda etmek istiyorum|artık olmayacağım",
        ),
        "friend": (
            r"(?:<kim>)(?: \S+){0,5} (?:kendini (?:öldür\w*|as\w*|kes\w*|yaral\w*|at\w*)|intihar\w*|ölmek isti?yor\w*|ölmek istediğini|yaşamak istemi\w*|canına kıy\w*|hayatına son\w*|kendine zarar\w*|veda mesajı\w*|(?:hap|ilaç)\w*(?: \w+)? (?:içmiş|içti|yutmuş|yuttu|almış))(?: \w+)*|kendini öldür(?:mek|ece|ücek|mesinden|ür diye)\w*(?: \w+)*",
        ),
        "threatened": (
            r"(?:kocam|eski|eşim|babam|sevgilim|üvey babam|o|adam)\w*(?: \S+){0,5} (?:beni (?:öldür(?:mekle|ecek|ürüm|eceğini|mek)\w*|boğ\w+|bıçakla\w+|vur(?:acak|makla)\w*|dövüyor))(?: (?:dedi|diyor|tehdit|istiyor|söyledi))?(?: \w+)*|(?:kocam|babam|eşim|sevgilim) beni (?:dövüyor|boğuyor|boğdu|dövdü)",
        ),
        "attack": (
            r"(?:<kin>)(?: \S+){0,2} (?:öldüreceğim|öldürücem|öldürcem|öldürmek|öldürürüm|öldüresim|bıçaklayacağım|bıçaklıcam|bıçaklamak|vuracağım|vurucam|boğacağım|boğmak|boğazlamak|keseceğim|kesicem|zehirle(?:yeceğim|mek)|gebertece\w+|gebertmek|döve döve öldür\w+|yakacağım|öldürmeyi|zarar ver(?:mek|eceğim|icem|meyi)|incitmek|kurşunla\w+)(?: \w+)*|(?:okula|işe|sınıfa|okulu)(?: \S+){0,3} (?:silah|bıçak|tabanca|bomba|basa\w+|bas\w+|patlat\w+|yak\w+|tara\w+)\w*(?: \w+)*|(?:silah|bıçak|tabanca|bomba)\w*(?: \S+){0,3} (?:okula|işe|sınıfa)(?: \w+)*|(?:ses|sesler)\w*(?: \S+){0,5} (?:öldür\w*|zarar ver\w*|vur|bıçakla\w*)(?: \w+)*|(?:birini|onu|adamı|kocamı|karımı) (?:öldürdüm|bıçakladım|vurdum)",
        ),
        "threat": (
            r"(?:birine|ona|onlara|çocuğuma|bebeğime|karıma|aileme)(?: \w+){0,2} zarar ver\w+(?: \w+)*|(?:ölmeyi hak|gebersin|geberecek|ölsün) ?(?:ed\w+|istiyorum)?|bunu (?:kanıyla|canıyla|kanlarıyla) ödeye\w+",
        ),
    },
    idioms=(
        r"intihar et(?:ti|miş|mişti|tiğini|miş\w*|tikten|en)|(?:ölmek|öldürmek|intihar etmek)(?: \w+)? istemiyorum|kendimi öldürme(?:m|yeceğim|yi düşünmüyorum)|intihar etme(?:m|yeceğim)",
        r"(?:gülmekten|açlıktan|sıkıntıdan|utançtan|utancımdan|sıcaktan|meraktan|soğuktan|yorgunluktan|korkudan|susuzluktan|can sıkıntısından|kahkahadan|özlemden|uykusuzluktan|heyecandan|kıskançlıktan|rezillikten)(?: \w+)? (?:öl\w+|geber\w+|bayıl\w+|yarıl\w+|kop\w+|çatla\w+)|(?:ölüyorum|öldüm|ölürüm|ölücem|öleceğim) (?:gülmekten|açlıktan|sana|sıcaktan|utançtan|meraktan)|gülerken öl\w*|zaman öldür\w+|vakit öldür\w+|(?:annem|babam|hocam|hoca|öğretmen\w*|patron\w*|müdür\w*|karım|kocam|eşim|sevgilim|ablam|abim|annemler|bizimkiler|antrenör\w*|o)(?: \w+)? beni (?:öldürecek|öldürür|öldürücek|öldürcek|keser|gebertir|gebertecek|boğar|asar)(?! dedi)|beni (?:öldürüyor|bitiriyor|öldürecek bu)(?: \w+)*|(?:bu|o|sıcak|sınav\w*|ders\w*|ayakkabı\w*)(?: \w+){0,2} beni (?:öldür\w+)|(?:için|uğruna) (?:ölürüm|adam öldürürüm|öldürürdüm)|ölüp bit\w+|ölümüne|intihar timi|suicide squad|gerçek kesit|ölü (?:taklidi|nokta|sezon|deniz)|(?:şarj\w*|telefon\w*|pil\w*)(?: \w+){0,3} (?:öldü|bitti)|saçımı kes\w*|saçlarımı kes\w*|tırnak\w* kes\w*|elimi kestim|parmağımı kestim|ip atla\w*|paraşütle atla\w*|havuza atla\w*|denize atla\w*|elveda (?:yaz|tatil|diyet|2\d+)|hoşça ?kal (?:tatil|yaz)",
    ),
    play=(
        r"lol|haha\w*|hehe\w*|ahah\w*|asd\w*|sjsj\w*|random|oyun\w*|oynuyorum|oynarken|level|bölüm sonu|boss\w*|minecraft|valorant|lol|cs|pubg|round|maç\w*|turnuva\w*|düşman\w*|zombi\w*|bomba atar|şaka\w*|satranç\w*|spor salon\w*|antrenman\w*|sınav\w*|vize\w*|final haftası|ödev\w*|matematik\w*|rezil\w*|pizza|pasta|çikolata|havuz\w*|paraşüt\w*|raund|el bombası",
    ),
    story=(
        r"şarkı\w*|söz\w*|albüm\w*|film\w*|dizi\w*|bölüm\w*|sezon\w*|kitap\w*|kitab\w*|roman\w*|karakter\w*|kahraman\w*|yazar\w*|şiir\w*|alıntı\w*|tiyatro\w*|opera\w*|belgesel\w*|makale\w*|haber\w*|araştırma\w*|istatistik\w*|ödev\w*|tez\w*|ders\w*|seminer\w*|önleme\w*|kurs\w*|çevir\w*|çeviri\w*|anlamına|ne demek|deyim\w*|tarih\w*|savaş\w*|yüzyıl\w*|oyun\w*|rol\w*|rüya\w*|kabus\w*|anime|manga|podcast|ötanazi|sahne\w*|genç werther\w*",
    ),
    past=(
        r"eskiden|yıllar önce|yıl önce|bir zamanlar|çocukken|ergenken|lisedeyken|o zamanlar|geçmişte|atlattım|iyileştim|güvendeyim|(?:şimdi|artık) (?:daha )?(?:iyiyim|iyi|güvendeyim)|geride kaldı|hayattayım|iyi ki",
    ),
    present=(r"yine|tekrar|hâlâ|hala|bu gece|bugün|yarın|daha kötü|geri geldi|şu an|istiyorum",),
    negation=(),
    ages=(
        r"(?:ben )?(?:daha |henüz |sadece |şu an )*(?P<age>[89]|1[0-7]|sekiz|dokuz|on|on bir|on iki|on üç|on dört|on beş|on altı|on yedi) ?yaş(?:ında|ın|ımda)(?:yım|ım|ayım|dayım|dayim)(?: \w+)*|yaşım (?P<age2>[89]|1[0-7])|(?P<age3>[89]|1[0-7]) yaşıma (?:girdim|bastım)",
    ),
    minor=(
        r"(?:ben )?(?:ilk|orta)okul\w*(?: \w+)? (?:okuyorum|gidiyorum|öğrencisiyim)|(?:[3-9]|10|beşinci|altıncı|yedinci|sekizinci|dokuzuncu)(?: \w+)? sınıf(?:a gidiyorum|tayım|ım|öğrencisiyim| öğrencisiyim)|ortaokuldayım|reşit değilim|18 yaşından küçüğüm|18 değilim(?: daha)?",
    ),
    parts=(r"ama|ve|fakat|sonra|çünkü",),
)
