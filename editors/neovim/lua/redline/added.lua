--- The lines that were added to the next edit, which changes them all at once.

local ranges = require('redline.ranges')

local M = {}

local namespace = vim.api.nvim_create_namespace('redline-added')

--- The marks by buffer that an edit has taken, and the server has not answered yet.
---@type table<integer, table<integer, true>>
local taken = {}

--- Add lines to the next edit of a buffer; they are marked, and follow what is typed.
---@param bufnr integer
---@param range lsp.Range
function M.add(bufnr, range)
  local last = math.max(range.start.line, range['end'].line - 1)
  vim.api.nvim_buf_set_extmark(bufnr, namespace, range.start.line, 0, {
    -- With the last line end: a line that is emptied is not deleted.
    end_row = last + 1,
    end_col = 0,
    hl_group = 'RedlineTarget',
    hl_eol = true,
    -- Lines that are deleted are left out, until an undo.
    invalidate = true,
    undo_restore = true,
  })
end

---@param bufnr integer
---@return vim.api.keyset.get_extmark_item[]: those that no edit has taken
local function marks_of(bufnr)
  local marks = vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, { details = true })
  return vim.tbl_filter(function(mark)
    return not (mark[4].invalid or vim.tbl_get(taken, bufnr, mark[1]))
  end, marks)
end

--- Return the ranges that were added, in order.
---@param bufnr integer
---@return lsp.Range[]
function M.of_buffer(bufnr)
  return vim.tbl_map(function(mark)
    local details = mark[4]
    -- The last line was joined with the next one if the end is within a line.
    local n_last = details.end_col > 0 and 1 or 0
    return ranges.of_lines(mark[2] + 1, math.max(mark[2] + 1, details.end_row + n_last))
  end, marks_of(bufnr))
end

--- Take what was added for an edit.
---@param bufnr integer
---@return fun(is_over: boolean): call it with whether to forget it; else it is added again
function M.take(bufnr)
  taken[bufnr] = taken[bufnr] or {}
  local marks = marks_of(bufnr)
  for _, mark in ipairs(marks) do
    taken[bufnr][mark[1]] = true
  end
  return function(is_over)
    for _, mark in ipairs(marks) do
      taken[bufnr][mark[1]] = nil
      if is_over and vim.api.nvim_buf_is_valid(bufnr) then
        vim.api.nvim_buf_del_extmark(bufnr, namespace, mark[1])
      end
    end
  end
end

--- Forget what was added.
---@param bufnr integer
function M.clear(bufnr)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
end

return M
