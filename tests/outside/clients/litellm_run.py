"""The LiteLLM SDK: `litellm_run.py BASE_URL KEY`."""

import sys

import litellm

base_url, key = sys.argv[1:]
where = {"model": "openai/m", "api_base": base_url, "api_key": key}

whole = litellm.responses(input="hi", **where)
assert whole.output[0].content[0].text == "hello world", whole
streamed = litellm.responses(input="hi", stream=True, **where)
deltas = [e.delta for e in streamed if e.type == "response.output_text.delta"]
assert "".join(deltas) == "hello world", deltas
try:
    litellm.responses(input="hi", **{**where, "api_key": "wrong"})
except (litellm.AuthenticationError, litellm.BadRequestError):
    pass
else:
    raise AssertionError("a wrong key was accepted")
print("done")
