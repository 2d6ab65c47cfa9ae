--- What happens when the plugin is loaded: when Neovim starts, or later by a plugin manager.

local options = require('redline.options')

local M = {}

--- Longest wait for the server of a plugin that was just loaded, such as by the command
--- that needs it.
local WAIT_MS = 3000

local loaded_at = -WAIT_MS
local is_enabled = false

local function map_keys()
  if options.get().default_keys then
    vim.keymap.set('x', '<C-k>', '<Plug>(redline-edit)', { desc = 'Redline: edit the selection' })
    vim.keymap.set('i', '<Tab>', '<Plug>(redline-complete)', { desc = 'Redline: complete' })
    vim.keymap.set(
      'i',
      '<C-]>',
      '<Plug>(redline-dismiss-completion)',
      { desc = 'Redline: dismiss the completion' }
    )
    vim.keymap.set('n', '<C-k>', '<Plug>(redline-edit-here)', { desc = 'Redline: edit here' })
  end
end

local function enable()
  local is_wanted = options.get().enable
  if is_wanted ~= is_enabled then
    is_enabled = is_wanted
    vim.lsp.enable('redline', is_wanted)
  end
end

--- Put the options into force; they may have changed since the last time.
function M.apply()
  loaded_at = vim.uv.now()
  map_keys()
  if vim.v.vim_did_enter == 1 or vim.bo.filetype ~= '' then
    -- It attaches at once to what is open: options that follow in this turn count.
    vim.schedule(enable)
  else
    enable()
  end
end

--- Wait until something is so, as long as a server may still be starting.
---@param is_so fun(): boolean
function M.wait(is_so)
  local left = loaded_at + WAIT_MS - vim.uv.now()
  if left > 0 and options.get().enable then
    vim.wait(left, is_so, 10)
  end
end

return M
