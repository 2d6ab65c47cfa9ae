"""Comments that stand for code are found, ordinary comments are not."""

from __future__ import annotations

import pytest

from redline.text.elision import find_elision

ELISIONS = """\
# ... rest unchanged
# ...
# …
# ... rest of the code ...
# ... (unchanged)
# ... existing code ...
# ...existing code...
# ... other methods ...
# [rest of the implementation remains the same]
# (rest of the function unchanged)
# rest of the function stays the same
# The rest of your code remains unchanged.
# Rest of the class is the same as before
# rest of code
# remaining code unchanged
# remaining methods stay as they are ...
# existing code here
# Existing implementation
# existing imports ...
# other methods remain unchanged
# previous code
# Same as before
# unchanged
# no changes here
# No change needed
# implementation remains the same
# code omitted for brevity
# omitted for brevity
# Keep the existing code
# keep the rest of the function as is
# your code here
# implementation goes here
# everything else stays the same
# --- rest of the file unchanged ---
    # ... same as above
// existing code
// ... existing code ...
//...rest of the function
/// ... unchanged
// … rest of the component
// rest of the component stays the same
/* ... */
/* rest of the function stays the same */
/* ... existing styles ... */
/** existing code */
 * ... rest of the parameters unchanged
{/* ... existing code ... */}
{/* rest of the component */}
function f() { /* ... existing code ... */ }
<!-- ... -->
<!-- rest of the file unchanged -->
<!-- existing code here -->
-- ... rest of query
-- rest of the query unchanged
--[[ rest of the function ]]
; ... rest of the code
;; existing code
% ... unchanged
(* rest of the module unchanged *)
{- rest of the module -}
<%# ... existing code ... %>
{{!-- existing code --}}
.. rest of the file unchanged
REM rest of the code
" ... existing code ...
' rest of the code unchanged
\"\"\" ... rest of the file unchanged ... \"\"\"
dnl ... rest unchanged
... (unchanged)
... rest of code ...
... rest of the function
[... unchanged ...]
[rest of the code unchanged]
<rest of the function unchanged>
(... same as before ...)
...  # rest of the implementation
    ...  # unchanged
pass  # existing code
pass  # ... implementation ...
return  # rest of the function unchanged
""".splitlines()

ORDINARY = """\
x = 1
...
    ...
def f(self) -> None: ...
# Return the rest of the arguments.
# The rest of the world uses metric units.
# Retry the existing connection...
# Skip lines that were seen before.
# Same order as in the specification.
# Keep a reference: the task could be collected otherwise.
# This implementation is taken from the paper and is quite fast.
# The code is a three-letter country code.
# Remaining seconds
# other
# loop over existing users
# before
# Wait ... then continue with what the caller has given us, if anything at all
# TODO: handle other encodings
# Other threads may hold the lock while we wait for the others...
// The original request is kept for the retry.
// existing users keep their role
/* compare with the previous value */
<!-- the body of the page -->
-- select the rest of the columns by name
; semicolons end it
...     return self.code
...     for line in other_lines:
...       Here are examples of simple math.
...rest
...existing,
  ...props,
[...items]
{...}
f(...args)
print("... rest unchanged")
s = "# ... rest unchanged"
text = "..."
- the same as before the change to settings
The rest of the code is unchanged.
#!/bin/sh
# -*- coding: utf-8 -*-
#
//
/**
 *
 */
#######
# -----
#include <rest>
pass
pass  # pragma: no cover
return  # nothing to do
assert x  # unchanged
--verbose
%d of the rest
* [ ] write the rest
""".splitlines()


@pytest.mark.parametrize("line", [line for line in ELISIONS if line])
def test_what_stands_for_code_is_an_elision(line: str) -> None:
    assert find_elision(line) is not None
    assert find_elision(line + "\r\n", "python") is not None


@pytest.mark.parametrize("line", [line for line in ORDINARY if line])
def test_ordinary_lines_are_not(line: str) -> None:
    assert find_elision(line) is None
    assert find_elision(line + "\n", "python") is None


@pytest.mark.parametrize(
    ("language", "expected"),
    [("python", False), ("yaml", False), ("", False), ("go", True), ("cpp", True)],
)
def test_dots_alone_depend_on_the_language(language: str, expected: bool) -> None:
    column = 4 if expected else None
    assert find_elision("    ...\n", language) == column
    assert find_elision("    …\n", language) == column


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("    # ... rest unchanged", 4),
        ("  pass  # existing code", 8),
        ("f(); /* ... existing code ... */", 5),
        ("/* a */ x = 1; /* ... */", 15),
    ],
)
def test_the_column_is_that_of_the_comment(line: str, column: int) -> None:
    assert find_elision(line) == column
