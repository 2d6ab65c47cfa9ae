"""Where names of standard libraries are imported from.

Only names that a file uses in one certain way are listed. Names that common packages
have, too, are `SHARED`: what they mean depends on what else the file uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from redline.syntax.language import Language
from redline.syntax.word_set import word_set

_GO_PACKAGES = """
    bufio bytes cmp context embed errors fmt io maps math os reflect regexp runtime
    slices sort strconv strings sync syscall time unicode archive/tar archive/zip
    compress/gzip container/heap crypto/hmac crypto/md5 crypto/sha1 crypto/sha256
    crypto/sha512 crypto/subtle encoding/base64 encoding/binary encoding/csv
    encoding/hex encoding/json encoding/xml hash/crc32 hash/fnv io/fs log/slog math/big
    math/bits net/http net/http/httptest net/netip net/url os/exec os/signal
    path/filepath runtime/debug sync/atomic text/tabwriter unicode/utf16 unicode/utf8
"""
_RUST = {
    "std": "env fmt fs io iter mem process thread",
    "std::borrow": "Cow",
    "std::cell": "Cell OnceCell RefCell",
    "std::cmp": "Reverse",
    "std::collections": "BTreeMap BTreeSet BinaryHeap HashMap HashSet VecDeque",
    "std::ffi": "OsStr OsString",
    "std::fs": "File OpenOptions",
    "std::io": "BufReader BufWriter",
    "std::marker": "PhantomData",
    "std::net": "IpAddr Ipv4Addr Ipv6Addr SocketAddr",
    "std::num": "NonZeroU32 NonZeroU64 NonZeroUsize ParseIntError ParseFloatError",
    "std::path": "Path PathBuf",
    "std::rc": "Rc",
    "std::str": "FromStr",
    "std::sync": "Arc Condvar LazyLock Mutex OnceLock RwLock mpsc",
    "std::sync::atomic": "AtomicBool AtomicI32 AtomicI64 AtomicU32 AtomicU64"
    " AtomicUsize",
    "std::time": "Duration Instant SystemTime",
}
_JAVA = {
    "java.io": "BufferedInputStream BufferedOutputStream BufferedReader BufferedWriter"
    " ByteArrayInputStream ByteArrayOutputStream Closeable EOFException File FileReader"
    " FileWriter IOException InputStream InputStreamReader OutputStream"
    " OutputStreamWriter PrintStream PrintWriter Reader Serializable StringReader"
    " StringWriter UncheckedIOException Writer",
    "java.math": "BigDecimal BigInteger MathContext RoundingMode",
    "java.net": "InetAddress URI URISyntaxException URL URLDecoder URLEncoder",
    "java.nio": "ByteBuffer",
    "java.nio.charset": "Charset StandardCharsets",
    "java.nio.file": "Files NoSuchFileException Path Paths StandardCopyOption"
    " StandardOpenOption",
    "java.security": "MessageDigest NoSuchAlgorithmException SecureRandom",
    "java.text": "DecimalFormat MessageFormat NumberFormat ParseException"
    " SimpleDateFormat",
    "java.time": "Clock DateTimeException DayOfWeek Duration Instant LocalDate"
    " LocalDateTime LocalTime OffsetDateTime Period YearMonth ZoneId ZoneOffset"
    " ZonedDateTime",
    "java.time.format": "DateTimeFormatter DateTimeParseException",
    "java.time.temporal": "ChronoUnit",
    "java.util": "ArrayDeque ArrayList Arrays Base64 BitSet Collection Collections"
    " Comparator Deque EnumMap EnumSet HashMap HashSet Iterator LinkedHashMap"
    " LinkedHashSet LinkedList List Locale Map NavigableMap NoSuchElementException"
    " Objects Optional OptionalDouble OptionalInt OptionalLong PriorityQueue Properties"
    " Queue Random Scanner Set SortedMap StringJoiner TreeMap TreeSet UUID",
    "java.util.concurrent": "Callable CompletableFuture ConcurrentHashMap ConcurrentMap"
    " CopyOnWriteArrayList CountDownLatch ExecutionException ExecutorService Executors"
    " Future LinkedBlockingQueue ScheduledExecutorService Semaphore ThreadLocalRandom"
    " TimeUnit TimeoutException",
    "java.util.concurrent.atomic": "AtomicBoolean AtomicInteger AtomicLong"
    " AtomicReference LongAdder",
    "java.util.concurrent.locks": "ReentrantLock ReentrantReadWriteLock",
    "java.util.function": "BiConsumer BiFunction BinaryOperator Consumer Function"
    " IntFunction Predicate Supplier ToDoubleFunction ToIntFunction ToLongFunction"
    " UnaryOperator",
    "java.util.regex": "Matcher Pattern",
    "java.util.stream": "Collectors DoubleStream IntStream LongStream Stream",
}

_PHP = """
    ArgumentCountError ArrayAccess ArrayIterator ArrayObject Closure Countable
    DateInterval DatePeriod DateTime DateTimeImmutable DateTimeInterface DateTimeZone
    DomainException DOMDocument Error Exception Generator InvalidArgumentException
    IteratorAggregate JsonException JsonSerializable LengthException LogicException
    NumberFormatter OutOfBoundsException OutOfRangeException PDO PDOException
    PDOStatement RangeException ReflectionClass RuntimeException SplFileObject
    SplObjectStorage Stringable Throwable Traversable TypeError
    UnexpectedValueException ValueError WeakMap
