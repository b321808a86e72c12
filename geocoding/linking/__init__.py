"""Links the names in documents to places, after finding the city of each passage.

``world`` finds the cities and regions in a text. ``index`` finds the places that a name may mean.
``path`` finds the city of each block in a document, and ``decide`` finds the place of each name.
"""
