--- How an edit of the server enters a buffer: as one undo step of its own.

local M = {}

---@type table<integer, {label?: string, tick: integer}>: by buffer, the last edit
local last = {}

--- End the undo step that is open in a buffer.
---@param bufnr integer
local function close_undo_step(bufnr)
  vim.api.nvim_buf_call(bufnr, function()
    -- Setting the option ends the step, also in the middle of an insertion (|undo-break|).
    vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
  end)
end

---@class redline.Target
---@field bufnr integer
---@field version? integer: the version that the edit was made for

---@param edit lsp.WorkspaceEdit
---@return redline.Target[]: the loaded buffers that it changes
local function targets_of(edit)
  local targets = {}
  local function add(uri, version)
    local bufnr = vim.uri_to_bufnr(uri)
    if vim.api.nvim_buf_is_loaded(bufnr) then
      table.insert(targets, { bufnr = bufnr, version = version })
    end
  end
  for uri in pairs(edit.changes or {}) do
    add(uri)
  end
  for _, change in ipairs(edit.documentChanges or {}) do
    if change.textDocument then
      local version = change.textDocument.version
      add(change.textDocument.uri, version ~= vim.NIL and version or nil)
    end
  end
  return targets
end

---@param target redline.Target
---@return boolean
local function is_outdated(target)
  local now = vim.lsp.util.buf_versions[target.bufnr]
  return target.version ~= nil and now ~= target.version
end

--- Whether an edit continues the one before, as the steps of a growing edit do.
---@param bufnr integer
---@param label? string
---@return boolean
local function goes_on(bufnr, label)
  local before = last[bufnr]
  return before ~= nil
    and require('redline.options').get().apply == 'stream'
    and before.label == label
    and before.tick == vim.api.nvim_buf_get_changedtick(bufnr)
end

---@param bufnr integer
---@param label? string
local function after(bufnr, label)
  close_undo_step(bufnr)
  require('redline.sessions').on_landed(bufnr)
  last[bufnr] = { label = label, tick = vim.api.nvim_buf_get_changedtick(bufnr) }
end

---@param _ nil
---@param params lsp.ApplyWorkspaceEditParams
---@param context lsp.HandlerContext
---@return lsp.ApplyWorkspaceEditResult
function M.on_apply_edit(_, params, context)
  local targets = targets_of(params.edit)
  if vim.iter(targets):any(is_outdated) then
    return { applied = false, failureReason = 'the text has changed since' }
  end
  for _, target in ipairs(targets) do
    if goes_on(target.bufnr, params.label) then
      vim.api.nvim_buf_call(target.bufnr, function()
        pcall(vim.cmd.undojoin)
      end)
    else
      close_undo_step(target.bufnr)
    end
  end
  -- Without its label, which Neovim would print over other messages.
  local result = vim.lsp.handlers['workspace/applyEdit'](nil, { edit = params.edit }, context)
  for _, target in ipairs(targets) do
    after(target.bufnr, params.label)
  end
  return result
end

return M
