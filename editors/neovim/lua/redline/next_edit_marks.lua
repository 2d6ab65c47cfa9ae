--- Paints a next edit with extmarks: what goes is struck through, what comes stands behind
--- it, and a hint says which key takes it. The marks follow the text.

local M = {}

local namespace = vim.api.nvim_create_namespace('redline.next_edit')

local MOST_HINTED = 20

---@class redline.NextEdit: of the protocol, with its place in bytes
---@field id string
---@field kind 'edit'|'jump'
---@field old string
---@field text string
---@field why string
---@field left integer
---@field start [integer, integer]: row and column, from 0
---@field stop [integer, integer]
---@field after lsp.Position: where the cursor belongs after it
---@field other? lsp.Location: where it is, if that is another file

---@param text string
---@return string: in one line, and cut if it is long
local function short(text)
  local line = vim.fn.strtrans(vim.trim(text:gsub('%s+', ' ')))
  local is_long = vim.fn.strcharlen(line) > MOST_HINTED
  return is_long and vim.fn.strcharpart(line, 0, MOST_HINTED - 1) .. '…' or line
end

---@param text string
---@return string: as it may be painted
local function painted(text)
  return vim.fn.strtrans((text:gsub('\t', '    ')))
end

--- Say where an edit is that is not near, and what it does if it is out of sight.
---@param edit redline.NextEdit
---@param row integer: of the cursor
---@param is_in_sight boolean
---@return string
function M.hint(edit, row, is_in_sight)
  local arrow = edit.start[1] < row and '↑' or '↓'
  local words = ('%s line %d'):format(arrow, edit.start[1] + 1)
  if edit.other then
    local path = vim.fn.fnamemodify(vim.uri_to_fname(edit.other.uri), ':~:.')
    words = ('→ %s:%d'):format(painted(path), edit.other.range.start.line + 1)
  end
  if edit.kind == 'jump' then
    words = words .. ': ' .. edit.why
  elseif not is_in_sight then
    local old = short(edit.old)
    words = words .. ': ' .. (old == '' and '' or old .. ' → ') .. short(edit.text)
  end
  return words .. M.more(edit)
end

--- Say how many edits follow.
---@param edit redline.NextEdit
---@return string
function M.more(edit)
  return edit.left > 0 and (' · %d more'):format(edit.left) or ''
end

---@param bufnr integer
---@param row integer
---@param column integer
---@param details vim.api.keyset.set_extmark
local function put(bufnr, row, column, details)
  vim.api.nvim_buf_set_extmark(bufnr, namespace, row, column, details)
end

---@param bufnr integer
---@param edit redline.NextEdit
local function paint_old(bufnr, edit)
  put(bufnr, edit.start[1], edit.start[2], {
    end_row = edit.stop[1],
    end_col = edit.stop[2],
    hl_group = { 'RedlineRemoved', 'RedlineStruck' },
    priority = 200,
  })
end

--- Paint text that comes: in its line, or as lines of its own.
---@param bufnr integer
---@param edit redline.NextEdit
local function paint_new(bufnr, edit)
  if not edit.text:find('\n', 1, true) then
    put(bufnr, edit.stop[1], edit.stop[2], {
      virt_text = { { painted(edit.text), 'RedlineAdded' } },
      virt_text_pos = 'inline',
    })
    return
  end
  local is_above = edit.stop[2] == 0
  local text = edit.text:gsub('^\n', ''):gsub('\n$', '')
  put(bufnr, edit.stop[1], 0, {
    virt_lines = vim.tbl_map(function(line)
      return { { painted(line), 'RedlineAdded' } }
    end, vim.split(text, '\n', { plain = true })),
    virt_lines_above = is_above,
    virt_lines_overflow = 'scroll',
  })
  if is_above and edit.stop[1] == 0 then
    require('redline.preview').uncover_top(bufnr, select(2, text:gsub('\n', '')) + 1)
  end
end

--- Paint what an edit changes.
---@param bufnr integer
---@param edit redline.NextEdit
function M.paint(bufnr, edit)
  paint_old(bufnr, edit)
  if edit.text ~= '' then
    paint_new(bufnr, edit)
  end
end

--- Paint a key and words behind a line.
---@param bufnr integer
---@param row integer
---@param key? string
---@param words string
function M.paint_hint(bufnr, row, key, words)
  local parts = { { '  ' } }
  if key then
    table.insert(parts, { ' ' .. key .. ' ', 'RedlineKey' })
  end
  if words ~= '' then
    table.insert(parts, { ' ' .. words, 'RedlineNote' })
  end
  put(bufnr, row, 0, { virt_text = parts, virt_text_pos = 'eol', hl_mode = 'combine' })
end

--- Remove all that is painted in a buffer.
---@param bufnr integer
function M.erase(bufnr)
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  end
end

return M
