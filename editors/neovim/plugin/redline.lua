-- Declares what there is to call; everything else is loaded when it is used.

if vim.g.loaded_redline then
  return
end
vim.g.loaded_redline = 1

if vim.fn.has('nvim-0.11') == 0 then
  vim.notify('redline needs Neovim 0.11 or newer', vim.log.levels.ERROR)
  return
end

vim.api.nvim_create_user_command('Redline', function(command)
  require('redline.commands').run(command)
end, {
  range = true,
  bang = true,
  nargs = '*',
  desc = 'Redline: edit, redirect, stop, accept, review and more',
  complete = function(...)
    return require('redline.commands').complete(...)
  end,
})

---@param modes string|string[]
---@param name string
---@param action string: a function of the module `redline`
---@param desc string
local function plug(modes, name, action, desc)
  vim.keymap.set(modes, ('<Plug>(redline-%s)'):format(name), function()
    return require('redline')[action]()
  end, { desc = 'Redline: ' .. desc, expr = action:find('^operator') ~= nil })
end

plug('n', 'edit', 'operator_edit', 'edit what a motion covers')
plug('x', 'edit', 'edit_selection', 'edit the selection')
plug('n', 'edit-here', 'edit', 'edit the definition here')
plug('n', 'bring-back', 'bring_back', 'offer the last rejected edit again')
plug('n', 'explain', 'operator_explain', 'explain what a motion covers')
plug('x', 'explain', 'explain_selection', 'explain the selection')
plug('n', 'redirect', 'redirect', 'give the edit here another instruction')
plug({ 'n', 'i', 'x' }, 'stop', 'stop', 'stop the edits of this buffer')
plug('n', 'accept', 'accept', 'accept the edit here')
plug('n', 'reject', 'reject', 'reject the edit here')
plug('n', 'accept-hunk', 'accept_hunk', 'accept the change under the cursor')
plug('n', 'reject-hunk', 'reject_hunk', 'reject the change under the cursor')
plug('n', 'next-hunk', 'next_hunk', 'go to the next change')
plug('n', 'previous-hunk', 'previous_hunk', 'go to the previous change')
plug('n', 'next-candidate', 'next_candidate', 'show the next candidate')

vim.keymap.set('i', '<Plug>(redline-complete)', function()
  if not require('redline.completion').accept() then
    return '<Tab>'
  end
end, { desc = 'Redline: accept the completion, or insert a tab', expr = true })

vim.keymap.set('i', '<Plug>(redline-dismiss-completion)', function()
  if not require('redline.completion').dismiss() then
    return '<C-]>'
  end
end, { desc = 'Redline: dismiss the completion', expr = true })

plug({ 'n', 'i' }, 'next-edit', 'take_next_edit', 'go to the next edit, or accept it')
plug('n', 'dismiss-next-edit', 'dismiss_next_edit', 'dismiss the next edit')
plug('n', 'review', 'review', 'review this file')
plug('x', 'review', 'review_selection', 'review the selection')
plug('n', 'reviews', 'reviews', 'list all findings')
plug('n', 'fix', 'fix', 'apply the fix of the finding here')
plug('n', 'dismiss', 'dismiss', 'dismiss the finding here')

require('redline.highlights').define()

local group = vim.api.nvim_create_augroup('redline', {})

vim.api.nvim_create_autocmd('ColorScheme', {
  group = group,
  callback = function()
    require('redline.highlights').define()
  end,
})

vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  desc = 'Show completions, next edits and stored offers of Redline',
  callback = function(event)
    require('redline.completion').on_attach(event.data.client_id, event.buf)
    require('redline.next_edit').on_attach(event.data.client_id, event.buf)
    require('redline.offers').on_attach(event.data.client_id, event.buf)
  end,
})

vim.api.nvim_create_autocmd({ 'BufUnload' }, {
  group = group,
  desc = 'Forget the edits of a deleted buffer',
  callback = function(event)
    require('redline.sessions').forget_buffer(event.buf)
  end,
})

vim.api.nvim_create_autocmd({ 'BufFilePre', 'BufFilePost' }, {
  group = group,
  desc = 'Report renamed files to the server',
  callback = function(event)
    local renames = require('redline.renames')
    if event.event == 'BufFilePre' then
      renames.begins(event.buf)
    else
      renames.ends(event.buf)
    end
  end,
})

require('redline.start').apply()
