"""Links the names in documents to places, after finding the city of each passage.

``world`` finds the cities and regions that a text names, ``index`` the places that a name may mean,
``path`` the city of each block of a document, and ``decide`` the place of each name.
"""
