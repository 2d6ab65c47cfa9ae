"""The Responses API over warm WebSockets; `socket` alone uses websockets."""
