; `declared` finds names and bodies.
[(class_declaration) (record_declaration)] @class
(struct_declaration) @struct
(interface_declaration) @interface
(enum_declaration) @enum
(delegate_declaration) @type
(namespace_declaration) @namespace
[
  (method_declaration)
  (constructor_declaration)
  (local_function_statement)
] @function
(property_declaration) @property
(using_directive) @import
