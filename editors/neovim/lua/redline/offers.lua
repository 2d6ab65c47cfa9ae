--- Offers that wait are stored, since the server forgets them when their file is closed or
--- it ends: they are offered again when their file is opened with the same text.

local client_of = require('redline.client')
local hunks_of = require('redline.hunks')

local M = {}

local OWNER_ONLY_FILE, OWNER_ONLY_FOLDER = tonumber('600', 8), tonumber('700', 8)
--- How long an offer must have been the same before it is stored: typing elsewhere moves it.
local PAUSE_MS = 200
local MOST_AGE_S = 7 * 24 * 3600

---@class redline.StoredOffer
---@field id string: of its session
---@field pid integer: of the Neovim that shows it
---@field text string: the digest of the buffer's text
---@field offer table: a `StoredOffer` of the protocol

---@type table<string, uv.uv_timer_t>: by session, until it is stored
local timers = {}

---@param session {id: string}
---@return boolean: whether it is shown here
local function is_open(session)
  return require('redline.sessions').get(session.id) ~= nil
end

---@return string
local function folder()
  return vim.fs.joinpath(vim.fn.stdpath('state'), 'redline', 'offers')
end

---@param bufnr integer
---@return string: how the names of a document's files begin
local function prefix_of(bufnr)
  return vim.fn.sha256(vim.uri_from_bufnr(bufnr)) .. '-'
end

---@param session redline.Session
---@return string
local function path_of(session)
  local name = prefix_of(session.bufnr) .. vim.fn.sha256(session.id)
  return vim.fs.joinpath(folder(), name .. '.json')
end

---@param bufnr integer
---@return string
local function digest(bufnr)
  return vim.fn.sha256(table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\n'))
end

--- Return what some hunks do to a buffer, as one change of whole lines.
---@param bufnr integer
---@param hunks redline.Hunk[]: at least one, from the top
---@return lsp.Range
---@return string: the new lines
local function joined(bufnr, hunks)
  local first, row = hunks_of.rows(hunks[1]), nil
  local lines = {}
  for _, hunk in ipairs(hunks) do
    local from, to = hunks_of.rows(hunk)
    vim.list_extend(lines, vim.api.nvim_buf_get_lines(bufnr, row or from, from, true))
    vim.list_extend(lines, hunks_of.new_lines(hunk))
    row = to
  end
  local is_cut = row == vim.api.nvim_buf_line_count(bufnr) and not vim.bo[bufnr].endofline
  if is_cut and first == row then
    -- A text without a final line end has no line there.
    first = row - 1
    table.insert(lines, 1, vim.api.nvim_buf_get_lines(bufnr, first, row, true)[1])
  end
  local range = {
    start = { line = first, character = 0 },
    ['end'] = { line = row, character = 0 },
  }
  return range, table.concat(lines, '\n') .. ((is_cut or #lines == 0) and '' or '\n')
end

---@param path string
---@param stored redline.StoredOffer
local function write(path, stored)
  vim.fn.mkdir(folder(), 'p', OWNER_ONLY_FOLDER)
  -- Renamed, so that a file is never half-written.
  local part = path .. '.part'
  local file = assert(vim.uv.fs_open(part, 'w', OWNER_ONLY_FILE))
  local is_written, problem = vim.uv.fs_write(file, vim.json.encode(stored))
  vim.uv.fs_close(file)
  assert(is_written, problem)
  assert(vim.uv.fs_rename(part, path))
end

---@param session redline.Session
---@param state table: an `EditState`
local function store(session, state)
  local bufnr = session.bufnr
  local is_current = vim.api.nvim_buf_is_loaded(bufnr)
    and state.version == vim.lsp.util.buf_versions[bufnr]
  if is_current and #state.hunks > 0 then
    local range, new_text = joined(bufnr, state.hunks)
    local is_stored, problem = pcall(write, path_of(session), {
      id = session.id,
      pid = vim.uv.os_getpid(),
      text = digest(bufnr),
      offer = { range = range, newText = new_text, instruction = state.instruction },
    })
    if not is_stored then
      local text = 'redline: an offer that waits cannot be stored: ' .. problem
      vim.notify_once(text, vim.log.levels.WARN)
    end
  end
end

---@param session redline.Session
local function ask_and_store(session)
  local client = vim.lsp.get_client_by_id(session.client_id)
  if client then
    client:request('workspace/executeCommand', {
      command = 'redline.editState',
      arguments = { { sessionId = session.id } },
    }, function(problem, state)
      -- It may be over by now.
      if not problem and is_open(session) then
        store(session, state)
      end
    end)
  end
end

--- Store what is left of an edit that waits, once it has been the same for a moment.
---@param session redline.Session
function M.keep(session)
  local timer = timers[session.id] or assert(vim.uv.new_timer())
  timers[session.id] = timer
  timer:start(
    PAUSE_MS,
    0,
    vim.schedule_wrap(function()
      if timers[session.id] == timer then
        timers[session.id] = nil
        timer:close()
        ask_and_store(session)
      end
    end)
  )
end

--- Forget an edit that was decided. What becomes of one while its server or Neovim ends is
--- nothing that the user has done.
---@param session redline.Session
function M.forget(session)
  local client = vim.lsp.get_client_by_id(session.client_id)
  if client and not client:is_stopped() and vim.v.exiting == vim.NIL then
    vim.uv.fs_unlink(path_of(session))
  end
end

---@param stored redline.StoredOffer
---@return boolean: whether a Neovim that runs shows it
local function is_shown(stored)
  if stored.pid == vim.uv.os_getpid() then
    return is_open(stored)
  end
  return vim.uv.kill(stored.pid, 0) == 0
end

---@param path string
---@return redline.StoredOffer?
local function read(path)
  local file = io.open(path)
  if not file then
    return nil
  end
  local is_read, stored = pcall(vim.json.decode, file:read('a'))
  file:close()
  return is_read and type(stored) == 'table' and stored or nil
end

---@param path string
---@return boolean
local function is_old(path)
  local stat = vim.uv.fs_stat(path)
  return stat ~= nil and os.time() - stat.mtime.sec > MOST_AGE_S
end

--- Offer again what waited in a buffer when it had this text, and delete what is old.
---@param client_id integer
---@param bufnr integer
function M.on_attach(client_id, bufnr)
  local client = vim.lsp.get_client_by_id(client_id)
  if not client or client.name ~= 'redline' then
    return
  end
  for name in vim.fs.dir(folder()) do
    local path = vim.fs.joinpath(folder(), name)
    local stored = vim.startswith(name, prefix_of(bufnr)) and read(path)
    if is_old(path) then
      vim.uv.fs_unlink(path)
    elseif stored and not is_shown(stored) and stored.text == digest(bufnr) then
      require('redline.edit').offer_again(client, bufnr, stored.offer, function(is_offered)
        vim.uv.fs_unlink(path)
        if is_offered then
          client_of.say('an offer of this file waits again')
        end
      end)
    end
  end
end

return M
