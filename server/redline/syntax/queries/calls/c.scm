(call_expression
  function: [(identifier) @call (field_expression field: (field_identifier) @call)])
