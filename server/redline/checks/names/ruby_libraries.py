"""What Ruby's `require` loads without a gem."""

from __future__ import annotations

from redline.syntax.word_set import word_set

RUBY_LIBRARIES = word_set(
    "abbrev base64 benchmark bigdecimal cgi csv date delegate digest English erb etc"
    " fileutils find forwardable io/console ipaddr json logger matrix monitor net/http"
    " observer open3 open-uri openssl optparse ostruct pathname pp pstore prime psych"
    " securerandom set shellwords singleton socket stringio strscan tempfile time"
    " timeout tmpdir tsort uri weakref yaml zlib rexml/document"
)
"""Ruby 3.1; libraries that later versions have as gems are among them."""
