package cache;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

final class Cache<K, V> {
    private final Map<K, V> values = new HashMap<>();
    private final Lock lock = new ReentrantLock();

    V get(K key, Function<K, V> make) {
        lock.lock();
        V value = values.computeIfAbsent(key, make);
        lock.unlock();
        return value;
    }
}
