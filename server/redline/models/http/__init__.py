"""Models that are asked over HTTP; `http_client` alone uses httpx."""
