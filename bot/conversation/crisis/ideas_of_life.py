"""Words for everyday life and what surrounds danger, in all languages; how they are written is in `ideas.py`. Data."""

from __future__ import annotations

OF_LIFE = {
    "god": (
        "god lord pray* gott bete* dieu prie* dios virgen pido deus peço rezo dio signore prego bid boga boże "
        "prosz* господ* бог* молю молю* allah* tanrı dua رب الله bhagwan allah भगवान ईश्वर 神 お迎え 老天 上帝 "
        "하나님 하느님*"
    ),
    "hospital": (
        "terminal flu liver heart hospital doctor surgeon cancer chemo therap* krankenhaus arzt krebs therapie "
        "hôpital médecin thérapie médico cáncer terapia câncer medico ospedale cancro ziekenhuis dokter kanker "
        "szpital* lekarz* rak* terap* врач* больниц* рак* терапи* лікар* лікарн* терапі* doktor* hastane* "
        "kanser* terapi* الدكتور المستشفى علاج ilaj डॉक्टर अस्पताल इलाज 医者 病院 検査 治療 医生 医院 检查 治疗 "
        "의사* 병원* 검사* 상담*"
    ),
    "enemy": (
        "boss* neighbour* neighbor ex judge court teacher bully chef nachbar* richter lehrer patron voisin* juge "
        "prof jefe jefa vecin* juez profe* chefe vizinh* juiz professor* capo vicin* giudice baas buurman buur* "
        "rechter szef* sąsiad* sąd* nauczyc* начальн* сосед* суд* учител* сусід* шеф* patron* komşu* mahkeme* "
        "hoca* مديري الجار المحكمة boss padosi बॉस पड़ोसी 上司 隣 教室 老板 邻居 法院 상사* 이웃* 교실*"
    ),
    "revenge": (
        "pay revenge regret laugh* laughed bully address followed wait rache bereu* lachen gelacht adresse "
        "auflauer* vengeance payer regrett* rire vengan* pagar* burl* dirección espero vingan* endereço rir "
        "vendett* pagher* indirizzo ridere wraak boeten adres zemst* pożał* śmial* adres* месть отомщ* пожале* "
        "смея* ржать адрес* помст* пошкод* сміял* intikam* pişman* güldü* انتقام يندم عنوانه بيته badla pachta "
        "pata बदला 復讐 後悔 笑った 报复 后悔 地址 복수* 후회* 웃던*"
    ),
    "game": (
        "game games gaming level boss minecraft gta ranked quest dragon respawn spiel* zocken jeu jeux partie "
        "juego* jugar partida jogo* jogar fase gioco giocare partita livello spel* gra grze gry grac smok* "
        "poziom* игр* игра* дота* доте босс* гра грі боса рівень oyun* bölüm valo* لعبة اللعبة ببجي khel pubg "
        "गेम खेल ゲーム ボス 人狼 游戏 副本 狼人杀 게임* 배그* 롤* 보스*"
    ),
    "fiction": (
        "song* lyrics track band album film* movie* show series novel book chapter character* episode play opera "
        "poem story lied* serie roman buch kapitel figur chanson* livre personnage canción cancion* película "
        "pelicula novela libro personaje música musica filme livro personagem canzone film romanzo personaggio "
        "liedje nummer plaat boek piosenk* serial* książk* postać powieś* песн* фильм* сериал* книг* роман* "
        "персонаж* пісн* фільм* серіал* трек şarkı* dizi* kitap* kitab* roman* karakter* اغنية أغنية فيلم مسلسل "
        "رواية كتاب gana movie kitab गाना फिल्म किताब उपन्यास 曲 歌詞 映画 小説 漫画 ドラマ アニメ 歌 电影 小说 "
        "剧 书里 노래* 영화* 드라마* 소설* 웹툰* 신곡*"
    ),
    "laughter": (
        "lol lmao haha* hehe* joke* kidding jk witz scherz mdr ptdr blague jaja* broma kkk* rsrs* brincadeira "
        "ahah* scherzo grapje hahah* żart* ахах* хаха* шутк* жарт* random şaka* ههه* هه* امزح mazak मजाक 笑 ww "
        "冗談 哈哈* 开玩笑 ㅋㅋ* ㅎㅎ* 농담* 😂 🤣 💀"
    ),
    "work": (
        "boss's assignment quadratic presentation meeting work* job office shift exam* maths homework deadline "
        "school thesis colleague* arbeit* büro schule prüfung* klausur* kollegen boulot travail bureau examen* "
        "école trabajo oficina escuela trabalho escritório prova* escola concurso lavoro ufficio esame scuola "
        "werk kantoor prac* biur* egzamin* szkoł* matur* работ* офис* экзамен* школ* сесси* робот* офіс* іспит* "
        "сесі* iş işte işten ofis* sınav* okul* الشغل شغل الامتحان المدرسة kaam exam काम परीक्षा ऑफिस 仕事 会社 "
        "試験 学校 締め切り 工作 上班 考试 作业 公司 회사* 시험* 학교* 과제* 업무*"
    ),
    "holiday": (
        "holiday* vacation trip party birthday wedding moving urlaub reise feier geburtstag umzug vacances "
        "voyage fête anniversaire déménag* vacaciones viaje fiesta cumple* mudanza férias ferias viagem festa "
        "aniversário mudança vacanz* viaggio compleanno trasloc* vakantie reis feest verjaardag verhuiz* urlop* "
        "wakacj* podróż* urodzin* przeprowadz* отпуск* поездк* праздник* рождени* переезд* відпустк* поїздк* "
        "свят* переїзд* tatil* gezi* parti* düğün* taşın* اجازة سفر عيد حفلة chutti ghoomne shaadi छुट्टी घूमने "
        "शादी 休み 旅行 誕生日 引っ越し 放假 旅游 生日 搬家 휴가* 여행* 생일* 이사*"
    ),
    "tech": (
        "server process app computer phone battery laptop code bug printer wifi discord insta* rechner handy "
        "akku programm drucker serveur appli téléphone batterie ordi* servidor celular batería compu* aplicación "
        "bateria telefono batteria stampante telefoon accu serwer* telefon* bateri* komput* сервер* телефон* "
        "батаре* комп* приложен* sunucu* şarj* bilgisayar* السيرفر تليفون بطارية الجوال फोन बैटरी लैपटॉप "
        "サーバー スマホ 充電 アプリ パソコン 手机 电脑 服务器 电池 程序 서버* 핸드폰* 배터리* 컴퓨터* 앱*"
    ),
    "cooking": (
        "cook* kitchen recipe cake pizza onion* soup coffee tea beer kochen küche rezept kuchen kaffee suppe "
        "bier cuisin* recette gâteau café soupe bière cocin* receta pastel sopa cerveza cozinh* receita bolo "
        "cerveja cucin* ricetta torta caffè zuppa birra kok* keuken recept taart koffie soep gotow* przepis* "
        "ciast* kaw* zup* piw* готов* рецепт* торт* кофе суп* пив* готув* кав* yemek tarif* pasta* kahve* çorba* "
        "bira الطبخ اطبخ طبخت كيكة قهوة شاي khana chai चाय खाना केक 料理 ケーキ コーヒー ビール 做饭 蛋糕 咖啡 "
        "啤酒 火锅 요리* 케이크* 커피* 맥주* 라면*"
    ),
    "sport": (
        "match team goal training gym run marathon ski football lauf* fußball mannschaft tor équipe but "
        "entraînement foot partido equipo gol gimnasio fútbol time jogo treino academia partita squadra palestra "
        "calcio wedstrijd sportschool voetbal mecz* drużyn* trening* siłown* piłk* матч* команд* трениров* "
        "футбол* тренуван* maç* takım* antrenman* spor مباراة الفريق الجيم मैच टीम 試合 ジム サッカー 練習 比赛 "
        "球赛 健身 球队 경기* 팀* 헬스* 축구*"
    ),
    "study": (
        "rate statistics research study professor class article sociology nursing law report* statistik* studie* "
        "referat vorlesung chiffres étude* statistiques taux cours tasa estadística* estudio* clase taxa "
        "estatística* estudo* aula tasso statistic* studi* lezione percentage cijfers onderzoek statystyk* "
        "badani* wskaźnik* статистик* исследован* статья лекци* дослідж* статист* статт* лекці* oran* "
        "istatistik* araştırma* ders نسب احصائيات دراسة بحث aankde shodh दर आँकड़े अध्ययन शोध 統計 研究 率 論文 "
        "授業 统计 论文 통계* 연구* 비율* 논문*"
    ),
    "news": (
        "news article police documentary history town century war zeitung nachricht* polizei geschichte krieg "
        "journal infos histoire guerre noticias policía historia guerra notícia* polícia história notizie tg "
        "giornale polizia storia nieuws krant politie geschiedenis oorlog wiadomości* gazeci* policj* histori* "
        "wojn* новост* газет* полици* истори* войн* новин* поліці* істор* війн* haber* gazete* polis* tarih* "
        "savaş* الاخبار الأخبار الشرطة تاريخ khabar akhbar खबर पुलिस इतिहास ニュース 警察 事件 歴史 新闻 历史 "
        "뉴스* 경찰* 역사*"
    ),
    "past": (
        "ago used years formerly früher damals jahre* jahren avant autrefois ans années hace años antes anos "
        "atrás antigamente fa anni prima geleden jaar vroeger temu lat kiedyś lata назад раньше лет давно тому "
        "років колись önce eskiden yıl yıllar زمان سنين قبل سنوات pehle saal पहले साल 昔 前 年前 以前 当年 예전* "
        "옛날* 전에"
    ),
    "wellnow": (
        "recovered recovery glad happy healed love relax fine safe glücklich froh gesund liebe heureux heureuse "
        "content* aime guéri* feliz amo sano curad* felice conten* guarit* blij gelukkig hou gezond szczęśliw* "
        "cieszę kocham zdrow* счастл* рад рада люблю здоров* щаслив* радий mutlu* seviyorum şükür iyiyim سعيد "
        "بخير احب الحمد والحمد khush pyar theek खुश प्यार ठीक 幸せ 元気 大丈夫 楽しい 幸福 开心 没事 挺好 행복* "
        "괜찮* 좋아*"
    ),
    "idiom": (
        "laughter boredom embarrass* bored cringe lachen langeweile langweilig scham rire ennui honte risa "
        "aburr* vergüenza hambre rir tédio vergonha fome risate noia vergogna fame verveling schaam honger "
        "śmiechu nudów wstydu głodu смех* скук* стыд* голод* сміх* нудьг* сором* gülmek* sıkıntı* utanç* açlık* "
        "الضحك الجوع الخجل hasi sharam bhookh हंस शर्म भूख 笑い 恥ずか 尊 饿死 笑死 배꼽* 창피* 더워*"
    ),
    "bleed": (
        "blood bleed* bled bruis* stitches bandage blut* blute* saign* sang bleus sangr* moret* moreton* sang* "
        "roxo* sangue sanguin* livid* bloed* blauwe krew* krwaw* siniak* кров* синяк* синц* kan kana* mor دم نزف "
        "khoon neela खून 血 あざ 流血 淤青 피* 멍*"
    ),
    "hide": (
        "hide hiding hidden sleeve* sleeves secret nobody ärmel* versteck* heimlich cach* manches escond* mangas "
        "oculto nascond* maniche verberg* verstop* mouwen ukryw* rękaw* chowa* скрыва* рукав* прячу ховаю "
        "прихов* sakla* kol gizli مخبي اكمام chhupa chupa छुपा छिपा 隠 長袖 藏 长袖 숨기* 긴팔*"
    ),
    "old": (
        "old age aged years 80 81 84 alt jahre vieux vieille ans viejo vieja velh* anos vecchi* anni oud jaar "
        "stary stara lat старый старая старик лет старий стара років yaşlı* yaşında عجوز عمري budha budhi उम्र "
        "बूढ़ 歳 年老 老伴 岁 살이 영감*"
    ),
    "money": (
        "insurance debts debt rent paid bills versicherung schulden miete bezahlt assurance dettes loyer payé "
        "seguro deudas renta pagué dívidas aluguel paguei assicurazione debiti affitto verzekering huur "
        "ubezpiecz* długi czynsz* страхов* долг* аренд* страхув* борг* оренд* sigorta* borç* kira* ديوني الايجار "
        "bima karz kiraya बीमा क़र्ज़ कर्ज 保険 借金 保险 债 보험* 빚*"
    ),
    "church": (
        "buried stones soil envy jealous grave cemetery funeral coffin ground heaven grab friedhof beerdigung "
        "himmel tombe cimetière enterrement ciel tumba panteón cementerio entierro cielo túmulo cemitério "
        "enterro céu tomba cimitero funerale graf kerkhof begrafenis hemel grób cmentarz* pogrzeb* nieb* могил* "
        "кладбищ* похорон* неб* цвинтар* хрест* mezar* cenaze* قبر جنازة السماء kabar kabr antim swarg कब्र "
        "अंतिम 墓 葬式 天国 坟 葬礼 天堂 무덤* 장례* 하늘*"
    ),
    "quiet": (
        "quiet peace calm silence rest ruhe ruhig stille frieden calme paix repos paz calma tranquil* silencio "
        "descans* pace silenzio riposo rust vrede stil* spokój spokojn* cisz* cicho покой спокой* тих* тиш* "
        "спокій* huzur* sessiz* sakin* هدوء راحة سلام shanti sukoon chain शांति शांत चैन 静か 安らか 安静 平静 "
        "安息 조용* 평화* 고요*"
    ),
    "voices": (
        "voices devil demon stimmen teufel voix diable voces diablo vozes diabo voci diavolo stemmen duivel "
        "głosy diabeł* голоса дьявол* голоси диявол* sesler şeytan* الاصوات أصوات شيطان awaaz awaazein shaitan "
        "आवाज़ आवाजें शैतान 声が 悪魔 声音 魔鬼 목소리* 악마*"
    ),
    "howmuch": (
        "how many much long high enough quick quickly painless height too amount wieviele wieviel lange hoch "
        "schnell combien longtemps haut vite cuánto cuanto tarda alto rapido quanto quanta demora tempo rápido "
        "veloce hoeveel lang hoog snel ile długo wysoko szybko сколько долго высоко быстро скільки довго високо "
        "швидко kaç kadar yüksek çabuk كم قديش kitna kitni kitne der कितना कितनी कितने देर どれくらい 何錠 何階 "
        "多久 多少 几片 多高 얼마나 몇"
    ),
    "posture": (
        "standing stood stand sitting sat parked leaning walking walked driving waiting stehe steh sitze sitz "
        "warte debout assis* attends parad* sentad* espero sedut* fermo aspetto sta zit wacht stoję siedzę "
        "siedze czekam стою сижу жду сиджу чекаю duruyorum oturuyorum bekliyorum واقف واقفة قاعد جالس khada "
        "khadi baitha baithi hu खड़ा खड़ी बैठा बैठी 立って 座って 待って 站在 坐在 等 서있* 앉아* 기다*"
    ),
    "relapse": (
        "relapse* slipped urge urges clean again temptation rückfall wieder drang rechute* envie encore recaí* "
        "otra ganas vontade recaida ricadut* ancora voglia weer terugval znowu nawrót снова опять тянет знову "
        "тягне yine tekrar تاني phir fir dobara फिर दोबारा また やめられ 又 忍不住 또 다시 못끊*"
    ),
    "why": (
        "why what whats who which warum wieso wozu was wer pourquoi quoi quel quelle por qué porque quien cual "
        "perché cosa chi quale waarom wat wie welke dlaczego po co kto jaki почему зачем что кто какая чому "
        "навіщо що хто яка neden niye ne kim ليش ليه لماذا شو ما من kyu kyon kya kaun क्यों क्या कौन किस なぜ "
        "なんで 何 为什么 干嘛 什么 谁 왜 뭐 누가 무슨"
    ),
    "you": (
        "you your u ya youre du dir dich dein* ihr tu toi te vous ton votre tú usted tuyo você vc voce voi lei "
        "jij je jou ty ci cię wy ты тебе тебя твой вы вам ти тобі твій ви sen sana seni senin siz انت انتي لك "
        "tum tera tere aap तुम तू तेरा आप あなた 君 お前 你 您 너 네가 당신 니"
    ),
    "bed": (
        "bed bathroom floor bath bathtub garage drawer kitchen room table bett boden badewanne schublade keller "
        "lit sol tiroir baignoire cama suelo cajón piso gaveta chão letto pavimento cassetto vloer lade łóżk* "
        "podło* szuflad* кроват* пол ящик* ліжк* підлог* шухляд* yatak yatağ* çekmece* السرير الدرج bistar kamra "
        "zameen बिस्तर कमरा ベッド 床 机 引き出し 床上 抽屉 地板 침대* 바닥* 서랍*"
    ),
    "number": "0",
    "calm": (
        "smile smiled smiling fake pretend normal mask lächel* lache tue sourire souris sonrío sonrisa finjo "
        "sorrio sorriso sorrido fingo lach glimlach uśmiech* udaję улыб* притвор* усміх* вдаю gülümse* rol ابتسم "
        "muskura 笑って 平気な 笑着 假装 웃으* 웃고*"
    ),
    "plenty": (
        "everything all whole every completely totally alles ganz ganze tout toute entière todo toda entero tudo "
        "inteira tutto tutta intera helemaal hele wszystko cał* всё все весь целую всю цілу hepsi her كل كله "
        "كلها sab pura poora सब पूरा 全部 全て 都 一整 다 전부 모두 통째*"
    ),
}
