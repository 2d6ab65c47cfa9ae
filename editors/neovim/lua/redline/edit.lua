--- Edits: request, redirect, stop, accept and reject.

local added = require('redline.added')
local client_of = require('redline.client')
local options = require('redline.options')
local prompt = require('redline.prompt')
local ranges = require('redline.ranges')
local sessions = require('redline.sessions')

local M = {}

local WARN = vim.log.levels.WARN

---@param checks {message: string}[]
---@return string[]
local function problems_in(checks)
  return vim.tbl_map(function(check)
    return check.message
  end, checks)
end

--- Show the outcome of an edit, unless the buffer shows it.
---@param outcome table: an `EditOutcome`
function M.show_outcome(outcome)
  local session = sessions.get(outcome.sessionId)
  if session then
    session.is_asked = false
  end
  if outcome.outcome == 'offered' then
    sessions.set_state(outcome.sessionId, 'offered')
    sessions.announce(outcome.sessionId)
    -- Such as a range that the model left out.
    if outcome.message then
      client_of.say(outcome.message)
    end
  elseif outcome.outcome == 'held' then
    sessions.set_state(outcome.sessionId, 'held', problems_in(outcome.checks))
    sessions.announce(outcome.sessionId)
  else
    sessions.close(outcome.sessionId)
    if outcome.message and outcome.outcome ~= 'superseded' then
      client_of.say(outcome.message)
    end
  end
end

---@param client vim.lsp.Client
---@param command 'edit'|'variations'
---@param arguments table: the command's, without those of the session
---@param bufnr integer
---@param on_end? fun(is_done: boolean): called when the server has answered or refused
local function run(client, command, arguments, bufnr, on_end)
  local several = vim.tbl_map(function(each)
    return each.range
  end, arguments.ranges or { arguments })
  local id = sessions.new_id()
  local session = sessions.open(id, client.id, bufnr, ranges.around(several))
  session.is_asked = true
  session.asked_at = vim.api.nvim_win_get_cursor(0)
  local own = { sessionId = id, apply = options.get().apply }
  local function over(is_done)
    if on_end then
      on_end(is_done)
    end
  end
  client_of.run(client, command, vim.tbl_extend('force', arguments, own), function(outcome)
    over(true)
    M.show_outcome(outcome)
  end, function()
    over(false)
    sessions.close(id)
  end)
end

--- Return what names the lines of an edit for the server: a range, and what was added.
---@param range lsp.Range?: absent: what was added
---@param bufnr integer
---@return table
local function place_of(range, bufnr)
  local place = { uri = vim.uri_from_bufnr(bufnr) }
  local all = added.of_buffer(bufnr)
  if #all > 0 then
    table.insert(all, range)
    place.ranges = vim.tbl_map(function(each)
      return { range = each }
    end, all)
  else
    place.range = range
  end
  return place
end

---@class redline.Given: what is known of an edit before the user is asked
---@field instruction? string: absent: the user is asked
---@field command? 'edit'|'variations'
---@field images? string[]: URIs of images that the instruction is about

---@param command 'edit'|'variations'
---@param range lsp.Range?: absent: what was added
---@param instruction string
---@param bufnr integer
---@param images? string[]: URIs
local function ask_server(command, range, instruction, bufnr, images)
  local client = client_of.needed(bufnr)
  if not client then
    return
  end
  local arguments = place_of(range, bufnr)
  arguments.instruction = instruction
  arguments.attachments = images
  local on_end = arguments.ranges and added.take(bufnr)
  run(client, command, arguments, bufnr, on_end)
end

--- Ask for an instruction on a range and on what was added, and carry it out.
---@param question string
---@param range lsp.Range?: absent: what was added
---@param given redline.Given
---@param on_close? fun(): called when the prompt closes
local function ask_user(question, range, given, on_close)
  local bufnr = vim.api.nvim_get_current_buf()
  local arguments = place_of(range, bufnr)
  arguments.images = #(given.images or {})
  prompt.ask(question, given.instruction, function(text)
    ask_server(given.command or 'edit', range, text, bufnr, given.images)
  end, on_close, { client = client_of.of_buffer(bufnr), arguments = arguments })
end

