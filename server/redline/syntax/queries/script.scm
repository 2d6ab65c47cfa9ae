; What JavaScript and TypeScript share. `declared` finds names and bodies.
[
  (function_declaration)
  (generator_function_declaration)
  (method_definition)
  (lexical_declaration)
  (variable_declaration)
  (assignment_expression)
] @function
(class_declaration) @class
(import_statement) @import
(export_statement source: (string)) @import
