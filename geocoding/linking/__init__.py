"""Names of documents linked to places: the city of each passage first, then each name given it.

``world`` finds the cities and regions that a text names, ``index`` the places that a name may be,
``path`` the city of each block of a document, ``decide`` what each name stands for.
"""
