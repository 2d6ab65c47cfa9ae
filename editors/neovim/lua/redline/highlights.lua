--- The colours of a preview: those of a diff, unless the colour scheme defines them.

local M = {}

local links = {
  RedlineRemoved = 'DiffDelete',
  RedlineAdded = 'DiffAdd',
  RedlineTarget = 'Visual',
  RedlineNote = 'Comment',
  RedlineHeld = 'DiagnosticVirtualTextWarn',
  RedlineKey = 'Pmenu',
}

--- Define the highlight groups that are not defined yet.
function M.define()
  for name, target in pairs(links) do
    vim.api.nvim_set_hl(0, name, { link = target, default = true })
  end
  -- On top of RedlineAdded: more of it may come.
  vim.api.nvim_set_hl(0, 'RedlineGrowing', { italic = true, default = true })
  -- On top of RedlineRemoved, for words in a line that stays.
  vim.api.nvim_set_hl(0, 'RedlineStruck', { strikethrough = true, default = true })
end

return M
