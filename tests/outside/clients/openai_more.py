"""The rest of the Responses API by openai-python: `openai_more.py BASE_URL KEY`."""

import sys

import openai
from pydantic import BaseModel

base_url, key = sys.argv[1:]


class Answer(BaseModel):
    """What the client wants to have."""

    title: str


client = openai.OpenAI(base_url=base_url, api_key=key, max_retries=0)

assert client.models.list().data
name = client.models.list().data[0].id
assert client.models.retrieve(name).id == name
try:
    client.models.retrieve("nope")
except openai.NotFoundError:
    pass
else:
    raise AssertionError("an unknown model was found")

counted = client.responses.input_tokens.count(model=name, input="hi there")
assert counted.input_tokens > 0, counted

kept = client.responses.create(model=name, input="hi", background=True)
assert [item.role for item in client.responses.input_items.list(kept.id).data] == [
    "user"
]

tool = {"type": "function", "name": "look", "parameters": {"type": "object"}}
echoed = client.responses.create(
    model=name,
    input="hi",
    temperature=0.5,
    tools=[{**tool, "strict": False}],
    reasoning={"effort": "low", "summary": "auto"},
    metadata={"a": "b"},
)
assert echoed.temperature == 0.5, echoed
assert [each.name for each in echoed.tools] == ["look"], echoed
assert echoed.reasoning.summary == "auto", echoed
assert echoed.metadata == {"a": "b"}, echoed

try:
    compacted = client.responses.compact(model=name, input="hi")
except openai.APIStatusError as error:
    assert error.status_code in (400, 404, 501), error
    assert error.body and error.body.get("message"), error.body
else:
    assert compacted.output, compacted

# The built-in rules have no words of their own: they refuse, by the schema or plainly.
parsed = client.responses.parse(model=name, text_format=Answer, input="hi")
refusals = [
    part for item in parsed.output for part in item.content if part.type == "refusal"
]
assert parsed.output_parsed is not None or refusals, parsed
print("done")
