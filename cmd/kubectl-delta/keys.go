package main

import "context"

// key is what the user wants.
type key uint8

const (
	none key = iota
	quit
	up
	down
	enter
	back
)

// keys returns the keys that are pressed, until stop is called.
func (p *program) keys(ctx context.Context) (pressed <-chan key, stop func()) {
	typed, restore := p.keyboard()
	ctx, cancel := context.WithCancel(ctx)
	all := make(chan key)
	go func() { // it ends with what is typed, or with the process
		buffer := make([]byte, 64)
		for {
			n, err := typed.Read(buffer)
			for _, k := range keysIn(buffer[:n]) {
				select {
				case all <- k:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return all, func() { cancel(); restore() }
}

// A terminal sends one character for a key, or an escape, a bracket or an O, and one of the arrows.
var (
	characters = map[byte]key{
		'q': quit, '\x03': quit, '\x04': quit, 'k': up, 'j': down, '\r': enter, '\n': enter, 'l': enter,
		'\x1b': back, '\x7f': back, '\b': back, 'h': back,
	}
	arrows = map[byte]key{'A': up, 'B': down, 'C': enter, 'D': back}
)

// keysIn reads the keys, and leaves out those that mean nothing here. An escape with nothing behind it is the key of that name.
func keysIn(typed []byte) (pressed []key) {
	for len(typed) > 0 {
		k, n := characters[typed[0]], 1
		if typed[0] == '\x1b' && len(typed) >= 3 && (typed[1] == '[' || typed[1] == 'O') {
			k, n = arrows[typed[2]], 3
		}
		if k != none {
			pressed = append(pressed, k)
		}
		typed = typed[n:]
	}
	return pressed
}
