--- `:checkhealth redline`.

local M = {}

local TIMEOUT_MS = 3000

local function check_neovim()
  if vim.fn.has('nvim-0.11') == 1 then
    vim.health.ok('Neovim ' .. tostring(vim.version()))
  else
    vim.health.error('Neovim 0.11 or newer is needed')
  end
  if not vim.lsp.inline_completion then
    vim.health.info('inline completions need Neovim 0.12')
  end
end

local function check_options()
  local problems = require('redline.options').problems()
  for _, problem in ipairs(problems) do
    vim.health.warn(problem)
  end
  if #problems == 0 then
    vim.health.ok('vim.g.redline is valid')
  end
end

local function check_program()
  local config = vim.lsp.config.redline
  local cmd = config and config.cmd
  if type(cmd) ~= 'table' then
    vim.health.info('the server is started by your own function')
    return
  end
  if vim.fn.executable(cmd[1]) == 0 then
    vim.health.error(("the program '%s' is not there"):format(cmd[1]), {
      "`pipx install .` in the folder of Redline's source",
      "vim.lsp.config('redline', { cmd = { '/path/to/redline', 'serve' } })",
    })
    return
  end
  vim.health.ok(vim.fn.exepath(cmd[1]))
end

---@param client vim.lsp.Client
local function check_client(client)
  local n_buffers = vim.tbl_count(client.attached_buffers)
  local version = client.server_info and client.server_info.version or '?'
  vim.health.ok(
    ('server %s, %d %s, %s, root %s'):format(
      version,
      n_buffers,
      n_buffers == 1 and 'buffer' or 'buffers',
      client.offset_encoding,
      client.root_dir or 'none'
    )
  )
  local params = { command = 'redline.status', arguments = { vim.empty_dict() } }
  local answer, problem = client:request_sync('workspace/executeCommand', params, TIMEOUT_MS)
  if not answer or answer.err then
    local why = problem or (answer and answer.err and answer.err.message) or 'no answer'
    vim.health.error('it does not report its status: ' .. why)
    return
  end
  local status = answer.result
  for _, tier in ipairs(status.tiers) do
    local note = tier.note ~= vim.NIL and (': ' .. tier.note) or ''
    vim.health.info(('%s tier: %s%s'):format(tier.tier, tier.model, note))
    if tier.tier == 'deep' and not tier.isModel then
      vim.health.info('without a deep model the built-in rules review')
    end
  end
  local report = status.connection == 'down' and vim.health.error or vim.health.ok
  report(('the model connection is %s %s'):format(status.connection, status.detail))
  for _, review in ipairs(require('redline.reviews').running(client.id)) do
    local about = review.scope ~= '' and (' of ' .. review.scope) or ''
    vim.health.info(
      ('a review%s runs: %d %%, %s'):format(about, review.percentage, review.step)
    )
  end
  for _, each in ipairs(status.problems) do
    vim.health.warn(each)
  end
end

--- Report what is installed and what is wrong.
function M.check()
  vim.health.start('Redline')
  check_neovim()
  check_options()
  check_program()
  local clients = vim.lsp.get_clients({ name = 'redline' })
  if #clients == 0 then
    vim.health.info('no server is running: open a file with a filetype')
  end
  for _, client in ipairs(clients) do
    check_client(client)
  end
  vim.health.info('`redline doctor` in a terminal checks keys, models and settings')
end

return M
