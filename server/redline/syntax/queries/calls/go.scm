(call_expression
  function: [
    (identifier) @call
    (selector_expression field: (field_identifier) @call)
  ])
