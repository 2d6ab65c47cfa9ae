(call_expression
  function: [
    (qualified_identifier name: (identifier) @call)
    (template_function name: (identifier) @call)
  ])
(new_expression type: (type_identifier) @call)
