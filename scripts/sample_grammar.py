"""The words from which scripts/make_sample.py makes its stories; all places, people and events are invented.

A beat is a headline, a lead and further sentences in any order. `{slot}` is filled with one word for the whole story;
every `[a|b]` is replaced by one of its parts.
"""

from __future__ import annotations

WORDS: dict[str, list[str]] = {
    "place": [
        "Arnmouth",
        "Belhaven",
        "Castle Orrin",
        "Dunmarrow",
        "Eastmere",
        "Fallowby",
        "Grenholm",
        "Hartsquay",
        "Ilverton",
        "Kessingdale",
        "Lower Thane",
        "Marrowfield",
        "Norwick",
        "Ostrand",
        "Pellworth",
        "Quarry Hill",
        "Ravensea",
        "Stainholt",
        "Tolverne",
        "Upper Wick",
        "Vellbridge",
        "Westering",
    ],
    "name": [
        "Ada Thornley",
        "Bertil Osk",
        "Carys Vane",
        "Dorian Blaylock",
        "Elspeth Marr",
        "Farid Haddow",
        "Greta Lindqvist",
        "Hugh Penrose",
        "Ines Calder",
        "Jonas Wetherell",
        "Katya Brandt",
        "Lorcan Dace",
        "Mina Okafor",
        "Nils Aster",
        "Orla Quist",
        "Piers Holloway",
        "Rhona Sayle",
        "Samir Dell",
        "Tamsin Frear",
        "Ulrich Vane",
        "Wendell Crake",
        "Yvette Sorrel",
    ],
    "day": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    "month": ["January", "February", "March", "April", "May", "June", "September", "October"],
    "firm": [
        "Orrin Dry Docks",
        "Tolverne Mills",
        "Blackwater Freight",
        "Eastmere Optical",
        "Penrose & Daughters",
        "the Ravensea Salt Company",
        "Quist Turbines",
        "Halden Paper",
        "the Vellbridge Brewery",
        "Marrow Foods",
    ],
    "product": [
        "turbine blades",
        "winter wheat",
        "roof slate",
        "copper wire",
        "marine paint",
        "bottled water",
        "ball bearings",
    ],
    "animal": [
        "grey seals",
        "barn owls",
        "sea trout",
        "red squirrels",
        "marsh harriers",
        "otters",
        "brown hares",
    ],
    "team": ["Rovers", "Albion", "Athletic", "Wanderers", "Harriers", "United"],
    "road": [
        "Mill Lane",
        "the coast road",
        "Station Street",
        "the ring road",
        "Cooper's Row",
        "the old toll bridge",
    ],
    "book": [
        "The Salt Almanac",
        "A Quiet Ledger",
        "North of the Weir",
        "Seven Winters",
        "The Glass Orchard",
        "Low Tide",
    ],
    "weather": ["gales", "freezing fog", "heavy snow", "thunderstorms", "persistent rain", "black ice"],
    "school": [
        "St Brannock's",
        "the Millbank academy",
        "Hollin Grove school",
        "the technical college",
        "Fen Road primary",
    ],
}

