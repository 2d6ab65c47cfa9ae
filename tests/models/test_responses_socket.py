"""Features of the socket: the warm pool, lanes, chains, ages, pings and fallbacks."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.models.model_server import ModelServer, Reply, answer_events
from tests.models.reader import (
    Build,
    BuildSocket,
    Serve,
    ask,
    read,
    request_for,
    rotated_key,
    until,
)

from redline.errors import (
    AuthenticationError,
    ModelCutError,
    ModelRejectedError,
    ModelServerError,
    ModelStalledError,
    ModelUnavailableError,
    PromptTooLongError,
)
from redline.models.interface import Delta, Generation, Model
from redline.models.sockets.heartbeat import Rhythm
from redline.prompts.edit import EditTask
from redline.settings.tree import LimitSettings


async def _endless(reply: Reply) -> None:
    """Answer `endless` without end, anything else at once."""
    if "endless" in reply.input_texts:
        reply.begin()
        reply.delta("x")
        await reply.gone.wait()
    else:
        reply.answer("Hel", "lo")


def n_lanes(server: ModelServer) -> int:
    """Count the connections on which something was asked."""
    return len({id(reply.peer) for reply in server.replies})


async def stop_one(model: Model) -> None:
    """Begin an endless generation and stop it in the middle."""
    async with model.start(request_for("endless")) as generation:
        await anext(aiter(generation))


async def test_a_window_is_learnt(serve: Serve, build: Build) -> None:
    """From a refused prompt, so that an edit is asked once more with less context."""

    async def refuse(reply: Reply) -> None:
        said = "This model's maximum context length is 8192 tokens, not 20000."
        error = {"message": said, "code": "context_length_exceeded"}
        reply.send({"type": "error", "status": 400, "error": error})

    model = build(await serve(refuse))
    assert isinstance((await ask(model)).error, PromptTooLongError)
    assert model.describe().context_tokens == 8_192


# The pool.


async def test_warm_opens_what_is_kept(serve: Serve, build: Build) -> None:
    """Warming opens the sockets, one ahead of the others; warming again opens none."""
    server = await serve()
    model = build(server, sockets=3)
    assert model.status().state == "cold"
    await model.warm()
    await model.warm()
    assert server.n_upgrades == 3
    status = model.status()
    assert (status.state, status.n_sockets) == ("ready", 3)
    assert status.handshake_s is not None


async def test_request_is_out_before_start_returns(serve: Serve, build: Build) -> None:
    """On a warm socket the request is written before the context is entered."""
    server = await serve()
    model = build(server)
    await model.warm()
    started = model.start(request_for("hi"))
    await server.until(lambda server: bool(server.replies))
    async with started as generation:
        assert generation.timing.sent is not None
        await read(generation)


async def test_next_after_a_stop_pays_no_handshake(serve: Serve, build: Build) -> None:
    """The spare takes the next request; its replacement is opened after that."""
    server = await serve(_endless)
    model = build(server)
    await model.warm()
    assert server.n_upgrades == 2
    for index in range(3):
        n_before = server.n_upgrades
        await stop_one(model)
        async with model.start(request_for("hi")) as generation:
            assert generation.timing.sent is not None
            assert server.n_upgrades == n_before
            assert (await read(generation)).text == "Hello"
        n_wanted = 3 + index
        await server.until(partial(_has_upgrades, n_wanted))
        await model.warm()
        assert model.status().n_sockets == 2
    stopped = [one for one in server.replies if one.input_texts == ["endless"]]
    assert all(reply.gone.is_set() for reply in stopped)


def _has_upgrades(n_wanted: int, server: ModelServer) -> bool:
    return server.n_upgrades == n_wanted


async def test_dropped_socket_is_replaced_without_a_request(
    serve: Serve, build_socket: BuildSocket
) -> None:
    """If no request follows a stop, the spare is replaced all the same."""
    server = await serve(_endless)
    model, _ = build_socket(server, refill_s=0.0)
    await model.warm()
    await stop_one(model)
    await server.until(lambda server: server.n_upgrades == 3)


async def test_waste_is_counted(serve: Serve, build: Build) -> None:
    """Text of a stopped generation is counted as waste, four characters a token."""

    async def script(reply: Reply) -> None:
        reply.delta("x" * 40)
        await reply.gone.wait()

    server = await serve(script)
    model = build(server)
    await stop_one(model)
    assert model.status().wasted_n_tokens == 10


async def test_sockets_beyond_the_warm_ones_linger_and_go(
    serve: Serve, build_socket: BuildSocket
) -> None:
    """A burst opens sockets on demand; afterwards the pool shrinks back."""
    server = await serve(_wait_for_all(5), has_lanes=False)
    model, pool = build_socket(server, rhythm=Rhythm(slow_s=0.02), linger_s=0.0)
    async with asyncio.TaskGroup() as group:
        for index in range(5):
            group.create_task(ask(model, str(index)))
    assert n_lanes(server) == 5
    await server.until(lambda server: server.n_open == 2)
    assert pool.n_lines == 2


async def test_no_more_than_sixteen_sockets(serve: Serve, build: Build) -> None:
    """Beyond the bound generations wait for a socket to become free."""
    server = await serve(_wait_for_all(16), has_lanes=False)
    model = build(server)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ask(model, str(index))) for index in range(20)]
    assert all(task.result().text == "Hello" for task in tasks)
    assert server.n_upgrades <= 16


def _wait_for_all(n_requests: int) -> Any:
    """Write a script that answers once there are enough requests."""

    async def script(reply: Reply) -> None:
        reply.begin()
        server = reply.peer.server
        await server.until(lambda server: len(server.replies) >= n_requests)
        reply.answer("Hel", "lo")

    return script


# Lanes.


async def test_lanes_are_used_once_they_are_known(
    serve: Serve, build_socket: BuildSocket
) -> None:
    """A server that echoes a lane runs several generations on one socket."""
    server = await serve(_wait_for_all(4))
    model, _ = build_socket(server, n_sockets=1)
    await model.warm()
    async with model.start(request_for("first")) as first:
        # The first answer tells that there are lanes.
        await server.until(lambda server: len(server.replies) == 1)
        await began(first)
        async with asyncio.TaskGroup() as group:
            rest = [group.create_task(ask(model, str(index))) for index in range(3)]
        assert (await read(first)).text == "Hello"
    assert all(task.result().text == "Hello" for task in rest)
    assert server.n_upgrades == 1
    assert len({reply.create["stream_id"] for reply in server.replies}) == 4


async def began(generation: Generation) -> None:
    """Wait until a generation knows its id, which is when lanes are learnt."""
    await until(lambda: generation.response_id is not None)


async def test_without_lanes_each_has_its_own_socket(
    serve: Serve, build: Build
) -> None:
    """A server that echoes no lane never gets two requests on one socket at once."""
    server = await serve(_wait_for_all(3), has_lanes=False)
    model = build(server)
    async with asyncio.TaskGroup() as group:
        for index in range(3):
            group.create_task(ask(model, str(index)))
    assert n_lanes(server) == 3


async def test_server_that_refuses_lane_names(serve: Serve, build: Build) -> None:
    """A strict server is asked again without the name, unseen, and so from then on."""

    async def script(reply: Reply) -> None:
        if "stream_id" in reply.create:
            error = {"code": "unknown_parameter", "param": "stream_id", "message": "?"}
            reply.send({"type": "error", "status": 400, "error": error})
        else:
            reply.answer("Hel", "lo")

    server = await serve(script, has_lanes=False)
    model = build(server)
    for _ in range(3):
        assert (await ask(model)).text == "Hello"
    assert sum("stream_id" in reply.create for reply in server.replies) == 1


async def test_server_without_lanes_remembers_one_response(
    serve: Serve, build: Build
) -> None:
    """A chain that is not the connection's latest is sent whole at once."""
    server = await serve(has_lanes=False)
    model = build(server, sockets=1)
    for text in ("one", "other"):
        await ask(model, text)
    await ask(model, "one", "Hello", "two", previous="resp_1")
    assert server.replies[-1].input_texts == ["one", "Hello", "two"]
    await ask(model, "one", "Hello", "three", previous="resp_3")
    assert server.replies[-1].input_texts == ["three"]


