"""openai-python over a WebSocket, with lanes: `openai_socket.py BASE_URL KEY`."""

import asyncio
import sys

import openai
from websockets.exceptions import InvalidStatus

base_url, key = sys.argv[1:]


async def main() -> None:
    client = openai.AsyncOpenAI(base_url=base_url, api_key=key, max_retries=0)
    async with client.responses.connect() as connection:
        await connection.response.create(model="m", input="hi")
        text = ""
        async for event in connection:
            if event.type == "response.output_text.delta":
                text += event.delta
            if event.type == "response.completed":
                first = event.response.id
                break
        assert text == "hello world", text
        await connection.response.create(
            model="m", input="on", previous_response_id=first
        )
        async for event in connection:
            if event.type == "response.completed":
                assert event.response.previous_response_id == first
                break
    wrong = openai.AsyncOpenAI(base_url=base_url, api_key="wrong", max_retries=0)
    try:
        async with wrong.responses.connect() as connection:
            await connection.recv()
    except (openai.OpenAIError, InvalidStatus) as error:
        assert "401" in str(error), error
    else:
        raise AssertionError("a wrong key was accepted")
    print("done")


asyncio.run(main())
