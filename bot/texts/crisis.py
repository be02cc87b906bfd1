"""What is said when somebody is in danger: fixed texts by language, never a model's. Each under 90 words.

`{emergency}` is the emergency number, `{lines}` the crisis lines, one a line.
"""

# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Mapping

TO_SELF: Mapping[str, str] = {
    "en": "Thank you for telling me. I take this seriously, and I am glad that you wrote. I am a machine and cannot help the way a person can, so please reach out to one now. If it is urgent, call {emergency}. These people listen, without judging:\n{lines}\nIs there somebody who could be with you now? If it is somebody else who is in danger, stay with them and call. You can go on writing to me; I will go on listening.",
    "de": "Danke, dass du mir das sagst. Ich nehme es ernst, und es ist gut, dass du schreibst. Ich bin eine Maschine und kann nicht helfen wie ein Mensch; bitte wende dich jetzt an einen. Wenn es eilt, ruf {emergency} an. Diese Menschen hören zu, ohne zu urteilen:\n{lines}\nGibt es jemanden, der bei dir sein kann? Ist jemand anders in Gefahr, bleib dort und ruf an. Du kannst mir weiter schreiben, ich höre weiter zu.",
    "fr": "Merci de me le dire. Je te prends au sérieux, et c'est bien que tu écrives. Je suis une machine et je ne peux pas aider comme une personne ; parle maintenant à quelqu'un, s'il te plaît. En cas d'urgence, appelle le {emergency}. Ces personnes écoutent sans juger :\n{lines}\nQuelqu'un peut-il rester près de toi ? Si c'est quelqu'un d'autre qui est en danger, reste avec cette personne et appelle. Tu peux continuer à m'écrire, je continue d'écouter.",
    "es": "Gracias por contármelo. Te tomo en serio, y está bien que escribas. Soy una máquina y no puedo ayudar como una persona; por favor, habla ahora con alguien. Si es urgente, llama al {emergency}. Estas personas escuchan sin juzgar:\n{lines}\n¿Hay alguien que pueda acompañarte? Si quien está en peligro es otra persona, quédate con ella y llama. Puedes seguir escribiéndome; te sigo escuchando.",
    "pt": "Obrigado por me contar. Levo isso a sério, e que bom que você escreveu. Sou uma máquina e não posso ajudar como uma pessoa; por favor, fale agora com alguém. Se for urgente, ligue para {emergency}. Estas pessoas escutam sem julgar:\n{lines}\nHá alguém que possa ficar com você? Se é outra pessoa que está em perigo, fique com ela e ligue. Pode continuar a me escrever; continuo escutando.",
    "it": "Grazie di avermelo detto. Ti prendo sul serio, ed è un bene che tu scriva. Sono una macchina e non posso aiutare come una persona; per favore, parla ora con qualcuno. Se è urgente, chiama il {emergency}. Queste persone ascoltano senza giudicare:\n{lines}\nC'è qualcuno che può starti vicino? Se è un'altra persona a essere in pericolo, resta con lei e chiama. Puoi continuare a scrivermi: ti ascolto ancora.",
    "nl": "Dank je dat je me dit vertelt. Ik neem het serieus, en het is goed dat je schrijft. Ik ben een machine en kan niet helpen zoals een mens; praat alsjeblieft nu met iemand. Is het dringend, bel {emergency}. Deze mensen luisteren zonder te oordelen:\n{lines}\nIs er iemand die bij je kan zijn? Is iemand anders in gevaar, blijf daar dan bij en bel. Je kunt me blijven schrijven; ik blijf luisteren.",
    "pl": "Dziękuję, że mi o tym mówisz. Traktuję to poważnie i dobrze, że piszesz. Jestem maszyną i nie pomogę tak jak człowiek; proszę, porozmawiaj teraz z kimś. W pilnej sytuacji zadzwoń: {emergency}. Ci ludzie słuchają, nie oceniając:\n{lines}\nCzy ktoś może być przy tobie? Jeśli w niebezpieczeństwie jest ktoś inny, zostań przy tej osobie i zadzwoń. Możesz dalej do mnie pisać; dalej słucham.",
    "ru": "Спасибо, что говоришь мне об этом. Я отношусь к этому серьёзно, и хорошо, что ты пишешь. Я машина и не могу помочь так, как человек; пожалуйста, поговори сейчас с кем-нибудь. Если это срочно, звони {emergency}. Эти люди слушают и не осуждают:\n{lines}\nКто-нибудь может побыть рядом? Если в опасности кто-то другой, останься рядом и звони. Ты можешь писать мне и дальше, я слушаю.",
    "uk": "Дякую, що кажеш мені про це. Я сприймаю це серйозно, і добре, що ти пишеш. Я машина і не можу допомогти так, як людина; будь ласка, поговори зараз із кимось. Якщо це терміново, дзвони {emergency}. Ці люди слухають і не засуджують:\n{lines}\nХтось може побути поруч? Якщо в небезпеці хтось інший, залишайся поруч і дзвони. Можеш писати мені й далі, я слухаю.",
    "tr": "Bunu bana söylediğin için teşekkür ederim. Ciddiye alıyorum, yazman iyi oldu. Ben bir makineyim, bir insan gibi yardım edemem; lütfen şimdi biriyle konuş. Acilse {emergency} numarasını ara. Bu insanlar yargılamadan dinler:\n{lines}\nYanında olabilecek biri var mı? Tehlikede olan bir başkasıysa yanında kal ve ara. Bana yazmayı sürdürebilirsin; dinlemeye devam ederim.",
    "ar": "شكرا لأنك أخبرتني. آخذ كلامك بجدية، ومن الجيد أنك كتبت. أنا آلة ولا يمكنني أن أساعد كما يساعد إنسان، فتحدث الآن من فضلك مع شخص تثق به. في الحالات العاجلة اتصل بالرقم {emergency}. هؤلاء يستمعون دون أحكام:\n{lines}\nهل هناك من يمكنه البقاء معك؟ وإذا كان شخص آخر في خطر فابق معه واتصل. يمكنك أن تواصل الكتابة لي، وسأواصل الاستماع.",
    "hi": "मुझे बताने के लिए धन्यवाद। मैं इसे गंभीरता से लेता हूँ, और अच्छा है कि आपने लिखा। मैं एक मशीन हूँ और किसी इंसान जैसी मदद नहीं कर सकता; कृपया अभी किसी से बात करें। ज़रूरी हो तो {emergency} पर फ़ोन करें। ये लोग बिना कोई राय बनाए सुनते हैं:\n{lines}\nक्या कोई आपके पास रह सकता है? अगर कोई और खतरे में है, तो उसके साथ रहिए और फ़ोन कीजिए। आप मुझे लिखते रहिए; मैं सुनता रहूँगा।",
    "ja": "話してくれてありがとう。真剣に受け止めています。書いてくれてよかった。わたしは機械なので、人のようには助けられません。どうか今、だれかに話してください。急ぐときは{emergency}へ電話を。ここでは責めずに聞いてくれます。\n{lines}\nそばにいてくれる人はいますか。危ないのがほかの人なら、そばにいて、電話をしてください。このまま書いてくれれば、わたしも聞き続けます。",
    "zh": "谢谢你告诉我。我很认真地看待这件事,你愿意写出来很好。我是机器,不能像人那样帮助你,请现在就跟一个人谈谈。情况紧急请拨打{emergency}。这些人会倾听,不评判:\n{lines}\n有谁可以陪着你吗?如果处于危险中的是别人,请陪着对方并打电话。你可以继续写给我,我会一直听。",
    "ko": "말해 줘서 고마워요. 진지하게 듣고 있고, 이렇게 써 줘서 다행이에요. 저는 기계라서 사람처럼 도와드릴 수 없으니, 지금 누군가와 꼭 이야기해 주세요. 급하면 {emergency}에 전화하세요. 이분들은 판단하지 않고 들어 줍니다:\n{lines}\n곁에 있어 줄 사람이 있나요? 위험한 사람이 다른 분이라면 곁에 있으면서 전화해 주세요. 저에게 계속 써도 돼요. 계속 들을게요.",
}
"""For people in danger themselves, and wherever it is not plain who is."""

