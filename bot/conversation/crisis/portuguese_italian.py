"""Portuguese and Italian."""

# ruff: noqa: E501
from __future__ import annotations

from bot.conversation.crisis.wording import Spelling

_PORTUGUESE = Spelling(
    {
        "quero": r"quero|queria|vou|penso em|pensando em|pensei em|pensar em|vontade de|planejando|planejo|estou a pensar em|decidi|tentei|tentar|preciso|devia|deveria|posso|ideia de|como|melhor|prefiro|a ponto de|impulso de|medo de|me deixa|deixem me|desejo de|só queria|irei|considerando|tenho que|ando a pensar em|apetece me",
        "matarme": r"me matar|matar me|me suicidar|suicidar me|suicídio|tirar (?:a )?minha (?:própria )?vida|me enforcar|enforcar me|me cortar|cortar me|me machucar|magoar me|me ferir|acabar com (?:a minha vida|minha vida|tudo|isso tudo|isto tudo|o meu sofrimento|a dor)|pôr fim à (?:minha )?vida|dar um fim (?:na|à) (?:minha )?vida|dar fim (?:na|à) (?:minha )?vida|pôr termo à vida|me jogar (?:d[aeo]|na frente|pela|embaixo|no)(?: \S+){0,3}|atirar me (?:d[aeo]|para|à)(?: \S+){0,3}|(?:pular|saltar) (?:da|do|de|pela|na frente)(?: \S+){0,2} ?(?:ponte|prédio|janela|sacada|varanda|viaduto|trem|comboio|telhado|andar)|tomar (?:todos|um monte|uma cartela|veneno)(?: \S+){0,4}|me afogar|dar um tiro na cabeça|me dar um tiro|me autolesionar",
        "quem": r"ele|ela|alguém|(?:meu|minha|um|uma|o meu|a minha|nosso|nossa)(?: \w+)? ?(?:amig[oa]s?|irmã|irmão|namorad[oa]|mãe|pai|filh[oa]|espos[oa]|marido|mulher|prim[oa]|colega|ex|tia|tio|alun[oa]|vizinh[oa]|avó|avô|sobrinh[oa])",
        "kin": r"alguém|todo mundo|toda a gente|todos|as pessoas|pessoas|gente|ele|ela|eles|(?:o |a |os |as )?(?:meu|minha|meus|minhas|esse|essa|aquele|aquela|o|a)(?: \w+)? ?(?:mãe|pai|pais|irmã|irmão|espos[oa]|marido|mulher|ex|namorad[oa]|chefe|patrão|professora?|vizinh[oa]s?|coleg[oa]s?|filh[oa]s?|bebê|bebé|família|desgraçad[oa]|cara|turma|escola|padrasto)",
    }
)

