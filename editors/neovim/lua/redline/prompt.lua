--- Asks the user for an instruction, in a window below the cursor.

local client_of = require('redline.client')
local history = require('redline.history')
local notes = require('redline.prompt_notes')

local M = {}

--- How long a completion may wait for the server.
local TIMEOUT_MS = 2000
local TIERS = { '#fast', '#standard', '#deep' }

---@type string?: what was typed in a prompt that was closed without sending it
local abandoned

--- Ask the server, which lists nothing that must not be sent.
---@param typed string: what follows `@`
---@return table: a `FilesResult`
local function nameable(typed)
  local client = client_of.any()
  if not client then
    return {}
  end
  local params = { command = 'redline.files', arguments = { { typed = typed } } }
  local answer = client:request_sync('workspace/executeCommand', params, TIMEOUT_MS)
  return answer and answer.result or {}
end

--- How an instruction names the models of the settings.
---@return string[]
local function models()
  -- With the sign, no file is looked for; an older server knows no models.
  return vim.tbl_map(function(model)
    return '#' .. model.name
  end, nameable('#').models or {})
end

---@param name string
---@return string: how an instruction names it
local function mention(name)
  local is_plain = not name:find('[%s@"\'`,;:!?()%[%]{}<>|*]') and name:sub(-1) ~= '.'
  return is_plain and '@' .. name or ('@"%s"'):format(name)
end

---@param typed string: a word of the instruction, such as `@pri`
---@return string[]
local function candidates(typed)
  local sign, rest = typed:sub(1, 1), typed:sub(2)
  if sign == '#' then
    return vim.tbl_filter(function(tag)
      return vim.startswith(tag, typed)
    end, vim.list_extend(vim.deepcopy(TIERS), models()))
  end
  if sign ~= '@' then
    return {}
  end
  local found = nameable(rest)
  -- An older server knows no definitions.
  return vim.tbl_map(mention, vim.list_extend(found.files or {}, found.definitions or {}))
end

--- Complete `@file`, `@file#definition`, `#tier` and `#model`; the 'omnifunc' of the prompt.
---@param find_start integer
---@param base string
---@return integer|string[]
function M.complete(find_start, base)
  if find_start == 1 then
    local before = vim.api.nvim_get_current_line():sub(1, vim.fn.col('.') - 1)
    local start = before:find('[@#][^%s]*$')
    return start and start - 1 or -3
  end
  return candidates(base)
end