async def test_stop_on_a_shared_socket_spares_the_others(
    serve: Serve, build_socket: BuildSocket
) -> None:
    """A stopped lane runs out muted beside a running one, and counts as waste."""
    may_end = asyncio.Event()

    async def script(reply: Reply) -> None:
        reply.begin()
        reply.delta("Hel")
        await may_end.wait()
        reply.delta("lo" if reply.input_texts == ["kept"] else "x" * 397)
        reply.send({"type": "response.completed", "response": {"id": "r"}})

    server = await serve(script)
    model, _ = build_socket(server, n_sockets=1)
    async with model.start(request_for("kept")) as kept:
        await began(kept)
        async with model.start(request_for("stopped")) as stopped:
            assert await anext(aiter(stopped)) == Delta("Hel")
            stopped.stop()
            may_end.set()
            assert (await read(stopped)).text == ""
        assert (await read(kept)).text == "Hello"
    assert server.n_upgrades == 1
    # The muted lane ended by itself and can be used again.
    assert (await ask(model, "kept")).text == "Hello"
    assert server.n_upgrades == 1
    assert model.status().wasted_n_tokens == 100


# Chains.


async def test_chain_sends_the_increment(serve: Serve, build: Build) -> None:
    """A follow-up on the same socket sends only what is new."""
    server = await serve()
    model = build(server)
    first = await ask(model, "one")
    assert first.finish is not None
    previous = first.finish.response_id
    await ask(model, "one", "Hello", "two", previous=previous)
    follow_up = server.replies[1]
    assert follow_up.create["previous_response_id"] == "resp_1"
    assert follow_up.input_texts == ["two"]
    assert follow_up.create["instructions"] == "Be brief."
    assert follow_up.create["stream_id"] == server.replies[0].create["stream_id"]


