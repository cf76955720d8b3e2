// Package savefile keeps files of records in a directory, one for each label. They outlive kill -9 and a loss of power.
//
//	Create(label) ──▶ Writer ──Record, …──▶ Finish: the old file or this one, never a bit of both
//	Open(label) ──▶ Reader ──Next──▶ records … io.EOF, or *Refused
//
// The package knows nothing of what it keeps. Files need not go together: a crash may leave an old one beside a new one.
//
// # The format
//
//	a file   │ preamble │ header │ records │ records │ … │ end │
//	                    └─ block 0 ─ block 1 ─ block 2 …
//
//	preamble │ magic │ version │ sealed? │ salt │ check of the key │ checksum │
//	a block  │ kind │ length │ length unpacked │ content │ checksum or seal │
//	records  │ length │ bytes │ length │ bytes │ …
//	end      │ number of records │
//
// A block has at most 256 KB. It is compressed where that makes it smaller. A record is in one block
// unless it is longer than that. Integers are little-endian, and the lengths of records are varints.
//
// The checksum or seal of a block covers its content, its kind and lengths and its number. It is made
// with a key that follows from the directory's key, from the salt and from the file's name. So a
// block that is right anywhere else is wrong here: in another place, in another file, or in an older
// one. A file that misses its end block is not whole.
//
// # With a key, and without
//
// Without a key the checksums find accidents. Somebody who can write files can make
// new ones.
//
// With a key everything but the preamble is sealed with AES-GCM. Each file has a key of its own,
// and a block's number is its nonce. So no nonce is used twice. Nobody without the key can read a
// file, change one, or give it the name of another one. The number and the lengths of blocks
// can be seen, and by them how well the records compress. Somebody who can write the directory
// can also delete files, and can put back old ones. Nothing in the directory can tell.
//
// # What a crash leaves
//
// A file has a temporary name until it is synced. Then a rename puts it in the place of the old one, and the directory
// is synced, too. The next Open or Create removes unfinished files, by their names. Names that this package
// does not give are left alone.
//
// # Concurrency
//
// Any goroutine may call the methods of a [Dir], and there may be many readers at once, but one Writer: a Create or
// [Dir.Keep] that meets another one fails, and waits for nothing. Each [Writer] and [Reader] belongs to one goroutine. No
// file is touched under the lock.
//
// One process writes a directory at a time. Linux, the BSDs, macOS and Windows see to that; others don't. Who only
// reads may meet a file that is being replaced, and reads the old one or the new one. Windows can't sync a directory, so
// a loss of power may take back the last files there.
//
// # Testing
//
// Each byte of a small file is changed, the file is cut at each length, and its blocks and those of
// other files are put in each other's places (damage_test.go); FuzzReader goes on from there. A model of a
// disk loses what was not synced and fails now and then, and each seed ends in many crashes
// (crash_test.go). A child process is killed while it saves: `KILLS=200 go test -run Kill
// ./internal/savefile` does so 200 times.
package savefile
