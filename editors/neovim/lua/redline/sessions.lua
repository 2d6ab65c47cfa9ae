--- The edits that are not over: what the server has reported of each, and what is painted.

local client_of = require('redline.client')
local preview = require('redline.preview')
local hunks_of = require('redline.hunks')
local offers = require('redline.offers')

local M = {}

---@class redline.Session
---@field id string
---@field client_id integer
---@field bufnr integer
---@field state string: `asked`, then as in the protocol's `RunningSession`
---@field tier? string
---@field is_asked boolean: whether a request of this client waits for its outcome
---@field problems string[]: why it is held
---@field assumes string[]: what its instruction leaves open and is taken for granted
---@field landing? integer[]|'all': the accepted hunks that have not landed yet
---@field has_landed boolean: whether all of it is in the buffer; the server reports the end
---   a moment later
---@field hunks table<integer, redline.Hunk>
---@field painted table<integer, redline.Painted>
---@field note? integer: the mark of its note
---@field asked_at? integer[]: the cursor when the user asked for it, until its first
---   change is shown
---@field row integer: the first line of its region, when the session was opened
---@field n_rows integer

---@type table<string, redline.Session>
local sessions = {}

local last_number = 0

---@type table<integer, string>: by buffer, the last session that may be taken back
local last_session = {}

--- Return a name for a new session.
---@return string
function M.new_id()
  last_number = last_number + 1
  return ('nvim-%d-%d'):format(vim.uv.os_getpid(), last_number)
end

