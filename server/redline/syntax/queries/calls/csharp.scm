(invocation_expression
  function: [
    (identifier) @call
    (generic_name (identifier) @call)
    (member_access_expression name: [(identifier) @call (generic_name (identifier) @call)])
  ])
(object_creation_expression
  type: [(identifier) @call (generic_name (identifier) @call)])
