--- The instructions that the user has given, the newest first.
---
--- Neovim saves this global variable in the |shada| file, if there is one.

local M = {}

local LIMIT = 50

---@return string[]
function M.all()
  local saved = vim.g.REDLINE_HISTORY
  return type(saved) == 'table' and saved or {}
end

--- Put an instruction first; an equal earlier one goes.
---@param instruction string
function M.add(instruction)
  local entries = { instruction }
  for _, each in ipairs(M.all()) do
    if each ~= instruction and #entries < LIMIT then
      table.insert(entries, each)
    end
  end
  vim.g.REDLINE_HISTORY = entries
end

return M
