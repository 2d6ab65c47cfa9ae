--- Answers of the server that are only shown: explanations, prompts, totals.

local client_of = require('redline.client')
local status_of = require('redline.status')

local M = {}

---@param markdown string[]
local function float(markdown)
  vim.lsp.util.open_floating_preview(markdown, 'markdown', {
    border = 'rounded',
    focus_id = 'redline',
    max_width = 80,
    wrap = true,
  })
end

---@param name string
---@param lines string[]
---@param filetype string
local function scratch(name, lines, filetype)
  vim.cmd.new()
  local bufnr = vim.api.nvim_get_current_buf()
  vim.bo[bufnr].buftype = 'nofile'
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].swapfile = false
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].filetype = filetype
  vim.wo.winbar = name
end

---@param text string
---@return string[]
local function lines_of(text)
  return vim.split(text, '\n', { plain = true })
end

--- Explain some lines, in a window at the cursor.
---@param range lsp.Range
---@param question? string
function M.explain(range, question)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = client_of.needed(bufnr)
  if client then
    local arguments = {
      uri = vim.uri_from_bufnr(bufnr),
      range = range,
      question = question and question:match('%S') and question or nil,
    }
    client_of.run(client, 'explain', arguments, function(explanation)
      float(lines_of(explanation.markdown))
    end)
  end
end

---@param client vim.lsp.Client
---@param arguments table: a `WriteTestsArguments`
local function write_tests(client, arguments)
  client_of.run(client, 'writeTests', arguments, function(result)
    local location = { uri = result.uri, range = { start = { line = 0, character = 0 } } }
    location.range['end'] = location.range.start
    vim.lsp.util.show_document(location, client.offset_encoding, { focus = true })
  end)
end

--- Run the menu's "Write tests".
---@param command lsp.Command
---@param context lsp.HandlerContext
function M.on_tests_action(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if client then
    write_tests(client, command.arguments[1])
  end
end

--- Write tests for some lines, and open them.
---@param range lsp.Range
---@param wish? string
function M.write_tests(range, wish)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = client_of.needed(bufnr)
  if client then
    write_tests(client, {
      uri = vim.uri_from_bufnr(bufnr),
      range = range,
      wish = wish and wish:match('%S') and wish or nil,
    })
  end
end

--- Show the state of the server.
function M.status()
  local client = client_of.needed(vim.api.nvim_get_current_buf())
  if client then
    client_of.run(client, 'status', {}, function(status)
      float(status_of.describe(status))
    end)
  end
end

--- Show the last prompt exactly as it was sent.
function M.last_prompt()
  local client = client_of.needed(vim.api.nvim_get_current_buf())
  if not client then
    return
  end
  client_of.run(client, 'lastPrompt', {}, function(sent)
    local head = ('%s, %d tokens'):format(sent.model, sent.tokens)
    local lines = { '# Sent to ' .. head, '', '## system', '' }
    vim.list_extend(lines, lines_of(sent.instructions))
    for _, message in ipairs(sent.messages) do
      vim.list_extend(lines, { '', '## ' .. message.role, '' })
      vim.list_extend(lines, lines_of(message.text))
    end
    scratch('redline: last prompt', lines, 'markdown')
  end)
end

--- Show the outcomes and the cost of edits, tier by tier.
function M.stats()
  local client = client_of.needed(vim.api.nvim_get_current_buf())
  if not client then
    return
  end
  client_of.run(client, 'stats', { by = { 'tier' } }, function(stats)
    local lines = { '# Redline since ' .. stats.since, '' }
    for _, group in ipairs(stats.totals) do
      local cost = group.cost ~= vim.NIL and (', $%.2f'):format(group.cost) or ''
      table.insert(
        lines,
        ('- %s: %d edits, %d accepted, %d rejected%s'):format(
          group.tier,
          group.tasks,
          group.accepted,
          group.rejected,
          cost
        )
      )
    end
    if #stats.totals == 0 then
      table.insert(lines, 'No edits yet.')
    end
    float(lines)
  end)
end

--- Open the server's log.
function M.log()
  local client = vim.lsp.get_clients({ name = 'redline' })[1]
  local given = client and client.config.cmd
  for index, word in ipairs(type(given) == 'table' and given or {}) do
    if word == '--log-file' and given[index + 1] then
      vim.cmd.tabedit(vim.fn.fnameescape(given[index + 1]))
      return
    end
  end
  client_of.say('`redline doctor` prints where the log is; Neovim\'s own: ' .. vim.lsp.log.get_filename())
end

return M