PORTUGUESE = _PORTUGUESE.wording(
    "pt",
    "_de_ _que_ _um comprei corda _por _eu_ nao_ minha meu_ vou_ quero queria vida mat suicid morr ninguem todos estou tenho adeus comprimid melhor cort viver desculp amig irma ela_ _ele_ nunca aguento cansad sou_ remedio mim",
    {
        "intent": (
            r"(?:<quero>)(?: \S+){0,3} (?:<matarme>)",
            r"(?:vou|quero|penso em|pensei em|tentei|queria|vontade de) me (?:matar|suicidar|enforcar|cortar|machucar|ferir|jogar d\w+)(?: \w+)*|me (?:mato|suicido|enforco)(?: \w+)*|mato me(?: \w+)*|me matar$|(?:pensamentos?|ideias?|ideações|tendências) (?:suicidas?|de suicídio|de morte)|(?:estou|sou|me sinto|sinto me|ando)(?: \w+){0,2} suicida|(?:não|nao|n) (?:quero|consigo|tenho vontade de|aguento|desejo|queria)(?: \w+)? (?:viver|existir|estar viv[oa]|acordar|continuar viv\w+|estar aqui|continuar a viver|ficar viv[oa]|continuar vivendo)(?: \w+)*|(?:escrevi|escrita|escrevendo|deixei)(?: \w+){0,3} carta de (?:despedida|suicídio)|carta de despedida|quantos? (?:\S+ ){1,6}(?:morrer|matar|suicid\w+|mortal|letal|overdose)|(?:morrer|me matar|suicidar) sem (?:dor|sofrer|sentir)(?: \w+)?|(?:forma|maneira|jeito|método)(?: \S+){0,5} (?:morrer|me matar|se matar|suicid\w+|matar me)|dose (?:letal|mortal)|(?:hoje|esta noite|amanhã)(?: \S+){0,3} (?:me mato|acabo com tudo|vou morrer|acabo com isso|vou acabar com|mato me|eu morro)(?: \w+)*|tirar (?:a )?minha (?:própria )?vida|acabar com (?:a )?minha vida",
        ),
        "means": (
            r"(?:tomei|engoli|bebi)(?: \S+){0,5} (?:remédios?|comprimidos|cartelas?|pílulas|veneno|frasco|caixa|calmantes)(?: \w+)*|(?:corda|faca|comprimidos|arma|remédios|lâmina|gilete|navalha|pistola)(?: \S+){0,4} (?:na mão|do meu lado|ao meu lado|na minha frente|à minha frente|pront[oa]s?)|(?:estou|sentad[oa]|em pé|tô)(?: \S+){0,5} (?:ponte|telhado|sacada|beira|parapeito|trilhos|linha|viaduto|terraço|prédio)(?: \S+){0,6} (?:pular|saltar|pulo|adeus|me jogar|acabar|trem|cair)|cortei os pulsos",
        ),
        "harm": (
            r"me (?:corto|machuco|corte[ei]|cortando|mutilo|queimo|firo|cortado) (?:de novo|os|quando|para|pra|outra|todo|todos|escondid\w|desde|com uma lâmina|ontem|toda|sempre|e|porque|há)(?: \w+)*|(?:voltei a|comecei a|quero|preciso|vontade de|recaí e) (?:me (?:cortar|machucar|ferir|mutilar)|cortar me|magoar me)(?: \w+)*|corto me(?: \w+)*|automutil\w+|autoles\w+",
        ),
        "wish": (
            r"compr(?:ei|ar)(?: \w+)? (?:corda|arma|veneno|lâminas?)",
            r"(?:<quero>)(?: \S+){0,2} (?:morrer|estar mort[oa]|desaparecer|sumir(?: d\w+ \w+)?|deixar de existir|dormir (?:para|pra) sempre|não (?:acordar|existir|ter nascido|estar)|dormir e não)(?! de (?:rir|fome|vergonha|calor|amor|sono|frio))|(?:queria|preferia|oxalá|tomara|antes|era melhor|melhor)(?: \S+){0,3} (?:estar mort[oa]|ter morrido|nunca ter nascido|não ter nascido|mort[oa]|morresse|eu morrer|não acordar|não acordasse|não existir|não existisse)|nunca (?:devia|deveria) ter nascido|ninguém(?: \S+){0,3} (?:falta|notar\w*|chorar\w*|perceber\w*|repar\w+|importar\w*|dar conta|saudades)(?: \S+){0,5}|(?:melhor|felizes)(?: \S+){0,2} (?:sem mim|se eu (?:não|morre\w*|sumi\w*|desaparec\w*))(?: \w+)*|se eu (?:morresse|morrer|sumisse|desaparecesse|me matasse|não existisse|me matar|não estivesse)(?: \S+){0,5}",
        ),
        "despair": (
            r"(?:não|nao|sem|nenhum\w?|perdi)(?: \w+){0,3} (?:razão|razões|sentido|motivos?|vontade|esperança|forças?)(?: \w+)? ?(?:de|para|pra|em|na)? ?(?:viver|continuar|a vida|vida|existir|minha vida|seguir|nada mais|levantar)(?: \w+)*|vida(?: \S+){0,3} (?:não (?:tem|vale|faz)|sem sentido)(?: \S+){0,5}|não vale (?:mais )?a pena viver|(?:não|nao|n|já não) (?:aguento|suporto|consigo|dá|posso)(?: \S+)? mais(?: (?:isso|isto|viver|nada|tudo isso|assim))?$|(?:não|já não) (?:aguento|suporto|consigo)(?: \w+)? (?:viver|esta vida|essa vida|a vida|essa dor|esta dor|continuar|continuar assim)(?: \w+)*|(?:cansad[oa]|fart[oa]|cansei)(?: \w+)? (?:de |da )(?:vida|viver|minha vida|existir|tudo e|estar viv\w+|lutar)(?: \w+)*|(?:sou|ser)(?: \w+){0,3} (?:um peso|um fardo|uma carga)(?: \S+){0,4}|(?:mundo|todos|família|eles|todo mundo|filhos|pais)(?: \S+){0,5} melhor sem mim|não mereço (?:viver|estar viv\w+)|quero que (?:tudo|isso|isto|a dor)(?: \w+)? (?:acabe|pare|termine)(?: \w+)*|não (?:vejo|há|tem|encontro) (?:mais )?(?:saída|futuro|solução para mim)(?: \w+)*|desisto da vida|desisti (?:da vida|de viver)",
        ),
        "farewell": (
            r"(?:minha|esta é a minha|meu|este é o meu) últim[oa] (?:mensagem|noite|dia|adeus)(?: \w+)*|adeus(?: \S+){0,2} (?:para sempre|mundo|a todos|vida|pra sempre)(?: \w+)*|(?:me despedir|despedir me|me despeço|despeço me)(?: \S+){0,5}|quando eu (?:não estiver|me for|já não|morrer|partir)(?: \w+)*|(?:cuida|cuidem|cuide|cuidar)(?: \S+){0,6} (?:quando eu|não estiver|partir|morrer)(?: \w+)*|(?:não|nunca mais) (?:vão|vai|vais) (?:mais )?(?:me ver|ver me|ouvir falar)(?: \w+)*|(?:perdão|desculpa|desculpem|perdoem me|me perdoem) por tudo(?: \S+){0,4}|amanhã (?:eu )?(?:já )?não (?:vou estar|estarei|estou)(?: \w+)*|vou embora (?:para|pra) sempre",
        ),
        "friend": (
            r"(?:<quem>)(?: \S+){0,6} (?:se matar|matar se|suicidar se|se suicidar|tirar a própria vida|se cortar|cortar se|se corta|se machuca|quer morrer|não quer (?:mais )?viver|acabar com a (?:própria )?vida|se enforcar|se jogar|suicidas?|tentativa de suicídio|carta de despedida|mensagem de despedida|pular da|tomou (?:um monte|todos|vários|uma cartela|muitos|uma caixa)(?: \w+)*|se mutila|quer se matar|cortou os pulsos|se mate)(?: \w+)*|medo(?: \S+){0,4} (?:se mate|se suicide|faça uma (?:loucura|besteira|asneira))",
        ),
        "threatened": (
            r"(?:ele|ela|marido|ex|namorado|pai|padrasto|companheiro)(?: \S+){0,5} (?:ameaç\w+|quer|disse|diz|tentou|jurou|vai)(?: \S+){0,4} (?:me matar|matar me|me esfaquear|vai me matar|de morte)(?: \w+)*|(?:ele|marido|namorado|pai|padrasto) me (?:bate|espanca|enforcou|agride|bateu)(?: \w+)*",
        ),
        "attack": (
            r"(?:<quero>)(?: \S+){0,3} (?:matar|esfaquear|estrangular|assassinar|envenenar|atirar (?:em|n[oa])|massacrar|degolar|machucar|bater em|ferir|queimar|enforcar|espancar|balear|dar um tiro (?:em|n[oa])|fazer mal a|magoar) ?(?:<kin>)|(?:<quero>)(?: \S+){0,2} (?:matá|esfaqueá|estrangulá|enforcá|envenená) l[oa]s?(?: \w+)*|(?:levar|vou levar|levo|trazer)(?: \S+){0,4} (?:arma|faca|pistola|bomba|revólver|canivete)(?: \S+){0,4} (?:escola|trabalho|colégio|aula|faculdade|escritório)(?: \w+)*|vozes?(?: \S+){0,6} (?:matar|machucar|ferir|mate|esfaquear|mal a)(?: \w+)*|(?:explodir|queimar|incendiar|botar fogo|pôr fogo|atirar|tacar fogo|bomba)(?: \S+){0,4} (?:escola|colégio|escritório|igreja|casa|prédio|multidão|todos)(?: \w+)*|massacre(?: \S+){0,5} (?:vou|amanhã|minha escola|escola)|(?:matei|esfaqueei|estrangulei) (?:alguém|o meu \w+|a minha \w+|meu \w+|minha \w+)|(?:vão|vai|tem que|merece|merecem)(?: \w+)? (?:morrer|pagar com (?:a vida|sangue))(?: \w+)*|eu (?:mato|esfaqueio) (?:el[ea]s?|todos|o|a|aquel\w+|meu \w+|minha \w+)(?: \w+)*",
        ),
        "threat": (
            r"medo(?: \S+){0,4} (?:matar|machucar|ferir|bater|magoar|fazer mal)(?: \w+)*|(?:quero|espero|tomara|desejo) que (?:el[ea]s?|meu \w+|minha \w+|o|a)(?: \w+)? ?(?:morra|morram|sofra|sofram)(?: \w+)*|(?:vão|vai) (?:me )?pagar(?: \S+){0,5} (?:faca|arma|sangue|vida)",
        ),
    },
    idioms=(
        r"(?:mort[oa]s?|morrer|morro|morre|morri|morrendo|matar|mata|morria)(?: \w+)? (?:de|a) (?:tanto )?(?:rir|fome|sede|vergonha|calor|amor|sono|frio|medo|inveja|tédio|saudades?|cansaço|rir|curiosidade|raiva|ciúmes?|susto|preguiça)|(?:morro|morrendo|morri) (?:de|por)(?: \w+)+|matar (?:o tempo|aula|a saudade|saudades?|a fome|a sede|a curiosidade|dois coelhos|a charada)|matando aula|(?:mãe|pai|pais|chefe|patrão|professora?|namorad[oa]|espos[oa]|mulher|marido|irmã|irmão|ela|ele|treinador)(?: \w+)? (?:vai|vão|ia|iam) (?:me matar|matar me|me enforcar|me esganar)(?! com)|(?:me mata|me matam|me matando|mata me|está me matando|tá me matando|estão a matar me|está a matar me)(?: \w+)*|(?:mataria|mato|matava) por (?:um|uma)|esquadrão suicida|suicide squad|missão suicida|ponto morto|natureza morta|(?:bateria|celular|telemóvel|plant\w*)(?: \w+){0,3} (?:morr\w+|mort\w+)|me cortar (?:o cabelo|as unhas)|me (?:cortei|machuquei|queimei|corto) (?:cozinhando|na|no|jogando|fazendo|a cozinhar|com papel|sem querer|o)(?: \w+)*|sem querer(?: \w+)*|pular (?:corda|de alegria|carnaval|de paraquedas|o café|na piscina)|saltar (?:de paraquedas|à corda)|me jogar (?:no sofá|na cama|na piscina|no mar|na água)",
    ),
    play=(
        r"lol|haha\w*|k+|kkk+|rs+|rsrs\w*|hehe\w*|jogos?|jogando|jogar|partida|fase|boss|chefão|minecraft|fortnite|valorant|free fire|rodada|round|torneio|inimigos?|zumbis?|granada|brincadeira|brincando|zoeira|xadrez|academia|treino de|prova|provas|lição|vergonha|pizza|bolo|chocolate|piscina|paraquedas|modo de dizer",
    ),
    story=(
        r"música|musica|letra|canta|cantor|cantora|canção|filmes?|séries?|episódio|capítulo|temporada|livro|romance|personage[nm]s?|protagonista|autor|autora|poema|citação|peça|teatro|ópera|documentário|artigo|notícias?|estudos?|estatísticas?|redação|tese|tcc|aula sobre|aula de|curso|prevenção|palestra|traduz\w*|tradução|significa|se diz|expressão|história|guerra|século|jogo|rpg|sonho|sonhei|pesadelo|anime|mangá|podcast|eutanásia|em \d{4}|romeu|novela|setembro amarelo",
    ),
    past=(
        r"antes|há (?:\w+ ){0,3}(?:anos|meses)|anos atrás|quando eu (?:era|tinha|estava)|naquela época|na adolescência|sobrevivi|recuperad[oa]|a salvo|estou (?:melhor|bem|segur[oa])|tô bem|superei|no passado|antigamente|ficou para trás",
    ),
    present=(r"de novo|outra vez|ainda|esta noite|hoje|amanhã|pior|voltaram|voltou|voltando|agora mesmo|quero",),
    negation=(
        r"(?:não|nao|nunca|jamais|sem|nem|deixei de|parei de|nenhum\w?)(?: (?:me|vou|quero|queria|penso|pensei|em|estou|pensando|de|que|a|intenção|vontade|tenho|ideias?|tentar|faria|iria|mais|isso|é))*",
    ),
    ages=(
        r"(?:tenho|fiz|eu tenho|faço)(?: (?:só|apenas|já|quase|somente))* (?P<age>[89]|1[0-7]|oito|nove|dez|onze|doze|treze|quatorze|catorze|quinze|dezesseis|dezasseis|dezessete|dezassete) (?:anos?|aninhos)(?! (?:de (?:casad[oa]|experiência|trabalho|profissão|empresa|carreira|namoro|casa|estrada|banda)|trabalhando|morando|sem|com|casad[oa]|esperando|aqui|a trabalhar))",
    ),
    minor=(
        r"(?:estou|tô|to|ando)(?: \w+)? (?:no|na) (?:[4-9] ?(?:º|°|o|a|ª)? (?:ano|série)(?: do (?:fundamental|ensino fundamental|básico))?|(?:quinto|sexto|sétimo|oitavo|nono) ano|ensino fundamental|(?:sétima|oitava|sexta|quinta) série)(?! da faculdade)|sou (?:de )?menor(?: de (?:idade|18))?$|sou menor de idade",
    ),
    parts=(r"mas|e|então|porque|enquanto",),
)

