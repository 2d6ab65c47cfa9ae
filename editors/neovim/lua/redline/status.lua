--- The last status of each server, and its text for a status line.

local client_of = require('redline.client')

local M = {}

--- Why no completion is requested at the moment.
local PAUSES = {
  minute = 'complete.per_minute is reached',
  day = 'complete.usd_per_day is reached',
  failures = 'the model has failed',
}

---@type table<integer, table>: `Status` by client
local statuses = {}

---@param _ nil
---@param status table: a `Status`
---@param context lsp.HandlerContext
function M.on_status(_, status, context)
  statuses[context.client_id] = status
  require('redline.sessions').on_states(status.sessions)
  vim.api.nvim_exec_autocmds('User', { pattern = 'RedlineStatus', modeline = false })
  vim.cmd.redrawstatus()
end

--- Forget a server that has ended.
---@param client_id integer
function M.on_gone(client_id)
  statuses[client_id] = nil
  require('redline.reviews').forget_client(client_id)
  vim.cmd.redrawstatus()
end

--- Return the last status of a buffer's server.
---@param bufnr? integer
---@return table?
function M.of_buffer(bufnr)
  local client = client_of.of_buffer(bufnr or vim.api.nvim_get_current_buf())
  return client and statuses[client.id]
end

---@param value any
---@return any: nil for JSON's null
local function known(value)
  if value == vim.NIL then
    return nil
  end
  return value
end

---@param status table
---@return string?
local function activity(status)
  local n_waiting, n_running = 0, 0
  for _, session in ipairs(status.sessions) do
    if session.state == 'offered' or session.state == 'held' then
      n_waiting = n_waiting + 1
    else
      n_running = n_running + 1
    end
  end
  if n_running > 0 then
    return 'writing'
  end
  return n_waiting > 0 and ('%d offered'):format(n_waiting) or nil
end

---@param status table
---@return string?
local function speed(status)
  local first, rate = known(status.firstDeltaS), known(status.tokensPerS)
  if not first then
    return nil
  end
  return ('%.2fs%s'):format(first, rate and (' %.0f/s'):format(rate) or '')
end

---@param status table
---@return string: the model that is writing, or wrote last
local function model(status)
  local fast = status.tiers[1]
  if not fast.isModel then
    return 'no model'
  end
  for _, session in ipairs(status.sessions) do
    if session.state == 'generating' and known(session.model) then
      return session.model
    end
  end
  return known(status.lastModel) or fast.model
end

---@param client vim.lsp.Client
---@return string?: the progress of the running reviews
local function review(client)
  local running = require('redline.reviews').running(client.id)
  if #running == 0 then
    return nil
  end
  local least = 100
  for _, each in ipairs(running) do
    least = math.min(least, each.percentage)
  end
  local n_reviews = #running > 1 and (' %d'):format(#running) or ''
  return ('reviewing%s %d%%'):format(n_reviews, least)
end

--- Return a component for a status line, such as `redline spark 0.21s 950/s $0.03`.
---
--- Empty if no server is attached.
---@return string
function M.line()
  local client = client_of.of_buffer(vim.api.nvim_get_current_buf())
  if not client then
    return ''
  end
  local status = statuses[client.id]
  if not status then
    return 'redline'
  end
  if status.connection == 'down' then
    return 'redline down'
  end
  local cost = known(status.costToday)
  local words = { 'redline ' .. model(status) }
  table.insert(words, activity(status) or (status.tiers[1].isModel and speed(status) or nil))
  table.insert(words, review(client))
  if cost and cost > 0 then
    table.insert(words, ('$%.2f'):format(cost))
  end
  -- "%" is special in a status line.
  return (table.concat(words, ' '):gsub('%%', '%%%%'))
end

--- Describe the tiers; tiers with equal descriptions share a line.
---@param status table
---@return string[]: items of a list in Markdown
function M.tiers(status)
  local said, names = {}, {}
  for _, tier in ipairs(status.tiers) do
    local text = tier.model .. (known(tier.note) and (' (%s)'):format(tier.note) or '')
    if not names[text] then
      table.insert(said, text)
      names[text] = {}
    end
    table.insert(names[text], tier.tier)
  end
  return vim.tbl_map(function(text)
    return ('- %s: %s'):format(table.concat(names[text], ', '), text)
  end, said)
end

--- Describe the status in full.
---@param status table
---@return string[]: lines of Markdown
function M.describe(status)
  local lines = { '# Redline', '', ('Connection: %s %s'):format(status.connection, status.detail) }
  vim.list_extend(lines, M.tiers(status))
  local first, rate = known(status.firstDeltaS), known(status.tokensPerS)
  if first then
    local speed_text = rate and (', %.0f tokens a second'):format(rate) or ''
    table.insert(lines, ('Last edit: first text after %.2f s%s'):format(first, speed_text))
  end
  if known(status.contextBand) then
    table.insert(lines, ("Last prompt: %s %% of the model's window"):format(status.contextBand))
  end
  if known(status.costToday) then
    table.insert(lines, ('Cost today: $%.4f'):format(status.costToday))
  end
  local completions = status.completions
  if completions and completions.shown > 0 then
    table.insert(
      lines,
      ('Completions: %d accepted of %d shown (%d at once), %d requests, $%.4f'):format(
        completions.accepted,
        completions.shown,
        completions.atOnce,
        completions.requests,
        completions.cost
      )
    )
  end
  if completions and PAUSES[completions.pause] then
    table.insert(lines, 'No completions are requested now: ' .. PAUSES[completions.pause])
  end
  local edits = status.nextEdits
  if edits and edits.shown + edits.requests > 0 then
    table.insert(
      lines,
      ('Next edits: %d accepted of %d shown, %d requests, $%.4f'):format(
        edits.accepted,
        edits.shown,
        edits.requests,
        edits.cost
      )
    )
  end
  if edits and PAUSES[edits.pause] then
    table.insert(lines, 'No next edits are requested now: ' .. PAUSES[edits.pause])
  end
  for _, problem in ipairs(status.problems) do
    table.insert(lines, 'Problem: ' .. problem)
  end
  return lines
end

return M
