(field_definition) @function
(program
  (lexical_declaration
    (variable_declarator
      value: (call_expression function: (identifier) @_require)
      (#eq? @_require "require"))) @import)
