--- The lines that were added to the next edit, which changes them all at once.

local ranges = require('redline.ranges')

local M = {}

local namespace = vim.api.nvim_create_namespace('redline-added')

--- Add lines to the next edit of a buffer; they are marked, and follow what is typed.
---@param bufnr integer
---@param range lsp.Range
function M.add(bufnr, range)
  vim.api.nvim_buf_set_extmark(bufnr, namespace, range.start.line, 0, {
    end_row = math.max(range.start.line, range['end'].line - 1),
    line_hl_group = 'RedlineTarget',
    end_right_gravity = true,
  })
end

--- Return the ranges that were added, in order.
---@param bufnr integer
---@return lsp.Range[]
function M.of_buffer(bufnr)
  local marks = vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, { details = true })
  return vim.tbl_map(function(mark)
    return ranges.of_lines(mark[2] + 1, mark[4].end_row + 1)
  end, marks)
end

--- Forget what was added.
---@param bufnr integer
function M.clear(bufnr)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
end

return M
