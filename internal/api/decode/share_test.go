package decode_test

// A turn counts what a test could play, and tells what is played.
type turn int

// is reports whether one in so many has come.
func (n *turn) is(in int) bool {
	*n++
	return int(*n)%in == 0
}

// shareOf returns one in so many, the first among them.
func shareOf[T any](all []T, in int) (some []T) {
	for i := 0; i < len(all); i += in {
		some = append(some, all[i])
	}
	return some
}