--- Carry out an instruction on all lines that were added in the buffer.
---@param instruction? string: absent: the user is asked
---@param command? 'edit'|'variations'
---@param images? string[]: URIs of images that the instruction is about
local function start_added(instruction, command, images)
  local bufnr = vim.api.nvim_get_current_buf()
  local question = ('Edit %d ranges'):format(#added.of_buffer(bufnr))
  ask_user(question, nil, { instruction = instruction, command = command, images = images })
end

--- Carry out all `redline:` comments of the buffer as one edit.
function M.do_comments()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = client_of.needed(bufnr)
  if not client then
    return
  end
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(bufnr),
    range = ranges.of_place(1),
    context = { diagnostics = {}, only = { 'source.redline.comments' } },
  }
  client:request('textDocument/codeAction', params, function(problem, actions)
    local action = actions and actions[1]
    if problem then
      client_of.say_error(problem)
    elseif not action then
      client_of.say('no comment of this file begins with `redline:`', WARN)
    else
      run(client, 'edit', action.command.arguments[1], bufnr)
    end
  end)
end

--- Carry out an instruction on what is at the cursor: the definition around it, its line,
--- or new lines on a blank one.
---@param instruction? string: absent: the user is asked, and sees what is edited
---@param command? 'edit'|'variations'
---@param images? string[]: URIs of images that the instruction is about
function M.start_here(instruction, command, images)
  local bufnr = vim.api.nvim_get_current_buf()
  if #added.of_buffer(bufnr) > 0 then
    start_added(instruction, command, images)
    return
  end
  local client = client_of.needed(bufnr)
  if not client then
    return
  end
  local window = vim.api.nvim_get_current_win()
  local params = vim.lsp.util.make_position_params(window, client.offset_encoding)
  client_of.run(client, 'editTarget', {
    uri = params.textDocument.uri,
    position = params.position,
  }, function(target)
    if vim.api.nvim_get_current_buf() == bufnr then
      local name = target.name ~= vim.NIL and target.name or nil
      M.start(target.range, instruction, command, name, images)
    end
  end)
end

--- Carry out an instruction on some lines.
---@param range lsp.Range
---@param instruction? string: absent: the user is asked
---@param command? 'edit'|'variations'
---@param name? string: of the definition that the lines are
---@param images? string[]: URIs of images that the instruction is about
function M.start(range, instruction, command, name, images)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = client_of.needed(bufnr)
  if not client then
    return
  end
  client:notify('redline/edit/prepare', { uri = vim.uri_from_bufnr(bufnr), range = range })
  local question = name and 'Edit ' .. name or 'Edit'
  local unmark = name and require('redline.preview').mark_lines(bufnr, range)
  local given = { instruction = instruction, command = command, images = images }
  ask_user(question, range, given, unmark)
end

--- Find the session at the cursor; if there is none, say so.
---@return redline.Session?
---@return vim.lsp.Client?
local function here()
  local bufnr = vim.api.nvim_get_current_buf()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local session = sessions.at(bufnr, row)
  if session then
    return session, vim.lsp.get_client_by_id(session.client_id)
  end
  local n_edits = #sessions.of_buffer(bufnr)
  if n_edits > 0 then
    client_of.say(('%d edits are open here: put the cursor on one'):format(n_edits), WARN)
  else
    client_of.say('no edit is open in this buffer', WARN)
  end
end

---@param client vim.lsp.Client
---@param where table: arguments that identify the session
---@param instruction? string
local function redirect(client, where, instruction)
  prompt.ask('Instead', instruction, function(text)
    local arguments = vim.tbl_extend('force', where, { instruction = text })
    client_of.run(client, 'redirect', arguments, function(result)
      if not result.accepted then
        client_of.say('the edit was over already', WARN)
      end
    end)
  end)
end

--- Give the edit at the cursor another instruction.
---@param instruction? string: absent: the user is asked
function M.redirect(instruction)
  local session, client = here()
  if session and client then
    redirect(client, { sessionId = session.id }, instruction)
  end
end

