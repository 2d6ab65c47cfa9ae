"""What clients can call, over HTTP and WebSocket, and what checks a call first."""
