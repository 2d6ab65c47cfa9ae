--- Inline completions, if Neovim and the server support them.

local M = {}

--- Enable them in a buffer that Redline was attached to.
---@param client_id integer
---@param bufnr integer
function M.on_attach(client_id, bufnr)
  local client = vim.lsp.get_client_by_id(client_id)
  if
    client
    and client.name == 'redline'
    and vim.lsp.inline_completion
    and client:supports_method('textDocument/inlineCompletion', bufnr)
    and require('redline.options').get().inline_completion
  then
    vim.lsp.inline_completion.enable(true, { bufnr = bufnr })
  end
end

return M
