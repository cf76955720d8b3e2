// Package savefile keeps files of records in a directory, one for each label. They outlive kill -9 and a loss of power.
//
//	Create(label) ──▶ Writer ──Record, …──▶ Finish: the old file or this one, never a bit of both
//	Open(label) ──▶ Reader ──Next──▶ records … io.EOF, or ErrRefused
//
//	a file   │ preamble │ block │ block │ … │ last block │
//	preamble │ magic │ version │ key? │ salt │
//	a block  │ kind │ length │ content │ seal │            at most 64 KB
//	content  │ of all blocks together, unpacked: length │ header │ length │ record │ length │ record │ …
//
// AES-GCM seals each block with its kind, its length and its number. The key of a file follows from the directory's
// key, and from the file's preamble and name. So a block that is right anywhere else is wrong here: in another place,
// in another file, or in an older one. A file that misses its last block is not whole. Files need not go together:
// a crash may leave an old one beside a new one.
//
// Without a key the files are sealed with one that everybody knows. That finds accidents, and somebody who can write
// files can make new ones. A block's number is its nonce, so no nonce is used twice. The number and lengths of blocks
// can be seen, and by them how well the records compress. Somebody who can write the directory can also delete files,
// and can put back old ones. Nothing in the directory can tell.
//
// A file has a temporary name until it is synced. Then a rename puts it in the place of the old one, and the directory
// is synced, too. Windows can't do that, so there a loss of power may take back the last files. The next Open or Create
// removes unfinished files, and leaves alone names that this package does not give.
//
// Any goroutine may call the methods of a [Dir]. There may be many readers, but one Writer: callers of Create
// and [Dir.Keep] take turns. Each [Writer] and [Reader] belongs to one goroutine. One process writes a directory at a
// time: Linux, the BSDs, macOS and Windows see to that, and others don't.
package savefile