async def test_chain_of_another_socket_sends_the_whole(
    serve: Serve, build: Build
) -> None:
    """A follow-up whose socket is gone sends everything, and no id."""
    server = await serve()
    model = build(server, sockets=1)
    first = await ask(model, "one")
    server.replies[0].cut()
    await server.until(lambda server: server.replies[0].gone.is_set())
    assert first.finish is not None
    previous = first.finish.response_id
    reading = await ask(model, "one", "Hello", "two", previous=previous)
    assert reading.text == "Hello"
    assert "previous_response_id" not in server.replies[-1].create
    assert server.replies[-1].input_texts == ["one", "Hello", "two"]


async def test_forgotten_chain_is_sent_again_unseen(serve: Serve, build: Build) -> None:
    """On `previous_response_not_found` the whole input follows, unseen."""

    async def script(reply: Reply) -> None:
        if "previous_response_id" in reply.create:
            error = {"code": "previous_response_not_found", "message": "Gone."}
            reply.send({"type": "error", "status": 400, "error": error})
        else:
            reply.answer("Hel", "lo")

    server = await serve(script)
    model = build(server)
    first = await ask(model, "one")
    assert first.finish is not None
    previous = first.finish.response_id
    reading = await ask(model, "one", "Hello", "two", previous=previous)
    assert (reading.text, reading.reason) == ("Hello", "completed")
    assert [reply.input_texts for reply in server.replies] == [
        ["one"],
        ["two"],
        ["one", "Hello", "two"],
    ]


# Age.


async def test_old_socket_is_replaced_between_generations(
    serve: Serve, build_socket: BuildSocket
) -> None:
    """A socket at its age is not used for anything new, and its generation ends."""
    may_end = asyncio.Event()

    async def script(reply: Reply) -> None:
        reply.begin()
        await may_end.wait()
        reply.answer("Hel", "lo")

    server = await serve(script)
    model, pool = build_socket(server, n_sockets=1, max_age_s=0.05)
    async with model.start(request_for("long")) as generation:
        await server.until(lambda server: server.n_upgrades >= 2)
        assert not server.replies[0].gone.is_set()
        may_end.set()
        assert (await read(generation)).text == "Hello"
    await server.until(lambda server: server.replies[0].gone.is_set())
    assert (await ask(model, "next")).text == "Hello"
    assert server.replies[1].peer is not server.replies[0].peer
    assert pool.connector.error is None


async def test_close_at_the_age_limit(serve: Serve, build: Build) -> None:
    """A server that closes an idle socket costs the next request nothing but time."""
    server = await serve()
    model = build(server, sockets=1)
    await ask(model)
    server.replies[0].close(1000)
    await server.until(lambda server: server.replies[0].gone.is_set())
    assert (await ask(model)).text == "Hello"


