(function_declaration name: (_) @name body: (_)? @body) @function
(method_declaration
  receiver: (parameter_list
    (parameter_declaration
      type: [
        (type_identifier) @parent
        (generic_type type: (type_identifier) @parent)
        (pointer_type
          [(type_identifier) @parent (generic_type type: (type_identifier) @parent)])
      ]))
  name: (_) @name
  body: (_)? @body) @function
(type_declaration
  (type_spec
    name: (_) @name
    type: (struct_type (field_declaration_list) @body))) @struct
(type_declaration (type_spec name: (_) @name type: (interface_type) @body)) @interface
(type_declaration
  (type_spec
    name: (_) @name
    type: [
      (type_identifier)
      (qualified_type)
      (pointer_type)
      (array_type)
      (slice_type)
      (map_type)
      (channel_type)
      (function_type)
      (generic_type)
      (parenthesized_type)
    ])) @type
(type_declaration (type_alias name: (_) @name)) @type
(import_declaration) @import
