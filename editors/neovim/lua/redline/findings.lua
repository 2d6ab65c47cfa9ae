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

--- Apply the fix of the finding at the cursor.
function M.fix()
  with_finding(function(client, finding)
    client_of.run(client, 'applyFix', { findingId = finding.findingId }, function()
      client_of.say('fixed: ' .. finding.title)
    end)
  end)
end

--- Apply all fixes of the review of the finding at the cursor.
function M.fix_all()
  with_finding(function(client, finding)
    client_of.run(client, 'applyFix', { reviewId = finding.reviewId }, function(result)
      client_of.say(('%d fixed'):format(#result.applied))
      for _, refusal in ipairs(result.refused) do
        client_of.say(refusal.message, WARN)
      end
    end)
  end)
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
