package imprint

import "unsafe"

// loadNumber returns an integer of any size with the bits of one of 64.
func loadNumber(p *plan, at unsafe.Pointer) int64 {
	if p.signed {
		switch p.size {
		case 1:
			return int64(*(*int8)(at))
		case 2:
			return int64(*(*int16)(at))
		case 4:
			return int64(*(*int32)(at))
		default:
			return *(*int64)(at)
		}
	}
	switch p.size {
	case 1:
		return int64(*(*uint8)(at))
	case 2:
		return int64(*(*uint16)(at))
	case 4:
		return int64(*(*uint32)(at))
	default:
		return int64(*(*uint64)(at)) //nolint:gosec // the bits are what counts
	}
}

// storeNumber reports whether the number fits.
func storeNumber(p *plan, into unsafe.Pointer, n int64) bool {
	switch p.size { // signs are in the bits
	case 1:
		*(*int8)(into) = int8(n) //nolint:gosec // it is compared below
	case 2:
		*(*int16)(into) = int16(n) //nolint:gosec // it is compared below
	case 4:
		*(*int32)(into) = int32(n) //nolint:gosec // it is compared below
	default:
		*(*int64)(into) = n
	}
	return loadNumber(p, into) == n
}
