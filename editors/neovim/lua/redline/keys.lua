--- Keys that are mapped only while something is shown in a buffer: an edit, or a next edit.
--- Their earlier mappings are restored afterwards.

local M = {}

---@alias redline.KeyOwner 'preview'|'next_edit'

---@class redline.Key
---@field mode string
---@field key string
---@field action string|fun()
---@field name string: for its description

---@class redline.ReplacedKey
---@field mode string
---@field key string
---@field before table: the mapping that counted before, as |maparg()| has it

---@type table<redline.KeyOwner, table<integer, redline.ReplacedKey[]>>: by buffer
local replaced = { preview = {}, next_edit = {} }

---@return redline.Key[]
local function preview_keys()
  local keys = {}
  for name, key in pairs(require('redline.options').preview_keys()) do
    local action = ('<Plug>(redline-%s)'):format(name)
    table.insert(keys, { mode = 'n', key = key, action = action, name = name })
  end
  return keys
end

--- Map keys in a buffer; keys of this owner that are mapped already stay.
---@param owner redline.KeyOwner
---@param bufnr integer
---@param keys redline.Key[]
function M.install(owner, bufnr, keys)
  if replaced[owner][bufnr] then
    return
  end
  replaced[owner][bufnr] = vim.tbl_map(function(each)
    local before
    vim.api.nvim_buf_call(bufnr, function()
      before = vim.fn.maparg(each.key, each.mode, false, true)
    end)
    vim.keymap.set(each.mode, each.key, each.action, {
      buffer = bufnr,
      desc = 'Redline: ' .. each.name,
    })
    return { mode = each.mode, key = each.key, before = before }
  end, keys)
end

--- Restore the mappings of a buffer.
---@param owner redline.KeyOwner
---@param bufnr integer
function M.remove(owner, bufnr)
  local keys = replaced[owner][bufnr]
  replaced[owner][bufnr] = nil
  if not keys or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  for _, each in ipairs(keys) do
    pcall(vim.keymap.del, each.mode, each.key, { buffer = bufnr })
    if each.before.buffer == 1 then
      vim.api.nvim_buf_call(bufnr, function()
        vim.fn.mapset(each.mode, false, each.before)
      end)
    end
  end
end

--- Return what a mapping types; its function, if it has one, is called.
---@param mapping table: as |maparg()| has it
---@return string
local function keys_of(mapping)
  local result = mapping.rhs or ''
  if mapping.callback then
    result = mapping.callback()
  elseif mapping.expr == 1 then
    result = vim.api.nvim_eval(result)
  end
  local is_typed = type(result) == 'string' and (mapping.expr == 1 or not mapping.callback)
  return is_typed and vim.keycode(result) or ''
end

--- Do what a key did before it was mapped.
---@param owner redline.KeyOwner
---@param bufnr integer
---@param mode string
---@param key string
function M.press_earlier(owner, bufnr, mode, key)
  local before = {}
  for _, each in ipairs(replaced[owner][bufnr] or {}) do
    if each.mode == mode and each.key == key then
      before = each.before
    end
  end
  local keys, is_remapped = vim.keycode(key), false
  if not vim.tbl_isempty(before) then
    keys, is_remapped = keys_of(before), before.noremap == 0
  end
  -- In front of what the user has typed since.
  vim.api.nvim_feedkeys(keys, is_remapped and 'im' or 'in', false)
end

--- Map or restore the keys of an edit's preview. They replace those of a next edit.
---@param bufnr integer
---@param is_shown boolean
function M.update(bufnr, is_shown)
  if is_shown then
    require('redline.next_edit').hide(bufnr)
    M.install('preview', bufnr, preview_keys())
  else
    M.remove('preview', bufnr)
  end
end

return M
