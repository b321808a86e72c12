"""Types of sights in the names of other languages, as English texts about their cities use them.

A name keeps the words of its country ("Museo di ...", "...platz", "... Camii"). General words only,
no places: the type may open the name, close it, or end its last word. Each stands for the English
word for the same sort of thing.
"""

from __future__ import annotations

import re
import unicodedata

#: Little words inside a name ("Place de la ..."); with their space, or with an apostrophe.
PARTICLE = (
    r"(?:(?:de|du|des|del|della|delle|dei|degli|di|da|das|dos|von|der|van|het|al|el|la|le|les|los"
    r"|las|y|e|in)\s+|[dl][’']|dell[’']){1,2}"
)


def _words(text: str) -> dict[str, str]:
    """The English word by each of the words before it on its line."""
    lines = (line.split(":") for line in text.strip().splitlines())
    return {word: english.strip() for words, english in lines for word in words.split()}


#: Types that open a name: Romance languages, German, Thai, Arabic, Catalan.
_FIRST = _words("""
    musee museo museu muzeum: museum
    chateau castello castillo castelo castell castel schloss alcazar: castle
    palais palazzo palacio palau: palace
    jardin jardins jardim giardino giardini: garden
    parc parque parco: park
    basilique basilica cathedrale catedral cattedrale duomo eglise: church
    chiesa iglesia igreja chapelle cappella capilla: church
    abbaye abbazia monasterio mosteiro monastere convento couvent kloster wat: monastery
    plaza piazza piazzetta praca: square
    pont ponte puente: bridge
    fontaine fontana fuente: fountain
    torre: tower
    galerie galleria galeria: gallery
    quartier barrio bairro: quarter
    marche mercato mercado mercat: market
    teatro theatre: theatre
    porte porta puerta: gate
    arc arco: arch
    monte: mountain
    isla isola ile ilha: island
    lago lac: lake
    playa praia: beach
    villa: villa
    mirador miradouro: viewing platform
    cimetiere cementerio catacombes: cemetery
    masjid hagia mezquita: mosque
    phra: temple
""")
#: Types that close a name as a word of their own: Turkish, Hindi, Japanese, Korean, Scandinavian.
_LAST = _words("""
    camii masjid: mosque
    sarayi slot slott mahal gung: palace
    meydani torg platz: square
    kulesi: tower
    kopru: bridge
    carsisi: market
    mandir jinja taisha gurdwara: shrine
    bagh: garden
    haveli: mansion
    kirke kirk kyrka: church
    strasse: street
""")
#: Types that end the last word of a name: German, Dutch, Scandinavian, Japanese.
_SUFFIX = _words("""
    platz plein torget: square
    kirche kerk kirken kyrkan: church
    schloss slottet palast: palace
    turm: tower
    brucke brug: bridge
    museum: museum
    garten: garden
    markt: market
    tempel: temple
    gracht: canal
""")
_ENDS = re.compile(rf"[a-z]{{3,}}({'|'.join(_SUFFIX)})")
_JAPANESE = re.compile(r"[a-z]{2,}-(?:ji|dera|jingu|jinja|jo|en)")
_JAPANESE_TYPES = {"ji": "temple", "dera": "temple", "jo": "castle", "en": "garden"}


def type_abroad(name: str) -> str | None:
    """The English word for the sort of sight that a name in another language states, or None."""
    letters = unicodedata.normalize("NFKD", name.replace("ı", "i")).casefold()
    plain = "".join(c for c in letters if not unicodedata.combining(c))
    words = re.findall(r"[a-z]+", plain)
    if not words:
        return None
    if _JAPANESE.fullmatch(plain.strip()):
        return _JAPANESE_TYPES.get(plain.strip().rpartition("-")[2], "shrine")
    ends = _ENDS.fullmatch(words[-1])
    suffix = _SUFFIX[ends[1]] if ends else None
    if len(words) < 2:
        return suffix
    # "Place" is English too: only a little word behind it tells the French one.
    place = words[0] == "place" and words[1] in ("de", "du", "des", "d", "l", "la")
    return "square" if place else _FIRST.get(words[0]) or _LAST.get(words[-1]) or suffix
