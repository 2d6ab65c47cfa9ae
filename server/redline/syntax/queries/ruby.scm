(method name: (_) @name body: (_)? @body) @function
(singleton_method name: (_) @name body: (_)? @body) @function
(class name: (_) @name body: (_)? @body) @class
(module name: (_) @name body: (_)? @body) @namespace
((call method: (identifier) @_require) @import
  (#any-of? @_require "require" "require_relative" "load" "autoload"))
