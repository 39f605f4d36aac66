"""Words without a topic of their own: a moderate list for English, stopwords-iso for other languages."""

import unicodedata

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError

# The closed classes of English (articles, pronouns, auxiliary verbs, prepositions, conjunctions,
# quantifiers, adverbs of degree, place and time, contractions) and the few verbs and numerals that go with
# any topic. No word that could carry a topic is in here; the English list of stopwords-iso has 1,298 words,
# "computer", "state" and "member" among them.
_ENGLISH = """
a an the this that these those such same other others another each every either neither both all any some
none no not nor only own few many much more most less least several enough i me my mine myself we us our
ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its itself they
them their theirs themselves one ones oneself who whom whose which what whoever whatever whichever someone
somebody something anyone anybody anything everyone everybody everything nobody nothing am is are was were
be been being have has had having do does did doing done can could may might must shall should will would
ought cannot about above across after against along alongside amid among amongst around as at before behind
below beneath beside besides between beyond but by despite down during except for from in inside into like
near of off on onto out outside over past per since through throughout till to toward towards under
underneath until unto up upon via with within without and or if then than because while whilst although
though unless whereas whether so yet hence thus therefore thereby therein thereof thereto wherein whereby
whereupon hereby herein hereto moreover furthermore nevertheless nonetheless however otherwise instead when
whenever where wherever why how here there now again once ever never always often sometimes usually already
almost also too very quite rather just even still perhaps maybe indeed else away back further later
elsewhere anywhere everywhere somewhere nowhere anyhow anyway somehow afterwards meanwhile together merely
mostly nearly ain't aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't mightn't mustn't
needn't oughtn't shan't shouldn't wasn't weren't won't wouldn't i'm i've i'd i'll you're you've you'd you'll
he'd he'll she'd she'll it'd it'll we're we've we'd we'll they're they've they'd they'll that'd that'll
there'd there'll who'd who'll who've what're what've how'd should've could've would've might've must've
y'all let's get gets got getting make makes made making go goes going gone come comes came coming take takes
took taken taking give gives gave given giving put let say says said really actually well two first last
"""


def stop_words_for(language: str) -> frozenset[str]:
    """The stop words of a language (ISO 639-1 code).

    >>> "don't" in stop_words_for("en"), "nicht" in stop_words_for("de")
    (True, True)
    """
    if language == "en":
        return frozenset(_ENGLISH.split())
    import stopwordsiso

    if not stopwordsiso.has_lang(language):
        known = " ".join(sorted(stopwordsiso.langs()))
        raise InputError(
            f"no stop words for language {quoted(language)}; give your own, none, or one of: {known}"
        )
    return frozenset(
        unicodedata.normalize("NFC", word).lower().strip("'’") for word in stopwordsiso.stopwords(language)
    )
