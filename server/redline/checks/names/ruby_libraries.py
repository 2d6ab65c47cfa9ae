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

RUBY_CONSTANTS = word_set(
    "ARGV Array Base64 BasicObject Benchmark BigDecimal CGI CSV Class Comparable"
    " Complex Data Date DateTime Digest Dir ENV ERB Encoding Enumerable Enumerator"
    " Errno Etc FalseClass Fiber File FileTest FileUtils Find Float Forwardable GC"
    " HTTP Hash IO IPAddr Integer JSON Kernel Logger Marshal MatchData Math Matrix"
    " Method Module Monitor Mutex Net NilClass Numeric Object ObjectSpace Observable"
    " Open3 OpenSSL OptionParser Pathname Prime Proc Process Psych Queue RUBY_VERSION"
    " Ractor Random Range Rational Regexp SecureRandom Set Shellwords Signal Singleton"
    " Socket String StringIO StringScanner Struct Symbol TCPServer TCPSocket Tempfile"
    " Thread Time Timeout TrueClass URI UTF_8 Vector WeakRef YAML Zlib"
    " ArgumentError EOFError EncodingError Error Exception FiberError"
    " FloatDomainError FrozenError IOError IndexError Interrupt KeyError LoadError"
    " NameError NoMethodError NotImplementedError ParserError RangeError RegexpError"
    " RuntimeError ScriptError SecurityError StandardError StopIteration"
    " SystemCallError SystemExit ThreadError TypeError UncaughtThrowError"
    " ZeroDivisionError"
)
"""Names of classes and modules that Ruby and its libraries define."""