TO_FRIEND: Mapping[str, str] = {
    "en": "Thank you for telling me; it is good that you look out for them. I am a machine and cannot help the way a person can. If it may happen soon, call {emergency} now, and stay with them if that is safe. Ask them openly about it, which does no harm; listen, without judging. These people advise those who worry about somebody, too:\n{lines}\nDo not carry this alone: tell somebody you both trust. If it is you who is in danger, they are there for you as well.",
    "de": "Danke, dass du es sagst; gut, dass du auf diesen Menschen achtest. Ich bin eine Maschine und kann nicht helfen wie ein Mensch. Wenn es bald sein könnte, ruf jetzt {emergency} an und bleib dort, wenn du dabei sicher bist. Frag offen nach, das schadet nicht; hör zu, ohne zu urteilen. Auch wer sich um jemanden sorgt, bekommt hier Rat:\n{lines}\nTrag das nicht allein: erzähl es jemandem, dem ihr beide vertraut. Bist du es, um den es geht, sind sie auch für dich da.",
    "fr": "Merci de me le dire ; c'est bien que tu veilles sur cette personne. Je suis une machine et je ne peux pas aider comme une personne. Si cela peut arriver bientôt, appelle tout de suite le {emergency} et reste à ses côtés si c'est sans danger. Parles-en ouvertement, cela ne fait pas de mal ; écoute, sans juger. Ici, on conseille aussi les proches :\n{lines}\nNe porte pas cela sans aide : parles-en à quelqu'un de confiance. Si c'est de toi qu'il s'agit, c'est aussi pour toi.",
    "es": "Gracias por contarlo; está bien que cuides de esa persona. Soy una máquina y no puedo ayudar como una persona. Si puede pasar pronto, llama ya al {emergency} y quédate a su lado, si es seguro para ti. Pregúntale abiertamente, eso no hace daño; escucha sin juzgar. Aquí también aconsejan a quienes se preocupan por alguien:\n{lines}\nNo cargues con esto a solas: cuéntaselo a alguien de confianza. Si se trata de ti, también están para ti.",
    "pt": "Obrigado por contar; que bom que você cuida dessa pessoa. Sou uma máquina e não posso ajudar como uma pessoa. Se pode acontecer logo, ligue já para {emergency} e fique ao lado dela, se for seguro para você. Pergunte abertamente, isso não faz mal; escute sem julgar. Aqui também aconselham quem se preocupa com alguém:\n{lines}\nNão carregue isso sem ajuda: conte a alguém de confiança. Se for sobre você, eles também estão aí para você.",
    "it": "Grazie di averlo detto; è un bene che tu abbia cura di questa persona. Sono una macchina e non posso aiutare come una persona. Se può succedere presto, chiama subito il {emergency} e restale accanto, se per te è sicuro. Chiedi apertamente, non fa danni; ascolta, senza giudicare. Qui danno consigli anche a chi è in pensiero per qualcuno:\n{lines}\nNon portare questo peso senza aiuto: parlane con qualcuno di cui vi fidate. Se si tratta di te, ci sono anche per te.",
    "nl": "Dank je dat je het vertelt; goed dat je op diegene let. Ik ben een machine en kan niet helpen zoals een mens. Kan het snel gebeuren, bel dan nu {emergency} en blijf erbij, als dat voor jou veilig is. Vraag er open naar, dat kan geen kwaad; luister zonder te oordelen. Ook wie zich zorgen maakt om iemand krijgt hier raad:\n{lines}\nDraag dit niet alleen: vertel het iemand die jullie vertrouwen. Gaat het om jou, dan zijn ze er ook voor jou.",
    "pl": "Dziękuję, że o tym mówisz; dobrze, że troszczysz się o tę osobę. Jestem maszyną i nie pomogę tak jak człowiek. Jeśli może się to stać wkrótce, zadzwoń teraz: {emergency}, i zostań przy niej, o ile to dla ciebie bezpieczne. Zapytaj wprost, to nie szkodzi; słuchaj, nie oceniając. Tutaj radzą też tym, którzy się o kogoś martwią:\n{lines}\nNie dźwigaj tego bez pomocy: powiedz komuś, komu ufacie. Jeśli chodzi o ciebie, są też dla ciebie.",
    "ru": "Спасибо, что говоришь об этом; хорошо, что тебе не всё равно. Я машина и не могу помочь так, как человек. Если это может случиться скоро, звони {emergency} прямо сейчас и будь рядом, если это безопасно для тебя. Спроси об этом открыто, это не навредит; слушай и не осуждай. Здесь советуют и тем, кто за кого-то боится:\n{lines}\nНе оставайся с этим без помощи: расскажи тому, кому вы оба доверяете. Если речь о тебе, там помогут и тебе.",
    "uk": "Дякую, що кажеш про це; добре, що тобі не байдуже. Я машина і не можу допомогти так, як людина. Якщо це може статися скоро, дзвони {emergency} просто зараз і будь поруч, якщо це безпечно для тебе. Запитай про це відкрито, це не зашкодить; слухай і не засуджуй. Тут радять і тим, хто за когось боїться:\n{lines}\nНе залишайся з цим без допомоги: розкажи тому, кому ви обоє довіряєте. Якщо йдеться про тебе, там допоможуть і тобі.",
    "tr": "Söylediğin için teşekkür ederim; onu düşünmen çok iyi. Ben bir makineyim, bir insan gibi yardım edemem. Yakında bir şey olabilecekse hemen {emergency} numarasını ara ve senin için güvenliyse yanında kal. Ona açıkça sor, bunun zararı olmaz; yargılamadan dinle. Burada birisi için kaygılananlara da yol gösterirler:\n{lines}\nBu yükü tek başına taşıma: ikinizin de güvendiği birine anlat. Söz konusu sensen, senin için de oradalar.",
    "ar": "شكرا لأنك أخبرتني، ومن الجيد أنك تهتم بهذا الشخص. أنا آلة ولا يمكنني أن أساعد كما يساعد إنسان. إذا كان ذلك قد يحدث قريبا فاتصل الآن بالرقم {emergency} وابق إلى جانبه إن كان ذلك آمنا لك. اسأله بصراحة فالسؤال لا يضر، واستمع دون أحكام. هنا ينصحون أيضا من يقلق على غيره:\n{lines}\nلا تحمل هذا وحدك، أخبر شخصا تثقان به. وإذا كان الأمر يخصك أنت فهم هنا من أجلك أيضا.",
    "hi": "बताने के लिए धन्यवाद; अच्छा है कि आप उनका ध्यान रखते हैं। मैं एक मशीन हूँ और किसी इंसान जैसी मदद नहीं कर सकता। अगर जल्दी कुछ हो सकता है, तो अभी {emergency} पर फ़ोन करें, और आपके लिए सुरक्षित हो तो उनके साथ रहें। उनसे खुलकर पूछिए, पूछने से बुरा नहीं होता; बिना राय बनाए सुनिए। किसी और की चिंता करने वालों को भी यहाँ सलाह मिलती है:\n{lines}\nयह भार अकेले न उठाएँ: किसी भरोसेमंद को बताइए। बात आपकी है, तो ये आपके लिए भी हैं।",
    "ja": "話してくれてありがとう。その人を気にかけてくれて、よかった。わたしは機械なので、人のようには助けられません。すぐに起こりそうなら、今すぐ{emergency}へ電話をして、あなたが安全ならそばにいてください。率直にたずねても害にはなりません。責めずに聞いてください。心配している人も、ここで相談できます。\n{lines}\nひとりで抱えず、信頼できる人にも話してください。あなた自身のことなら、ここはあなたのためでもあります。",
    "zh": "谢谢你告诉我,你这样关心对方很好。我是机器,不能像人那样帮助你们。如果事情可能马上发生,请现在就拨打{emergency},在你安全的情况下陪在对方身边。可以坦率地问,问不会带来坏处;请倾听,不评判。为别人担心的人也可以在这里得到建议:\n{lines}\n不要独自承担,请告诉一个你们都信任的人。如果说的是你自己,这里同样愿意帮你。",
    "ko": "말해 줘서 고마워요. 그분을 걱정해 주어서 다행이에요. 저는 기계라서 사람처럼 도와드릴 수 없어요. 곧 일이 생길 것 같으면 지금 {emergency}에 전화하고, 안전하다면 곁에 있어 주세요. 솔직하게 물어봐도 괜찮아요. 판단하지 말고 들어 주세요. 다른 사람을 걱정하는 분도 여기에서 상담할 수 있어요:\n{lines}\n혼자 감당하지 말고, 믿을 수 있는 사람에게 알려 주세요. 본인의 이야기라면 여기에서 당신도 도와줘요.",
}
"""For people who worry about somebody who may harm themselves."""