BEATS: dict[str, list[str]] = {
    "harbour": [
        "[Ferry|Freighter|Trawler] [aground|adrift|towed to port] off {place}",
        "a [ferry|coaster|cargo vessel] carrying {n1} people was [towed into|brought back to|held outside] {place} [early|late] on {day} after its [engine failed|steering jammed|hull was holed] in a [heavy swell|narrow channel].",
        "the lifeboat reached the ship within {n0} minutes of the first call, coxswain {name} said.",
        "nobody was [hurt|injured], although {n0} passengers were treated for [cold|shock|seasickness] on the quay.",
        'the master of the vessel [told investigators|reported|said] he had felt "a long shudder, like a [cart on cobbles|train over points]" before the [lights|pumps|radio] went out.',
        "divers will examine the [rudder|propeller|keel] as soon as the [tide|weather|wind] allows, the harbour office said.",
        "about {n2} tonnes of {product} remain in the hold, and the owners, {firm}, have asked for a [tug|floating crane|barge].",
        "the channel between {place} and {other} was closed to [shipping|traffic] for {n0} hours.",
        "it is the [second|third|fourth] such [incident|accident] at the same [buoy|sandbank|lock] since {month}.",
        "fishermen have [long asked|asked for years] for a [brighter|taller|second] light on the [outer mole|western spit|breakwater].",
    ],
    "council": [
        "{place} council [votes for|rejects|delays] [new library|tram line|night market|flood wall]",
        "councillors in {place} voted by {n1} to {n0} on {day} to [postpone|approve|reopen] the [disputed|long-planned|costly] scheme for {road}.",
        "the plan would [cost|take] {n2} [thousand crowns a year|million crowns over {n0} years].",
        '"we were [promised|shown] a park and were handed a [car park|spreadsheet|fence]," said {name}, who [owns a bakery|has lived|keeps a workshop] on {road}.',
        "the mayor, {second}, called the result [a fair compromise|a missed chance|the end of a long argument].",
        "more than {n2} residents had signed a petition [against|in favour of] the [proposal|scheme].",
        "the finance committee must now find {n1} [thousand|million] crowns in a budget that it [closed|passed] in {month}.",
        "work could begin [in|before] {month} if no one [appeals|takes the matter to court].",
        "an earlier version was [withdrawn|voted down] when engineers found [old mine workings|a Roman drain|soft clay] under the site.",
        "opposition members [left the chamber|abstained|asked for a recount] shortly before the vote.",
    ],
    "market": [
        "{firm} [raises|cuts|holds] forecast as [orders|costs|prices] [climb|fall|slip]",
        "{firm} said on {day} that orders for {product} had [risen|fallen] by {n0} per cent in the three months to {month}, [better|worse] than most analysts had expected.",
        "shares [gained|lost] {n0} points in the first hour on the {place} exchange before [recovering|steadying|giving back half of it].",
        "operating profit came to {n2} million crowns, [up|down] from {n2} million [a year ago|the quarter before] on a like-for-like basis.",
        'chief executive {name} spoke of "[patient|stubborn|nervous] customers and [empty|crowded] warehouses".',
        "the company will [close|expand|sell] its plant in {other}, where {n2} people [work|are employed].",
        "the price of {product} has [doubled|fallen by a third|hardly moved] since {month}.",
        "a rival, based in {other}, is [thought|said] to be preparing [an offer|a bid] of about {n1} crowns a share.",
        "analysts at a local bank kept their [advice|rating] unchanged but warned of [weak demand|a strong currency|a thin order book] next year.",
        "the dividend stays at {n0} crowns, payable in {month}.",
    ],
    "weather": [
        "{place} braces for {weather}",
        "forecasters warned on {day} of {weather} across the [hills|coast|valley] around {place}, with [gusts|drifts|totals] of up to {n1} [knots|centimetres|millimetres] by [dawn|nightfall|the weekend].",
        "trains between {place} and {other} will run at [half speed|reduced frequency] until the warning is lifted.",
        "{school} and {n0} other schools [will stay closed|opened two hours late|sent pupils home at noon].",
        "the river at {road} stood {n1} centimetres [above|below] its mark for the season and was still [rising|falling].",
        'farmer {name}, who moved {n2} sheep to higher ground, said the sky had turned "[the colour of slate|yellow as mustard|black by lunch]".',
        "the power company counted {n2} homes without [light|electricity] at its [worst|latest] count.",
        "crews spread {n1} tonnes of [grit|sand|salt] overnight, [twice|three times] the usual amount.",
        "a low off the northern isles is [moving slowly east|deepening|stuck between two highs], the duty forecaster explained.",
        "[drivers|walkers|anglers] were asked to keep away from {road}.",
    ],
    "science": [
        "Researchers [count|track|find] {animal} near {place}",
        "{animal} have [returned to|vanished from|doubled in number along] the [estuary|marshes|woods] near {place}, according to a survey [published|presented] on {day}.",
        "the team, led by {name}, [fitted {n1} animals with tags|watched {n1} sites|walked {n2} kilometres of transects] over {n0} [seasons|years].",
        '"we had [expected|feared] the opposite," [she said|said a member of the team|the report notes drily].',
        "cleaner water from the works at {other} is one [likely|possible] [cause|explanation], [warmer winters|fewer poisons|a new fish pass] another.",
        "samples showed [traces|no trace] of the {product} once [spilled|stored|washed] upstream.",
        "volunteers from {school} helped with the counting, [mostly before breakfast|in all weathers|with borrowed telescopes].",
        "the authors caution that {n0} years is [short|not long] for a population that [swings|varies] by a third from year to year.",
        "the work was paid for by [a bequest|the county|{firm}] and will [continue|end] in {month}.",
        "a similar study near {other} [came to the same result|found nothing of the kind|was abandoned].",
    ],
    "sport": [
        "{place} {team} [beat|hold|lose to] {other} in [cup tie|late drama|the rain]",
        "a [header|penalty|free kick|deflected shot] in the {n1}th minute gave {place} {team} [a draw|their first win|victory] over {other} on {day} before a crowd of {n2}.",
        "{name} had [missed|wasted] two chances before the interval, one of them [from three metres|with the goal empty].",
        "the visitors finished with {n0} men after {second} was sent off for [a second booking|arguing|a late tackle].",
        'coach {second} said his side had played "[like a brass band without a drum|half an hour of football|with their hearts and not their heads]".',
        "the result [lifts|drops] {team} to [third|ninth|last but one] place, {n0} points [behind|ahead of] the leaders.",
        "goalkeeper {name} saved [twice|three times] in added time, the last with [his foot|one hand|his face].",
        "the match was [delayed|stopped] for {n0} minutes when [the floodlights failed|a dog ran on to the pitch|fog came in].",
        "{team} travel to {other} next {day} without their [captain|leading scorer], who has [a torn calf|a broken hand|influenza].",
        "it was the [first|best] meeting of the two clubs since {month}.",
    ],
    "court": [
        "[Clerk|Builder|Dealer|Driver] [cleared|jailed|fined] over {product} [fraud|theft|affair]",
        "a [former clerk|builder|wine dealer|lorry driver] from {place} was [sentenced to {n0} months|fined {n2} crowns|acquitted] on {day} in a case about missing {product} that has occupied the court since {month}.",
        "the prosecution said {n2} [crates|pallets|invoices] had [vanished|been altered] between {other} and {place}.",
        "the defence [argued|maintained] that the [ledger|weighbridge|lock] had been faulty for {n0} years and that everyone at {firm} knew it.",
        'judge {name} spoke of "[a clumsy|an almost comic|a patient and greedy] plan".',
        "a witness recalled seeing [two vans|a handcart|a rowing boat] near {road} on the night in question.",
        "{second}, who had kept the books, [wept|smiled|said nothing] as the verdict was read.",
        "the goods were [never found|found in a barn near {other}|worth {n2} thousand crowns].",
        "both sides have {n1} days in which to appeal.",
        "the trial had been [interrupted|adjourned] twice because of [illness|a lost file|a juror's wedding].",
    ],
    "rail": [
        "[Night train|Branch line|Tunnel] [returns to|to close at|opens near] {place}",
        "the first train in {n1} years [left|will leave] {place} for {other} on {day}, on a line that [was closed|had been given up] when the mines failed.",
        "passengers paid {n0} crowns for the [journey|trip] of {n1} minutes, and {n2} of them came [with cameras|in period dress|from abroad].",
        '"I sold the last ticket and I [meant|wanted] to buy the first one," said {name}, once [clerk|signalman|porter] at {place}.',
        "engineers replaced {n2} [sleepers|bridge rivets|metres of rail] and cleared [a landslip|badgers|two winters of birch] from the cutting.",
        "the [operator|railway] expects {n2} thousand [passengers|journeys] a year, [mostly students|mostly commuters|half of them in summer].",
        "critics say the money, {n1} million crowns, would have [bought|paid for] [buses|a by-pass|broadband] for the whole valley.",
        "a [viaduct|tunnel|level crossing] at {road} still limits trains to {n1} kilometres an hour.",
        "{firm} is to build {n0} new carriages, the first of them due in {month}.",
        "the timetable has a gap of {n0} hours around noon, which the [mayor|operator] called [regrettable|temporary|a beginning].",
    ],
    "culture": [
        "{name} wins [Orrin prize|book award|medal] for {book}",
        '{name}, the author of "{book}", was [awarded|given] the {place} prize on {day}, {n0} years after [a first novel that sold {n2} copies|leaving school|giving up a post at {firm}].',
        "the jury praised [a voice without vanity|its patience|sentences that one wants to read aloud], and argued for {n0} hours.",
        "the book follows [three sisters|a lighthouse keeper|two surveyors] from {other} through one [winter|long summer|flood].",
        '"I thought the telephone call was [about the boiler|a joke|from the bank]," the winner said.',
        "the prize money, {n2} hundred crowns, will go [to the roof|to a school in {other}|on ink and coffee].",
        "{second} was commended for a [collection|volume] of [essays|poems|letters] about {road}.",
        "a [film|play|radio version] is planned for {month}, with music by a [quartet|band] from {place}.",
        "booksellers in {other} had [sold out|ordered {n2} more] by [noon|evening].",
        "last year's prize was [not given|shared|refused by its winner].",
    ],
}

