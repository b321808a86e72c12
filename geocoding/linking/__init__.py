"""Links the names in documents to places: first find the city of each passage, then each name.

``world`` finds the cities and regions that a text names, ``index`` the places that a name may be,
``path`` the city of each block of a document, ``decide`` what each name stands for.
"""