TO_OTHERS: Mapping[str, str] = {
    "en": "Thank you for telling me; I take it seriously. Please stop for a moment, go somewhere else, and put distance between you and the others. I am a machine and cannot help the way a person can. If anybody is in danger now, call {emergency}. You can also talk about such thoughts here:\n{lines}\nWhat you feel can pass without harm to anyone. I will go on listening.",
    "de": "Danke, dass du es sagst; ich nehme es ernst. Bitte halte kurz inne, geh woanders hin und bring Abstand zwischen dich und die anderen. Ich bin eine Maschine und kann nicht helfen wie ein Mensch. Ist jetzt jemand in Gefahr, ruf {emergency} an. Über solche Gedanken kannst du auch hier reden:\n{lines}\nWas du fühlst, kann vorübergehen, ohne dass jemand zu Schaden kommt. Ich höre weiter zu.",
    "fr": "Merci de le dire ; je le prends au sérieux. Arrête-toi un instant, va ailleurs et mets de la distance entre toi et les autres. Je suis une machine et je ne peux pas aider comme une personne. Si quelqu'un est en danger, appelle le {emergency}. Tu peux aussi parler de ces pensées ici :\n{lines}\nCe que tu ressens peut passer sans mal pour personne. Je continue d'écouter.",
    "es": "Gracias por decirlo; lo tomo en serio. Por favor, detente un momento, vete a otro lugar y pon distancia con los demás. Soy una máquina y no puedo ayudar como una persona. Si alguien está en peligro ahora, llama al {emergency}. También puedes hablar de estos pensamientos aquí:\n{lines}\nLo que sientes puede pasar sin que nadie salga herido. Te sigo escuchando.",
    "pt": "Obrigado por dizer; levo isso a sério. Por favor, pare um momento, vá para outro lugar e fique longe dos outros. Sou uma máquina e não posso ajudar como uma pessoa. Se alguém está em perigo agora, ligue para {emergency}. Você também pode falar desses pensamentos aqui:\n{lines}\nO que você sente pode passar sem que ninguém saia ferido. Continuo escutando.",
    "it": "Grazie di averlo detto; lo prendo sul serio. Per favore fermati un momento, vai altrove e metti distanza tra te e gli altri. Sono una macchina e non posso aiutare come una persona. Se qualcuno è in pericolo, chiama il {emergency}. Di questi pensieri puoi parlare anche qui:\n{lines}\nQuello che senti può passare senza danni per nessuno. Ti ascolto ancora.",
    "nl": "Dank je dat je het zegt; ik neem het serieus. Stop alsjeblieft even, ga ergens anders heen en neem afstand van de anderen. Ik ben een machine en kan niet helpen zoals een mens. Is er nu iemand in gevaar, bel {emergency}. Over zulke gedachten kun je ook hier praten:\n{lines}\nWat je voelt kan voorbijgaan zonder schade voor wie dan ook. Ik blijf luisteren.",
    "pl": "Dziękuję, że to mówisz; traktuję to poważnie. Proszę, zatrzymaj się na chwilę, idź gdzie indziej i odsuń się od innych. Jestem maszyną i nie pomogę tak jak człowiek. Jeśli ktoś jest teraz w niebezpieczeństwie, zadzwoń: {emergency}. O takich myślach możesz porozmawiać też tutaj:\n{lines}\nTo, co czujesz, może minąć bez szkody dla nikogo. Dalej słucham.",
    "ru": "Спасибо, что говоришь об этом; я отношусь к этому серьёзно. Пожалуйста, остановись на минуту, уйди в другое место, подальше от остальных. Я машина и не могу помочь так, как человек. Если кто-то в опасности, звони {emergency}. О таких мыслях можно поговорить и здесь:\n{lines}\nТо, что ты чувствуешь, может пройти, и никто не пострадает. Я слушаю дальше.",
    "uk": "Дякую, що кажеш про це; я сприймаю це серйозно. Будь ласка, зупинись на хвилину, піди в інше місце, подалі від інших. Я машина і не можу допомогти так, як людина. Якщо хтось у небезпеці, дзвони {emergency}. Про такі думки можна поговорити й тут:\n{lines}\nТе, що ти відчуваєш, може минути, і ніхто не постраждає. Я слухаю далі.",
    "tr": "Söylediğin için teşekkür ederim; ciddiye alıyorum. Lütfen bir an dur, başka bir yere git ve diğerlerinden uzaklaş. Ben bir makineyim, bir insan gibi yardım edemem. Şu an tehlikede olan biri varsa {emergency} numarasını ara. Bu düşünceleri burada da konuşabilirsin:\n{lines}\nHissettiklerin kimse incinmeden geçebilir. Dinlemeye devam ederim.",
    "ar": "شكرا لأنك قلت ذلك، وأنا آخذه بجدية. توقف لحظة من فضلك، واذهب إلى مكان آخر بعيدا عن الآخرين. أنا آلة ولا يمكنني أن أساعد كما يساعد إنسان. إذا كان أحد في خطر الآن فاتصل بالرقم {emergency}. يمكنك أيضا أن تتحدث عن هذه الأفكار هنا:\n{lines}\nما تشعر به قد يمر دون ضرر لأي شخص. سأواصل الاستماع.",
    "hi": "बताने के लिए धन्यवाद; मैं इसे गंभीरता से लेता हूँ। कृपया एक पल रुकें, कहीं और जाएँ और दूसरों से दूरी बनाएँ। मैं एक मशीन हूँ और किसी इंसान जैसी मदद नहीं कर सकता। अगर अभी कोई खतरे में है, तो {emergency} पर फ़ोन करें। ऐसे विचारों के बारे में आप यहाँ भी बात कर सकते हैं:\n{lines}\nजो आप महसूस कर रहे हैं वह बिना किसी हानि के बीत सकता है। मैं सुनता रहूँगा।",
    "ja": "話してくれてありがとう。真剣に受け止めています。どうか少し立ち止まって、別の場所へ行き、ほかの人から離れてください。わたしは機械なので、人のようには助けられません。今だれかに危険があるなら{emergency}へ電話を。こうした気持ちはここでも話せます。\n{lines}\nその気持ちは、だれも害さずに過ぎていくことがあります。このまま聞き続けます。",
    "zh": "谢谢你说出来,我认真对待。请先停一下,去别的地方,和其他人保持距离。我是机器,不能像人那样帮助你。如果现在有人处于危险中,请拨打{emergency}。这样的想法也可以在这里谈:\n{lines}\n你的感受可以过去,而不让任何人受到损害。我会继续听。",
    "ko": "말해 줘서 고마워요. 진지하게 듣고 있어요. 잠시 멈추고 다른 곳으로 가서 다른 사람들과 거리를 두세요. 저는 기계라서 사람처럼 도와드릴 수 없어요. 지금 위험에 처한 사람이 있으면 {emergency}에 전화하세요. 이런 생각은 여기에서도 이야기할 수 있어요:\n{lines}\n지금의 감정은 아무 피해 없이 지나갈 수 있어요. 계속 들을게요.",
}
"""For people who may harm somebody else."""

