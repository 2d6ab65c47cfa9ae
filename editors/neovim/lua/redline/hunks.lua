--- The places of a preview's hunks, in lines of a buffer. These functions change nothing.

local M = {}

---@class redline.Hunk
---@field id integer
---@field range lsp.Range: in whole lines
---@field newText string
---@field state 'growing'|'settled'

--- Return the lines that a hunk removes.
---
--- At the end of a text without a final line end a range begins or ends behind the last
--- character of its line; everywhere else it begins and ends at the start of one.
---@param hunk redline.Hunk
---@return integer first: the first line, from 0
---@return integer last: the line after the last one; equals `first` for an insertion
function M.rows(hunk)
  local from, to = hunk.range.start, hunk.range['end']
  local first = from.character > 0 and from.line + 1 or from.line
  local last = to.character > 0 and to.line + 1 or to.line
  return first, math.max(first, last)
end

--- Return the lines that a hunk adds.
---@param hunk redline.Hunk
---@return string[]
function M.new_lines(hunk)
  local text = hunk.newText:gsub('\r\n?', '\n')
  if hunk.range.start.character > 0 then
    text = text:gsub('^\n', '')
  end
  if text == '' then
    return {}
  end
  return vim.split(text:gsub('\n$', ''), '\n', { plain = true })
end

--- Expand the tabs of a line, which virtual text does not.
---@param line string
---@param tabstop integer
---@return string
function M.expanded(line, tabstop)
  if not line:find('\t', 1, true) then
    return line
  end
  local shown, width = {}, 0
  for piece, tab in line:gmatch('([^\t]*)(\t?)') do
    width = width + vim.fn.strdisplaywidth(piece)
    table.insert(shown, piece)
    if tab ~= '' then
      local n_spaces = tabstop - width % tabstop
      width = width + n_spaces
      table.insert(shown, (' '):rep(n_spaces))
    end
  end
  return table.concat(shown)
end

return M
