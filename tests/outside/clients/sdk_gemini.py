"""google-genai, which refuses unknown fields: `sdk_gemini.py BASE_URL KEY HOW`.

HOW is `generate` or `interact`. Asks what the test asks our model, and prints the text
and why it ended.
"""

import sys

from google import genai
from google.genai import types

base_url, key, how = sys.argv[1:]
client = genai.Client(
    api_key=key, http_options={"base_url": base_url, "api_version": "v1beta"}
)
MODEL = "gemini-4-argon"
SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}},
    "required": ["title"],
    "additionalProperties": False,
}
SAID = [("user", "hi"), ("model", "yes?"), ("user", "go")]


def generate():
    contents = [
        types.Content(role=role, parts=[types.Part(text=text)]) for role, text in SAID
    ]
    config = types.GenerateContentConfig(
        system_instruction=types.Content(parts=[types.Part(text="Be brief.")]),
        max_output_tokens=16_000,
        thinking_config=types.ThinkingConfig(
            thinking_level="HIGH", include_thoughts=True
        ),
        response_mime_type="application/json",
        response_json_schema=SCHEMA,
    )
    text, reason = "", None
    for chunk in client.models.generate_content_stream(
        model=MODEL, contents=contents, config=config
    ):
        text += chunk.text or ""
        reason = chunk.candidates[0].finish_reason or reason
    return text, reason.name


def interact():
    steps = {"user": "user_input", "model": "model_output"}
    stream = client.interactions.create(
        model=MODEL,
        input=[
            {"type": steps[role], "content": [{"type": "text", "text": text}]}
            for role, text in SAID
        ],
        system_instruction="Be brief.",
        generation_config={
            "max_output_tokens": 16_000,
            "thinking_level": "high",
            "thinking_summaries": "auto",
        },
        response_format={
            "type": "text",
            "mime_type": "application/json",
            "schema": SCHEMA,
        },
        stream=True,
        background=True,
        store=True,
    )
    text, status = "", None
    for event in stream:
        if event.event_type == "step.delta" and event.delta.type == "text":
            text += event.delta.text
        elif event.event_type == "interaction.completed":
            status = event.interaction.status
    return text, status


print(*(generate() if how == "generate" else interact()))
print("done")
