--- The server of a buffer, and how commands are sent to it.

local M = {}

local REQUEST_CANCELLED, CONTENT_MODIFIED = -32800, -32801

--- Show a message to the user.
---@param message string
---@param level? integer: of `vim.log.levels`
function M.say(message, level)
  vim.notify('redline: ' .. message, level or vim.log.levels.INFO)
end

--- Say why there is no server.
local function say_why()
  local config = vim.lsp.config.redline
  local program = config and type(config.cmd) == 'table' and config.cmd[1]
  if program and vim.fn.executable(program) == 0 then
    M.say(
      ("the program '%s' is not there. Install Redline (see :help redline-install), or name "):format(
        program
      )
        .. "it: vim.lsp.config('redline', { cmd = { '/path/to/redline', 'serve' } })",
      vim.log.levels.ERROR
    )
  elseif vim.lsp.is_enabled and not vim.lsp.is_enabled('redline') then
    M.say("it is not enabled: vim.lsp.enable('redline')", vim.log.levels.ERROR)
  else
    M.say(
      'no server is attached to this buffer. Give the buffer a filetype, or see :checkhealth redline',
      vim.log.levels.ERROR
    )
  end
end

--- Find the server of a buffer.
---@param bufnr integer
---@return vim.lsp.Client?
function M.of_buffer(bufnr)
  for _, client in ipairs(vim.lsp.get_clients({ name = 'redline', bufnr = bufnr })) do
    if not client:is_stopped() then
      return client
    end
  end
end

--- Find the server of a buffer; if there is none, say why.
---@param bufnr integer
---@return vim.lsp.Client?
function M.needed(bufnr)
  local client = M.of_buffer(bufnr)
  if not client and vim.bo[bufnr].filetype ~= '' then
    require('redline.start').wait(function()
      client = M.of_buffer(bufnr)
      return client ~= nil
    end)
  end
  if not client then
    say_why()
  end
  return client
end

--- Find the server of the current buffer; for a buffer without one, such as the quickfix list, any.
---@return vim.lsp.Client?
function M.any()
  local client = M.of_buffer(vim.api.nvim_get_current_buf())
  if client then
    return client
  end
  for _, each in ipairs(vim.lsp.get_clients({ name = 'redline' })) do
    if not each:is_stopped() then
      return each
    end
  end
  say_why()
end

--- Show a failure; the server's message is meant for the user.
---@param problem lsp.ResponseError
function M.say_error(problem)
  if problem.code == CONTENT_MODIFIED then
    M.say(problem.message, vim.log.levels.WARN)
  elseif problem.code ~= REQUEST_CANCELLED then
    M.say(problem.message, vim.log.levels.ERROR)
  end
end

--- Run a command of the server.
---@param client vim.lsp.Client
---@param command string: its name without `redline.`
---@param arguments table: the one object that it takes
---@param on_result? fun(result: any)
---@param on_error? fun(problem: lsp.ResponseError): called after it was shown
function M.run(client, command, arguments, on_result, on_error)
  local params = {
    command = 'redline.' .. command,
    arguments = { next(arguments) and arguments or vim.empty_dict() },
  }
  -- Without a buffer number, Neovim first sends the pending changes of all buffers.
  client:request('workspace/executeCommand', params, function(problem, result)
    if problem then
      M.say_error(problem)
      if on_error then
        on_error(problem)
      end
    elseif on_result then
      on_result(result)
    end
  end)
end

return M
