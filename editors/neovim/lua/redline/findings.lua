--- Findings of deep reviews: find, fix, dismiss and show the one at the cursor.

local client_of = require('redline.client')

local M = {}

local WARN = vim.log.levels.WARN

---@class redline.Finding: identifies a finding
---@field findingId string
---@field reviewId string
---@field title string

---@param line integer: of the list, from 1
---@return redline.Finding[]: the findings that `:Redline reviews` has listed there
local function of_list(line)
  local is_location_list = vim.fn.win_gettype() == 'loclist'
  local items = is_location_list and vim.fn.getloclist(0) or vim.fn.getqflist()
  local data = items[line] and items[line].user_data
  return type(data) == 'table' and data.findingId and { data } or {}
end

--- Find the findings at the cursor's line, also in the quickfix list. The server knows the
--- current place of their lines; diagnostics may be those of an older text.
---@param client vim.lsp.Client
---@param on_found fun(found: redline.Finding[])
function M.here(client, on_found)
  local line = vim.api.nvim_win_get_cursor(0)[1]
  if vim.bo.buftype == 'quickfix' then
    on_found(of_list(line))
    return
  end
  local file = vim.api.nvim_buf_get_name(0)
  client_of.run(client, 'reviews', {}, function(listed)
    local found = {}
    for _, each in ipairs(listed.findings) do
      local from, to = each.range.start, each.range['end']
      if
        each.state == 'open'
        and from.line < line
        and line <= to.line + 1
        and vim.uri_to_fname(each.uri) == file
      then
        local finding = { findingId = each.id, reviewId = each.reviewId, title = each.title }
        table.insert(found, finding)
      end
    end
    on_found(found)
  end)
end

--- Call a function with the finding at the cursor; the user chooses one of several.
---@param run fun(client: vim.lsp.Client, finding: redline.Finding)
local function with_finding(run)
  local client = client_of.any()
  if not client then
    return
  end
  M.here(client, function(found)
    if #found == 0 then
      client_of.say('no finding is at the cursor; :Redline reviews lists all', WARN)
    elseif #found == 1 then
      run(client, found[1])
    else
      vim.ui.select(found, {
        prompt = 'Which finding:',
        format_item = function(finding)
          return finding.title
        end,
      }, function(finding)
        if finding then
          run(client, finding)
        end
      end)
    end
  end)
end

--- Offer the fix of a finding in its file, which the server must know as open.
---@param client vim.lsp.Client
---@param finding table: a `Finding`
---@param on_end fun(is_offered: boolean)
local function offer(client, finding, on_end)
  local bufnr = vim.uri_to_bufnr(finding.uri)
  vim.fn.bufload(bufnr)
  vim.bo[bufnr].buflisted = true
  vim.lsp.buf_attach_client(bufnr, client.id)
  local arguments = { findingId = finding.id, apply = 'preview' }
  client_of.run(client, 'applyFix', arguments, function(result)
    require('redline.edit').show_outcome(result.offered)
    on_end(result.offered.outcome == 'offered')
  end, function()
    on_end(false)
  end)
end

--- Offer one fix after the other.
---@param client vim.lsp.Client
---@param findings table[]: `Finding`s
---@param n_offered integer: how many have been offered
local function offer_all(client, findings, n_offered)
  local finding = table.remove(findings, 1)
  if finding then
    offer(client, finding, function(is_offered)
      offer_all(client, findings, n_offered + (is_offered and 1 or 0))
    end)
  else
    local fixes = n_offered == 1 and '1 fix is' or ('%d fixes are'):format(n_offered)
    client_of.say(fixes .. ' offered')
  end
end

---@param client vim.lsp.Client
---@param arguments table: an `ApplyFixArguments`
local function apply(client, arguments)
  client_of.run(client, 'applyFix', arguments, function(result)
    client_of.say(('%d fixed'):format(#result.applied))
    for _, refusal in ipairs(result.refused) do
      client_of.say(refusal.message, WARN)
    end
  end)
end

--- Fix a finding, or all findings of a review that have a fix.
---@param client vim.lsp.Client
---@param arguments table: an `ApplyFixArguments`
local function fix(client, arguments)
  if require('redline.options').get().apply ~= 'preview' then
    apply(client, arguments)
    return
  end
  client_of.run(client, 'reviews', {}, function(listed)
    local findings = vim.tbl_filter(function(each)
      local is_of_review = each.reviewId == arguments.reviewId and each.fix
      return each.state == 'open' and (each.id == arguments.findingId or is_of_review)
    end, listed.findings)
    if arguments.findingId and findings[1] then
      local location = { uri = findings[1].uri, range = findings[1].range }
      vim.lsp.util.show_document(location, client.offset_encoding, { focus = true })
      offer(client, findings[1], function() end)
    else
      offer_all(client, findings, 0)
    end
  end)
end

--- Offer the fix of the finding at the cursor.
function M.fix()
  with_finding(function(client, finding)
    fix(client, { findingId = finding.findingId })
  end)
end

--- Offer all fixes of the review of the finding at the cursor.
function M.fix_all()
  with_finding(function(client, finding)
    fix(client, { reviewId = finding.reviewId })
  end)
end

--- Run a fix of the menu, which is shown like any edit.
---@param command lsp.Command
---@param context lsp.HandlerContext
function M.on_fix_action(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if client then
    fix(client, command.arguments[1])
  end
end

--- Dismiss the finding at the cursor.
---@param reason? string: reports of later reviews show it
function M.dismiss(reason)
  with_finding(function(client, finding)
    local arguments = {
      findingId = finding.findingId,
      reason = reason and reason:match('%S') and reason or nil,
    }
    client_of.run(client, 'dismiss', arguments, function()
      client_of.say('dismissed: ' .. finding.title)
    end)
  end)
end

--- Open the details of the finding at the cursor.
function M.open()
  with_finding(function(client, finding)
    client_of.run(client, 'openReport', { findingId = finding.findingId })
  end)
end

return M
