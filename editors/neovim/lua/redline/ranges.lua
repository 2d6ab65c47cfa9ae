--- The range of an instruction, in whole lines as the server expects it.

local M = {}

--- Return the range of some lines.
---@param first integer: from 1
---@param last integer: the last one, included
---@return lsp.Range
function M.of_lines(first, last)
  if first > last then
    first, last = last, first
  end
  return {
    start = { line = first - 1, character = 0 },
    ['end'] = { line = last, character = 0 },
  }
end

--- Return the place of a line, for lines to be written there.
---@param line integer: from 1
---@return lsp.Range
function M.of_place(line)
  local place = { line = line - 1, character = 0 }
  return { start = place, ['end'] = place }
end

--- Return the range of the cursor's line; a blank one is a place for new lines.
---@return lsp.Range
function M.of_cursor()
  local line = vim.api.nvim_win_get_cursor(0)[1]
  if vim.api.nvim_get_current_line():match('^%s*$') then
    return M.of_place(line)
  end
  return M.of_lines(line, line)
end

--- Return the lines from the first to the last of some ranges.
---@param several lsp.Range[]: at least one
---@return lsp.Range
function M.around(several)
  local whole = vim.deepcopy(several[1])
  for _, range in ipairs(several) do
    if range.start.line < whole.start.line then
      whole.start = range.start
    end
    if range['end'].line > whole['end'].line then
      whole['end'] = range['end']
    end
  end
  return whole
end

--- Return the range of the selection, in Visual mode.
---@return lsp.Range
function M.of_selection()
  return M.of_lines(vim.fn.line('v'), vim.fn.line('.'))
end

return M
