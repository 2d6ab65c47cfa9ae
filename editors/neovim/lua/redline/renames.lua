--- Reports renamed files to the server, which Neovim does not do itself.
---
--- A buffer whose file is renamed gets another name: by `vim.lsp.util.rename`, and by plugins with
--- a command such as `:Rename`. A new name alone, as by `:file` and `:saveas`, is no rename: the
--- old file is still there.

local client_of = require('redline.client').of_buffer

local M = {}

---@type table<integer, string>: the names that buffers had, until they have another
local before = {}

---@param bufnr integer
function M.begins(bufnr)
  before[bufnr] = vim.api.nvim_buf_get_name(bufnr)
end

---@param bufnr integer
function M.ends(bufnr)
  local old, new = before[bufnr], vim.api.nvim_buf_get_name(bufnr)
  before[bufnr] = nil
  local client = client_of(bufnr)
  if not client or not old or old == '' or old == new then
    return
  end
  if not vim.uv.fs_lstat(old) and vim.uv.fs_lstat(new) then
    client:notify('workspace/didRenameFiles', {
      files = { { oldUri = vim.uri_from_fname(old), newUri = vim.uri_from_fname(new) } },
    })
  end
end

return M
