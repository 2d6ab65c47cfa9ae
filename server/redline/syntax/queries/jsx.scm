; The grammars take any closing tag for any opening one.
(jsx_element
  open_tag: (jsx_opening_element name: (_) @_opened)
  close_tag: (jsx_closing_element name: (_) @mismatch)
  (#not-eq? @_opened @mismatch))
