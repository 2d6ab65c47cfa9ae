--- Restarts a server that has died, a limited number of times.

local client_of = require('redline.client')

local M = {}

local WINDOW_MS = 60000
local SIGTERM = 15

---@type integer[]: times of the restarts, in the loop's milliseconds
local restarts = {}

---@return boolean: whether another restart is allowed; if so, it is counted
local function may_restart()
  local now = vim.uv.now()
  restarts = vim.tbl_filter(function(at)
    return now - at < WINDOW_MS
  end, restarts)
  if #restarts >= require('redline.options').get().restarts then
    return false
  end
  table.insert(restarts, now)
  return true
end

---@param config vim.lsp.ClientConfig
---@param buffers integer[]
local function start(config, buffers)
  for _, bufnr in ipairs(buffers) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      vim.lsp.start(config, { bufnr = bufnr, silent = true })
    end
  end
end

---@param client vim.lsp.Client
---@param buffers integer[]: that it was attached to
local function on_death(client, buffers)
  local n_dropped = require('redline.sessions').forget_client(client.id)
  local lost = n_dropped > 0 and ' Edits that were being written are gone; your text is as it was.' or ''
  if not may_restart() then
    client_of.say(
      'the server keeps dying and is not restarted again.'
        .. lost
        .. ' :Redline log shows the cause, :Redline restart tries again.',
      vim.log.levels.ERROR
    )
    return
  end
  -- Shown after the restart, because Neovim reports the end itself first.
  vim.api.nvim_create_autocmd('LspAttach', {
    once = true,
    callback = function()
      client_of.say('the server had died and was started again.' .. lost, vim.log.levels.WARN)
    end,
  })
  start(client.config, buffers)
end

--- Called when a server has ended for any reason; not yet in the main loop.
---@param code integer
---@param signal integer
---@param client_id integer
function M.on_exit(code, signal, client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  if not client then
    return
  end
  local buffers = vim.tbl_keys(client.attached_buffers)
  local has_died = code ~= 0 or (signal ~= 0 and signal ~= SIGTERM)
  -- Neovim detaches the buffers in its next turn, before this, and reports the end in the
  -- turn after. That message may wait for a key; the restart must not.
  vim.schedule(function()
    require('redline.status').on_gone(client_id)
    if has_died and vim.v.exiting == vim.NIL then
      on_death(client, buffers)
    else
      require('redline.sessions').forget_client(client_id)
    end
  end)
end

--- Restart the server, whatever happened before.
function M.restart()
  restarts = {}
  local clients = vim.lsp.get_clients({ name = 'redline' })
  vim.lsp.enable('redline', false)
  for _, client in ipairs(clients) do
    client:stop(true)
  end
  vim.lsp.enable('redline')
end

return M