---@param bufnr integer
---@return string
local function text_of(bufnr)
  return vim.trim(table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\n'))
end

---@param window integer
---@param bufnr integer
---@param n_notes integer: lines below the text
local function fit(window, bufnr, n_notes)
  local n_lines = math.min(8, vim.api.nvim_buf_line_count(bufnr))
  vim.api.nvim_win_set_config(window, { height = n_lines + n_notes })
end

---@param bufnr integer
---@return fun(step: 1|-1): nil
local function walk_history(bufnr)
  local entries, at, typed = history.all(), 0, nil
  return function(step)
    if at + step < 0 or at + step > #entries then
      return
    end
    if at == 0 then
      typed = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
    end
    at = at + step
    local lines = at == 0 and typed or vim.split(entries[at], '\n', { plain = true })
    vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
    vim.api.nvim_win_set_cursor(0, { #lines, #lines[#lines] })
  end
end

---@param key string
---@param without_menu string: what it does while no completions are shown
---@return fun(): string
local function unless_completing(key, without_menu)
  return function()
    return vim.fn.pumvisible() == 1 and key or without_menu
  end
end

---@param bufnr integer
---@param keys table<string, fun()>: what ends the prompt, or changes it
local function map(bufnr, keys)
  for name, run in pairs(keys) do
    vim.keymap.set({ 'i', 'n' }, ('<Plug>(redline-prompt-%s)'):format(name), run, { buffer = bufnr })
  end
  local function set(mode, key, action, expr)
    vim.keymap.set(mode, key, action, { buffer = bufnr, expr = expr, replace_keycodes = expr })
  end
  set('i', '<CR>', unless_completing('<C-y>', '<Plug>(redline-prompt-send)'), true)
  set('i', '<Up>', unless_completing('<C-p>', '<Plug>(redline-prompt-older)'), true)
  set('i', '<Down>', unless_completing('<C-n>', '<Plug>(redline-prompt-newer)'), true)
  set('i', '<Tab>', unless_completing('<C-n>', '<C-x><C-o>'), true)
  set('i', '<S-Tab>', unless_completing('<C-p>', ''), true)
  set('i', '<Esc>', unless_completing('<C-e>', '<Plug>(redline-prompt-close)'), true)
  set('i', '<C-j>', '<CR>', false)
  set('n', '<CR>', '<Plug>(redline-prompt-send)', false)
  set('n', '<Esc>', '<Plug>(redline-prompt-close)', false)
end

--- Open the window.
---@param question string
---@return integer bufnr
---@return integer window
local function open(question)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].omnifunc = "v:lua.require'redline.prompt'.complete"
  local is_low = vim.fn.winline() > vim.api.nvim_win_get_height(0) / 2
  local window = vim.api.nvim_open_win(bufnr, true, {
    relative = 'cursor',
    anchor = is_low and 'SW' or 'NW',
    row = is_low and 0 or 1,
    col = 0,
    width = math.max(20, math.min(76, vim.o.columns - 4)),
    height = 1,
    style = 'minimal',
    border = 'rounded',
    title = (' %s '):format(question),
    footer = ' Enter sends  Up: earlier  @file  #deep ',
    footer_pos = 'right',
  })
  vim.wo[window].wrap = true
  vim.bo[bufnr].filetype = 'redline-prompt'
  vim.bo[bufnr].completeopt = 'menu'
  return bufnr, window
end

--- Ask, unless the instruction is given.
---@param question string
---@param given? string
---@param on_instruction fun(instruction: string): not called if the user cancels
---@param on_close? fun(): called in any case, before
---@param about? redline.About: what the instruction is for, if that is known
function M.ask(question, given, on_instruction, on_close, about)
  if given and given:match('%S') then
    history.add(given)
    if on_close then
      on_close()
    end
    on_instruction(given)
    return
  end
  local origin = vim.api.nvim_get_current_win()
  local bufnr, window = open(question)
  local is_open = true

  ---@param instruction? string
  local function close(instruction)
    if not is_open then
      return
    end
    is_open = false
    local is_there = vim.api.nvim_buf_is_valid(bufnr)
    abandoned = instruction == nil and is_there and text_of(bufnr) or nil
    vim.cmd.stopinsert()
    if vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_win_close(window, true)
    end
    if vim.api.nvim_win_is_valid(origin) then
      vim.api.nvim_set_current_win(origin)
    end
    if on_close then
      on_close()
    end
    if instruction and instruction ~= '' then
      history.add(instruction)
      vim.schedule(function()
        on_instruction(instruction)
      end)
    end
  end

  local walk = walk_history(bufnr)
  map(bufnr, {
    send = function()
      close(text_of(bufnr))
    end,
    close = close,
    older = function()
      walk(1)
    end,
    newer = function()
      walk(-1)
    end,
  })
  vim.api.nvim_create_autocmd('WinLeave', {
    buffer = bufnr,
    callback = function()
      vim.schedule(close)
    end,
  })
  if abandoned and abandoned ~= '' then
    vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, vim.split(abandoned, '\n', { plain = true }))
    fit(window, bufnr, 0)
  end
  local n_notes = 0
  local on_typed = notes.show(bufnr, about, function(n_lines)
    n_notes = n_lines
    fit(window, bufnr, n_notes)
  end)
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI' }, {
    buffer = bufnr,
    callback = function()
      fit(window, bufnr, n_notes)
      on_typed()
    end,
  })
  vim.cmd('startinsert!')
end

return M
