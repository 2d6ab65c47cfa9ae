(public_field_definition
  name: (_) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
  ]) @function
(abstract_class_declaration name: (_) @name body: (_) @body) @class
(abstract_method_signature name: (_) @name) @function
(class_body (method_signature name: (_) @name) @function)
(function_signature name: (_) @name) @function
(interface_declaration name: (_) @name body: (_) @body) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name body: (_) @body) @enum
(internal_module name: (_) @name body: (_) @body) @namespace
(module name: (_) @name body: (_) @body) @namespace
