package labels

// Set holds labels by name.
type Set struct {
	values map[string]string
}

// Add sets a label. The zero Set is ready to use.
func (s *Set) Add(name, value string) {
	s.values[name] = value
}

// Get returns a label, or nothing.
func (s *Set) Get(name string) string {
	return s.values[name]
}
