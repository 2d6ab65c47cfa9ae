"""openai-python over HTTP, strict about every object: `openai_http.py BASE_URL KEY`."""

import sys

import openai
from pydantic import BaseModel

base_url, key = sys.argv[1:]


class Answer(BaseModel):
    """What the client wants to have."""

    title: str
    steps: list[str]


client = openai.OpenAI(
    base_url=base_url, api_key=key, max_retries=0, _strict_response_validation=True
)
made = client.responses.create(model="m", input="hi")
assert made.output_text == "hello world", made

with client.responses.stream(model="m", input="hi") as stream:
    kinds = [event.type for event in stream]
    assert stream.get_final_response().output_text == "hello world"
assert kinds[0] == "response.created", kinds

refused = client.responses.create(model="m", input="refuse")
assert refused.output[0].content[0].type == "refusal", refused
failed = client.responses.create(model="m", input="fail")
assert failed.status == "failed", failed

first = client.responses.create(model="m", input="hi", store=True)
again = client.responses.create(model="m", input="on", previous_response_id=first.id)
assert again.previous_response_id == first.id
try:
    client.responses.create(model="m", input="on", previous_response_id="resp_nope")
except openai.BadRequestError as error:
    assert error.code == "previous_response_not_found", error
except openai.NotFoundError:
    pass
else:
    raise AssertionError("an unknown response was continued")

background = client.responses.create(model="m", input="hi", background=True)
while background.status in ("queued", "in_progress"):
    background = client.responses.retrieve(background.id)
assert background.output_text == "hello world"
client.responses.cancel(background.id)
client.responses.delete(background.id)
try:
    client.responses.retrieve(background.id)
except openai.NotFoundError:
    pass
else:
    raise AssertionError("a deleted response is still there")

parsed = client.responses.parse(model="m", input="structured", text_format=Answer)
assert parsed.output_parsed == Answer(title="a", steps=["b"]), parsed

try:
    wrong = openai.OpenAI(base_url=base_url, api_key="wrong", max_retries=0)
    wrong.responses.create(model="m", input="hi")
except openai.AuthenticationError:
    pass
else:
    raise AssertionError("a wrong key was accepted")
print("done")