--- Carry out an edit of the menu, which is shown like any other.
---@param command lsp.Command
---@param context lsp.HandlerContext
function M.on_edit_action(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if client then
    run(client, 'edit', command.arguments[1], context.bufnr)
  end
end

--- Run the menu's "Redirect", for which the client asks the instruction.
---@param command lsp.Command
---@param context lsp.HandlerContext
function M.on_redirect_action(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local arguments = command.arguments and command.arguments[1]
  if client and arguments then
    redirect(client, arguments, arguments.instruction)
  end
end

---@param session redline.Session
---@return integer? id
local function hunk_at_cursor(session)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local nearest, distance
  for _, place in ipairs(sessions.places(session)) do
    local last = place.row + math.max(1, place.n_rows) - 1
    local away = row < place.row and place.row - row or math.max(0, row - last)
    if not distance or away < distance then
      nearest, distance = place.id, away
    end
  end
  return nearest
end

---@param command 'accept'|'reject'
---@param hunk_only boolean
local function decide(command, hunk_only)
  local session, client = here()
  if not session or not client then
    return
  end
  local arguments = { sessionId = session.id }
  if hunk_only then
    local id = hunk_at_cursor(session)
    if not id then
      client_of.say('nothing is shown yet', WARN)
      return
    end
    arguments.hunks = { id }
  end
  if command == 'accept' then
    sessions.expect_landing(session, arguments.hunks or 'all')
  end
  client_of.run(client, command, arguments, nil, function()
    -- It did not land: show the server's offer again.
    client_of.run(client, 'editState', { sessionId = session.id }, function(state)
      sessions.draw(session, state)
    end)
  end)
end

--- Accept the edit at the cursor.
---@param hunk_only? boolean: only the change nearest to the cursor
function M.accept(hunk_only)
  decide('accept', hunk_only or false)
end

--- Reject the edit at the cursor, offered or still being written.
---@param hunk_only? boolean: only the change nearest to the cursor
function M.reject(hunk_only)
  decide('reject', hunk_only or false)
end

--- Stop the edits that are being written in this buffer; if there are none, reject the
--- offer at the cursor.
function M.stop()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = client_of.needed(bufnr)
  if not client then
    return
  end
  local of_buffer = sessions.of_buffer(bufnr)
  local written = vim.tbl_filter(sessions.is_written, of_buffer)
  for _, session in ipairs(written) do
    client_of.run(client, 'stop', { sessionId = session.id })
  end
  if #of_buffer == 0 then
    client_of.say('no edit is running')
  elseif #written == 0 then
    M.reject()
  end
end

--- Stop all edits of this buffer's server, and drop its offers.
function M.stop_all()
  local client = client_of.needed(vim.api.nvim_get_current_buf())
  if client then
    client_of.run(client, 'stop', {}, function(result)
      if #result.stopped == 0 then
        client_of.say('no edit is running')
      end
    end)
  end
end

--- Go to another change of this buffer; after the last comes the first.
---@param step 1|-1
function M.go(step)
  local rows = {}
  for _, session in ipairs(sessions.of_buffer(vim.api.nvim_get_current_buf())) do
    for _, place in ipairs(sessions.places(session)) do
      table.insert(rows, place.row)
    end
  end
  if #rows == 0 then
    client_of.say('no change is shown in this buffer', WARN)
    return
  end
  table.sort(rows, function(one, other)
    return (other - one) * step > 0
  end)
  local from = vim.api.nvim_win_get_cursor(0)[1] - 1
  local target = rows[1]
  for _, row in ipairs(rows) do
    if (row - from) * step > 0 then
      target = row
      break
    end
  end
  vim.cmd("normal! m'")
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.min(target + 1, last), 0 })
end

--- Show the next candidate of the edit at the cursor.
function M.next_candidate()
  local session, client = here()
  if not session or not client then
    return
  end
  client_of.run(client, 'nextCandidate', { sessionId = session.id }, function(state)
    sessions.draw(session, state)
    for index, candidate in ipairs(state.candidates) do
      if candidate.shown then
        client_of.say(('candidate %d of %d'):format(index, #state.candidates))
        sessions.set_state(session.id, state.state, problems_in(candidate.problems))
      end
    end
  end)
end

--- Offer the last rejected or dropped offer of this buffer again.
function M.bring_back()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = client_of.needed(bufnr)
  if client then
    client_of.run(client, 'bringBack', { uri = vim.uri_from_bufnr(bufnr) }, M.show_outcome)
  end
end

--- Offer again what was stored.
---@param client vim.lsp.Client
---@param bufnr integer
---@param offer table: a `StoredOffer` of the protocol
---@param on_end fun(is_offered: boolean)
function M.offer_again(client, bufnr, offer, on_end)
  local arguments = { uri = vim.uri_from_bufnr(bufnr), offer = offer }
  client_of.run(client, 'bringBack', arguments, function(outcome)
    M.show_outcome(outcome)
    on_end(outcome.outcome == 'offered' or outcome.outcome == 'held')
  end, function()
    on_end(false)
  end)
end

--- Restore the text from before the last edit of this buffer.
function M.take_back()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = client_of.needed(bufnr)
  local id = sessions.last_of(bufnr)
  if not client then
    return
  end
  if id then
    client_of.run(client, 'takeBack', { sessionId = id })
  else
    client_of.say('nothing was edited in this buffer', WARN)
  end
end

return M
