(call method: (identifier) @call)
