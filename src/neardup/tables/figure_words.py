"""Words that stand for figures: months, weekdays and numbers in some languages, lower-cased.

This table is the only part of kinds that depends on a language: the figures that a form changes from issue to issue are
written with digits in all languages, and with these words in most of them. Articles that are also numbers ("un", "ein")
are left out.
"""

from __future__ import annotations

from typing import Final

_MONTHS = """
january february march april may june july august september october november december
jan feb mar apr jun jul aug sep sept oct nov dec
januar februar märz april mai juni juli august september oktober november dezember okt dez
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
"""
_WEEKDAYS = """
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun
montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
lundi mardi mercredi jeudi vendredi samedi dimanche
lunes martes miércoles jueves viernes sábado domingo
lunedì martedì mercoledì giovedì venerdì sabato domenica
segunda terça quarta quinta sexta sábado domingo
maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
"""
_NUMBERS = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion dozen
first second third fourth fifth sixth seventh eighth ninth tenth half quarter
eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig
neunzig hundert tausend millionen milliarden
deux trois quatre cinq sept huit neuf dix onze douze treize quatorze quinze seize vingt trente quarante cinquante
soixante cent cents mille millions milliards
dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta cuarenta cincuenta sesenta setenta ochenta
noventa cien ciento mil millones
due tre quattro cinque sei sette otto nove dieci undici dodici venti trenta quaranta cinquanta sessanta settanta ottanta
novanta cento mila milioni miliardi
dois três quatro cinco oito dez doze vinte trinta quarenta cinquenta sessenta oitenta cem milhões
twee drie vier vijf zes zeven acht negen tien twaalf twintig dertig veertig vijftig zestig zeventig tachtig negentig
honderd duizend miljoen miljard
"""
FIGURE_WORDS: Final = frozenset(f"{_MONTHS} {_WEEKDAYS} {_NUMBERS}".split())