@pytest.mark.parametrize("is_on_lane", [False, True])
async def test_connection_limit_event(
    serve: Serve, build: Build, is_on_lane: bool
) -> None:
    """At the limit an unanswered request moves to a new connection, unseen."""
    error = {
        "type": "error",
        "status": 400,
        "error": {
            "type": "invalid_request_error",
            "code": "websocket_connection_limit_reached",
            "message": "Create a new websocket connection to continue.",
        },
    }

    async def script(reply: Reply) -> None:
        if len(server.replies) > 2:
            reply.answer("Hel", "lo")
        elif len(server.replies) == 1:
            # So that lanes are known, and an error without one is the connection's.
            reply.answer("Hel", "lo")
        elif is_on_lane:
            reply.send(error)
        else:
            reply.peer.server.behaviour.has_lanes = False
            reply.send(error)
            reply.peer.server.behaviour.has_lanes = True

    server = await serve(script)
    model = build(server, sockets=1)
    await ask(model)
    reading = await ask(model, "second")
    assert (reading.text, reading.reason) == ("Hello", "completed")
    first, second, third = server.replies
    assert second.peer is first.peer
    assert third.peer is not second.peer
    await server.until(lambda server: second.gone.is_set())


async def test_connection_limit_after_the_first_delta(
    serve: Serve, build: Build
) -> None:
    """At the limit an answer that has begun is reported as cut."""

    async def script(reply: Reply) -> None:
        reply.delta("a")
        reply.send(
            {"type": "error", "error": {"code": "websocket_connection_limit_reached"}}
        )

    server = await serve(script)
    reading = await ask(build(server))
    assert reading.text == "a"
    assert type(reading.error) is ModelCutError


async def test_error_of_the_connection_fails_what_runs(
    serve: Serve, build: Build
) -> None:
    """An error that names no lane is for everything on the connection."""

    async def script(reply: Reply) -> None:
        reply.delta("a")
        reply.send_raw(b'{"type": "error", "status": 500, "error": {"message": "x"}}')
        await reply.gone.wait()

    server = await serve(script)
    reading = await ask(build(server))
    assert type(reading.error) is ModelServerError
    await server.until(lambda server: server.replies[0].gone.is_set())


async def test_request_too_large_for_the_server(serve: Serve, build: Build) -> None:
    """A server that closes with 1009 has refused the request: no second try."""

    async def script(reply: Reply) -> None:
        reply.close(1009)

    server = await serve(script)
    reading = await ask(build(server))
    assert type(reading.error) is ModelRejectedError
    assert len(server.replies) == 1


async def test_frames_that_are_none(serve: Serve, build: Build) -> None:
    """Bytes that break the WebSocket protocol itself end the connection."""

    async def script(reply: Reply) -> None:
        reply.delta("a")
        reply.peer.write_frame(b"\xff\xff\xff\xff")

    server = await serve(script)
    reading = await ask(build(server))
    assert reading.text == "a"
    assert type(reading.error) is ModelServerError


async def test_message_in_fragments(serve: Serve, build: Build) -> None:
    """A message may come in many frames, control frames between."""

    async def script(reply: Reply) -> None:
        reply.begin()
        lane = reply.create["stream_id"].encode()
        data = b'{"type":"response.output_text.delta","delta":"ab","stream_id":"%b"}'
        data %= lane
        reply.peer.write_frame(b"\x01\x04" + data[:4])
        reply.peer.write_frame(b"\x89\x00")
        reply.peer.write_frame(b"\x00\x00")
        reply.peer.write_frame(b"\x80%c" % (len(data) - 4) + data[4:])
        reply.send({"type": "response.completed", "response": {"id": "r"}})

    server = await serve(script)
    assert (await ask(build(server))).text == "ab"


async def test_fragments_without_end(
    serve: Serve, build_socket: BuildSocket, caplog: pytest.LogCaptureFixture
) -> None:
    """Empty fragments have no size, so their number is limited; then it backs off."""

    async def script(reply: Reply) -> None:
        reply.begin()
        reply.delta("a")
        reply.peer.write_frame(b"\x01\x01{")
        while not reply.gone.is_set():
            reply.peer.write_frame(b"\x00\x00" * 1_000)
            await asyncio.sleep(0)

    server = await serve(script)
    model, pool = build_socket(server, n_sockets=1)
    reading = await ask(model)
    assert reading.text == "a"
    assert type(reading.error) is ModelServerError
    await until(lambda: pool.connector.is_pausing)
    assert server.n_upgrades == 1
    assert caplog.text.count("floods the socket") == 1


async def test_fragments_are_no_events(serve: Serve, build: Build) -> None:
    """Fragments of a message that never ends do not put off the stall limit."""

    async def script(reply: Reply) -> None:
        reply.begin()
        reply.delta("a")
        reply.peer.write_frame(b"\x01\x01{")
        while not reply.gone.is_set():
            reply.peer.write_frame(b"\x00\x00")
            with suppress(TimeoutError):
                await asyncio.wait_for(reply.gone.wait(), 0.01)

    server = await serve(script)
    reading = await ask(build(server, stall_s=0.1))
    assert type(reading.error) is ModelStalledError


