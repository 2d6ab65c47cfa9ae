"""One generation's request for a lane, and then its carrier."""

from __future__ import annotations

from collections.abc import Callable

from redline.errors import ModelError
from redline.models.formats.request import socket_create, task_data
from redline.models.generations.generation import LiveGeneration
from redline.models.generations.steering import Steering
from redline.models.sockets.lane_connection import LaneConnection
from redline.models.sockets.pool import Pool
from redline.prompts.task_data import GivenTask
from redline.settings.tree import ModelSettings
from redline.wire.connection import Exchange
from redline.wire.events import ResponseSteer


class SocketLaneRequest:
    """A request to the pool, and the carrier of its generation."""

    def __init__(
        self,
        generation: LiveGeneration,
        settings: ModelSettings,
        pool: Pool,
        *,
        steering: Steering,
        on_unreachable: Callable[[LiveGeneration, ModelError], None],
    ) -> None:
        self._generation = generation
        self._settings = settings
        self._pool = pool
        self._steering = steering
        self._on_unreachable = on_unreachable
        self._running: tuple[LaneConnection, Exchange] | None = None

    # Called by the pool.

    @property
    def previous(self) -> str | None:
        """The response it continues."""
        return self._generation.request.previous

    def run(self, lane_connection: LaneConnection) -> None:
        """Send the request: only the increment if the server has the rest."""
        request = self._generation.request
        is_whole = self._generation.sends_whole or not lane_connection.remembers(
            request.previous
        )
        create = socket_create(
            request,
            self._settings,
            is_whole=is_whole,
            has_format=self._generation.sends_format,
        )
        self._running = (
            lane_connection,
            lane_connection.begin(create, self._generation),
        )
        self._generation.mark_sent()

    def unreachable(self, error: ModelError) -> None:
        """Let the model decide what to do without a connection."""
        self._on_unreachable(self._generation, error)

    # Called by the generation.

    def drop(self) -> None:
        """Stop waiting, or stop the exchange."""
        if self._running is None:
            self._pool.withdraw(self)
        else:
            lane_connection, exchange = self._running
            lane_connection.drop(exchange)

    def pause(self) -> None:
        """Stop reading the connection."""
        if self._running is not None:
            self._running[0].pause()

    def resume(self) -> None:
        if self._running is not None:
            self._running[0].resume()

    def steer(
        self, previous_response_id: str, text: str, task: GivenTask | None
    ) -> bool:
        """Send a steer, if the server accepts steers."""
        if self._running is None:
            return False
        lane_connection, exchange = self._running
        if not self._steering.is_usable(
            is_announced=lane_connection.announces_steering
        ):
            return False
        steer = ResponseSteer(
            previous_response_id=previous_response_id,
            input=text,
            redline_task=task_data(task, self._settings),
        )
        return lane_connection.steer(exchange, steer)
