(function_item name: (_) @name body: (_) @body) @function
(function_signature_item name: (_) @name) @function
(struct_item name: (_) @name body: (_)? @body) @struct
(union_item name: (_) @name body: (_) @body) @struct
(enum_item name: (_) @name body: (_) @body) @enum
(trait_item name: (_) @name body: (_) @body) @trait
(impl_item
  type: [
    (type_identifier) @name
    (generic_type type: (type_identifier) @name)
    (scoped_type_identifier name: (type_identifier) @name)
  ]
  body: (_) @body) @impl
(mod_item name: (_) @name body: (_) @body) @namespace
(source_file (type_item name: (_) @name) @type)
(macro_definition name: (_) @name) @macro
[(use_declaration) (extern_crate_declaration)] @import