---@param bufnr integer: the buffer that has changed
local function tell_others(bufnr)
  require('redline.keys').update(bufnr, #M.of_buffer(bufnr) > 0)
  vim.api.nvim_exec_autocmds('User', { pattern = 'RedlineEdits', modeline = false })
end

--- Name the way to run a command: the key that the user has set for it, or `:Redline`.
---@param name string
---@return string
local function way(name)
  local key = require('redline.options').preview_keys()[name]
  return key and ('%s to %s'):format(key, name) or ':Redline ' .. name
end

---@return string
local function choices()
  local keys = require('redline.options').preview_keys()
  if not (keys.accept or keys.reject or keys.stop) then
    return ':Redline accept or reject'
  end
  -- What stops an edit rejects it once it is written.
  local rejecting = keys.stop and keys.stop .. ' to reject' or way('reject')
  return ('%s, %s'):format(way('accept'), rejecting)
end

---@param session redline.Session
---@return string text
---@return string group: its highlight
local function note_of(session)
  local n_hunks = vim.tbl_count(session.hunks)
  local changes = n_hunks == 1 and '1 change' or ('%d changes'):format(n_hunks)
  if session.state == 'held' then
    return ('redline: held back, %s, %s'):format(changes, choices()), 'RedlineHeld'
  end
  if session.state == 'offered' then
    return ('redline: %s, %s'):format(changes, choices()), 'RedlineNote'
  end
  local words = { asked = 'asking', routing = 'asking', checking = 'checking' }
  local doing = words[session.state] or 'writing'
  local tier = session.tier and (' (%s)'):format(session.tier) or ''
  return ('redline: %s%s, %s'):format(doing, tier, way('stop')), 'RedlineNote'
end

---@param session redline.Session
local function show_note(session)
  if session.has_landed then
    return
  end
  local text, group = note_of(session)
  local row = session.note and preview.note_row(session.bufnr, session.note) or session.row
  local above = {}
  if #session.assumes > 0 then
    local assumed = 'taken for granted: ' .. table.concat(session.assumes, ' ')
    table.insert(above, { assumed, 'RedlineNote' })
  end
  for _, problem in ipairs(session.state == 'held' and session.problems or {}) do
    table.insert(above, { problem, 'RedlineHeld' })
  end
  session.note = preview.note(session.bufnr, session.note, row, {
    text = text,
    group = group,
    above = above,
  })
end

--- Print the note of an edit that waits for the user, if it is out of sight.
---@param id string
function M.announce(id)
  local session = sessions[id]
  -- The user may have accepted it before the outcome came.
  if not session or session.has_landed then
    return
  end
  if vim.api.nvim_get_current_buf() ~= session.bufnr then
    return
  end
  local row = preview.note_row(session.bufnr, session.note)
  if row < vim.fn.line('w0') - 1 or row > vim.fn.line('w$') - 1 then
    local text = note_of(session):gsub('^redline: ', '')
    client_of.say(text)
  end
end

--- Open a session.
---@param id string
---@param client_id integer
---@param bufnr integer
---@param range lsp.Range
---@return redline.Session
function M.open(id, client_id, bufnr, range)
  local first, last = hunks_of.rows({ range = range, newText = '', id = 0, state = 'settled' })
  local session = {
    id = id,
    client_id = client_id,
    bufnr = bufnr,
    state = 'asked',
    is_asked = false,
    has_landed = false,
    hunks = {},
    painted = {},
    problems = {},
    assumes = {},
    row = first,
    n_rows = last - first,
  }
  sessions[id] = session
  last_session[bufnr] = id
  show_note(session)
  tell_others(bufnr)
  return session
end

--- Close a session and remove it from the screen.
---@param id string
function M.close(id)
  local session = sessions[id]
  if not session then
    return
  end
  sessions[id] = nil
  if vim.api.nvim_buf_is_loaded(session.bufnr) then
    for _, painted in pairs(session.painted) do
      preview.erase(session.bufnr, painted)
    end
    preview.erase_note(session.bufnr, session.note)
  end
  tell_others(session.bufnr)
end

--- Change the state of a session.
---@param id string
---@param state string
---@param problems? string[]: absent: the same as before
function M.set_state(id, state, problems)
  local session = sessions[id]
  if session and (session.state ~= state or problems) then
    session.state = state
    session.problems = problems or session.problems
    show_note(session)
    tell_others(session.bufnr)
    if not M.is_written(session) then
      offers.keep(session)
    end
  end
end

--- Return a session that is not over.
---@param id string
---@return redline.Session?
function M.get(id)
  return sessions[id]
end

--- Whether a session is still being written.
---@param session redline.Session
---@return boolean
function M.is_written(session)
  return session.state ~= 'offered' and session.state ~= 'held'
end

--- Return the sessions of a buffer that have not landed, from the top.
---@param bufnr integer
---@return redline.Session[]
function M.of_buffer(bufnr)
  local found = vim.tbl_filter(function(session)
    return session.bufnr == bufnr and not session.has_landed
  end, vim.tbl_values(sessions))
  table.sort(found, function(one, other)
    return preview.note_row(bufnr, one.note) < preview.note_row(bufnr, other.note)
  end)
  return found
end

--- Return the session that was opened last in a buffer, even if it is over.
---@param bufnr integer
---@return string?
function M.last_of(bufnr)
  return last_session[bufnr]
end

--- Find the session at a line; if its buffer has only one, the line does not matter.
---@param bufnr integer
---@param row integer: from 0
---@return redline.Session?
function M.at(bufnr, row)
  local found = M.of_buffer(bufnr)
  if #found == 1 then
    return found[1]
  end
  for _, session in ipairs(found) do
    local first = preview.note_row(bufnr, session.note)
    if first <= row and row < first + math.max(1, session.n_rows) then
      return session
    end
  end
end

--- Return the hunks of a session with the lines where they are now, from the top.
---@param session redline.Session
---@return {id: integer, row: integer, n_rows: integer}[]
function M.places(session)
  local places = {}
  for id, painted in pairs(session.painted) do
    local first, last = hunks_of.rows(session.hunks[id])
    local row = preview.row(session.bufnr, painted)
    table.insert(places, { id = id, row = row, n_rows = last - first })
  end
  table.sort(places, function(one, other)
    return one.row < other.row
  end)
  return places
end

--- Bring the first change into sight, once, if the cursor is where it was when the user
--- asked for the edit.
---@param session redline.Session
local function reveal(session)
  local first = M.places(session)[1]
  if not first or not session.asked_at then
    return
  end
  local asked_at = session.asked_at
  session.asked_at = nil
  local is_here = vim.api.nvim_get_current_buf() == session.bufnr
  if is_here and vim.deep_equal(vim.api.nvim_win_get_cursor(0), asked_at) then
    local n_lines = first.n_rows + #hunks_of.new_lines(session.hunks[first.id])
    preview.show_row(first.row, n_lines)
  end
end

--- Paint a message: the changes of a preview, or the whole preview.
---@param session redline.Session
---@param message table: an `EditHunks` or an `EditState`
function M.draw(session, message)
  local bufnr = session.bufnr
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  if message.version ~= vim.lsp.util.buf_versions[bufnr] then
    -- The text has changed since: the marks have moved with it, and a full state follows.
    return
  end
  local gone = message.full and vim.tbl_keys(session.hunks) or message.removed
  local kept = {}
  for _, hunk in ipairs(message.hunks) do
    kept[hunk.id] = true
  end
  for _, id in ipairs(gone) do
    if not kept[id] and session.painted[id] then
      preview.erase(bufnr, session.painted[id])
      session.hunks[id], session.painted[id] = nil, nil
    end
  end
  session.has_landed = session.has_landed and #message.hunks == 0
  for _, hunk in ipairs(message.hunks) do
    session.hunks[hunk.id] = hunk
    session.painted[hunk.id] = preview.paint(bufnr, hunk, session.painted[hunk.id])
  end
  show_note(session)
  tell_others(bufnr)
  reveal(session)
  if not M.is_written(session) then
    offers.keep(session)
  end
end

--- Note which hunks of a session were accepted.
---@param session redline.Session
---@param ids integer[]|'all'
function M.expect_landing(session, ids)
  session.landing = ids
end

--- Whether further changes of a session may come.
---@param session redline.Session
---@return boolean
local function may_grow(session)
  return M.is_written(session) and session.state ~= 'applying'
end

--- Remove hunks from the screen whose edit has just entered the buffer. Until the server
--- knows it, they would be shown twice.
---@param bufnr integer
function M.on_landed(bufnr)
  for _, session in ipairs(M.of_buffer(bufnr)) do
    local ids = session.landing == 'all' and vim.tbl_keys(session.painted) or session.landing
    for _, id in ipairs(ids or {}) do
      if session.painted[id] then
        preview.erase(bufnr, session.painted[id])
        session.hunks[id], session.painted[id] = nil, nil
      end
    end
    if ids and not may_grow(session) and not next(session.painted) then
      session.has_landed = true
      preview.erase_note(bufnr, session.note)
      session.note = nil
      tell_others(bufnr)
    end
    session.landing = nil
  end
end

--- Forget the sessions of a server that has ended.
---@param client_id integer
---@return integer: how many of them were still being written
function M.forget_client(client_id)
  local n_dropped = 0
  for id, session in pairs(sessions) do
    if session.client_id == client_id then
      n_dropped = n_dropped + (M.is_written(session) and 1 or 0)
      M.close(id)
    end
  end
  return n_dropped
end

--- Forget the sessions of a deleted buffer.
---@param bufnr integer
function M.forget_buffer(bufnr)
  last_session[bufnr] = nil
  for id, session in pairs(sessions) do
    if session.bufnr == bufnr then
      M.close(id)
    end
  end
end

-- Messages of the server.

---@param _ nil
---@param began table: an `EditBegan`
---@param context lsp.HandlerContext
function M.on_began(_, began, context)
  local bufnr = vim.uri_to_bufnr(began.uri)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local session = sessions[began.sessionId]
    or M.open(began.sessionId, context.client_id, bufnr, began.range)
  session.tier = began.tier
  session.assumes = began.assumes
  M.set_state(session.id, 'generating')
end

---@param _ nil
---@param message table: an `EditHunks`
function M.on_hunks(_, message)
  local session = sessions[message.sessionId]
  if session then
    M.draw(session, message)
  end
end

---@param _ nil
---@param ended table: an `EditEnded`
function M.on_ended(_, ended)
  local session = sessions[ended.sessionId]
  M.close(ended.sessionId)
  if session then
    offers.forget(session)
  end
  -- A waiting request receives this as its error, which is shown.
  if session and not session.is_asked and ended.outcome == 'failed' and ended.message then
    client_of.say(ended.message, vim.log.levels.ERROR)
  end
end

--- Update sessions from the status, which is the only report on a follow-up.
---@param running table[]: `RunningSession`s
function M.on_states(running)
  for _, each in ipairs(running) do
    local session = sessions[each.sessionId]
    if session then
      M.set_state(each.sessionId, each.state)
    end
  end
end

return M