_ITALIAN = Spelling(
    {
        "voglio": r"voglio|vorrei|volevo|voglia di|sto pensando di|sto per|penso di|penso a|pensato di|pensando di|pensando a|penso al|pensieri di|pensiero di|ho deciso di|tentato di|provato a|devo|dovrei|potrei|ho intenzione di|vado a|meglio|preferirei|come|istinto di|paura di|lasciatemi|lasciami|bisogno di|idea di|di|pronto a|pronta a",
        "uccidermi": r"uccidermi|ammazzarmi|suicidarmi|suicidio|togliermi (?:di mezzo|la vita)|impiccarmi|tagliarmi(?: le vene)?|farmi (?:del )?male|farla finita|farmi fuori|finirla(?: qui)?|porre fine alla mia vita|mettere fine alla mia vita|buttarmi (?:giù|sotto|dal|da|dalla|nel)(?: \S+){0,3}|gettarmi (?:sotto|da|dal|dalla|nel)(?: \S+){0,3}|lanciarmi (?:da|dal|dalla|sotto|nel)(?: \S+){0,3}|saltare (?:giù|dal|da|dalla)(?: \S+){0,2} ?(?:ponte|tetto|balcone|finestra|palazzo)|spararmi|annegarmi|avvelenarmi|autolesionarmi|ferirmi|prendere (?:tutte|tutti|una scatola)(?: \S+){0,4}|mi (?:uccido|ammazzo|suicido)",
        "chi": r"lui|lei|qualcuno|(?:il |la |un |una |i )?(?:mi[oa]|miei|un|una|nostr[oa])(?: \w+)? ?(?:amic[oa]|sorella|fratello|mamma|madre|papà|padre|figli[oa]|moglie|marito|fidanzat[oa]|ragazz[oa]|cugin[oa]|collega|ex|zi[oa]|alunn[oa]|vicin[oa]|compagn[oa]|nonn[oa]|nipote|coinquilin[oa])",
        "kin": r"qualcuno|tutti|la gente|le persone|lui|lei|loro|(?:il |la |i |le )?(?:mi[oa]|miei|mie|quell[oa]|quel|quei|questo|questa|il|la|i|l')(?: \w+)? ?(?:madre|mamma|padre|papà|genitori|sorella|fratello|moglie|marito|ex|fidanzat[oa]|ragazz[oa]|capo|prof\w*|vicin[oa]|collegh[ie]|collega|figli[oa]?|bambin[oi]|famiglia|bastard[oa]|stronz[oa]|tizio|classe|scuola|compagn\w+|patrigno)",
    }
)

