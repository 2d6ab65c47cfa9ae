--- The plugin's own options: `vim.g.redline`, checked. Settings of the server are in
--- `vim.lsp.config`.

local M = {}

---@class redline.Options
---@field enable boolean: whether Redline attaches to buffers by itself
---@field apply 'preview'|'end'|'stream': how an edit enters the buffer
---@field restarts integer: how often in a minute a server that died is restarted
---@field inline_completion boolean: whether inline completions are shown
---@field next_edits boolean: whether next edits are shown
---@field default_keys boolean: whether the plugin maps its default keys
---@field preview_keys table<string, string|false>: <Plug> name to key, while an edit is
---   shown; false: no key, where there is a default one
local defaults = {
  enable = true,
  apply = 'preview',
  restarts = 3,
  inline_completion = true,
  next_edits = true,
  default_keys = false,
  preview_keys = {},
}

local default_preview_keys = {
  stop = '<Esc>',
  accept = '<CR>',
  reject = '<C-n>',
  ['accept-hunk'] = '<Tab>',
  ['reject-hunk'] = '<BS>',
  ['next-hunk'] = 'n',
  ['previous-hunk'] = 'N',
  redirect = '<C-k>',
}

local checks = {
  apply = function(value)
    return vim.list_contains({ 'preview', 'end', 'stream' }, value)
  end,
}

---@param name string: of an option
---@param value any
local function fits(name, value)
  return type(value) == type(defaults[name]) and (not checks[name] or checks[name](value))
end

--- Find what is wrong with `vim.g.redline`.
---@return string[]: sentences
function M.problems()
  local given = vim.g.redline
  if given ~= nil and type(given) ~= 'table' then
    return { 'vim.g.redline must be a table' }
  end
  local problems = {}
  for name, value in pairs(given or {}) do
    local default = defaults[name]
    if default == nil then
      table.insert(problems, ('vim.g.redline.%s is not an option'):format(name))
    elseif not fits(name, value) then
      table.insert(
        problems,
        ('vim.g.redline.%s cannot be %s, so it is %s'):format(
          name,
          vim.inspect(value),
          vim.inspect(default)
        )
      )
    end
  end
  table.sort(problems)
  return problems
end

--- Return the keys that are mapped while an edit is shown: the user's own, on top of the
--- default ones if these are wanted.
---@return table<string, string>
function M.preview_keys()
  local options = M.get()
  local keys = options.default_keys and vim.deepcopy(default_preview_keys) or {}
  for name, key in pairs(options.preview_keys) do
    keys[name] = key or nil
  end
  return keys
end

--- Return the options; invalid ones have their defaults.
---@return redline.Options
function M.get()
  local given = type(vim.g.redline) == 'table' and vim.g.redline or {}
  local options = {}
  for name, default in pairs(defaults) do
    local value = given[name]
    options[name] = default
    if fits(name, value) then
      options[name] = value
    end
  end
  return options
end

return M
