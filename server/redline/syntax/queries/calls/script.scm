(call_expression
  function: [
    (identifier) @call
    (member_expression property: (property_identifier) @call)
  ])
(new_expression
  constructor: [
    (identifier) @call
    (member_expression property: (property_identifier) @call)
  ])
