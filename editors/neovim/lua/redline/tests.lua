--- The user's tests: run those here, and list what failed in the quickfix list.

local client_of = require('redline.client')

local M = {}

local WARN = vim.log.levels.WARN
local TITLE = 'Redline: failed tests'

local verbs = {}

--- Run the tests of the buffer.
verbs['file'] = function(client)
  client_of.run(client, 'runTests', { uri = vim.uri_from_bufnr(0) })
end

--- Cancel what runs.
verbs['cancel'] = function(client)
  client_of.run(client, 'cancelTests', {}, function(result)
    if not result.cancelled then
      client_of.say('no test is running', WARN)
    end
  end)
end

--- Show what the last run has printed.
verbs['output'] = function(client)
  client_of.run(client, 'testRuns', {}, function(list)
    local run = list.runs[#list.runs]
    if not run then
      client_of.say('no test was run yet', WARN)
      return
    end
    client_of.run(client, 'testOutput', { runId = run.runId }, function(result)
      vim.cmd('botright new')
      local buffer = vim.api.nvim_get_current_buf()
      vim.bo[buffer].buftype = 'nofile'
      vim.bo[buffer].bufhidden = 'wipe'
      vim.api.nvim_buf_set_lines(buffer, 0, -1, true, vim.split(result.output, '\r?\n'))
      vim.bo[buffer].modifiable = false
    end)
  end)
end

--- Run the test at the cursor, or what a word says.
---@param rest string: '', 'file', 'output' or 'cancel'
function M.run(rest)
  local verb = verbs[rest]
  if rest ~= '' and not verb then
    client_of.say((':Redline run takes file, output or cancel, not %s'):format(rest), WARN)
    return
  end
  local client = (rest == '' or rest == 'file') and client_of.needed(0) or client_of.any()
  if not client then
    return
  end
  if verb then
    verb(client)
    return
  end
  local place = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local arguments = { uri = place.textDocument.uri, position = place.position }
  client_of.run(client, 'runTests', arguments)
end

---@param client vim.lsp.Client
---@param failures table[]: of a run
---@return table[]: entries of the quickfix list
local function entries(client, failures)
  local places = {}
  for _, failure in ipairs(failures) do
    local place = { uri = failure.uri, range = failure.range }
    local found = failure.uri ~= ''
      and vim.lsp.util.locations_to_items({ place }, client.offset_encoding)[1]
    if found then
      found.text, found.type = vim.split(failure.message, '\n')[1], 'E'
      places[#places + 1] = found
    end
  end
  return places
end

--- Say how a run ended, and list its failures.
---@param run table: `TestRunStatus`
---@param context lsp.HandlerContext
function M.on_tests(_, run, context)
  if run.state == 'waiting' or run.state == 'running' then
    return
  end
  local client = vim.lsp.get_client_by_id(context.client_id)
  local is_good = run.state == 'passed' or run.state == 'cancelled'
  local items = client and not is_good and entries(client, run.failures) or {}
  local is_ours = vim.fn.getqflist({ title = 0 }).title == TITLE
  if #items > 0 then
    vim.fn.setqflist({}, is_ours and 'r' or ' ', { title = TITLE, items = items })
  elseif is_ours and run.state == 'passed' then
    vim.fn.setqflist({}, 'r', { title = TITLE, items = {} })
  end
  local where = #items > 0 and ' See :copen.' or ''
  client_of.say(run.message .. where, is_good and vim.log.levels.INFO or WARN)
end

return M
