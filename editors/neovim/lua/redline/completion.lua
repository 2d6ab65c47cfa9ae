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

--- Accept the shown completion in the place of what was typed of it since it arrived.
---@return boolean: whether there was one
function M.accept()
  if not vim.lsp.inline_completion then
    return false
  end
  return vim.lsp.inline_completion.get({
    on_accept = function(item)
      -- Neovim replaces only the range of the answer (neovim#36529).
      local cursor = vim.api.nvim_win_get_cursor(0)
      if item.range and type(item.insert_text) == 'string' then
        local row, col, end_row, end_col = item.range:to_extmark()
        local typed = vim.api.nvim_get_current_line():sub(col + 1, cursor[2])
        local is_along = end_row == cursor[1] - 1 and cursor[2] > end_col
        if is_along and vim.startswith(item.insert_text, typed) then
          item.range = vim.range.extmark(0, row, col, end_row, cursor[2])
        end
      end
      return item
    end,
  })
end

--- Hide the shown completion, and report to Redline that it is not wanted here.
---@return boolean: whether there was one
function M.dismiss()
  if not vim.lsp.inline_completion then
    return false
  end
  return vim.lsp.inline_completion.get({
    -- It is hidden when this is called; an item that is not returned is not inserted.
    on_accept = function(item)
      local client = vim.lsp.get_client_by_id(item.client_id)
      if client and client.name == 'redline' then
        client:notify('redline/inline/dismissed', { uri = vim.uri_from_bufnr(0) })
      end
    end,
  })
end

return M