async def test_all_sockets_cut_at_once(serve: Serve, build: Build) -> None:
    """A server that restarts under us costs the next request only time."""
    server = await serve()
    model = build(server, sockets=3)
    await model.warm()
    for peer in server.peers:
        peer.cut()
    # The client has not noticed yet: its next request goes to a dead socket.
    reading = await ask(model)
    assert (reading.text, reading.reason) == ("Hello", "completed")


# HTTP instead.


@pytest.mark.parametrize("status", [404, 405, 426])
async def test_no_websocket_means_http_for_good(
    serve: Serve, build: Build, status: int
) -> None:
    """A server that speaks no WebSocket is asked for one once."""
    server = await serve(upgrade_refusal=(status, {}, b""))
    model = build(server)
    for _ in range(3):
        assert (await ask(model)).text == "Hello"
    assert server.n_upgrades == 1
    assert server.n_posts == 3
    status_now = model.status()
    assert status_now.state == "fallback"
    assert status_now.detail
    assert (await model.probe()).reachable


async def test_down_socket_falls_back_and_comes_back(
    serve: Serve, build: Build
) -> None:
    """While upgrades fail, answers come over HTTP; later over the socket again."""
    server = await serve(upgrade_refusal=(503, {}, b""))
    model = build(server)
    assert (await ask(model)).text == "Hello"
    assert model.status().state == "fallback"
    assert server.n_posts == 1
    server.behaviour.upgrade_refusal = None
    assert (await ask(model)).text == "Hello"
    assert model.status().state == "ready"
    assert server.n_posts == 1


async def test_neither_socket_nor_http(serve: Serve, build: Build) -> None:
    """If HTTP cannot help, the error says why there is no socket."""
    server = await serve(upgrade_refusal=(503, {}, b""), socket_only=True)
    reading = await ask(build(server))
    assert type(reading.error) is ModelServerError
    assert reading.error.status == 503


async def test_hanging_upgrade_is_waited_for_once(
    serve: Serve, build_socket: BuildSocket
) -> None:
    """After an attempt that was not even refused, HTTP does not wait for the next."""
    server = await serve(holds_upgrades=True)
    limits = LimitSettings(connect_s=0.05)
    model, pool = build_socket(server, has_http=True, limits=limits)
    assert (await ask(model)).text == "Hello"
    assert pool.connector.is_hanging
    async with model.start(request_for("hi")) as generation:
        assert (await read(generation)).text == "Hello"
        timing = generation.timing
    assert server.n_posts == 2
    assert timing.sent is not None


# Reconnecting.


async def test_refused_key_is_not_insisted_on(
    serve: Serve, build_socket: BuildSocket
) -> None:
    """After a 401 nothing is tried until the next request."""
    server = await serve(refusal=(401, {}, b""))
    model, pool = build_socket(server)
    await model.warm()
    for _ in range(5):
        model.activity()
    await pool.connector.settled()
    assert server.n_upgrades == 1
    assert not pool.connector.is_pausing
    await ask(model)
    assert server.n_upgrades == 2


async def test_a_key_that_an_event_refuses_is_read_again(
    serve: Serve, build: Build, tmp_path: Path
) -> None:
    """The provider refuses it on an open socket: others were opened with it, too."""

    async def script(reply: Reply) -> None:
        if server.authorizations[-1] == "Bearer new-secret":
            reply.answer("Hel", "lo")
        else:
            error = {"code": "invalid_api_key", "message": "It has expired."}
            reply.send({"type": "error", "status": 401, "error": error})

    server = await serve(script)
    key = rotated_key(tmp_path, "old-secret", "new-secret")
    model = build(server, key=key)
    await model.warm()
    readings = await asyncio.gather(*(ask(model) for _ in range(3)))
    assert [(one.text, one.error) for one in readings] == [("Hello", None)] * 3
    assert (tmp_path / "uses").read_text() == "xx"


async def test_a_key_that_an_event_refuses_twice_is_not_insisted_on(
    serve: Serve, build: Build, tmp_path: Path
) -> None:
    async def script(reply: Reply) -> None:
        error = {"code": "invalid_api_key", "message": "It has expired."}
        reply.send({"type": "error", "status": 401, "error": error})

    for number, keys in enumerate([("old-secret",), ("old-secret", "new-secret")]):
        server = await serve(script)
        folder = tmp_path / str(number)
        folder.mkdir()
        reading = await ask(build(server, key=rotated_key(folder, *keys)))
        assert isinstance(reading.error, AuthenticationError)
        assert (folder / "uses").read_text() == "xx"
        assert len(server.replies) == len(keys)


