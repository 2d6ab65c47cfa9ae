"""langchain-openai with the Responses API: `langchain_run.py BASE_URL KEY`."""

import sys

from langchain_openai import ChatOpenAI
from pydantic import BaseModel

base_url, key = sys.argv[1:]


class Answer(BaseModel):
    """What the client wants to have."""

    title: str
    steps: list[str]


model = ChatOpenAI(
    model="m", base_url=base_url, api_key=key, use_responses_api=True, max_retries=0
)
assert model.invoke("hi").text == "hello world"
assert "".join(chunk.text for chunk in model.stream("hi")) == "hello world"
structured = model.with_structured_output(Answer, method="json_schema")
assert structured.invoke("structured") == Answer(title="a", steps=["b"])
print("done")
