--- The next edit of a buffer: requests it, shows it, and does what the user says.
---
--- The server finds it and follows it through all changes. Here it is painted at its place,
--- or as a hint behind the cursor's line; while the user types elsewhere it is hidden.

local client_of = require('redline.client')
local marks = require('redline.next_edit_marks')

local M = {}

--- So many lines from the cursor an edit is made without going there first.
local NEAR_LINES = 2

--- An edit that was hidden so often by typing elsewhere is ignored by the user.
local MOST_HIDDEN = 3

---@class redline.ShownNextEdit
---@field edit redline.NextEdit
---@field hidden_at? integer: the row of the typing that hides it
---@field n_hidden integer

---@type table<integer, redline.ShownNextEdit>: by buffer
local shown = {}

---@type table<integer, integer>: by buffer, the row of a change that may not be settled
local changed_row = {}

---@type table<integer, integer>: by buffer, how many requests were sent
local n_requests = {}

---@type string: the id that the server knows to be visible
local reported_id = ''

---@param bufnr integer
---@return redline.NextEdit?: if it is not hidden
local function visible(bufnr)
  local at = shown[bufnr]
  return at and not at.hidden_at and at.edit or nil
end

---@param edit redline.NextEdit
---@return boolean: in the current window
local function is_in_sight(edit)
  if edit.other then
    return false
  end
  local row = edit.start[1] + 1
  return row >= vim.fn.line('w0') and row <= vim.fn.line('w$')
end

---@param edit redline.NextEdit
---@return boolean: whether accepting needs no jump first
local function is_near(edit)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local is_close = row >= edit.start[1] - NEAR_LINES and row <= edit.stop[1] + NEAR_LINES
  return is_close and is_in_sight(edit)
end

--- Whether a key of typing may take the edit: not where it indents, completes or goes on in
--- a snippet.
---@param edit redline.NextEdit
---@return boolean
local function may_take(edit)
  if vim.fn.mode():sub(1, 1) ~= 'i' then
    return true
  end
  if vim.fn.pumvisible() == 1 or vim.snippet.active() then
    return false
  end
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local is_on_line = not edit.other and row - 1 >= edit.start[1] and row - 1 <= edit.stop[1]
  return is_on_line or vim.api.nvim_get_current_line():sub(1, column):match('%S') ~= nil
end

---@param mode string
---@return string?: the key that the user has for it
local function key_in(mode)
  local own, global = vim.api.nvim_buf_get_keymap(0, mode), vim.api.nvim_get_keymap(mode)
  for _, each in ipairs(vim.list_extend(own, global)) do
    if each.rhs == '<Plug>(redline-next-edit)' or each.desc == 'Redline: next-edit' then
      return (each.lhs:gsub('^<(.*)>$', '%1'))
    end
  end
end

---@param bufnr integer
local function install_keys(bufnr)
  if not require('redline.options').get().default_keys then
    return
  end
  local keys = require('redline.keys')
  local function key(mode, lhs, name, action)
    local function press()
      if not action() then
        keys.press_earlier('next_edit', bufnr, mode, lhs)
      end
    end
    return { mode = mode, key = lhs, name = name, action = press }
  end
  keys.install('next_edit', bufnr, {
    key('n', '<Tab>', 'next-edit', M.take),
    key('i', '<Tab>', 'next-edit', function()
      return require('redline.completion').accept() or M.take_if_typing_allows()
    end),
    key('n', '<Esc>', 'dismiss-next-edit', M.dismiss),
  })
end

---@param client vim.lsp.Client
---@param edit redline.NextEdit
local function report(client, edit)
  if reported_id ~= edit.id then
    reported_id = edit.id
    client:notify('redline/nextEdit/shown', { id = edit.id })
  end
end

--- Paint what is to be seen in a buffer, and map or restore its keys.
---@param bufnr integer
local function paint(bufnr)
  marks.erase(bufnr)
  local edit = visible(bufnr)
  local client = client_of.of_buffer(bufnr)
  if not edit or not client or bufnr ~= vim.api.nvim_get_current_buf() then
    require('redline.keys').remove('next_edit', bufnr)
    return
  end
  install_keys(bufnr)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local key = may_take(edit) and key_in(vim.fn.mode():sub(1, 1) == 'i' and 'i' or 'n') or nil
  if edit.kind == 'edit' and not edit.other then
    marks.paint(bufnr, edit)
  end
  if is_near(edit) then
    local why = edit.kind == 'jump' and edit.why or ''
    local words = vim.trim((why .. marks.more(edit)):gsub('^ · ', ''))
    marks.paint_hint(bufnr, edit.start[1], key, words)
  else
    marks.paint_hint(bufnr, row, key, marks.hint(edit, row, is_in_sight(edit)))
  end
  report(client, edit)
