--- Keys that are mapped only while an edit is shown in a buffer. Their earlier mappings are
--- restored afterwards.

local M = {}

---@type table<integer, table<string, table>>: by buffer and key, the map before
local replaced = {}

---@param bufnr integer
local function install(bufnr)
  replaced[bufnr] = {}
  for name, key in pairs(require('redline.options').preview_keys()) do
    vim.api.nvim_buf_call(bufnr, function()
      local before = vim.fn.maparg(key, 'n', false, true)
      replaced[bufnr][key] = before.buffer == 1 and before or {}
    end)
    vim.keymap.set('n', key, ('<Plug>(redline-%s)'):format(name), {
      buffer = bufnr,
      desc = 'Redline: ' .. name,
    })
  end
end

---@param bufnr integer
local function put_back(bufnr)
  for key, before in pairs(replaced[bufnr]) do
    pcall(vim.keymap.del, 'n', key, { buffer = bufnr })
    if next(before) then
      vim.api.nvim_buf_call(bufnr, function()
        vim.fn.mapset('n', false, before)
      end)
    end
  end
  replaced[bufnr] = nil
end

--- Map or restore the keys of a buffer.
---@param bufnr integer
---@param is_shown boolean
function M.update(bufnr, is_shown)
  if is_shown and not replaced[bufnr] then
    install(bufnr)
  elseif not is_shown and replaced[bufnr] and vim.api.nvim_buf_is_loaded(bufnr) then
    put_back(bufnr)
  elseif not is_shown then
    replaced[bufnr] = nil
  end
end

return M
