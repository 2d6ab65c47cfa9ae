--- Plans: start one, list them, and run, apply, discard or take back the one in the buffer.

local client_of = require('redline.client')

local M = {}

local WARN = vim.log.levels.WARN

--- The commands of the server for the plan in the current buffer.
local verbs = {
  run = 'runPlan',
  apply = 'applyPlan',
  again = 'planAgain',
  discard = 'rejectPlan',
  back = 'takeBack',
}

---@type table<string, integer>: by the id of a plan, the client that has shown its document
local shown_by = {}

---@param path string
---@return string?: the id of the plan whose document this is
local function plan_of(path)
  return vim.fs.normalize(path):match('/plans/[^/]-(%x+)%.md$')
end

---@return string?: the id of the plan whose document is in the current buffer
local function plan_here()
  return plan_of(vim.api.nvim_buf_get_name(0))
end

--- Find the root for the document of a plan: that of the server which has the plan, since
--- only this one knows the buffers that the plan changes.
---@param bufnr integer
---@return string?: nil for any other buffer
function M.root_of(bufnr)
  local plan_id = plan_of(vim.api.nvim_buf_get_name(bufnr))
  if not plan_id then
    return nil
  end
  local clients = vim.lsp.get_clients({ name = 'redline' })
  local shower = vim.lsp.get_client_by_id(shown_by[plan_id] or -1)
  local client = shower or clients[1]
  return client and client.root_dir
end

---@param _ nil
---@param params lsp.ShowDocumentParams
---@param context lsp.HandlerContext
---@return lsp.ShowDocumentResult
function M.on_show_document(_, params, context)
  local plan_id = not params.external and plan_of(vim.uri_to_fname(params.uri))
  if plan_id then
    shown_by[plan_id] = context.client_id
  end
  return vim.lsp.handlers['window/showDocument'](nil, params, context)
end

---@param verb string: a key of `verbs`
---@param plan_id string
local function carry_out(verb, plan_id)
  local client = client_of.any()
  if not client then
    return
  end
  client_of.run(client, verbs[verb], { planId = plan_id }, function(result)
    if verb == 'back' or result.state == 'applied' then
      -- The server says so itself: two messages would make the user press Enter.
      return
    end
    local message = result.message and result.message ~= '' and ' ' .. result.message or ''
    client_of.say(('the plan is %s.%s'):format(result.state, message))
  end)
end

---@param range lsp.Range?: the lines that the plan is about
---@param instruction string
local function start(range, instruction)
  local client = client_of.needed(0)
  if not client or instruction == '' then
    return
  end
  local arguments = { uri = vim.uri_from_bufnr(0), instruction = instruction, range = range }
  client_of.run(client, 'plan', arguments, function()
    client_of.say('the change is being planned; its document opens then')
  end)
end

--- Plan a change; in the document of a plan: run, apply, again, discard or back.
---@param range lsp.Range?
---@param rest string: the words after `plan`
function M.start(range, rest)
  local plan_id = plan_here()
  if plan_id and verbs[rest] then
    vim.cmd('silent! update')
    carry_out(rest, plan_id)
  elseif rest == '' then
    vim.ui.input({ prompt = 'Plan a change: ' }, function(typed)
      start(range, typed or '')
    end)
  else
    start(range, rest)
  end
end

--- Look for the cause of a failure: of an output in some lines, or in the buffer.
---@param range lsp.Range?
function M.debug(range)
  local client = client_of.needed(0)
  if not client then
    return
  end
  client_of.run(client, 'debug', { uri = vim.uri_from_bufnr(0), range = range }, function()
    client_of.say('looking for the cause; a message says what it is')
  end)
end

--- Choose a plan and open its document.
function M.list()
  local client = client_of.any()
  if not client then
    return
  end
  client_of.run(client, 'plans', {}, function(result)
    local plans = vim.tbl_filter(function(plan)
      return #plan.steps > 0
    end, result.plans)
    if #plans == 0 then
      client_of.say('there is no plan yet', WARN)
      return
    end
    vim.ui.select(plans, {
      prompt = 'Plans',
      format_item = function(plan)
        return ('%s (%s)'):format(plan.summary ~= '' and plan.summary or plan.instruction, plan.state)
      end,
    }, function(plan)
      if plan then
        client_of.run(client, 'openPlan', { planId = plan.planId })
      end
    end)
  end)
end

return M