IN_CHANNEL: Mapping[str, str] = {
    "en": "I read this and take it seriously. I wrote to you privately; please look.",
    "de": "Ich habe das gelesen und nehme es ernst. Ich habe dir privat geschrieben; bitte schau nach.",
    "fr": "J'ai lu ton message et je le prends au sérieux. Je t'ai écrit en privé ; regarde, s'il te plaît.",
    "es": "He leído esto y lo tomo en serio. Te he escrito en privado; míralo, por favor.",
    "pt": "Li isto e levo a sério. Escrevi para você em privado; por favor, veja.",
    "it": "Ho letto e lo prendo sul serio. Ti ho scritto in privato; guarda, per favore.",
    "nl": "Ik heb dit gelezen en neem het serieus. Ik heb je privé geschreven; kijk alsjeblieft even.",
    "pl": "Przeczytałem to i traktuję poważnie. Napisałem do ciebie prywatnie; proszę, zajrzyj.",
    "ru": "Я вижу твоё сообщение и отношусь к нему серьёзно. Посмотри, пожалуйста, личные сообщения: там ответ для тебя.",
    "uk": "Я бачу твоє повідомлення і сприймаю його серйозно. Подивись, будь ласка, приватні повідомлення: там відповідь для тебе.",
    "tr": "Bunu okudum ve ciddiye alıyorum. Sana özelden yazdım; lütfen bak.",
    "ar": "قرأت هذا وآخذه بجدية. كتبت لك رسالة خاصة، انظر إليها من فضلك.",
    "hi": "मैंने यह पढ़ा और इसे गंभीरता से लेता हूँ। मैंने आपको निजी संदेश भेजा है; कृपया देखिए।",
    "ja": "読みました。真剣に受け止めています。個別にメッセージを送ったので、見てください。",
    "zh": "我看到了,也认真对待。我给你发了私信,请看一下。",
    "ko": "읽었고, 진지하게 받아들이고 있어요. 따로 메시지를 보냈으니 꼭 봐 주세요.",
}
"""What a channel sees where the text itself went to the person alone."""

