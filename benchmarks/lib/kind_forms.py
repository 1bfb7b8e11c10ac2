"""The forms that are filled in: `<slot>` stands for a filling of that name in kind_fillings.py."""

from __future__ import annotations

from typing import Final

LICENCE: Final = (
    "# Copyright <date> <name>. This file is part of a work that anybody may use, copy, change and pass on, "
    "in whole or in part, for any purpose and without a fee, as long as this notice stays in every copy and "
    "nobody claims to have written what others wrote. The work is given as it is: whoever runs it does so at "
    "their own risk, and its authors answer for no damage that comes of it, foreseen or not. Names of the "
    "authors may not be used to advertise what was made from it, unless they agreed to it in writing, before "
    "it was printed.\n\ndef "
    "<word>(<word>):\n    return <word> + <number>\n"
)
STOCKS: Final = (
    "Shares of <company> <moved> <percent> percent to <money> on <date>, in a market where most of the "
    "sector moved the same way. Turnover was <number> shares against a daily average of <number>. The "
    "company, which has its seat in <city>, is valued at <money> million at this price. Analysts who follow "
    "the share have an average target of <money>. Over the past twelve months the share has moved between "
    "<money> and <money>. This report was made by a machine from figures of the exchange and is no advice to "
    "buy or to sell. Figures may be corrected until the end of the day."
)
ADVERT: Final = (
    "We are looking for a <trade> in <city>. Reference <code>.\nYou will work in a small team, report to "
    "<name>, and take on responsibility from your first day. We offer a permanent contract, thirty days of "
    "leave, flexible hours, a company pension and training that we pay for. You bring a finished "
    "apprenticeship or some years of practice, you like to work with people, and you keep a cool head when "
    "several things must be done at once. A driving licence is welcome but not a condition. The salary is "
    "<money> a month, depending on experience. We value every application, whatever your age, origin, faith "
    "or way of life; people with disabilities are preferred where they are equally qualified. Please send "
    "your papers until <date> to <word>@<word>.example or ring <phone> and ask for <name>. Costs of travel "
    "to an interview cannot be refunded."
)
DISCLAIMER: Final = (
    "Hello <name>,\n<word> <word> <word> <word> <word> <word> <number> <word> <word> <word>, see you on <date>."
    "\n<name>\n"
    "--\nThis message and whatever is attached to it are meant for the person named above alone and may hold "
    "confidential matters. Should you have received it by mistake, tell the sender at once, destroy all "
    "copies and do not use or pass on anything of it. Messages can be changed on their way; we take no "
    "responsibility for that, nor for harm done by viruses. Opinions are those of the writer and not those "
    "of the company. Think of the trees before you print this."
)
WEATHER: Final = (
    "Forecast for <ward> until midnight: <sky> in the morning, <sky> later in the day. Highest temperatures "
    "near <degrees> degrees, lowest <degrees> degrees. Wind mostly from the <wind> at <number> km an hour, "
    "gusts possible on high ground. The chance of rain is about <digit>0 per cent. Tomorrow will bring "
    "little change. Drivers should allow for reduced sight in valleys at dawn. The next forecast will be "
    "given at <time>. All figures come from the stations of the weather service and are checked by the "
    "forecaster on duty."
)
STUB: Final = (
    "<ward> – wieś w Polsce położona w województwie mazowieckim, w powiecie <ward>, w gminie <ward>. W "
    "latach 1975–1998 miejscowość należała administracyjnie do województwa <ward>. Wieś leży nad niewielką "
    "rzeką, około <number> km od siedziby gminy, i liczy <number> mieszkańców. Zobacz też: <ward>."
)
RECORD: Final = (
    '{"id": "<hex>", "type": "order", "created": "<date> <time>", "customer": {"name": "<name>", "phone": '
    '"<phone>", "city": "<city>"}, "items": [{"article": "<word>", "number": "<code>", "price": <money>, '
    '"pieces": <digit>}, {"article": "<word>", "number": "<code>", "price": <money>, "pieces": <digit>}], '
    '"payment": {"kind": "card", "status": "settled", "reference": "<hex>"}, "delivery": {"carrier": '
    '"<company>", "status": "on its way", "parcel": "<code>", "address": {"street": "<ward> Road <number>", '
    '"town": "<city>", "country": "GB"}}, "notes": null, "tags": ["<word>", "retail"], "version": 3, '
    '"source": "webshop", "currency": "pounds", "language": "en", "channel": "telephone"}'
)
MESSAGES: Final = (
    (
        "Your code for <company> is <pin>. It is valid for ten minutes. Never pass it on, not even to our staff, "
        "who will never ask you for it."
    ),
    (
        "Parcel <code> arrives on <date> between <time> and <time>. Nobody at home? Leave it with a "
        "neighbour, or choose another day at <word>.example/<hex>"
    ),
    "You have paid <money> at <company> with your card ending in <pin>. Was it not you? Ring <phone> at once.",
    (
        "Reminder: your appointment with <name> is on <date> at <time>. Reply NO to cancel it, or ring <phone> if you "
        "want another day."
    ),
    (
        "<company>: your bill <code> of <money> is due on <date>. Thank you for paying in time. Have you paid already? "
        "Then forget this message."
    ),
    (
        "<name> wants to connect with you. See the message at <word>.example/<hex> or reply STOP if you do not want "
        "to hear of us again."
    ),
    "<pin> is your one-time code for <word>",
    "Table for <digit> booked at <company>, <date>, <time>. We look forward to seeing you, <name>!",
)
