(function_definition name: (_) @name body: (_) @body) @function
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(trait_declaration name: (_) @name body: (_) @body) @trait
(enum_declaration name: (_) @name body: (_) @body) @enum
(method_declaration name: (_) @name body: (_)? @body) @function
(namespace_definition name: (_) @name body: (_) @body) @namespace
(namespace_use_declaration) @import
(expression_statement
  [
    (require_expression)
    (require_once_expression)
    (include_expression)
    (include_once_expression)
  ]) @import
; The grammar reads a word that closes nothing as a constant.
((expression_statement (name) @surplus)
  (#any-of? @surplus "endif" "endfor" "endforeach" "endwhile" "endswitch"))
