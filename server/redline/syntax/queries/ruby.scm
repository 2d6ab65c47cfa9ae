; `declared` finds names and bodies.
[(method) (singleton_method)] @function
(class) @class
(module) @namespace
((call method: (identifier) @_require) @import
  (#any-of? @_require "require" "require_relative" "load" "autoload"))
; The grammar reads an `end` that closes nothing as a name.
(program (identifier) @surplus (#eq? @surplus "end"))
