"""Words of an instruction that indicate how hard a task is, as data."""

from __future__ import annotations

from redline.routing.phrases import Phrases

EASY = Phrases("""
    rename, typo, spelling, grammar, format, indent, sort, reorder, comment, document
    remove the unused, docstring, doc comment, javadoc, jsdoc, xml doc, type hint
    annotation, annotate
    log, logging, print, constant, magic number, import, include, unused, const, shorter
    one liner, use f string, json tag, snake case, camel case, derive, getter, setter
    flag, default, label, alias, bump, early return, guard clause, inline this, tidy
    add a field, add a column to the output, add an option, add a route, tag
    description, example, quote
""")
"""Requests whose result can be checked quickly."""

HARD = Phrases("""
    optimistic, optimistically, roll back, rollback, meanwhile, in the meantime
    back off, rate limit, throttle, debounce and, dedupe, deduplicate, merge, conflict
    consistent, weekly, rotate, retention, schedule, cron, timezone, time zone
    unicode, encoding, checkpoint, invalidate, prefetch, fallback, circuit breaker
    graceful, gracefully, survive, incrementally
    block everyone, non blocking, lazily, ownership, overload, invariant
    both back end, all implementation, satisfy, everywhere
    rewrite, from scratch, algorithm, optimize, optimise, faster, too slow, performance
    throughput, latency, quadratic, memory usage, out of memory, precedence, idempotent
    concurrent, concurrently, concurrency, in parallel, parallel, at once, at a time
    thread safe, thread safety, race, async, backoff, jitter, retry, reconnect
    resume, stream, streaming, backpressure, batch, batching, evict
    least recently used, backward compatible, backwards compatible, keep the behaviour
    keep the behavior, keep behaviour, same behaviour, without changing
    without breaking, old client, keep working, hard to follow, untangle, split into
    decouple, abstraction, state machine, table driven, incremental, pagination, cursor
    query per, n 1, template, compiler, borrow, lifetime
    live long enough, simd, avx, avx2, virtualize, shared
    dependency injection, trait, mixin, concern, event loop, blocking, transaction
    lock, mutex, semaphore, actor, recursive descent, whole app, all caller
""")
"""Requests for behaviour that needs careful thought."""

VERY_HARD = Phrases("""
    replica, several replica, all instance, multi tenant, multitenant, everything
    no query may ever, real time thread, audio callback, must not lock, must never block
    only talk through, event driven, bounded context, decouple, service boundary
    sharding, replication, quorum, linearizable, serializable, phantom read
    double booking, double charge, disaster recovery, migration path, whole system
    redesign, rearchitect, architecture, distributed, consensus, leader election
    network partition, split brain, exactly once, eventual consistency, crdt
    convergent, diverge, lock free, lockless, wait free, work stealing
    memory ordering, event sourcing, two phase commit, saga, compensate
    zero downtime, no downtime, without downtime, without locking, side by side
    while both exist, during the rollout, two version, rolling, step by step
    several instance, multiple instance, several node, must survive, survive network
    god class, monolith, whole app, entire app, entire codebase, whole codebase
    behaviour must stay identical, behavior must stay identical, no test, reloadable
    consistent, inconsistent, stay consistent, reentrant, reentrancy, million row
    billion row, deep review, undefined behaviour, undefined behavior, no longer
    serialised, not serialised, not serialized, threat model, rebalance, failover
""")
"""Requests that need an understanding of the whole system."""

SYMPTOMS = Phrases("""
    block everyone, lose, loses the, accepted, ignored, not updated, too often, too many
    too late, too early, blank, empty, nothing happen, accept, leak and, garbled
    why, bug, wrong, broken, doesn t work, does not work, not working, fail, failing
    crash, crashes, hang, exception, vanish, disappear, missing, duplicate, twice, shift
    off by, incorrect, unexpected, keep, forever, infinite loop, overwrite, leak, stale
    slow, take second, regression, worked before, since yesterday, does not stop
    not stop, sometime, end up, stall, double free, data race, concurrent map write
""")
"""Reports of a fault whose cause must be found."""

DEBUGGING = Phrases("""
    fix, bug, why, broken, doesn t work, does not work, not working, wrong, find out
    figure out, debug, investigate, regression, worked before, crash, crashes
""")
"""Requests to find a cause, in any kind of task."""

ELUSIVE = Phrases("""
    every few second, every few minute, every few hour, network split, only sometime
    once in a while, every now and then, every so often, same number, same id, glitch
    click, stutter, replica, non deterministic, nondeterministic, heisenbug, seldom
    only sometimes, in rare cases, rare case, after some time, eventually, overnight
    after restart, out of order, same seat, double booked, charged twice, concurrently
    sometimes, sometime, occasionally, intermittent, intermittently, random, randomly
    flaky, now and then, once a week, once a day, from time to time, rarely, sporadic
    under load, only in production, in production, in the field, on ci, never locally
    cannot reproduce, can t reproduce, can not reproduce, not reproducible, heisenbug
    race condition, deadlock, stuck, hang, freeze, starve, lost update, wakeup, wake up
    lost, get lost, are lost, corrupt, corruption, torn, segfault, segmentation fault
    use after free, asan, tsan, msan, valgrind, miri, undefined behaviour
    undefined behavior, bad access, memory grow, grow without bound, pile up, leak
    out of memory killed, on arm, at the same time, go negative
    don t understand, do not understand, figure out, find out why, goroutine leak
    after a while, invalid read, invalid write
""")
"""Reports of a fault that appears only at times: timing, memory, machines."""

DIAGNOSTICS = Phrases("""
    declared and not used, imported but unused, undefined name, is not defined
    cannot find name, possibly undefined, possibly null, null reference, nullable
    unused variable, expected, missing semicolon, cs8602, ts, eslint, eqeqeq, sc2086
    prefer, comparison of integer, signedness, shadow, unreachable, deprecated
    borrow of moved value, use of moved value, mismatched type, not assignable
    only safe, non null asserted, null pointer exception, must be a, style
""")
"""Words of a linter or compiler: the place is known, and it can be run again."""
