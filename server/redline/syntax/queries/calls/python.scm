(call function: [(identifier) @call (attribute attribute: (identifier) @call)])