"""
_CSHARP = {
    "System.Buffers": "ArrayPool",
    "System.Collections.Concurrent": "BlockingCollection ConcurrentBag"
    " ConcurrentDictionary ConcurrentQueue",
    "System.Collections.Immutable": "ImmutableArray ImmutableDictionary ImmutableList",
    "System.Diagnostics": "Stopwatch",
    "System.Globalization": "CultureInfo DateTimeStyles NumberStyles",
    "System.Net": "HttpStatusCode IPAddress",
    "System.Runtime.CompilerServices": "CallerMemberName EnumeratorCancellation",
    "System.Security.Cryptography": "CryptographicOperations HMACSHA256"
    " RandomNumberGenerator SHA256",
    "System.Text": "Encoding StringBuilder",
    "System.Text.Json": "JsonDocument JsonException JsonSerializer"
    " JsonSerializerOptions",
    "System.Text.Json.Serialization": "JsonIgnore JsonPropertyName",
    "System.Text.RegularExpressions": "Regex RegexOptions",
}
"""Without the namespaces that a project may import for all of its files."""


def _homes(table: Mapping[str, str], statement: str) -> Iterator[tuple[str, str]]:
    for module, names in table.items():
        for name in names.split():
            yield name, statement.format(module=module, name=name)


HOMES: Mapping[Language, Mapping[str, str]] = {
    Language.GO: {
        path.rpartition("/")[2]: f'import "{path}"' for path in _GO_PACKAGES.split()
    },
    Language.RUST: dict(_homes(_RUST, "use {module}::{name};")),
    Language.JAVA: dict(_homes(_JAVA, "import {module}.{name};")),
    Language.PHP: {name: f"use {name};" for name in _PHP.split()},
    Language.CSHARP: dict(_homes(_CSHARP, "using {module};")),
}
"""The statement that imports each name."""

SHARED: Mapping[Language, tuple[frozenset[str], str]] = {
    Language.RUST: (
        word_set(
            "BufReader BufWriter Condvar Duration File Instant Mutex OnceCell"
            " OpenOptions RwLock SystemTime env fs io iter mem mpsc process thread"
        ),
        r"\b(?:tokio|async_std|smol|futures|chrono|parking_lot|once_cell|web_time|time"
        r"|loom|no_std|embassy\w*)\b|::\*",
    ),
    Language.JAVA: (
        word_set(
            "Callable Clock Consumer Duration File Function Future Instant Iterator"
            " LocalDate LocalDateTime LocalTime Matcher Optional Path Pattern Period"
            " Predicate Properties Queue Random Reader Scanner Stream Supplier"
            " TimeoutException URL Writer YearMonth"
        ),
        r"\bimport\s(?:static\s)?\s*(?!java\.)[\w.]+\.\*|\b(?:com\.google|org\.joda"
        r"|io\.vavr|io\.netty|io\.reactivex|javax?\.persistence|org\.hamcrest|android)\b",
    ),
}
"""Names that other libraries have, too, and what shows that one of these is meant."""

USED_AS: Mapping[Language, Mapping[str, Mapping[str, str]]] = {
    Language.RUST: {
        "Ordering": {
            r"::(?:Less|Equal|Greater)\b": "use std::cmp::Ordering;",
            r"::(?:Relaxed|Release|Acquire|AcqRel|SeqCst)\b": (
                "use std::sync::atomic::Ordering;"
            ),
        },
    },
}
"""The statements for names with several homes, by what stands behind the name."""
