(function_definition name: (_) @name body: (_) @body) @function
((command name: (command_name) @_source) @import
  (#any-of? @_source "source" "."))
; The grammar reads a word that closes nothing as a command.
((command name: (command_name (word) @surplus))
  (#any-of? @surplus "fi" "done" "esac" "}"))
