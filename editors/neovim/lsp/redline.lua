---@brief
--- How Neovim starts Redline, and its capabilities and handlers. Change any of it with
--- `vim.lsp.config('redline', { ... })`; see |redline-config|.

---@type vim.lsp.Config
return {
  cmd = { 'redline', 'serve' },
  -- No filetypes: Redline edits text of any kind.
  root_markers = { 'redline.toml', '.git' },
  -- The document of a plan is in the user's data folder. The markers count for all others.
  root_dir = function(bufnr, on_dir)
    on_dir(require('redline.plans').root_of(bufnr))
  end,
  capabilities = {
    -- Neovim accepts versioned edits but does not announce it. Without a version, an edit
    -- could be applied to a text that has changed meanwhile.
    workspace = { workspaceEdit = { documentChanges = true } },
    -- The edit of a code action would be applied at once; a command is previewed.
    textDocument = { codeAction = { resolveSupport = { properties = { 'command' } } } },
    experimental = {
      redline = {
        preview = true,
        status = true,
        prompt = true,
        reviews = true,
        tests = true,
        -- Without it the server offers next edits as code actions.
        nextEdit = require('redline.options').get().next_edits,
      },
    },
  },
  -- Neovim collects changes for 150 ms by default. The server knows that an edit has
  -- landed only when it receives the change, so the wait is shorter here.
  flags = { debounce_text_changes = 20 },
  handlers = {
    ['redline/edit/began'] = function(...)
      require('redline.sessions').on_began(...)
    end,
    ['redline/edit/hunks'] = function(...)
      require('redline.sessions').on_hunks(...)
    end,
    ['redline/edit/ended'] = function(...)
      require('redline.sessions').on_ended(...)
    end,
    ['redline/status'] = function(...)
      require('redline.status').on_status(...)
    end,
    ['redline/nextEdit/changed'] = function(...)
      require('redline.next_edit').on_changed(...)
    end,
    ['redline/review'] = function(...)
      require('redline.reviews').on_review(...)
    end,
    ['redline/tests'] = function(...)
      require('redline.tests').on_tests(...)
    end,
    ['window/showDocument'] = function(...)
      return require('redline.plans').on_show_document(...)
    end,
    ['workspace/applyEdit'] = function(...)
      return require('redline.landing').on_apply_edit(...)
    end,
  },
  commands = {
    ['redline.edit'] = function(command, context)
      require('redline.edit').on_edit_action(command, context)
    end,
    ['redline.writeTests'] = function(command, context)
      require('redline.answers').on_tests_action(command, context)
    end,
    ['redline.applyFix'] = function(command, context)
      require('redline.findings').on_fix_action(command, context)
    end,
    ['redline.redirect'] = function(command, context)
      require('redline.edit').on_redirect_action(command, context)
    end,
  },
  on_exit = function(...)
    require('redline.revive').on_exit(...)
  end,
}