end

---@param bufnr integer
---@param at? redline.ShownNextEdit
local function set(bufnr, at)
  if at or shown[bufnr] then
    shown[bufnr] = at
    paint(bufnr)
  end
end

---@param bufnr integer
---@param position lsp.Position
---@param encoding string
---@return [integer, integer]: row and column in bytes
local function place(bufnr, position, encoding)
  local row = math.min(position.line, vim.api.nvim_buf_line_count(bufnr) - 1)
  local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
  if position.line > row then
    return { row, #line }
  end
  return { row, vim.str_byteindex(line, encoding, position.character, false) }
end

---@param bufnr integer
---@param item table: a `NextEditItem`
---@param encoding string
---@return redline.NextEdit
local function from_wire(bufnr, item, encoding)
  local uri = item.textDocument.uri
  local is_here = vim.uri_to_fname(uri) == vim.api.nvim_buf_get_name(bufnr)
  return {
    id = item.id,
    kind = item.kind,
    old = (item.old:gsub('\r\n?', '\n')),
    other = not is_here and { uri = uri, range = item.range } or nil,
    text = (item.text:gsub('\r\n?', '\n')),
    why = (item.why:gsub('`', '')),
    left = item.left,
    start = place(bufnr, item.range.start, encoding),
    stop = place(bufnr, item.range['end'], encoding),
    after = item.cursor,
  }
end

---@param bufnr integer
---@return vim.lsp.Client?: if next edits are wanted there
local function wanted_from(bufnr)
  local is_free = #require('redline.sessions').of_buffer(bufnr) == 0
  local is_wanted = is_free and bufnr == vim.api.nvim_get_current_buf()
  return is_wanted and require('redline.options').get().next_edits and client_of.of_buffer(bufnr)
    or nil
end

--- Request the next edit of a buffer, and show it.
---@param bufnr integer
---@param reason string: of the protocol's `NextEditContextArguments`
function M.ask(bufnr, reason)
  local client = wanted_from(bufnr)
  if not client then
    set(bufnr, nil)
    return
  end
  local number = (n_requests[bufnr] or 0) + 1
  n_requests[bufnr] = number
  local position = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local params = vim.tbl_extend('error', position, { context = { reason = reason } })
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  -- Without a buffer number, Neovim first sends the pending changes of all buffers.
  client:request('redline/nextEdit', params, function(problem, result)
    if not vim.api.nvim_buf_is_loaded(bufnr) or number ~= n_requests[bufnr] then
      return
    end
    -- After a newer change the server says so again.
    if tick == vim.api.nvim_buf_get_changedtick(bufnr) then
      local item = not problem and wanted_from(bufnr) and result.edits[1] or nil
      local edit = item and from_wire(bufnr, item, client.offset_encoding)
      local before = shown[bufnr]
      local is_same = edit and before and before.edit.id == edit.id
      set(bufnr, edit and {
        edit = edit,
        hidden_at = is_same and before.hidden_at or nil,
        n_hidden = is_same and before.n_hidden or 0,
      })
    end
  end)
end

--- Go to an edit; in another file the server then offers it there.
---@param edit redline.NextEdit
---@param client? vim.lsp.Client
local function go(edit, client)
  if edit.other then
    local encoding = client and client.offset_encoding or 'utf-16'
    vim.lsp.util.show_document(edit.other, encoding, { focus = true })
    return
  end
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { edit.start[1] + 1, edit.start[2] })
end

---@param bufnr integer
---@param edit redline.NextEdit
local function accept(bufnr, edit)
  local client = client_of.of_buffer(bufnr)
  local lines = vim.split(edit.text, '\n', { plain = true })
  set(bufnr, nil)
  -- It is one undo step of its own: setting the option ends the one before.
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
  local from, to = edit.start, edit.stop
  vim.api.nvim_buf_set_text(bufnr, from[1], from[2], to[1], to[2], lines)
  if client then
    local row, column = unpack(place(bufnr, edit.after, client.offset_encoding))
    vim.api.nvim_win_set_cursor(0, { row + 1, column })
  end
  changed_row[bufnr] = nil
  -- The server recognizes the edit by the text.
  M.ask(bufnr, 'accepted')
end