async def test_backoff_goes_on_while_somebody_is_there(
    serve: Serve, build_socket: BuildSocket
) -> None:
    """An unreachable server is tried again after a pause, and found."""
    server = await serve(listens=False)
    model, pool = build_socket(server)
    await model.warm()
    assert model.status().state == "down"
    assert pool.connector.is_pausing
    await server.listen()
    pool.connector.end_pause()
    await pool.connector.settled()
    assert model.status().state == "ready"


async def test_no_attempts_while_nobody_is_there(
    serve: Serve, build_socket: BuildSocket
) -> None:
    """A lost socket is not replaced when the editor has been quiet for long."""
    server = await serve()
    model, pool = build_socket(server, active_s=0.0, refill_s=0.0, short_life_s=0.0)
    await model.warm()
    for peer in server.peers:
        peer.cut()
    await server.until(lambda server: server.n_open == 0)
    await asyncio.sleep(0)
    assert model.status().state == "cold"
    n_before = server.n_upgrades
    model.activity()
    await pool.connector.settled()
    assert server.n_upgrades > n_before


async def test_server_that_closes_every_socket_at_once(
    serve: Serve, build_socket: BuildSocket
) -> None:
    """Sockets that end as they open count as failures: no storm."""
    server = await serve(closes_at_once=True)
    model, pool = build_socket(server)
    await model.warm()
    await server.until(lambda server: server.n_upgrades >= 1)
    await server.until(lambda server: server.n_open == 0)
    await until(lambda: pool.connector.is_pausing)
    assert server.n_upgrades <= 2
    assert type(pool.connector.error) is ModelUnavailableError


# Pings.


async def test_activity_keeps_the_window_open_and_ends(
    serve: Serve, build_socket: BuildSocket
) -> None:
    """Activity pings every warm socket for a while; then it is quiet."""
    server = await serve()
    rhythm = Rhythm(quick_s=0.001, quick_for_s=0.5)
    model, pool = build_socket(server, rhythm=rhythm)
    model.activity()
    await pool.connector.settled()
    assert server.n_pings == 0
    model.activity()
    await server.until(lambda server: server.n_pings >= 1)
    await until(lambda: not pool.is_quick)
    # A round trip later nothing more has come than was on its way.
    await ask(model)
    n_pings = server.n_pings
    await ask(model)
    assert server.n_pings == n_pings


async def test_activity_without_a_connection_pings_nobody(
    serve: Serve, build_socket: BuildSocket
) -> None:
    """Without a connection, activity only starts one."""
    server = await serve(listens=False)
    model, pool = build_socket(server, rhythm=Rhythm(quick_s=0.001))
    for _ in range(3):
        model.activity()
    await pool.connector.settled()
    model.activity()
    assert not pool.is_quick


async def test_dead_socket_is_noticed(serve: Serve, build_socket: BuildSocket) -> None:
    """A peer that answers no ping is dropped, and its sockets are replaced."""
    server = await serve(answers_pings=False)
    model, _ = build_socket(server, rhythm=Rhythm(slow_s=0.02), refill_s=0.0)
    await model.warm()
    n_before = server.n_upgrades
    await server.until(lambda server: server.n_upgrades > n_before)
    assert server.n_pings >= 1


async def test_living_socket_is_kept(serve: Serve, build_socket: BuildSocket) -> None:
    """A peer that answers pings is kept."""
    server = await serve()
    model, _ = build_socket(server, rhythm=Rhythm(slow_s=0.02))
    await model.warm()
    await server.until(lambda server: server.n_pings >= 8)
    assert server.n_upgrades == 2
    assert server.n_open == 2


_PING = b"\x89\x00"


_PONG = b"\x8a\x00"


@pytest.mark.parametrize("frame", [_PING, _PONG])
async def test_pings_without_end(
    serve: Serve,
    build_socket: BuildSocket,
    caplog: pytest.LogCaptureFixture,
    frame: bytes,
) -> None:
    """A server that only pings is disconnected, reported once, and backed off from."""

    async def script(reply: Reply) -> None:
        reply.answer("Hello")
        reply.peer.write_frame(frame * 101)

    server = await serve(script)
    model, pool = build_socket(server, n_sockets=1)
    assert (await ask(model)).text == "Hello"
    await server.until(lambda server: server.n_open == 0)
    await until(lambda: pool.connector.is_pausing)
    assert server.n_upgrades == 1
    assert caplog.text.count("floods the socket") == 1


