---@brief
--- How Neovim starts Redline and what it tells it. Change anything of it with
--- `vim.lsp.config('redline', { ... })`; see |redline-config|.

---@type vim.lsp.Config
return {
  cmd = { 'redline', 'serve' },
  -- No filetypes: Redline edits text of any kind.
  root_markers = { 'redline.toml', '.git' },
  capabilities = {
    -- Neovim takes edits with a version but does not say so; without one an edit could
    -- meet a text that has changed while it was on its way.
    workspace = { workspaceEdit = { documentChanges = true } },
    experimental = {
      redline = { preview = true, status = true, prompt = true, reviews = true },
    },
  },
  -- Changes of one moment go out together, but an edit is known to have landed only
  -- when the server has heard of it: Neovim's own 150 ms would be felt.
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
    ['redline/review'] = function(...)
      require('redline.reviews').on_review(...)
    end,
    ['workspace/applyEdit'] = function(...)
      return require('redline.landing').on_apply_edit(...)
    end,
  },
  commands = {
    ['redline.redirect'] = function(command, context)
      require('redline.edit').on_redirect_action(command, context)
    end,
  },
  on_exit = function(...)
    require('redline.revive').on_exit(...)
  end,
}
