"""Words for people, wishes, means and farewells, in all languages; how they are written is in `ideas.py`. Data."""

from __future__ import annotations

OF_DANGER = {
    "i": (
        "i im ive ill id ich je j jai jsuis jveux yo eu io ik ja я ben انا أنا main mai मैं 私 俺 僕 自分 我 나 "
        "나는 내가 난 저"
    ),
    "me": (
        "me my myself mich mir mein* moi mon ma mes mi mis meu minha* mio mia mij mn mijn mnie moj* mój moim mne "
        "меня мне мной мой моя мои мою мене мені мною мої мій моє beni bana benim bende نفسي حالي mujhe mera "
        "mere meri मुझे मेरा मेरे मेरी खुद khud 내 나를 나도 제"
    ),
    "they": (
        "they them their everyone everybody sie alle jeder euch ils elles tout tous leur ellos todos les ustedes "
        "eles loro tutti ze iedereen hun jullie oni wszys* was wam они все всем их вас вам вони усі всі усім їм "
        "onlar herkes* herkese هم الكل كلهم الجميع sab sabko सब सबको घरवालों みんな 家族 彼ら 大家 他们 你们 "
        "所有人 다들 모두 사람들 가족"
    ),
    "he": (
        "he she him hes shes er ihn ihm il elle lui él ella ele ela egli lei hij haar zij on ona jego mu jej ją "
        "он она его ему её ее він вона його йому її o onu هو هي usko wo woh uska वह वो उसे उस 彼 彼女 あいつ 他 "
        "她 그 걔 새끼"
    ),
    "friend": (
        "friend* mate bestie flatmate roommate freund* freundin* kumpel ami amie pote copine copain amig* amico "
        "amica vriend* vriendin maatje kolega koleg* koleż* przyjaci* друг друга подруг* друз* подруж* arkadaş* "
        "kanka صاحبي صديق* صاحبتي dost saheli yaar दोस्त सहेली 友達 友人 朋友 室友 친구* 단톡"
    ),
    "family": (
        "sister* brother* son daughter mum mom dad mother father wife husband nephew grandpa nan gran schwester "
        "bruder sohn tochter mama papa mutter vater frau mann oma opa soeur frère fils fille mère père femme "
        "mari maman hermana* hermano* hijo hija madre padre papá mamá esposa marido irma* irmao filho filha mae "
        "pai mulher esposo sorella fratello figlio figlia mamma papà moglie marito nonno nonna zus* broer zoon "
        "dochter moeder vader vrouw siostr* brat córk* syn* mam* tat* żon* mąż ojciec сестр* брат* сын* доч* "
        "мам* пап* жен* муж* отец мать дочк* син* донь* тато чоловік дружин* батьк* abla* abim kardeş* annem* "
        "babam* oğlum kızım karım kocam اختي أختي اخوي أخي ابني بنتي امي أمي ابوي أبي زوجي زوجتي behen bhai beti "
        "beta maa didi बहन भाई बेटी बेटा माँ मां पापा पति पत्नी 母 父 弟 妹 姉 兄 息子 娘 妻 夫 妈 爸 弟弟 妹妹 "
        "姐 哥 儿子 女儿 老婆 老公 엄마* 아빠* 동생* 언니* 누나* 오빠* 아들* 딸* 남편* 아내*"
    ),
    "child": (
        "baby kid kids children kinder kind bébé gosses enfants niños bebe criança* crianças bambin* bimbi "
        "kinderen dzieci dziecko niemowl* ребен* детей дети дитин* діт* çocuk* bebek* العيال الاطفال الأولاد "
        "bachch* bache बच्चे बच्चा 赤ん坊 子ども 子供 孩子 宝宝 아기* 아이*"
    ),
    "want": (
        "want* wanna wish* hope* hoping will wollte möchte mag veux jveux voudrais envie aimerais espère quiero "
        "quisiera ojala ojalá espero quero queria tomara voglio vorrei spero magari wil wou hoop wilde chcę chce "
        "chciał* oby ochot* хочу хочется хотел* хоть жаль бы хочеться хотів хотіла хай istiyorum isterdim keşke "
        "اريد أريد بدي ابي نفسي ياريت اتمنى أتمنى عايز عاوز kaash chahta chahti चाहता चाहती काश たい ほしい "
        "したい 想 希望 要是 싶* 좋겠*"
    ),
    "not": (
        "not no dont didnt cant wont isnt never nothing nobody nicht kein* nie nichts pas plus jamais rien sans "
        "nunca nada nadie não nao ninguem non mai niente nessuno niet geen nooit niks niemand nigdy nic nikt "
        "nikogo не нет никогда ничего никто ні ніколи нічого ніхто yok değil* asla hiç kimse لا ما لم لن مش مو "
        "ليس nahi nhi kabhi नहीं न ना मत कभी ない ません ぬ なく 不 没 別 别 无 안 않* 못* 없* 말고"
    ),
    "anymore": (
        "anymore longer mehr weiter plus más mais più meer więcej już больше більше artık أكثر عاد خلاص ab aur "
        "अब और もう 再 了 이제 더"
    ),
    "die": (
        "perish dying died dies dead death deceased sterb* tot tod tote* gestorben draufgeh* mourir mort morte* "
        "meur* crever crève morir* muert* muero morirme morrer* morri morto morta morte morresse morire muoio "
        "dood doodgaan sterven sterf doodgegaan umrzeć umier* śmier* martw* umar* umrzec smierc* умер* умира* "
        "смерт* сдох* мертв* помер* вмер* помир* вмира* ölmek* ölüm* ölsem öleyim ölürüm ölü öldü موت* اموت أموت "
        "الموت مت متت ماتو* مات يموت هموت mar marna marne maut mara मर मरना मरने मौत मरूं 死 亡 죽* 사망"
    ),
    "suicide": (
        "suicid* kms ctb sewerslide unalive umbring* selbstmord suizid* erhäng* suicider suicide* pendre pendu "
        "suicidio* suicidar* matarme matar ahorcarme enforcar uccider* uccido ammazz* impicc* zelfmoord "
        "zelfdoding* ophang* verhang* samobój* powiesz* zabij* zabić суицид* самоуби* повеш* застрел* покончить "
        "самогуб* повіш* intihar* öldür* asaca* انتحر* الانتحار انتحار اقتل أقتل suicide khudkushi aatmahatya "
        "आत्महत्या खुदकुशी सुसाइड फांसी 自殺 自死 首吊 自杀 轻生 寻死 想不开 上吊 자살* 목매*"
    ),
    "kill": (
        "kill* murder* shoot* stab* slaughter* poison* töt* abstech* erschieß* erschoss* tuer tue tua* buter "
        "poignard* abattre matar* mato mata apuñal* dispar* esfaque* tiro accoltell* sparo spar* vermoord* "
        "neersteken steken zabić zabij* zadźg* dźgn* убить убью убив* уби* заре* застрел* вбити вбив* вб* зарі* "
        "öldüreceğ* vuraca* bıçakla* قتل* يقتل اطعن goli maar mardunga मार हत्या गोली खून 殺* 刺 杀 捅 弄死 "
        "죽이* 죽여* 찌르* 찔러* 찔렀*"
    ),
    "hurt": (
        "hurt* harm* pain* verletz* weh schmerz* wehtut mal fait douleur lastim* daño dolor duele machuc* dói "
        "doi dor dolore male faccio pijn krzywd* ból* boli больно боль* больн* боляче біль* болить acı* zarar* "
        "أذي اؤذي اذي بأذي وجع يوجع الم dard chot दर्द चोट नुकसान 痛* 傷つけ 疼 痛 伤害 아프* 아플* 다치*"
    ),
    "cut": (
        "wrist* thigh* arm arms barcode lines cut* slice* sliced scratch* razor* blade* cutter scars scar ritz* "
        "geritz* klinge* rasierklinge narben geschnitten coupe* scarifi* lame lames cicatric* cortar* corto "
        "corte* cuchilla* navaja gilete* laminas lâminas cortei tagli* lametta lamett* snij* snijd* kras* mesje "
        "littekens tne ciąć tnę pociąć żyletk* blizn* реж* порез* лезви* шрам* ріж* поріз* лез* jilet* kesiyorum "
        "kestim çizi* جرح* اجرح موس شفرة جروح kaat kalai ब्लेड काट कलाई नस カッター 切* リスカ 自傷 刀片 划 割 "
        "自残 자해* 그었* 긋* 칼로 손목*"
    ),
    "burn": (
        "burn* stove cigarette* cigarettes petrol gasoline matches lighter fire verbrenn* herdplatte zigarette* "
        "kippe* benzin anzünd* brûl* brul* plaque essence feu quem* cigarro* gasolina fuego queim* fogo isqueiro "
        "bruci* sigarett* benzina fuoco brand* sigaret* kookplaat kokend benzine vuur przypal* fajk* papieros* "
        "benzyn* kuchenk* podpal* жег* прижиг* сигарет* бензин* подж* плит* припал* цигарк* підпал* конфорк* "
        "sigara* yak* benzin* ocak سيجارة نار بنزين احرق jala* cigarette जला पेट्रोल 火 灯油 タバコ 根性焼き "
        "汽油 烟头 烫 放火 담배* 불* 휘발유*"
    ),
    "starve": (
        "starv* eat* eaten dinner food meal hungry ess* essen hunger gegessen mange* manger faim como comer "
        "comido hambre comendo fome jantar mangio mangiare cena fame eet eten honger jem jeść głod* kolac* ем "
        "есть еды голод* їм їсти їжу yemek yemiyorum aç açım اكل الاكل جوع جعان khana khaya bhook भूख खाना 食べ "
        "腹 饿 吃 먹* 굶* 배고*"
    ),
    "punish": (
        "punish* deserve* deserved straf* verdien* verdient punition mérite* merite* castigo merezco merece* "
        "mereço castig* punizion* merito straf verdien kara karę kare zasłu* наказ* заслуж* кара покара* "
        "заслугов* hak ceza* استاهل العقاب عقاب saza layak सज़ा लायक 罰 資格 惩罚 不配 活该 벌* 자격*"
    ),
    "pills": (
        "painkiller* cabinet bleach vodka blister pill* tablet* meds medication* overdose dose prescription "
        "insulin tablette* pille* medikament* schlaftablett* cachet* comprimé* médoc* médicament* pastilla* "
        "frasco remédio* remedio* comprimido* caixa pastiglie pasticche farmac* sonnifer* pil pillen tabletk* "
        "leki leków таблет* снотвор* пігул* ліки ilaç* hap* hapı* حبوب حبة دوا الدوا الدواء علبة ادوية goli "
        "goliyan goliya dawai tablet गोलियां गोलियाँ दवाई दवा 薬 睡眠薬 錠 药 安眠药 약* 수면제* 알약* 약봉지*"
    ),
    "swallowed": (
        "swallow* took taken swallowed downed washed genommen geschluckt eingenommen avalé* avale* pris tomé "
        "tome tragué tragu* tomei engoli* ingoiat* preso prese ingenomen geslikt wziąłem wzięłam połkn* łykn* "
        "выпил* проглот* випи* проковт* ковтн* içtim yuttum aldım بلعت بلع اخذت شربت khali निगल खा पी 飲んだ "
        "飲ん 全部飲 吞 吃了 삼켰* 먹었*"
    ),
    "rope": (
        "rope noose knot strick seil corde cuerda soga corda nó touw strop sznur* lin* верёв* верев* петл* "
        "мотуз* зашморг* ip ipi حبل rassi phanda रस्सी फंदा ロープ 縄 首を 绳 绳子 밧줄* 끈*"
    ),
    "weapon": (
        "gun guns rifle shotgun pistol knife hammer axe crowbar bat weapon bomb messer pistole gewehr waffe axt "
        "couteau fusil arme pistolet marteau pistola cuchillo escopeta arma hacha martillo faca revolver "
        "espingarda coltello fucile martello ascia mes pistool geweer bijl hamer nóż noż* strzelb* siekier* "
        "młot* нож* пистолет* ружь* топор* ножем ніж пістолет рушниц* сокир* silah* bıçak* tabanca* balta* سكين "
        "مسدس سلاح السكينة chaku bandook katta चाकू बंदूक पिस्तौल ナイフ 包丁 銃 刀 枪 斧 칼* 총* 망치* 도끼*"
    ),
    "bridge": (
        "bridge roof rooftop ledge balcony railing cliff* edge storey floor window viaduct brücke dach geländer "
        "klippe* kante balkon fenster pont toit balcon falaise* rambarde fenêtre puente techo azotea barandal "
        "balcón acantilado ventana ponte viaduto telhado sacada penhasco beira janela tetto balcone ringhiera "
        "scoglier* finestra brug dak reling klif* rand raam most* dach* balkon* barierk* okno мост* крыш* "
        "балкон* обрыв* перил* окн* міст дах* урвищ* поруч* вікн* köprü* çatı* uçurum* korkuluk* pencere* جسر "
        "الجسر السطح سطح الشباك البلكونة الكوبري chhat chat pul khidki छत पुल खिड़की 屋上 橋 崖 柵 窓 ベランダ "
        "楼顶 天台 桥 栏杆 悬崖 窗 阳台 옥상* 다리* 난간* 절벽* 창문* 베란다*"
    ),
    "rail": (
        "train* tracks platform crossing gleis* zug güterzug bahnsteig bahnübergang quai rails tren vías andén "
        "trem trilho* treno binari trein spoor perron pociąg* torach tory peron* поезд* электричк* рельс* поїзд* "
        "поїзд колі* рейк* tren* ray raylar القطار قطر سكة train patri ट्रेन पटरी 電車 線路 ホーム 踏切 火车 "
        "铁轨 地铁 站台 기차* 전철* 선로* 지하철*"
    ),
    "water": (
        "lake river sea coast quarry tide* canal pier ocean see meer fluss küste lac mer rivière côte mar río "
        "lago rio litoral mare fiume zee rivier kanaal morze morz* jezior* rzek* море морю рек* озер* річк* мор* "
        "deniz* nehir göl* البحر بحر النهر samundar nadi नदी समुद्र 海 川 湖 海边 江边 河 바다* 강* 호수*"
    ),
    "jump": (
        "jump* fall falling leap spring* gespring* sprung saut* saute tomber saltar* salto brinc* aventar* "
        "pular* pulo jogar buttar* butto springen spring skocz* skacz* skok прыг* сброс* стриб* кинусь atla* "
        "اقفز القفز انط ارمي kood kud कूद 飛び降り 飛びおり 飛び 跳楼 跳下 跳 뛰어내* 떨어지*"
    ),
    "drive": (
        "engine plane turbulence accident crash car truck lorry seatbelt brake* swerve traffic auto lkw "
        "anschnall* gurt voiture camion virage ceinture freiné coche carro camión cinturón freno caminhao cinto "
        "macchina cintura vrachtwagen gordel samoch* tir ciężarów* pas машин* фур* ремень грузов* вантаж* ремін* "
        "araba* kamyon* kemer سيارة السيارة شاحنة gadi गाड़ी ट्रक 車 トラック 车 卡车 차에 차* 트럭* 안전벨트*"
    ),
    "sleep": (
        "sleep* asleep schlaf* einschlaf* dormir dors dormi* endormir duermo dormida dormindo dormire dorm* "
        "addorment* slaap* slapen inslap* spać sen* zasn* spac сон* уснуть спать засн* спати uyu* uyku* النوم "
        "انام أنام نوم sona neend so नींद सोना 眠* 寝* 睡* 자고 잠* 잠들*"
    ),
    "wake": (
        "wake* woke waking awake morning morgen aufwach* aufzuwach* morgens réveill* reveill* matin despert* "
        "amanec* mañana acord* amanhã manha svegli* mattin* domattina wakker ochtend obudz* budz* rano poran* "
        "просн* просып* утр* прокин* прокид* ранок ранку uyan* sabah* اصحى أصحى استيقظ الصبح صباح uth uthu jag "
        "subah aankh उठ जाग सुबह आँख 目が 起き 朝 覚め 醒来 醒 早上 일어나* 깨* 아침* 눈"
    ),
    "tired": (
        "tired weary exhausted müde erschöpft satt fatigué* fatigue* épuis* lasse marre cansad* hart* agotad* "
        "cansei cansada exaust* stanc* sfinit* moe uitgeput zat zmęcz* zmecz* dość уста* надоел* втом* набрид* "
        "yoruld* yorgun* bıkt* تعبت تعبان زهقت مليت thak thaki thaka थक थकान 疲れ 累 倦 지쳤* 지친* 피곤* 힘들*"
    ),
    "live": (
        "live living life alive exist* existence breathing breathe leben* lebe existier* dasein atmen vivre vie "
        "vivant* exister respirer vivir vivo vida existir respir* viver viva vivere vita esistere esist* leven "
        "leef besta* ademen żyć życ* zyc zycie istnie* oddych* жить жизн* живу существ* дыш* жити житт* існу* "
        "дихати yaşa* hayat* nefes الحياة حياتي اعيش أعيش عايش العيش jeena jeene jina zindagi zinda saans जीना "
        "जीने जिंदगी ज़िंदगी ज़िंदा साँस 生き* 人生 存在 息 活* 这辈子 呼吸 살* 삶* 인생* 숨*"
    ),
    "birth": (
        "born birth geboren née né naître nacido nacer nascido nascer nato nata nascere urodz* родил* родит* "
        "народи* doğma* doğmu* انولد ولدت paida janm पैदा जन्म 生まれ 出生 生下来 태어나*"
    ),
    "end": (
        "end ends ending finish* over done stop quit aufhören ende schluss vorbei beend* finir fin fini finisse "
        "arrête* arrêter cesser acabar* acaba final terminar* termine parar fim acabou acabe finire finita fine "
        "finisca smett* stoppare einde klaar stoppen voorbij ophou* koniec kończ* skończ* przesta* конец кончи* "
        "законч* прекрат* кінець закінч* скінч* припин* bit* bitsin bitir* son النهاية ينتهي انهي بنهي أنهي اخلص "
        "هخلص يخلص khatam khatm khtm खत्म ख़त्म 終わ* やめ 楽に 结束 完 了结 解脱 끝* 그만* 멈추*"
    ),
    "vanish": (
        "excused nothingness ghost disappear* vanish gone erase delete switch verschwind* weg ausschalt* "
        "disparait* disparaître effac* éteindre desaparec* borrar apagar* irme desaparecer sumir sumisse "
        "desliga* apagar sparire sparir* spegn* scomparire verdwijn* zniknąć znikn* wyłącz* исчез* выключ* "
        "пропа* зник* щезн* вимкн* kaybol* yok اختفي أختفي gayab गायब 消え* スイッチ いなくな 消失 关机 不在 "
        "사라지* 없어지* 꺼*"
    ),
    "stay": (
        "stay stayed here around remain bleib* hier dableib* rester resté* ici là quedar* aquí aqui acá ficar "
        "restar* restare rimane* qui qua blijf* blijven zijn zost* tutaj tu остав* здесь тут залиш* burada "
        "kalmak kalma* هنا ابقى rehna yahan yaha रहना रहूं यहां いる ここ 留 这里 在这 있* 여기*"
    ),
    "leave": (
        "quit signing out leave leaving left go going away gehen geh gegangen partir pars partie quitter ir irse "
        "voy vaya marchar vou embora andare vado andarmene gaan ga vertrek* weg* odejść odejd* odchodz* idę iść "
        "уйти уйду ухожу уход* піду піти йду gideceğ* gidiyorum gitmek gidey* امشي اروح أرحل رحيل jaunga jaungi "
        "ja jana chala जाऊं जाना जाऊंगा चला 行く 逝 行ける 走 离开 가고 갈게* 가도 떠나* 간다"
    ),
    "forever": (
        "forever permanently never eternity good immer ewig endgültig toujours jamais siempre jamás sempre "
        "voorgoed altijd zawsze wieki навсегда насовсем вечно назавжди навіки зовсім sonsuza hep ebed* للابد "
        "ابدا أبدا hamesha kabhi हमेशा कभी 永遠 二度と ずっと 永远 永久 영원* 다시는"
    ),
    "tonight": (
        "tonight today tmrw tomorrow friday monday sunday thursday soon weekend heute morgen freitag montag bald "
        "abend nacht ce demain vendredi lundi bientôt nuit esta hoy mañana viernes lunes pronto noche hoje "
        "amanha amanhã sexta segunda logo noite stasera stanotte oggi domani venerdì presto vanavond vandaag "
        "vrijdag maandag straks dziś dzisiaj jutro piątek wkrótce wiecz* noc* сегодня завтра пятниц* скоро "
        "вечер* ноч* сьогодні п'ятниц* вечор* ніч bugün yarın cuma yakında gece akşam birazdan الليلة اليوم بكرة "
        "الجمعة الخميس قريب aaj kal raat jaldi आज कल रात 今夜 今日 明日 金曜 もうすぐ 今晚 今天 明天 周五 很快 "
        "오늘* 내일* 밤* 금요일* 곧"
    ),
    "goodbye": (
        "goodbye farewell bye byebye abschied lebewohl machts tschüss adieu adios adiós despid* despedida adeus "
        "tchau addio arrivederci vaarwel afscheid dag pożegna* żegn* прощай* прощ* прощавай* прощава* elveda "
        "hoşçakal* veda eyvallah وداعا الوداع يودعني مع alvida अलविदा さようなら さよなら 再见 永别 保重 告别 "
        "안녕* 잘있* 작별*"
    ),
    "thanks": (
        "thank thanks thankyou grateful danke dank merci gracias obrigad* grazie bedankt dziękuj* dziekuj* "
        "спасибо дяку* teşekkür* sağol شكرا shukriya dhanyavad शुक्रिया धन्यवाद ありがとう 谢谢 고마* 고맙* "
        "감사*"
    ),
    "sorry": (
        "sorry forgive apolog* entschuldig* verzeih* tut pardon pardonne* désolé* perdón perdon* disculp* "
        "desculp* perdo* perdona* scus* vergeef* spijt przepr* wybacz* прости* извин* вибач* пробач* özür affed* "
        "helal سامح* اسف maaf mafi माफ माफ़ी ごめん 許して 对不起 道歉 미안* 용서*"
    ),
    "letter": (
        "letter* note notes will message* messages drafts passcode password* passwords brief* zettel testament "
        "passw* lettre* mot mots carta* cartas nota mensaje* contraseñ* testamento bilhete mensagem* senha* "
        "lettera lettere biglietto messaggi* password brieven briefje wachtwoord* list* listy kartk* hasł* "
        "wiadomoś* wiadomosc письм* записк* сообщен* парол* лист* листи повідомлен* mektup* not notu mesaj* "
        "şifre* رسالة ورقة الورقة كلمة السر chitthi message मैसेज चिट्ठी नोट 遺書 手紙 パスワード 予約送信 遗书 "
        "信 密码 유서* 편지* 비밀번호*"
    ),
    "last": (
        "last final letzt* dernier* dernière* último* ultima* ultimo* última* laatste ostatni* послед* останн* "
        "son آخر اخر الاخيرة aakhri akhri आखिरी अंतिम 最後 最后 마지막*"
    ),
    "give": (
        "gave giving given away verschenk* vergeben donné* donner offert regal* regale* dei dar doei doado doar "
        "regalato regalat* weggegev* gegeven oddał* rozdał* oddal* rozdal* раздал* отдал* роздав* віддав* "
        "роздала віддала verdim dağıttım وزعت اعطيت दे दी あげた 譲 送人 送给 나눠* 줬* 맡겼*"
    ),
    "belongings": (
        "dog cat records guitar keys ring necklace watch plants flowers xbox hund katze schlüssel pflanzen "
        "blumen chien chat clés fleurs bague perro gato llaves anillo discos plantas cachorro chaves violao cane "
        "gatto chiavi fiori anello hond kat sleutels planten pies psa kot* klucze kwiat* собак* кот* ключ* цвет* "
        "кіт пса ключі квіти köpe* kedi* anahtar* çiçek* yüzük القطة الكلب المفاتيح kutta billi chabi कुत्ता "
        "बिल्ली 猫 犬 鍵 狗 钥匙 花 강아지* 고양이* 열쇠* 화분*"
    ),
    "miss": (
        "miss notice care remember vermiss* merk* manquer* manque remarquer extrañ* notar notari* falta sentir* "
        "saudade manc* accorg* missen merken opval* tęskni* zauważ* соскуч* замет* скуча* поміт* özle* fark "
        "يفتقد* يلاحظ yaad याद फर्क 気づ 悲し 想念 注意 发现 그리워* 알아채*"
    ),
    "better": (
        "better easier relieved relief besser leichter erleichter* mieux soulag* mejor alivi* melhor aliviad* "
        "meglio sollev* beter opgelucht lepiej ulg* lżej лучше легче легко краще легше полегш* iyi rahat* daha "
        "افضل أفضل احسن أحسن يرتاح ارتاح behtar accha theek बेहतर अच्छा हल्का 楽 ほうが 轻松 好 解脱 편* 낫* "
        "나아*"
    ),
    "without": (
        "without ohne sans sin sem senza zonder bez beze без bensiz olmasam بدوني بدون من bina बिना なし 没有我 없이"
    ),
    "burden": (
        "embarrassment gift cost costs sums burden weight problem trouble waste ballast last bürde poids fardeau "
        "boulet carga peso estorbo piedra trabalho fardo pesa* zavorra blok ciężar* ciezar* problem* обуз* бремя "
        "мешаю тягар* камінь yük* عبء عبئ حمل bojh बोझ 迷惑 重荷 お荷物 拖累 累赘 负担 짐* 폐*"
    ),
    "sense": (
        "point reason* sense meaning purpose future hope sinn grund zukunft hoffnung ausweg sens raison* but "
        "avenir espoir sentido razón razon* motivo futuro esperanza razao esperança senso ragione speranza zin "
        "reden toekomst hoop uitweg sens* powod* powód przyszłoś* nadziej* wyjści* смысл* причин* будущ* надежд* "
        "выход* сенс* майбутн* наді* вихід anlam* sebep* neden* gelecek* umut* çıkış معنى سبب امل أمل فايدة حل "
        "matlab wajah ummeed rasta मतलब वजह उम्मीद रास्ता 意味 理由 希望 将来 意义 意思 未来 의미* 이유* 희망* "
        "미래* 답이"
    ),
    "empty": (
        "numb empty blank dark black hollow leer taub schwarz vide noir vacío vacio negro oscur* vazi* escuro "
        "vuot* buio nero leeg donker zwart pust* czarn* ciemn* пуст* черн* темн* порож* чорн* темр* boş karanlık "
        "kara فراغ سواد ظلام khali andhera खाली अंधेरा 空っぽ 真っ暗 空虚 黑 麻木 텅* 껍데기* 캄캄*"
    ),
    "alone": (
        "alone lonely einsam allein seul* solitude sol* sozinh* solo sola alleen eenzaam sam samotn* sama один* "
        "одинок* сам* самотн* yalnız* وحدي وحيد وحدة akela akeli अकेला अकेली 一人 ひとり 寂し 孤独 一个人 혼자* "
        "외로* 외롭*"
    ),
    "cry": (
        "cry* crying tears sad wein* heul* traurig pleur* triste llor* chor* piang* huil* verdriet* płacz* smut* "
        "плач* грус* слез* сумн* сльоз* ağla* üzgün* ابكي زعلان حزين ro rona udaas रो रोना उदास 泣* 悲し 哭 难过 "
        "울* 슬프*"
    ),
    "afraid": (
        "afraid scared fear worried angst sorge peur crains miedo asust* medo assustad* paura bang strach boję "
        "страш* боюсь бою* страшно боюся kork* خايف خايفة أخاف اخاف dar darr डर 怖 不安 害怕 怕 무서* 무섭* 겁*"
    ),
    "help": (
        "help hilfe helft aide aider ayuda* ajuda* aiuto hulp helpen pomocy pomóż* помог* помощ* допомо* yardım* "
        "ساعد* مساعدة madad bachao मदद 助けて どうしたら 救命 怎么办 救 도와* 어떻게*"
    ),
    "urgent": (
        "call calling rang ring police ambulance rufen anrufen notarzt appeler flics llamo llamar hago ligar "
        "chamar faço chiamare faccio bellen doen dzwonić robić звонить делать дзвонити робити ara* اعمل اتصل "
        "أسوي karu kare करूँ फोन करूं 電話 すればいい 报警 打电话 신고* 전화*"
    ),
    "locked": (
        "locked bathroom toilet shut answering picking verschloss* eingeschlossen bad abgeschlossen enfermé* "
        "salle bain encerrad* baño trancad* banheiro chius* bagno opgesloten badkamer zamkn* łazienc* закры* "
        "запер* ванн* зачин* замкн* kilit* banyo* kapı* قافل مقفول الحمام band बंद बाथरूम 鍵かけ 風呂場 锁 浴室 "
        "잠그* 잠갔* 화장실* 욕실*"
    ),
    "ready": (
        "ready decided plan planned date set counted picked bereit entschieden geplant datum gezählt fertig prêt "
        "prête décidé préparé listo lista decidid* prepar* fecha pronto decidi* preparad* data pronta deciso "
        "klaar besloten gotow* zdecydow* wybran* готов* решил* реш* дата назнач* выбран* виріш* дат* обран* "
        "hazır* karar* tarih* جاهز مجهز قررت ناوي taiyar faisla तैयार फैसला गिन 決め* 準備 予定日 决定 准备好 "
        "定好 수* 정해* 정했* 준비*"
    ),
    "return": (
        "return back home zurück wieder revenir reviens retour volver* vuelvo regres* voltar* volto tornar* "
        "torno terug teruggaan wróc* wroc* powrot* верн* возвращ* поверн* верт* dön* geri ارجع رجعت wapas laut "
        "वापस लौट 帰り 戻 回来 回程 돌아오* 돌아올*"
    ),
    "ticket": (
        "ticket oneway einfach hinfahrt aller simple billet ida boleto passagem andata biglietto enkeltje enkele "
        "bilet билет квиток تذكرة टिकट 片道 切符 单程 票 편도* 표*"
    ),
}
