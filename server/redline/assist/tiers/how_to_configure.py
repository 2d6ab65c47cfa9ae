"""The text that is shown where a model is needed and none is configured."""

from __future__ import annotations

HOW_TO_CONFIGURE = """\
# Configure a model

No model is configured. The built-in rules do what follows from the code alone; to
explain code, write it, test it, simplify it or convert it, Redline asks a model.

Write into `config.toml` in your user's configuration folder (`redline doctor` prints
the path):

```toml
[models.luna]
api = "responses-socket"
url = "wss://api.openai.com/v1/responses"
name = "gpt-6-luna"
key = { env = "OPENAI_API_KEY" }

[tiers]
fast = "luna"
```

The key is read from the environment variable, or from a command or your system's
keyring. A model on your own machine needs none:

```toml
[models.local]
api = "responses-http"
url = "http://127.0.0.1:11434/v1/responses"
name = "qwen3-coder:30b"

[tiers]
fast = "local"
```

`redline doctor` then says whether it answers.
"""