@pytest.mark.parametrize(
    "event", [{"type": "ping"}, {"type": "response.in_progress"}, {"type": "error"}]
)
async def test_events_on_an_idle_connection(
    serve: Serve,
    build_socket: BuildSocket,
    caplog: pytest.LogCaptureFixture,
    event: dict[str, Any],
) -> None:
    """Nobody asked for them: the socket is closed, reported once, and backed off."""

    async def script(reply: Reply) -> None:
        reply.answer("Hello")
        while not reply.gone.is_set():
            reply.send(*([event] * 500))
            await asyncio.sleep(0)

    server = await serve(script)
    model, pool = build_socket(server, n_sockets=1)
    assert (await ask(model)).text == "Hello"
    await server.until(lambda server: server.n_open == 0)
    await until(lambda: pool.connector.is_pausing)
    assert server.n_upgrades == 1
    assert caplog.text.count("floods the socket") == 1


async def test_pings_between_events(serve: Serve, build_socket: BuildSocket) -> None:
    """A server that pings much, but also answers, is kept."""

    async def script(reply: Reply) -> None:
        reply.peer.write_frame(_PING * 100)
        reply.answer("Hello")

    server = await serve(script)
    model, _ = build_socket(server, n_sockets=1)
    for _ in range(3):
        assert (await ask(model)).text == "Hello"
    assert server.n_upgrades == 1


# Steering.


def steer_events(reply: Reply, steer: dict[str, Any], kind: str, **more: Any) -> Any:
    """Write an answer to a steer."""
    about = {"id": "steer_1", "previous_response_id": steer["previous_response_id"]}
    return {"type": f"response.steer.{kind}", "steer": about, **more}


async def test_steer_taken(serve: Serve, build_socket: BuildSocket) -> None:
    """An accepted steer's successor starts again, and `steer` returns true."""
    task = EditTask(
        instruction="x", path="a.py", language="", before="", target="", after=""
    )

    async def script(reply: Reply) -> None:
        reply.begin()
        reply.delta("old")
        steer = await reply.steers.get()
        assert "redline_task" not in steer
        reply.send(steer_events(reply, steer, "accepted"))
        reply.delta(" and older")
        incomplete = {"id": "resp_1", "incomplete_details": {"reason": "steered"}}
        reply.send({"type": "response.incomplete", "response": incomplete})
        reply.send(*answer_events("resp_next", [steer["input"], "!"]))

    server = await serve(script)
    model, _ = build_socket(server, steer=True)
    async with model.start(request_for("hi")) as generation:
        assert await anext(aiter(generation)) == Delta("old")
        assert await generation.steer("new", task=task)
        assert generation.response_id == "resp_next"
        reading = await read(generation)
    assert (reading.text, reading.reason) == ("new!", "completed")
    assert reading.n_restarts == 1
    assert reading.finish is not None
    assert reading.finish.response_id == "resp_next"


UNKNOWN_EVENT = {"code": "invalid_event", "message": "unknown event: response.steer"}

STEER_ANSWERS: dict[str, list[str]] = {
    "refused": ["failed"],
    "not known": ["error"],
    "answered by an error on its lane": ["lane error"],
    "accepted and then lost": ["accepted", "failed"],
    "accepted, and nothing for long": ["accepted"],
    "accepted, the response ended, pending": ["accepted", "completed", "pending"],
    "accepted, the response ended, failed": ["accepted", "completed", "failed"],
    "accepted, the response ended, nothing": ["accepted", "completed"],
    "not answered": [],
    "not answered, the response ended": ["completed"],
    "not answered, the connection ended": ["cut"],
}


