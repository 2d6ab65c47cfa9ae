--- Deep reviews: start, follow and cancel one, and list the findings.

local client_of = require('redline.client')

local M = {}

local ERROR, WARN = vim.log.levels.ERROR, vim.log.levels.WARN

local changes = { worktree = 'workingTree', staged = 'staged', since = 'sinceReview' }

local ends = { done = true, cancelled = true, failed = true }

local types = { critical = 'E', high = 'E', medium = 'W', low = 'I' }

---@type table<integer, table<string, table>>: by client, `ReviewStatus` by id
local known = {}

-- Messages of the server.

---@param review table: a `ReviewStatus`
---@return string
local function outcome(review)
  local about = review.scope ~= '' and (' of ' .. review.scope) or ''
  if review.state == 'failed' then
    return ('the review%s failed: %s'):format(about, review.message)
  elseif review.state == 'cancelled' then
    return ('the review%s was cancelled'):format(about)
  end
  local n = review.findings
  local found = n == 0 and 'nothing was found' or n == 1 and 'one finding' or n .. ' findings'
  local part = review.partial and ' in what was reviewed' or ''
  local text = ('review%s: %s%s. %s'):format(about, found, part, review.message)
  return vim.trim(text)
end

---@param _ nil
---@param review table: a `ReviewStatus`
---@param context lsp.HandlerContext
function M.on_review(_, review, context)
  local of_client = vim.tbl_get(known, context.client_id) or {}
  known[context.client_id] = of_client
  local before = of_client[review.reviewId]
  of_client[review.reviewId] = review
  if ends[review.state] and not review.live and not (before and ends[before.state]) then
    local level = review.state == 'failed' and ERROR or review.partial and WARN or nil
    client_of.say(outcome(review), level)
  end
  vim.api.nvim_exec_autocmds('User', { pattern = 'RedlineReviews', modeline = false })
  vim.cmd.redrawstatus()
end

--- Forget the reviews of a server that has ended; the next one resumes them.
---@param client_id integer
function M.forget_client(client_id)
  known[client_id] = nil
end

--- Return the reviews of a server that are not over, the oldest first.
---@param client_id integer
---@return table[]: `ReviewStatus`
function M.running(client_id)
  local running = vim.tbl_filter(function(review)
    return not ends[review.state]
  end, vim.tbl_values(known[client_id] or {}))
  table.sort(running, function(one, other)
    return one.createdAt < other.createdAt
  end)
  return running
end

-- Commands of the user.

---@param word string: 'file', 'staged', 'worktree', 'since', or a base and two dots
---@return table?: `DeepReviewArguments`
local function arguments_of(word)
  local is_file = vim.bo.buftype == '' and vim.api.nvim_buf_get_name(0) ~= ''
  local uri = is_file and vim.uri_from_bufnr(0) or nil
  if word == '' or word == 'file' then
    if not uri then
      client_of.say('this buffer has no file to review', WARN)
      return nil
    end
    return { uri = uri }
  end
  local change = changes[word] or (vim.endswith(word, '..') and word)
  if not change then
    client_of.say(
      ("'%s' cannot be reviewed; there are: file, staged, worktree, main.."):format(word),
      ERROR
    )
    return nil
  end
  return { uri = uri, change = change }
end

---@param arguments table
---@param is_forced boolean
local function start(arguments, is_forced)
  local client = client_of.any()
  if client then
    arguments.force = is_forced or nil
    client_of.run(client, 'deepReview', arguments)
  end
end

--- Review a file or a change.
---@param word? string: 'file' (if absent), 'staged', 'worktree', or a base such as 'main..'
---@param is_forced? boolean: also what has not changed since its last review
function M.start(word, is_forced)
  local arguments = arguments_of(word or '')
  if arguments then
    start(arguments, is_forced or false)
  end
end

--- Review lines.
---@param range lsp.Range
---@param is_forced? boolean
function M.start_lines(range, is_forced)
  local arguments = arguments_of('file')
  if arguments then
    arguments.range = range
    start(arguments, is_forced or false)
  end
end

---@param finding table: a `Finding`
---@param encoding string
---@return vim.quickfix.entry
local function quickfix_item(finding, encoding)
  local location = { uri = finding.uri, range = finding.range }
  local item = vim.lsp.util.locations_to_items({ location }, encoding)[1]
  item.text = ('[%s] %s'):format(finding.category, finding.title)
  item.type = types[finding.severity]
  item.user_data = {
    findingId = finding.id,
    reviewId = finding.reviewId,
    title = finding.title,
  }
  return item
end

--- List the open findings of all reviews in the quickfix list.
function M.list()
  local client = client_of.any()
  if not client then
    return
  end
  client_of.run(client, 'reviews', {}, function(listed)
    local items = {}
    for _, finding in ipairs(listed.findings) do
      if finding.state == 'open' then
        table.insert(items, quickfix_item(finding, client.offset_encoding))
      end
    end
    if #items == 0 then
      client_of.say('no findings are open')
      return
    end
    vim.fn.setqflist({}, ' ', { title = 'Redline: findings', items = items })
    vim.cmd('botright copen')
  end)
end

---@param reviews table[]: `ReviewStatus`
---@param prompt string
---@param run fun(review: table)
local function choose(reviews, prompt, run)
  if #reviews == 1 then
    run(reviews[1])
    return
  end
  vim.ui.select(reviews, {
    prompt = prompt,
    format_item = function(review)
      local at = os.date('%Y-%m-%d %H:%M', math.floor(review.createdAt))
      local state = review.state .. (review.partial and ', not complete' or '')
      return ('%s  %s: %s, %d findings'):format(at, review.scope, state, review.findings)
    end,
  }, function(review)
    if review then
      run(review)
    end
  end)
end

---@param client vim.lsp.Client
local function choose_report(client)
  client_of.run(client, 'reviews', {}, function(listed)
    if #listed.reviews == 0 then
      client_of.say('nothing has been reviewed yet: :Redline review')
      return
    end
    choose(vim.iter(listed.reviews):rev():totable(), 'Report of:', function(review)
      client_of.run(client, 'openReport', { reviewId = review.reviewId })
    end)
  end)
end

--- Open the report of the review of the finding at the cursor; without one, the user
--- chooses among all reviews, the newest first.
function M.report()
  local client = client_of.any()
  if not client then
    return
  end
  require('redline.findings').here(client, function(found)
    if #found > 0 then
      client_of.run(client, 'openReport', { reviewId = found[1].reviewId })
    else
      choose_report(client)
    end
  end)
end

--- Cancel a running review; the user chooses one of several.
function M.cancel()
  local client = client_of.any()
  if not client then
    return
  end
  local running = M.running(client.id)
  if #running == 0 then
    client_of.say('no review runs')
    return
  end
  choose(running, 'Cancel:', function(review)
    client_of.run(client, 'cancelReview', { reviewId = review.reviewId }, function(result)
      if not result.cancelled then
        client_of.say('the review was over already', WARN)
      end
    end)
  end)
end

return M
