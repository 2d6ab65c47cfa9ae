(function_definition name: (identifier) @name body: (_) @body) @function
(class_definition name: (identifier) @name body: (_) @body) @class
(type_alias_statement left: (type (identifier) @name)) @type
[(import_statement) (import_from_statement) (future_import_statement)] @import
