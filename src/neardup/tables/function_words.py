"""English words that begin sentences and are no names: the closed classes of words, and greetings.

Articles, pronouns, prepositions, conjunctions, auxiliaries, question words and the commonest adverbs of a sentence.
They are the same in any text, so the list is not taken from a corpus.
"""

from __future__ import annotations

from typing import Final

_WORDS: Final = """
a an the this that these those some any each every all both either neither no none such another other many much few most
i you he she it we they me him her us them my your his its our their mine yours hers ours theirs who whom whose which
what someone anyone everyone nobody somebody anybody everybody something anything everything nothing one
about above across after against along among around as at before behind below beneath beside besides between beyond by
despite down during except for from in inside into like near of off on onto out outside over past per since than
through throughout till to toward towards under until unlike up upon via with within without
and but or nor so yet if unless because although though while whereas whether once when where why how
am is are was were be been being do does did done have has had having will would shall should can could may might must
let lets get got go going see note make
not also again already always anyway here there then thus therefore hence however indeed instead just maybe meanwhile
moreover never nevertheless now often only otherwise perhaps please probably quite rather really still sometimes soon
even ever too very well actually finally first second third last next later further
hi hello hey dear greetings welcome thanks thank cheers regards sincerely yours best kind yes ok okay oh sorry
i'm i've i'd i'll you're you've you'd you'll he's she's it's we're we've we'd we'll they're they've that's there's
here's what's who's let's don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't wouldn't shouldn't
haven't hasn't re fwd fw cc bcc ps fyi
"""

FUNCTION_WORDS: Final = frozenset(_WORDS.split())
"""These words, in lower case."""