ITALIAN = _ITALIAN.wording(
    "it",
    "_di_ _che_ _il_ _la_ _per_ _mi_ non_ _nn_ sono voglio vorrei vita morir muoi uccid ammazz suicid nessuno tutti addio meglio tagli vivere scus amic sorella lei_ lui_ farla stanc _ho_ _mia_ _mio_ faccio",
    {
        "intent": (
            r"(?:<voglio>)(?: \S+){0,3} (?:<uccidermi>)",
            r"mi (?:voglio|vorrei|devo|potrei)(?: \w+)? ?(?:uccidere|ammazzare|suicidare|impiccare|tagliare|buttare)(?: \w+)*|mi (?:uccido|ammazzo|suicido|impicco|taglio le vene)(?: (?:stasera|stanotte|domani|oggi|adesso|davvero|e|,))?(?! (?:di|dalle|per|in) )|(?:pensieri|idee|istinti|tendenze|ideazione) (?:suicid\w+|di suicidio|di morte)|(?:mi sento|sono|essere)(?: \w+){0,2} suicida|tentat[oi] suicidi\w*|non (?:voglio|ho voglia di|desidero|vorrei|ce la faccio a)(?: \w+)? (?:vivere|esistere|essere viv\w|svegliarmi|stare al mondo|continuare a vivere|restare in vita|stare qui|andare avanti|continuare)(?: \w+)*|(?:lettera|biglietto) d'addio|scritto(?: \w+){0,3} lettera(?: \w+)? (?:addio|d'addio)|quant[ei] (?:\S+ ){1,6}(?:morire|uccid\w+|ammazz\w+|letale|overdose)|(?:morire|uccidermi|suicidarsi|uccidersi) senza (?:dolore|soffrire)|(?:modo|metodo|maniera)(?: \S+){0,5} (?:morire|uccidermi|uccidersi|suicidarsi|farla finita|suicidarmi|ammazzarsi)|dose (?:letale|mortale)|(?:stasera|stanotte|oggi|domani)(?: \S+){0,3} (?:la faccio finita|mi uccido|mi ammazzo|è finita|muoio|finisce tutto)|la faccio finita|farla finita|togliermi la vita",
        ),
        "means": (
            r"(?:ho|appena)(?: \S+){0,3} (?:preso|ingoiato|ingerito|mandato giù|bevuto)(?: \S+){0,5} (?:pillole|pastiglie|scatola|scatole|farmaci|sonniferi|candeggina|compresse|pasticche|flacone)(?: \w+)*|(?:corda|coltello|pillole|pistola|lametta|pastiglie|cappio)(?: \S+){0,4} (?:in mano|davanti|accanto|pront[aeo]|vicino)(?: \w+)*|(?:sono|seduto|seduta|sto)(?: \S+){0,5} (?:ponte|tetto|balcone|cornicione|bordo|binari|parapetto)(?: \S+){0,6} (?:salt\w+|butt\w+|addio|finita|nessuno|treno|giù|lanci\w+)|mi sono tagliat[oa] (?:le vene|i polsi|le braccia)",
        ),
        "harm": (
            r"mi sono (?:tagliat[oa]|ferit[oa]|fatt[oa] (?:del )?male|bruciat[oa]) (?:di nuovo|ancora|apposta|le braccia|i polsi|le gambe)(?: \w+)*",
            r"mi (?:taglio|ferisco|faccio del male|brucio|graffio|autolesiono|punisco|sono tagliat[oa] di nuovo|faccio male)(?: (?:ancora|le|i|per|quando|da|di nuovo|ogni|con|apposta|tutte|sulle|sul|e|perché|da sola?))(?: \w+)*|(?:ricominciato|iniziato|tornat[oa]|ripreso|continuo) a (?:tagliarmi|farmi (?:del )?male|ferirmi|bruciarmi)(?: \w+)*|autolesionis\w+|(?:voglia|bisogno) di (?:tagliarmi|farmi (?:del )?male|ferirmi)",
        ),
        "wish": (
            r"(?:<voglio>)(?: \S+){0,2} (?:morire|essere mort[oa]|sparire|scomparire|dormire per sempre|non svegliarmi|smettere di esistere|non esistere|addormentarmi e)(?! (?:dal|di|dalle|dalla) (?:ridere|fame|vergogna|caldo|risate|sonno|freddo|noia|imbarazzo))|(?:vorrei|preferirei|magari|meglio|spero)(?: \S+){0,4} (?:essere mort[oa]|non essere mai nat[oa]|mai nat[oa]|fossi mort[oa]|mort[oa]|morissi|non svegliarmi|non svegliassi|non esistessi|morire)|(?:non )?(?:sarei|dovevo|fossi) mai (?:dovut[oa] )?(?:nascere|nat[oa])|nessuno(?: \S+){0,3} (?:mancher\w+|manca|accorger\w+|noter\w+|piang\w+|importer\w+|mancanza)(?: \S+){0,5}|(?:meglio|felici|contenti)(?: \S+){0,2} (?:senza di me|se (?:io )?(?:non ci fossi|morissi|sparissi|muoio))(?: \w+)*|se (?:io )?(?:morissi|muoio|sparissi|scomparissi|mi uccidessi|non ci fossi|mi ammazzassi|mi uccido)(?: \S+){0,5}",
        ),
        "despair": (
            r"(?:non|nn) ce la (?:faccio|fo)(?: più| piu)?(?: a vivere| così| cosi)(?: \w+)*",
            r"(?:non|nn) (?:c'è|ce|c e|vedo)(?: \w+)? via d'uscita",
            r"(?:non|nessun\w?|senza|pers[oa])(?: \w+){0,3} (?:ragione|ragioni|senso|motiv[oi]|voglia|speranza|forza|scopo)(?: \w+)? ?(?:di|per|a|nella|alla)? ?(?:vivere|continuare|vita|mia vita|esistere|andare avanti|alzarmi|me)(?: \w+)*|vita(?: \S+){0,3} (?:non (?:ha|vale)|senza senso)(?: \S+){0,5}|non (?:ne )?vale (?:più )?la pena (?:di )?vivere|non (?:ce la faccio|ne posso|resisto|sopporto|reggo|riesco)(?: \S+)? più(?: (?:di tutto|di vivere|così|di niente|davvero))?$|non (?:ce la faccio|riesco|sopporto)(?: \w+)? (?:più )?(?:a vivere|questa vita|la vita|ad andare avanti|andare avanti|a continuare|così)(?: \w+)*|(?:stanc[oa]|stuf[oa])(?: \w+)? (?:di |della )(?:vita|vivere|mia vita|esistere|questa vita|essere viv\w|lottare)(?: \w+)*|(?:sono|essere)(?: \w+){0,3} un peso(?: \S+){0,4}|(?:mondo|tutti|famiglia|loro|figli|genitori)(?: \S+){0,5} meglio senza (?:di )?me|non merito di (?:vivere|stare al mondo)|voglio che (?:tutto|questo|il dolore)(?: \w+)? (?:finisca|smetta)(?: \w+)*|non (?:vedo|c'è|trovo) (?:più )?(?:via d'uscita|una via d'uscita|futuro|altra via|altre vie)(?: \w+)*|la mia vita è finita",
        ),
        "farewell": (
            r"addio(?: ,)?(?: \S+){0,3} (?:voluto bene|cercatemi|perdonatemi|scusate|amat\w+|grazie)(?: \w+)*",
            r"non cercatemi",
            r"(?:il mio|la mia|questo è il mio|questa è la mia|mio) ultim[oa] (?:messaggio|notte|giorno|saluto|lettera)(?: \w+)*|addio(?: \S+){0,2} (?:per sempre|mondo|a tutti|mondo crudele|vita)(?: \w+)*|addio$|quando (?:io )?non ci sarò(?: più)?(?: \w+)*|(?:prenditi cura|prendetevi cura|abbi cura|occupati)(?: \S+){0,6} (?:quando|non ci sarò|sarò mort[oa])(?: \w+)*|(?:non|mai più) (?:mi )?(?:vedrete|vedrai|sentirete|sentirai)(?: \w+)* più(?: \w+)*|(?:perdonatemi|perdonami|scusate|scusatemi) (?:per tutto|per quello che)(?: \S+){0,4}|domani non ci sarò(?: \w+)*|me ne vado per sempre",
        ),
        "friend": (
            r"(?:<chi>)(?: \S+){0,6} (?:uccidersi|ammazzarsi|suicidarsi|togliersi la vita|tagliarsi|si taglia|si fa del male|farsi (?:del )?male|vuole morire|non vuole più vivere|farla finita|impiccarsi|buttarsi|suicid\w+|tentato il suicidio|lettera d'addio|messaggio d'addio|si (?:vuole|uccide|ammazza|uccida|ammazzi)(?: \w+)*|preso (?:un sacco di|tutte|troppe|tante)(?: \w+)*|tagliat[oa] le vene|si butta)(?: \w+)*|paura(?: \S+){0,4} (?:si uccida|si ammazzi|si suicidi|faccia (?:una sciocchezza|una cazzata|del male))",
        ),
        "threatened": (
            r"(?:lui|lei|marito|ex|fidanzato|ragazzo|padre|patrigno|compagno|mi)(?: \S+){0,5} (?:minacci\w+|vuole|dice|detto|provato|giurato|tentato)(?: \S+){0,4} (?:uccidermi|ammazzarmi|mi uccide|mi ammazza|accoltellarmi|di morte|strangolarmi)(?: \w+)*|(?:marito|ragazzo|padre|lui|ex|patrigno) mi (?:picchia|ha picchiat[oa]|strangola|mena|ha strangolat[oa])(?: \w+)*",
        ),
        "attack": (
            r"(?:ucciderò|ammazzerò|accoltellerò|sgozzerò|strangolerò) ?(?:<kin>)",
            r"(?:<voglio>)(?: \S+){0,3} (?:uccidere|ammazzare|accoltellare|strangolare|assassinare|avvelenare|sparare a|massacrare|sgozzare|far(?:e)? (?:del )?male a|picchiare|ferire|bruciare|far fuori|pugnalare|sparargli) ?(?:<kin>)|(?:<voglio>)(?: \S+){0,2} (?:ucciderl[oaei]|ammazzarl[oaei]|accoltellarl[oaei]|strangolarl[oaei]|ammazzarti|ucciderti|sgozzarl[oaei]|avvelenarl[oaei]|sparargli|farl[oaei] fuori)(?: \w+)*|l[oaie] (?:uccido|ammazzo|accoltello|sgozzo|strangolo|ucciderò|ammazzerò)(?: \w+)*|(?:portare|porterò|porto)(?: \S+){0,4} (?:pistola|coltello|arma|bomba|fucile)(?: \S+){0,4} (?:scuola|lavoro|classe|ufficio|università)(?: \w+)*|voci(?: \S+){0,6} (?:uccid\w+|male|ammazz\w+|accoltell\w+|ferire)(?: \w+)*|(?:far saltare|far esplodere|bruciare|incendiare|dare fuoco|sparare)(?: \S+){0,4} (?:scuola|ufficio|chiesa|casa|folla|classe|tutti|moschea)(?: \w+)*|(?:strage|sparatoria)(?: \S+){0,5} (?:farò|domani|scuola|voglio)(?: \w+)*|ho (?:ucciso|accoltellato|strangolato|ammazzato) (?:qualcuno|mio \w+|mia \w+|un \w+|una \w+)|(?:deve|devono|merita|meritano)(?: \w+)? (?:morire|pagare con)(?: \w+)*",
        ),
        "threat": (
            r"(?:paura|temo)(?: \S+){0,4} (?:uccider\w+|far(?:e|gli|le)? (?:del )?male|picchiar\w+|ferir\w+)(?: \w+)*|(?:voglio|spero|vorrei) che (?:muoia|muoiano|soffra|soffrano|lui|lei|crepi|morisse)(?: \w+)*|(?:me la|la|gliela)(?: \w+)? (?:pagherà|pagheranno|faccio pagare|farò pagare)(?: \S+){0,5} (?:coltello|pistola|sangue|vita)",
        ),
    },
    idioms=(
        r"(?:mort[oaie]|morire|muoio|morendo|morivo|morta|moriamo|muore)(?: \w+)? (?:di|dal|dalla|dalle|da|del) (?:ridere|risate|fame|sete|vergogna|caldo|amore|sonno|freddo|paura|invidia|noia|imbarazzo|stanchezza|curiosità|voglia|gelosia|crepacuore)|muoio dalla voglia(?: \w+)*|da morire(?! io)|ammazzare il tempo|ammazza(?:caffe| che)|(?:mamma|madre|papà|padre|genitori|capo|prof\w*|moglie|marito|ragazz[oa]|sorella|fratello|lei|lui|allenatore|nonna)(?: \w+)? mi (?:uccide|ammazza|uccidono|ammazzano|ucciderà|ammazzerà|strozza|strangola)(?! (?:con|se lo))|mi (?:sta|stanno|state|stai) (?:uccidendo|ammazzando)(?: \w+)*|mi (?:uccide|uccidono|ammazza|ammazzano)(?! (?:con|se))(?: \w+)*|mi (?:uccido|ammazzo) (?:di|dalle)(?: \w+)*|ucciderei per(?: \w+)*|suicide squad|missione suicida|punto morto|natura morta|peso morto|(?:batteria|telefono|cellulare|piant\w+)(?: \w+){0,3} mort\w|tagliarmi i capelli|mi (?:taglio|sono tagliat[oa]|sono fatt[oa] male|brucio) (?:i capelli|le unghie|cucinando|facendo|con la carta|al|alla|giocando|radendomi|in)(?: \w+)*|senza volerlo|buttarmi (?:in piscina|sul (?:letto|divano)|nel lavoro|in acqua|in mare|a capofitto)|saltare (?:la corda|di gioia|il pranzo|la cena)|farla finita con (?:questo|questa|questi|queste|lui|lei|il|la|le|i)",
    ),
    play=(
        r"lol|ahah\w*|haha\w*|xd|giochi?|giocando|giocare|gioco|partita|livello|boss|minecraft|fortnite|valorant|round|torneo|nemic[oi]|zombie|granata|scherz\w+|per dire|scacchi|palestra|compiti|esame|esami|matematica|vergogna|pizza|torta|cioccolat[oa]|piscina|paracadute|monopoly|mario ?kart|fifa",
    ),
    story=(
        r"canzon[ei]|testo|canta|cantante|film|serie|episodio|puntata|stagione|libro|romanzo|capitolo|personagg\w+|protagonista|autore|autrice|poesia|citazione|teatro|opera|documentario|articolo|notizi[ae]|stud[io]+|statistiche|tema su|tesi|tesina|lezione|corso|prevenzione|tradu\w+|significa|si dice|espressione|storia|guerra|secolo|gioco|gdr|sogno|sognato|incubo|anime|manga|podcast|eutanasia|nel \d{4}|romeo|giulietta|ortis|conferenza|fumetto",
    ),
    past=(
        r"prima|anni fa|mesi fa|quando (?:ero|avevo|stavo)|all'epoca|da adolescente|sopravvissut[oa]|guarit[oa]|al sicuro|sto (?:meglio|bene)|ora sto|superat[oa]|in passato|una volta|alle spalle|ne sono uscit[oa]",
    ),
    present=(r"di nuovo|ancora|stasera|stanotte|oggi|domani|peggio|tornat[iao]|tornano|adesso|voglio",),
    negation=(
        r"(?:non|mai|senza|nessun\w?|neanche|né|smesso di|mai più)(?: (?:mi|voglio|vorrei|penso|pensato|di|sto|pensando|a|intenzione|ho|l'intenzione|pensieri|potrei|farei|mai|più|è|che|al|alcuna|nessuna))*",
    ),
    ages=(
        r"(?:ho|ne ho|compio|ho compiuto|ho solo)(?: (?:solo|appena|quasi|già|soltanto))* (?P<age>[89]|1[0-7]|otto|nove|dieci|undici|dodici|tredici|quattordici|quindici|sedici|diciassette) anni(?! (?:di (?:esperienza|matrimonio|lavoro|contributi|carriera|servizio)|che|fa))",
    ),
    minor=(
        r"(?:faccio|sono in|frequento|vado in)(?: \w+)? ?(?:la |le )?(?:(?:prima|seconda|terza|quarta|quinta|[1-5]a?|[1-3])(?: \w+)? (?:media|elementare|superiore|liceo)|medie|scuole medie|elementari)|(?:sono|faccio) (?:in )?(?:terza|seconda|prima) media|(?:sono|essendo) (?:ancora )?minorenne|non sono ancora maggiorenne|vado alle medie",
    ),
    parts=(r"ma|però|e|poi|perché|mentre",),
)