--- Go to the next edit, or accept it if it is near.
---@return boolean: whether one was shown
function M.take()
  local bufnr = vim.api.nvim_get_current_buf()
  local edit = visible(bufnr)
  if not edit then
    return false
  end
  if edit.kind == 'edit' and is_near(edit) then
    accept(bufnr, edit)
    return true
  end
  local client = client_of.of_buffer(bufnr)
  go(edit, client)
  if edit.kind == 'jump' then
    set(bufnr, nil)
    if client then
      client_of.run(client, 'nextEditAccepted', { id = edit.id })
    end
  end
  paint(bufnr)
  return true
end

--- As `take`, but not where the key has another meaning in typing.
---@return boolean: whether an edit was taken
function M.take_if_typing_allows()
  local edit = visible(vim.api.nvim_get_current_buf())
  return edit ~= nil and may_take(edit) and M.take()
end

---@param bufnr integer
---@param reason 'rejected'|'ignored'
local function dismiss(bufnr, reason)
  local client = client_of.of_buffer(bufnr)
  if client then
    client:notify('redline/nextEdit/dismissed', { id = shown[bufnr].edit.id, reason = reason })
  end
  set(bufnr, nil)
end

--- Dismiss the next edit, and those that follow it.
---@return boolean: whether one was shown
function M.dismiss()
  local bufnr = vim.api.nvim_get_current_buf()
  if not visible(bufnr) then
    return false
  end
  dismiss(bufnr, 'rejected')
  return true
end

--- Take the next edit of a buffer from the screen, since something else is shown there.
---@param bufnr integer
function M.hide(bufnr)
  set(bufnr, nil)
end

--- Handle the server's message that the next edit of a document is another one.
---@param params { uri: string }
function M.on_changed(_, params)
  local bufnr = vim.uri_to_bufnr(params.uri)
  if bufnr == vim.api.nvim_get_current_buf() then
    M.ask(bufnr, 'moved')
  end
end

---@param bufnr integer
local function on_text_changed(bufnr)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  changed_row[bufnr] = row
  local at = shown[bufnr]
  if not at then
    return
  end
  -- A change of its own line is the server's to judge, which says so at once.
  if at.edit.other or row < at.edit.start[1] or row > at.edit.stop[1] then
    at.n_hidden = at.n_hidden + (at.hidden_at and 0 or 1)
    at.hidden_at = row
    if at.n_hidden >= MOST_HIDDEN then
      dismiss(bufnr, 'ignored')
    end
    paint(bufnr)
  end
end

---@param bufnr integer
local function on_moved(bufnr)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  if changed_row[bufnr] and changed_row[bufnr] ~= row then
    changed_row[bufnr] = nil
    M.ask(bufnr, 'idle')
  end
  local at = shown[bufnr]
  if at then
    at.hidden_at = at.hidden_at == row and row or nil
    paint(bufnr)
  end
end

---@type table<string, fun(bufnr: integer)>
local handlers = {
  TextChanged = on_text_changed,
  TextChangedI = on_text_changed,
  TextChangedP = on_text_changed,
  CursorMoved = on_moved,
  CursorMovedI = on_moved,
  WinScrolled = paint,
  ModeChanged = paint,
  InsertLeave = function(bufnr)
    changed_row[bufnr] = nil
    M.ask(bufnr, 'idle')
  end,
  BufWritePost = function(bufnr)
    M.ask(bufnr, 'saved')
  end,
  BufEnter = function(bufnr)
    M.ask(bufnr, 'moved')
  end,
  BufLeave = function(bufnr)
    set(bufnr, nil)
  end,
}

--- Events of all buffers.
local GLOBAL = { WinScrolled = true, ModeChanged = true }

--- Follow a buffer that Redline was attached to.
---@param client_id integer
---@param bufnr integer
function M.on_attach(client_id, bufnr)
  local client = vim.lsp.get_client_by_id(client_id)
  local is_wanted = require('redline.options').get().next_edits
  if not client or client.name ~= 'redline' or not is_wanted then
    return
  end
  local group = vim.api.nvim_create_augroup(('redline.next_edit.%d'):format(bufnr), {})
  for event, handle in pairs(handlers) do
    vim.api.nvim_create_autocmd(event, {
      group = group,
      buffer = not GLOBAL[event] and bufnr or nil,
      callback = function()
        if not GLOBAL[event] or vim.api.nvim_get_current_buf() == bufnr then
          handle(bufnr)
        end
      end,
    })
  end
  vim.api.nvim_create_autocmd('LspDetach', {
    group = group,
    buffer = bufnr,
    callback = function(event)
      if event.data.client_id == client_id then
        set(bufnr, nil)
        changed_row[bufnr], n_requests[bufnr] = nil, nil
        vim.api.nvim_del_augroup_by_id(group)
      end
    end,
  })
end

return M
