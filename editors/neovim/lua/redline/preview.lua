--- Paints the preview of a session with extmarks in a namespace of its own. The text of
--- the buffer is never touched, and its marks move with the user's edits.

local hunks = require('redline.hunks')

local M = {}

local namespace = vim.api.nvim_create_namespace('redline.preview')

M.namespace = namespace

---@class redline.Painted: the marks of one hunk
---@field removed? integer: over the lines that go
---@field added? integer: carries the lines that come
---@field place integer: follows the place of the hunk

---@param bufnr integer
---@param row integer
---@return integer: a row that the buffer has
local function inside(bufnr, row)
  return math.max(0, math.min(row, vim.api.nvim_buf_line_count(bufnr) - 1))
end

--- Show lines above the first one of a buffer, which Neovim keeps out of sight.
---@param bufnr integer
---@param n_lines integer
function M.uncover_top(bufnr, n_lines)
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    vim.api.nvim_win_call(window, function()
      local view = vim.fn.winsaveview()
      if view.topline == 1 and view.topfill < n_lines then
        vim.fn.winrestview({ topfill = n_lines })
      end
    end)
  end
end

---@param bufnr integer
---@param mark? integer: an existing mark to move
---@param row integer
---@param details vim.api.keyset.set_extmark
---@return integer
local function put(bufnr, mark, row, details)
  return vim.api.nvim_buf_set_extmark(
    bufnr,
    namespace,
    inside(bufnr, row),
    0,
    vim.tbl_extend('force', details, { id = mark })
  )
end

---@param bufnr integer
---@param mark? integer
local function remove(bufnr, mark)
  if mark then
    vim.api.nvim_buf_del_extmark(bufnr, namespace, mark)
  end
end

---@param bufnr integer
---@param hunk redline.Hunk
---@return [string, string[]][][]: as virtual lines
local function added_lines(bufnr, hunk)
  local groups = { 'RedlineAdded', hunk.state == 'growing' and 'RedlineGrowing' or nil }
  local tabstop = vim.bo[bufnr].tabstop
  return vim.tbl_map(function(line)
    -- A blank virtual line has no width to be coloured.
    local text = line == '' and ' ' or hunks.expanded(line, tabstop)
    return { { text, groups } }
  end, hunks.new_lines(hunk))
end

--- Paint one hunk, or repaint it.
---@param bufnr integer
---@param hunk redline.Hunk
---@param painted? redline.Painted: its marks so far
---@return redline.Painted
function M.paint(bufnr, hunk, painted)
  painted = painted or {}
  local first, last = hunks.rows(hunk)
  painted.place = put(bufnr, painted.place, first, {})
  if last > first then
    painted.removed = put(bufnr, painted.removed, first, {
      end_row = math.min(last, vim.api.nvim_buf_line_count(bufnr)),
      hl_group = 'RedlineRemoved',
      hl_eol = true,
      priority = 200,
      strict = false,
    })
  else
    remove(bufnr, painted.removed)
    painted.removed = nil
  end
  local lines = added_lines(bufnr, hunk)
  if #lines > 0 then
    local is_above = last == 0
    painted.added = put(bufnr, painted.added, is_above and 0 or last - 1, {
      virt_lines = lines,
      virt_lines_above = is_above,
      virt_lines_overflow = 'scroll',
    })
    if is_above then
      M.uncover_top(bufnr, #lines)
    end
  else
    remove(bufnr, painted.added)
    painted.added = nil
  end
  return painted
end

--- Remove one hunk from the screen.
---@param bufnr integer
---@param painted redline.Painted
function M.erase(bufnr, painted)
  remove(bufnr, painted.removed)
  remove(bufnr, painted.added)
  remove(bufnr, painted.place)
end

--- Return the line where a hunk is now, whatever the user has typed since.
---@param bufnr integer
---@param painted redline.Painted
---@return integer: from 0
function M.row(bufnr, painted)
  return vim.api.nvim_buf_get_extmark_by_id(bufnr, namespace, painted.place, {})[1] or 0
end

--- Move the cursor to a line of the current window if the change there is out of sight.
---@param row integer: from 0
---@param n_lines integer: how many lines of the screen the change takes
function M.show_row(row, n_lines)
  local top, bottom = vim.fn.line('w0') - 1, vim.fn.line('w$') - 1
  local height = vim.api.nvim_win_get_height(0)
  local needed = math.min(n_lines, math.floor(height / 2))
  if top <= row and row + needed <= bottom + 1 then
    return
  end
  vim.cmd("normal! m'")
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.min(row + 1, last), 0 })
  vim.fn.winrestview({ topline = math.max(1, row + 1 - math.floor(height / 4)) })
end

--- Mark the lines that an edit would work on.
---@param bufnr integer
---@param range lsp.Range: whole lines
---@return fun(): nil: removes the mark
function M.mark_lines(bufnr, range)
  local mark = put(bufnr, nil, range.start.line, {
    end_row = math.min(range['end'].line, vim.api.nvim_buf_line_count(bufnr)),
    hl_group = 'RedlineTarget',
    hl_eol = true,
    strict = false,
  })
  return function()
    if vim.api.nvim_buf_is_valid(bufnr) then
      remove(bufnr, mark)
    end
  end
end

--- Write a note behind the first line of a region, and lines above it.
---@param bufnr integer
---@param mark? integer: that of the earlier note
---@param row integer
---@param note {text: string, group: string, above: string[][]}: `above` has text and
---   highlight of the lines over it
---@return integer: the note's mark
function M.note(bufnr, mark, row, note)
  local lines = vim.tbl_map(function(line)
    return { { 'redline: ' .. line[1], line[2] } }
  end, note.above)
  local details = {
    virt_text = { { '  ' .. note.text, note.group } },
    virt_text_pos = 'eol',
    hl_mode = 'combine',
  }
  if #lines > 0 then
    details.virt_lines = lines
    details.virt_lines_above = true
    details.virt_lines_overflow = 'scroll'
  end
  local placed = put(bufnr, mark, row, details)
  if row == 0 and #lines > 0 then
    M.uncover_top(bufnr, #lines)
  end
  return placed
end

--- Remove a note from the screen.
---@param bufnr integer
---@param mark? integer
function M.erase_note(bufnr, mark)
  remove(bufnr, mark)
end

--- Return the line where a note is now.
---@param bufnr integer
---@param mark integer
---@return integer
function M.note_row(bufnr, mark)
  return vim.api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark, {})[1] or 0
end

return M
