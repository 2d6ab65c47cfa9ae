package stats

import "sync"

// Hits counts by name.
type Hits struct {
	mutex  sync.Mutex
	counts map[string]int
}

// Add counts one hit.
func (h *Hits) Add(name string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.counts == nil {
		h.counts = map[string]int{}
	}
	h.counts[name]++
}
