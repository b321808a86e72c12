"""Types of sights in the names of other languages, as English texts about their cities use them.

A name keeps the words of its country ("Museo di ...", "...platz", "... Camii"). General words only,
no places: the type may open the name, close it, or end its last word.
"""

from __future__ import annotations

import re
import unicodedata

#: Little words inside a name ("Place de la ..."); with their space, or with an apostrophe.
PARTICLE = (
    r"(?:(?:de|du|des|del|della|delle|dei|degli|di|da|das|dos|von|der|van|het|al|el|la|le|les|los"
    r"|las|y|e|in)\s+|[dl][’']|dell[’']){1,2}"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Types that open a name: French, Italian, Spanish, Catalan, Portuguese, German, Thai, Arabic.
_FIRST = _words("""
    musee museo museu muzeum chateau castello castillo castelo castell castel palais palazzo palacio palau
    jardin jardins jardim giardino giardini parc parque parco basilique basilica cathedrale catedral
    cattedrale duomo eglise chiesa iglesia igreja chapelle cappella capilla abbaye abbazia
    plaza piazza piazzetta praca placa pont ponte puente fontaine fontana fuente torre
    galerie galleria galeria quartier barrio bairro marche mercato mercado mercat teatro theatre
    porte porta puerta arc arco monte isla isola ile ilha lago lac playa praia villa alcazar
    mirador miradouro monasterio mosteiro monastere convento couvent cimetiere cementerio
    catacombes schloss kloster wat masjid hagia phra mezquita""")
#: Types that close a name as a word of their own: Turkish, Malay, Hindi, Korean, Scandinavian.
_LAST = _words("""
    camii sarayi meydani kulesi kopru carsisi bazaari mahal mandir gurdwara masjid bagh haveli
    slot slott kirke kirk kyrka torg platz strasse jinja taisha gung""")
#: Types that end the last word of a name: German, Dutch, Scandinavian, Czech.
_SUFFIX = re.compile(
    r"[a-z]{3,}(?:platz|plein|torget|kirche|kerk|kirken|kyrkan|schloss|slottet|turm|brucke|brug"
    r"|museum|garten|markt|tempel|gracht|palast)$"
)


def abroad(name: str) -> bool:
    """Whether a capitalised name is that of a sight by a type word of another language."""
    letters = unicodedata.normalize("NFKD", name.replace("ı", "i")).casefold()
    words = re.findall(r"[a-z]+", "".join(c for c in letters if not unicodedata.combining(c)))
    if len(words) < 2:
        return bool(words) and bool(_SUFFIX.fullmatch(words[0]))
    # "Place" is English too: only a little word behind it tells the French one.
    place = words[0] == "place" and words[1] in ("de", "du", "des", "d", "l", "la")
    return place or words[0] in _FIRST or words[-1] in _LAST or bool(_SUFFIX.fullmatch(words[-1]))
