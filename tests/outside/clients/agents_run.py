"""openai-agents: `agents_run.py BASE_URL KEY http|websocket`."""

import asyncio
import sys

import agents
from openai import AsyncOpenAI

base_url, key, transport = sys.argv[1:]


async def main() -> None:
    agents.set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=base_url, api_key=key, max_retries=0)
    agents.set_default_openai_client(client, use_for_tracing=False)
    agents.set_default_openai_responses_transport(transport)
    agent = agents.Agent(name="a", model="m")
    result = await agents.Runner.run(agent, "hi")
    assert result.final_output == "hello world", result.final_output
    streamed = agents.Runner.run_streamed(agent, "hi")
    kinds = [event.type async for event in streamed.stream_events()]
    assert streamed.final_output == "hello world"
    assert "raw_response_event" in kinds
    many = await asyncio.gather(*(agents.Runner.run(agent, "hi") for _ in range(8)))
    assert {each.final_output for each in many} == {"hello world"}
    print("done")


asyncio.run(main())
