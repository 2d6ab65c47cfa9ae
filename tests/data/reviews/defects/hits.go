package stats

import "net/http"

// Hits counts requests by path.
type Hits struct {
	counts map[string]int
}

// NewHits returns a counter with no hits.
func NewHits() *Hits {
	return &Hits{counts: map[string]int{}}
}

// ServeHTTP counts one request. It is called from many goroutines at once.
func (h *Hits) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.counts[r.URL.Path]++
	w.WriteHeader(http.StatusNoContent)
}
