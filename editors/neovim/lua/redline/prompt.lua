--- Asks the user for an instruction, by `vim.ui.input`.

local M = {}

--- Ask, unless the instruction is given.
---@param question string
---@param given? string
---@param on_instruction fun(instruction: string): not called if the user cancels
function M.ask(question, given, on_instruction)
  if given and given:match('%S') then
    on_instruction(given)
    return
  end
  vim.ui.input({ prompt = question .. ': ' }, function(typed)
    if typed and typed:match('%S') then
      on_instruction(typed)
    end
  end)
end

return M
