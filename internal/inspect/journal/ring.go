package journal

// ring has the last entries.
type ring[E any] struct {
	most  int
	room  []E // it grows until there is room for most, and shrinks where little is left: nobody counts it
	first int // where the oldest is
	count int
}

// add returns the place of a new entry, which has what was there before, and reports whether the
// oldest had to go for it.
func (r *ring[E]) add() (place *E, gone bool) {
	if r.count == len(r.room) && r.count < r.most {
		r.grow()
	}
	if gone = r.count == len(r.room); gone {
		r.first = r.after(r.first)
		r.count--
	}
	r.count++
	return r.at(r.count - 1), gone
}

func (r *ring[E]) grow() { r.resize(min(r.most, max(leastRoom, r.count+r.count/4))) }

// leastRoom is room that is not worth saving.
const leastRoom = 8

func (r *ring[E]) resize(to int) {
	room := make([]E, to)
	for i := range r.count {
		room[i] = *r.at(i)
	}
	r.room, r.first = room, 0
}

// at returns the entry that is i places after the oldest.
func (r *ring[E]) at(i int) *E {
	if i += r.first; i >= len(r.room) {
		i -= len(r.room)
	}
	return &r.room[i]
}

func (r *ring[E]) after(i int) int {
	if i++; i == len(r.room) {
		return 0
	}
	return i
}

// drop drops the oldest entry.
func (r *ring[E]) drop() {
	var none E
	r.room[r.first] = none
	r.first = r.after(r.first)
	r.count--
	if len(r.room) > leastRoom && r.count < len(r.room)/2 {
		r.resize(min(r.most, max(leastRoom, r.count+r.count/4)))
	}
}