SHARED: list[str] = [
    "{second}, who was not involved, [called it|thought it] [overdue|remarkable|a matter of luck].",
    "a [decision|report|statement] is [expected|due] by the end of {month}.",
    "the regional [office|broadcaster|newspaper] in {other} had first [reported|mentioned] the matter on {day}.",
    "telephone lines to {place} were [busy|down] for much of the [morning|afternoon].",
    "[people|shopkeepers|neighbours] on {road} said they had [heard nothing|seen it coming|been told too late].",
    "an earlier [date|estimate], {month}, had been [given up|too hopeful].",
    "{name} has held the post for {n0} years and [intends|does not intend] to stay.",
    "figures for the whole [county|province] will follow in {month}, officials in {other} said.",
    "visitors are advised to [come by bus|book ahead|bring boots].",
    "the minister, asked about it in {other}, [promised a review|had no comment|laughed].",
    "about {n1} people attended, [fewer|more] than the organisers had [hoped|feared].",
    "{firm}, which [owns|leases] the land, said it would [cooperate|study the findings|wait].",
]

TRANSLATED: list[str] = [
    (
        "Fähre vor Arnmouth auf Grund gelaufen\n\nARNMOUTH - Eine Fähre mit einundvierzig Menschen an Bord ist in der Nacht zum "
        "Donnerstag vor Arnmouth auf eine Sandbank gelaufen. Verletzt wurde niemand. Ein Schlepper zog das Schiff bei "
        "Hochwasser frei, wie die Hafenmeisterei mitteilte.\n\nDer Kapitän sprach von einem Ruck, „als führe man über eine "
        "Bordsteinkante“. Warum die Tonne am westlichen Ausgang der Rinne nicht leuchtete, wird untersucht."
    ),
    (
        "Le vieux moulin de Vellbridge sauvé par ses voisins\n\nVELLBRIDGE - Promis à la démolition, le moulin qui domine la "
        "rivière depuis deux siècles restera debout. Soixante habitants ont réuni la somme demandée par le propriétaire, et le "
        "conseil a signé l'acte jeudi soir.\n\n« Nous avons vendu des confitures, des tableaux et même un piano », raconte la "
        "trésorière. Les travaux de la toiture commenceront au printemps."
    ),
    (
        "Vuelven las nutrias al estuario de Ravensea\n\nRAVENSEA - Después de treinta años de ausencia, las nutrias han vuelto al "
        "estuario. Un grupo de voluntarios contó nueve ejemplares en una sola noche, y una cámara grabó a dos crías jugando "
        "entre los juncos.\n\nLos biólogos creen que el agua más limpia y una escala para peces explican el regreso, pero piden "
        "prudencia: la población todavía es pequeña."
    ),
    (
        "Παλιό τρένο ξαναφεύγει από το Όστραντ\n\nΟΣΤΡΑΝΤ - Το πρώτο τρένο έπειτα από δεκαεπτά χρόνια έφυγε την Πέμπτη το πρωί "
        "γεμάτο επιβάτες. Πολλοί είχαν έρθει από μακριά, με φωτογραφικές μηχανές και σημαίες.\n\nΟ παλιός σταθμάρχης σφύριξε την "
        "αναχώρηση και είπε ότι περίμενε αυτή τη μέρα όλη του τη ζωή."
    ),
    (
        "港の古い灯台に明かりが戻る\n\nハーツキー発 - 十二年のあいだ消えていた港の灯台に、木曜日の夕方、ふたたび明かりがともった。"
        "修理の費用は町の人々が出し合い、レンズは地元の工場が無料で磨き直したという。\n\n漁師の一人は「これで霧の夜も安心して帰れる」と話した。"
        "点灯式には約三百人が集まり、子どもたちが歌を歌った。"
    ),
    (
        "Снегопад остановил движение на перевале\n\nСТЕЙНХОЛТ - Из-за сильного снегопада в четверг утром закрыли дорогу через "
        "перевал. В заторе оказались более сорока машин, но пострадавших нет.\n\nМестные жители принесли водителям чай и хлеб. "
        "Дорожная служба обещает открыть движение к вечеру, если ветер утихнет."
    ),
]
