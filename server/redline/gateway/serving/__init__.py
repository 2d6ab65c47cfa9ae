"""The HTTP server: listening, its own limits of connections, and its event loop."""
