"""Define the settings for searching and fetching; keys are never printed."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from sources.web.fetch_types import FetchSettings


class ServerSettings(BaseModel):
    """Settings for all requests: a contact, hosts in the local network, and a minimum delay."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    contact: str | None = Field(
        default=None, description="e-mail address or web page that tripbed sends to every server"
    )
    allow_hosts: tuple[str, ...] = ()
    delay_s: float = Field(
        default=1.0, ge=0, description="minimum time between two requests to the same host"
    )
    ca_file: Path | None = None


class WebSettings(ServerSettings):
    """The addresses and keys of search providers, and the settings for all requests."""

    mediawiki_url: str | None = None
    mediawiki_site: str = "wikivoyage.org"
    searxng_url: str | None = None
    brave_key: SecretStr | None = None
    brave_url: str = "https://api.search.brave.com"
    baidu_key: SecretStr | None = None
    baidu_url: str = "https://qianfan.baidubce.com"

    @property
    def fetching(self) -> FetchSettings:
        """Return the settings for fetching pages."""
        return FetchSettings(
            contact=self.contact,
            allow_hosts=frozenset(self.allow_hosts),
            delay_s=self.delay_s,
            ca_file=self.ca_file,
        )

    def asking(self, url: str) -> FetchSettings:
        """Return the settings for requests to an API; a host named in the settings may be local."""
        named = {self.mediawiki_url, self.searxng_url, self.brave_url, self.baidu_url}
        hosts = {urlsplit(known).hostname or "" for known in named if known}
        host = urlsplit(url).hostname or ""
        allowed = frozenset(self.allow_hosts) | ({host} & hosts)
        return FetchSettings(
            contact=self.contact,
            allow_hosts=allowed,
            ca_file=self.ca_file,
            content_types=("application/json",),
            total_timeout_s=30.0,
        )
