(function_definition name: (_) @name body: (_) @body) @function
((command name: (command_name) @_source) @import
  (#any-of? @_source "source" "."))