BELOW_REPLY: Mapping[str, str] = {
    "en": "(If it ever gets too heavy: {name}, {reach}. In an emergency: {emergency}.)",
    "de": "(Falls es einmal zu schwer wird: {name}, {reach}. Im Notfall: {emergency}.)",
    "fr": "(Si un jour c'est trop lourd : {name}, {reach}. En cas d'urgence : {emergency}.)",
    "es": "(Si alguna vez pesa demasiado: {name}, {reach}. En una emergencia: {emergency}.)",
    "pt": "(Se um dia ficar pesado demais: {name}, {reach}. Em emergência: {emergency}.)",
    "it": "(Se mai diventasse troppo pesante: {name}, {reach}. In caso di emergenza: {emergency}.)",
    "nl": "(Als het ooit te zwaar wordt: {name}, {reach}. In nood: {emergency}.)",
    "pl": "(Gdyby było zbyt ciężko: {name}, {reach}. W nagłej sytuacji: {emergency}.)",
    "ru": "(Если станет слишком тяжело: {name}, {reach}. В экстренном случае: {emergency}.)",
    "uk": "(Якщо стане надто важко: {name}, {reach}. У невідкладному випадку: {emergency}.)",
    "tr": "(Bir gün çok ağır gelirse: {name}, {reach}. Acil durumda: {emergency}.)",
    "ar": "(إذا ثقل عليك الأمر يوما: {name}، {reach}. في حالات الطوارئ: {emergency}.)",
    "hi": "(अगर कभी बहुत भारी लगे: {name}, {reach}। आपात स्थिति में: {emergency}।)",
    "ja": "(つらくなったときは:{name}、{reach}。緊急のときは{emergency}へ。)",
    "zh": "(如果有一天太难受:{name},{reach}。紧急情况请拨打{emergency}。)",
    "ko": "(너무 힘들 때는: {name}, {reach}. 급할 때는 {emergency}.)",
}
"""Below an ordinary reply, where danger is not plain."""

LINE = "• {name}: {reach}"
LINE_WITH_HOURS = "• {name}: {reach} ({hours})"
