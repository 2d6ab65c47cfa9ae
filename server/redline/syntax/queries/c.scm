; `declared` finds names and bodies, and which declarations are prototypes.
[(function_definition) (declaration)] @function
[(struct_specifier) (union_specifier)] @struct
(enum_specifier) @enum
(type_definition) @type
(preproc_function_def) @macro
(preproc_include) @import
