"""Define the settings for open data providers: their addresses, and the limits for requests."""

from __future__ import annotations

from urllib.parse import urlsplit

from pydantic import Field

from sources.web.fetch_types import FetchSettings
from sources.web.settings import ServerSettings

OVERTURE = "https://overturemaps-us-west-2.s3.us-west-2.amazonaws.com"
OVERPASS = "https://overpass-api.de/api/interpreter"


class OpenSettings(ServerSettings):
    """The addresses of the providers, and the general settings for web requests."""

    overture_url: str = OVERTURE
    overture_release: str | None = None
    overpass_url: str = OVERPASS
    overpass_timeout_s: int = Field(default=180, gt=0)
    gtfs_feed: str | None = None
    gtfs_licence: str | None = None

    def asking(self, url: str, timeout_s: float = 60.0) -> FetchSettings:
        """Return the settings for the user's own server, which may be in a local network."""
        host = urlsplit(url).hostname or ""
        return FetchSettings(
            contact=self.contact,
            allow_hosts=frozenset({*self.allow_hosts, host}),
            delay_s=self.delay_s,
            ca_file=self.ca_file,
            timeout_s=timeout_s,
            total_timeout_s=timeout_s * 2,
        )
