"""anthropic-python, strict about every event: `sdk_anthropic.py BASE_URL KEY`.

Asks what the test asks our model, and prints the text and why it ended.
"""

import sys

import anthropic

base_url, key = sys.argv[1:]
client = anthropic.Anthropic(
    base_url=base_url, api_key=key, max_retries=0, _strict_response_validation=True
)
schema = {
    "type": "object",
    "properties": {"title": {"type": "string"}},
    "required": ["title"],
    "additionalProperties": False,
}
mark = {"type": "ephemeral"}
stream = client.messages.create(
    model="claude-opus-5-5",
    max_tokens=16_000,
    system=[{"type": "text", "text": "Be brief.", "cache_control": mark}],
    messages=[
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "yes?"}]},
        {
            "role": "user",
            "content": [{"type": "text", "text": "go", "cache_control": mark}],
        },
    ],
    thinking={"type": "adaptive", "display": "summarized"},
    output_config={
        "effort": "high",
        "format": {"type": "json_schema", "schema": schema},
    },
    stream=True,
)
text, reason = "", None
for event in stream:
    if event.type == "content_block_delta" and event.delta.type == "text_delta":
        text += event.delta.text
    elif event.type == "message_delta":
        reason = event.delta.stop_reason
print(text, reason)
print("done")
