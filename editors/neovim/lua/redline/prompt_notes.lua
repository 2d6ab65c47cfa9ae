--- What the prompt says below an instruction: what would be sent, and what it leaves open.

local M = {}

local namespace = vim.api.nvim_create_namespace('redline-prompt-notes')

--- Of a user who reads what was typed; an unfinished instruction is often vague.
local PAUSE_MS = 400

--- Of LSP: why something cannot be sent. An older server only says that it does not know.
local REQUEST_FAILED = -32803

---@class redline.About
---@field client? vim.lsp.Client
---@field arguments table: of `redline.nextPrompt`, without the instruction

---@param bufnr integer
---@return string
local function text_of(bufnr)
  return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\n')
end

---@param problem? lsp.ResponseError
---@param result? table
---@return string? sent
---@return string[] assumes
local function lines_of(problem, result)
  if problem then
    return problem.code == REQUEST_FAILED and problem.message or nil, {}
  end
  local assumes = vim.deepcopy(result and result.assumes or {})
  if assumes[1] then
    assumes[1] = 'Taken for granted: ' .. assumes[1]
  end
  return result and result.summary, assumes
end

--- Show notes below a prompt from now on.
---@param bufnr integer: of the prompt
---@param about? redline.About: absent: there is nothing to say
---@param on_changed fun(n_lines: integer): called after they changed
---@return fun(): nil on_typed: to be called when the text has changed
function M.show(bufnr, about, on_changed)
  local sent ---@type string?: as last known: it hardly changes while one types
  local assumes = {}

  local function draw()
    local notes = vim.list_extend({ sent }, assumes)
    local last = vim.api.nvim_buf_line_count(bufnr) - 1
    vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
    if #notes > 0 then
      vim.api.nvim_buf_set_extmark(bufnr, namespace, last, 0, {
        virt_lines = vim.tbl_map(function(note)
          return { { note, 'RedlineNote' } }
        end, notes),
      })
    end
    on_changed(#notes)
  end

  local function ask()
    local text = text_of(bufnr)
    local arguments = vim.tbl_extend('force', about.arguments, { instruction = text })
    local params = { command = 'redline.nextPrompt', arguments = { arguments } }
    about.client:request('workspace/executeCommand', params, function(problem, result)
      if vim.api.nvim_buf_is_valid(bufnr) and text_of(bufnr) == text then
        sent, assumes = lines_of(problem, result)
        draw()
      end
    end)
  end

  if not (about and about.client) then
    return function() end
  end
  ask()
  return function()
    local typed = text_of(bufnr)
    assumes = {}
    draw()
    vim.defer_fn(function()
      if vim.api.nvim_buf_is_valid(bufnr) and text_of(bufnr) == typed then
        ask()
      end
    end, PAUSE_MS)
  end
end

return M
