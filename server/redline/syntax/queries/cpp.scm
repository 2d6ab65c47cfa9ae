; What C++ has beyond C.
(field_declaration) @function
(class_specifier) @class
(namespace_definition) @namespace
[(alias_declaration) (concept_definition)] @type
(using_declaration) @import
