[
  (public_field_definition)
  (abstract_method_signature)
  (function_signature)
] @function
(class_body (method_signature) @function)
(abstract_class_declaration) @class
(interface_declaration) @interface
(type_alias_declaration) @type
(enum_declaration) @enum
[(internal_module) (module)] @namespace
