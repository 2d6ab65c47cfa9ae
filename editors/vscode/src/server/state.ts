// How the server's process stands.

export type ServerState = "absent" | "starting" | "running" | "dead";
