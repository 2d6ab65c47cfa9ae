--- The functions for keys and scripts; the `<Plug>` maps call only these.

local ranges = require('redline.ranges')

local M = {}

--- Set options, instead of or beside `vim.g.redline`. Plugin managers call it, before or
--- after the plugin is loaded.
---@param opts? table<string, any>: as in `vim.g.redline`
function M.setup(opts)
  local given = type(vim.g.redline) == 'table' and vim.g.redline or {}
  vim.g.redline = vim.tbl_extend('force', given, opts or {})
  vim.lsp.config('redline', {
    capabilities = {
      experimental = { redline = { nextEdit = require('redline.options').get().next_edits } },
    },
  })
  require('redline.start').apply()
end

--- Leave Visual mode, which sets the marks of the selection and allows a prompt.
local function leave_visual()
  -- Not by feedkeys(), which would also carry out what the user has typed since.
  vim.cmd.normal({ vim.keycode('<Esc>'), bang = true })
end

--- Edit some lines: by default the definition around the cursor; outside of any, its
--- line, or new ones on a blank line.
---@param opts? {instruction?: string, first?: integer, last?: integer, variations?: boolean, images?: string[]}
---  `images` are the URIs of images that the instruction is about.
function M.edit(opts)
  opts = opts or {}
  local command = opts.variations and 'variations' or 'edit'
  if opts.first then
    local range = ranges.of_lines(opts.first, opts.last or opts.first)
    require('redline.edit').start(range, opts.instruction, command, nil, opts.images)
  else
    require('redline.edit').start_here(opts.instruction, command, opts.images)
  end
end

--- Offer the last rejected or dropped offer of this buffer again.
function M.bring_back()
  require('redline.edit').bring_back()
end

--- Edit the selection.
---@param instruction? string
function M.edit_selection(instruction)
  local range = ranges.of_selection()
  leave_visual()
  require('redline.edit').start(range, instruction)
end

--- Explain the selection.
function M.explain_selection()
  local range = ranges.of_selection()
  leave_visual()
  require('redline.answers').explain(range)
end

---@param name string: of a function of this module that 'operatorfunc' calls
---@return string: the keys of an operator
local function operator(name)
  vim.o.operatorfunc = ("v:lua.require'redline'.%s"):format(name)
  return 'g@'
end

---@return lsp.Range: what the motion of an operator covered
local function covered()
  return ranges.of_lines(vim.fn.line("'["), vim.fn.line("']"))
end

--- Edit what a motion covers.
---@return string
function M.operator_edit()
  return operator('_edit_covered')
end

--- Explain what a motion covers.
---@return string
function M.operator_explain()
  return operator('_explain_covered')
end

function M._edit_covered()
  require('redline.edit').start(covered())
end

function M._explain_covered()
  require('redline.answers').explain(covered())
end

--- Give the edit at the cursor another instruction.
---@param instruction? string
function M.redirect(instruction)
  require('redline.edit').redirect(instruction)
end

--- Stop the edits that are being written in this buffer; if there are none, reject the
--- offer at the cursor.
---@param opts? {everywhere?: boolean}
function M.stop(opts)
  if opts and opts.everywhere then
    require('redline.edit').stop_all()
  else
    require('redline.edit').stop()
  end
end

--- Accept the edit at the cursor.
function M.accept()
  require('redline.edit').accept()
end

--- Reject the edit at the cursor.
function M.reject()
  require('redline.edit').reject()
end

--- Accept the change nearest to the cursor.
function M.accept_hunk()
  require('redline.edit').accept(true)
end

--- Reject the change nearest to the cursor.
function M.reject_hunk()
  require('redline.edit').reject(true)
end

--- Go to the next change.
function M.next_hunk()
  require('redline.edit').go(1)
end

--- Go to the previous change.
function M.previous_hunk()
  require('redline.edit').go(-1)
end

--- Show the next candidate of the edit at the cursor.
function M.next_candidate()
  require('redline.edit').next_candidate()
end

--- Go to the next edit that is shown; if the cursor is near it, accept it.
function M.take_next_edit()
  if not require('redline.next_edit').take() then
    require('redline.client').say('no next edit is shown')
  end
end

--- Dismiss the next edit, and those that follow it.
function M.dismiss_next_edit()
  if not require('redline.next_edit').dismiss() then
    require('redline.client').say('no next edit is shown')
  end
end

--- Review the file of this buffer, or a change.
---@param what? string: 'file' (if absent), 'staged', 'worktree', or a base such as 'main..'
function M.review(what)
  require('redline.reviews').start(what)
end

--- Review the selection.
function M.review_selection()
  local range = ranges.of_selection()
  leave_visual()
  require('redline.reviews').start_lines(range)
end

--- List all findings in the quickfix list.
function M.reviews()
  require('redline.reviews').list()
end

--- Apply the fix of the finding at the cursor.
function M.fix()
  require('redline.findings').fix()
end

--- Dismiss the finding at the cursor.
---@param reason? string
function M.dismiss(reason)
  require('redline.findings').dismiss(reason)
end

--- Return a component for 'statusline'.
---@return string
function M.statusline()
  return require('redline.status').line()
end

return M
