--- `:Redline WORD ...`: one function for each word.

local client_of = require('redline.client')
local ranges = require('redline.ranges')

local M = {}

---@param command vim.api.keyset.create_user_command.command_args
---@return lsp.Range: the lines before `:Redline`, or the cursor's
local function range_of(command)
  if command.range > 0 then
    return ranges.of_lines(command.line1, command.line2)
  end
  return ranges.of_cursor()
end

---@param command vim.api.keyset.create_user_command.command_args
---@param instruction string
---@param name 'edit'|'variations'
---@param images? string[]: URIs
local function start_edit(command, instruction, name, images)
  if command.range > 0 then
    local range = ranges.of_lines(command.line1, command.line2)
    require('redline.edit').start(range, instruction, name, nil, images)
  else
    require('redline.edit').start_here(instruction, name, images)
  end
end

--- Edit by an image.
---@param command vim.api.keyset.create_user_command.command_args
---@param rest string: the file, whose blanks are escaped by backslashes, and the instruction
local function start_image(command, rest)
  local path, instruction = rest:gsub('\\ ', '\0'):match('^(%S*)%s*(.*)$')
  -- Not by expand(), which would run what stands in backquotes.
  local file = vim.fn.fnamemodify(vim.fs.normalize((path:gsub('%z', ' '))), ':p')
  if path == '' or vim.fn.filereadable(file) == 0 then
    client_of.say(("'%s' is no file that can be read"):format(file), vim.log.levels.ERROR)
    return
  end
  start_edit(command, (instruction:gsub('%z', ' ')), 'edit', { vim.uri_from_fname(file) })
end

---@param rest string: the words after the first
---@return boolean: whether only the change under the cursor is meant
local function is_hunk(rest)
  return rest == 'hunk'
end

---@type table<string, fun(command: vim.api.keyset.create_user_command.command_args, rest: string)>
local words = {
  edit = function(command, rest)
    start_edit(command, rest, 'edit')
  end,
  variations = function(command, rest)
    start_edit(command, rest, 'variations')
  end,
  image = start_image,
  add = function(command)
    local added = require('redline.added')
    local bufnr = vim.api.nvim_get_current_buf()
    if command.bang then
      added.clear(bufnr)
    else
      added.add(bufnr, range_of(command))
    end
  end,
  comments = function()
    require('redline.edit').do_comments()
  end,
  offer = function()
    require('redline.edit').bring_back()
  end,
  redirect = function(_, rest)
    require('redline.edit').redirect(rest)
  end,
  stop = function(command)
    require('redline').stop({ everywhere = command.bang })
  end,
  accept = function(_, rest)
    require('redline.edit').accept(is_hunk(rest))
  end,
  reject = function(_, rest)
    require('redline.edit').reject(is_hunk(rest))
  end,
  next = function()
    require('redline.edit').go(1)
  end,
  previous = function()
    require('redline.edit').go(-1)
  end,
  candidate = function()
    require('redline.edit').next_candidate()
  end,
  back = function()
    require('redline.edit').take_back()
  end,
  explain = function(command, rest)
    require('redline.answers').explain(range_of(command), rest)
  end,
  tests = function(command, rest)
    require('redline.answers').write_tests(range_of(command), rest)
  end,
  review = function(command, rest)
    local reviews = require('redline.reviews')
    if command.range > 0 and rest == '' then
      reviews.start_lines(range_of(command), command.bang)
    else
      reviews.start(rest, command.bang)
    end
  end,
  reviews = function()
    require('redline.reviews').list()
  end,
  plan = function(command, rest)
    require('redline.plans').start(command.range > 0 and range_of(command) or nil, rest)
  end,
  debug = function(command)
    require('redline.plans').debug(command.range > 0 and range_of(command) or nil)
  end,
  plans = function()
    require('redline.plans').list()
  end,
  run = function(_, rest)
    require('redline.tests').run(rest)
  end,
  report = function()
    require('redline.reviews').report()
  end,
  cancel = function()
    require('redline.reviews').cancel()
  end,
  finding = function()
    require('redline.findings').open()
  end,
  fix = function(_, rest)
    local findings = require('redline.findings')
    if rest == 'all' then
      findings.fix_all()
    else
      findings.fix()
    end
  end,
  dismiss = function(_, rest)
    require('redline.findings').dismiss(rest)
  end,
  status = function()
    require('redline.answers').status()
  end,
  prompt = function()
    require('redline.answers').last_prompt()
  end,
  stats = function()
    require('redline.answers').stats()
  end,
  log = function()
    require('redline.answers').log()
  end,
  restart = function()
    require('redline.revive').restart()
  end,
}

--- Completions of words that take one of a few arguments.
local completions = {
  accept = { 'hunk' },
  reject = { 'hunk' },
  fix = { 'all' },
  plan = { 'run', 'apply', 'again', 'discard', 'back' },
  review = { 'file', 'since', 'staged', 'worktree' },
  run = { 'file', 'output', 'cancel' },
}

--- Run `:Redline`; without a word it edits.
---@param command vim.api.keyset.create_user_command.command_args
function M.run(command)
  local word, rest = command.args:match('^(%S*)%s*(.-)%s*$')
  local run = words[word == '' and 'edit' or word]
  if run then
    run(command, rest)
  else
    client_of.say(
      ("':Redline %s' is unknown; there are: %s"):format(word, table.concat(M.words(), ', ')),
      vim.log.levels.ERROR
    )
  end
end

--- Return the words that `:Redline` knows.
---@return string[]
function M.words()
  local known = vim.tbl_keys(words)
  table.sort(known)
  return known
end

--- Complete a word of `:Redline`.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local first = line:match("Redline!?%s+(%S+)%s")
  local candidates = M.words()
  if first == 'image' then
    return vim.fn.getcompletion(lead, 'file')
  end
  if first then
    candidates = completions[first] or {}
  end
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, candidates)
end

return M