@pytest.mark.parametrize("case", STEER_ANSWERS)
async def test_steer_not_taken(
    serve: Serve, build_socket: BuildSocket, case: str
) -> None:
    """A failed steer returns false in bounded time; the answer stays valid."""
    steps = STEER_ANSWERS[case]
    may_end = asyncio.Event()

    async def script(reply: Reply) -> None:
        reply.begin()
        reply.delta("old")
        steer = await reply.steers.get()
        for step in steps:
            if step == "cut":
                reply.cut()
            elif step == "completed":
                reply.send({"type": "response.completed", "response": {"id": "resp_1"}})
            elif step == "error":
                reply.send_raw(json.dumps({"type": "error", **UNKNOWN_EVENT}).encode())
            elif step == "lane error":
                reply.send({"type": "error", **UNKNOWN_EVENT})
            else:
                error = {"code": "response_not_active", "message": "No."}
                reply.send(steer_events(reply, steer, step, error=error))
        await may_end.wait()
        reply.send({"type": "response.completed", "response": {"id": "resp_1"}})

    server = await serve(script)
    limits = LimitSettings(steer_s=0.1)
    model, _ = build_socket(server, steer=True, limits=limits)
    async with model.start(request_for("hi")) as generation:
        assert await anext(aiter(generation)) == Delta("old")
        assert not await generation.steer("new")
        may_end.set()
        reading = await read(generation)
    assert reading.reason == ("failed" if "cut" in steps else "completed")
    assert reading.text == ""


@pytest.mark.parametrize("has_lanes", [True, False])
async def test_a_steer_that_is_answered_after_the_end(
    serve: Serve, build_socket: BuildSocket, *, has_lanes: bool
) -> None:
    """A server that reads one message at a time: its error has no effect."""

    async def script(reply: Reply) -> None:
        if reply.input_texts != ["first"]:
            reply.answer("good")
            return
        reply.begin()
        reply.delta("old")
        await reply.steers.get()
        reply.send({"type": "response.completed", "response": {"id": "resp_1"}})
        reply.send_raw(json.dumps({"type": "error", **UNKNOWN_EVENT}).encode())

    server = await serve(script, has_lanes=has_lanes)
    model, _ = build_socket(server, steer=True)
    async with model.start(request_for("first")) as generation:
        await anext(aiter(generation))
        assert not await generation.steer("new")
        async with model.start(request_for("second")) as other:
            reading = await read(other)
    assert (reading.text, reading.reason) == ("good", "completed")


async def test_no_steer_after_one_that_was_not_taken(
    serve: Serve, build_socket: BuildSocket
) -> None:
    """The next redirect of the same model does not wait again."""

    async def script(reply: Reply) -> None:
        reply.begin()
        reply.delta("old")
        await reply.gone.wait()

    server = await serve(script)
    model, _ = build_socket(server, steer=True, limits=LimitSettings(steer_s=0.05))
    for _ in range(2):
        async with model.start(request_for("hi")) as generation:
            await anext(aiter(generation))
            assert not await generation.steer("new")
    assert sum(reply.steers.qsize() for reply in server.replies) == 1


async def test_steering_that_is_announced(serve: Serve, build: Build) -> None:
    """At the upgrade, by a header: then neither name nor setting need say so."""

    async def script(reply: Reply) -> None:
        reply.begin()
        reply.delta("old")
        steer = await reply.steers.get()
        reply.send(steer_events(reply, steer, "accepted"))
        reply.send({"type": "response.completed", "response": {"id": "resp_1"}})
        reply.send(*answer_events("resp_next", ["new"]))

    server = await serve(script, announces_steering=True)
    for steer in (None, False):
        async with build(server, steer=steer).start(request_for("hi")) as generation:
            await anext(aiter(generation))
            assert await generation.steer("new") is (steer is None)


async def test_steer_where_there_is_none(serve: Serve, build: Build) -> None:
    """Without steering, before the id is known, and after the end: false at once."""
    server = await serve(_endless)
    cannot, can = build(server), build(server, steer=True)
    assert can.describe().can_steer
    async with cannot.start(request_for("endless")) as generation:
        await anext(aiter(generation))
        assert not await generation.steer("new")
    async with can.start(request_for("endless")) as generation:
        assert not await generation.steer("too early")
        generation.stop()
        assert not await generation.steer("too late")


async def test_stop_while_steering(serve: Serve, build_socket: BuildSocket) -> None:
    """A stop ends a steer that waits, and only one steer waits at a time."""

    async def script(reply: Reply) -> None:
        reply.begin()
        reply.delta("old")
        steer = await reply.steers.get()
        reply.send(steer_events(reply, steer, "accepted"))
        await reply.gone.wait()

    server = await serve(script)
    model, _ = build_socket(server, steer=True)
    async with model.start(request_for("hi")) as generation:
        await anext(aiter(generation))
        steering = asyncio.ensure_future(generation.steer("new"))
        await asyncio.sleep(0)
        assert not await generation.steer("newer")
        generation.stop()
        assert not await steering
    await server.until(lambda server: server.replies[0].gone.is_set())
