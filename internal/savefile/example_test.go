package savefile_test

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/delta-runtime/delta-runtime/internal/savefile"
)

// save is what one process does.
func save(path string) (err error) {
	d, err := savefile.Open(path, savefile.Options{MaxBytes: 1 << 20})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	w, err := d.Create("planets", []byte("the solar system"))
	if err != nil {
		return err
	}
	defer w.Abandon()
	for _, planet := range []string{"Mercury", "Venus"} {
		if err := w.Record([]byte(planet)); err != nil {
			return err
		}
	}
	return w.Finish()
}

// load is what the next process does.
func load(path string) (err error) {
	d, err := savefile.Open(path, savefile.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	r, err := d.Open("planets")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	fmt.Printf("%s:\n", r.Header())
	for {
		record, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Printf("  %s\n", record)
	}
}

func Example() {
	path, err := os.MkdirTemp("", "savefile")
	if err == nil {
		err = errors.Join(save(path), load(path), os.RemoveAll(path))
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// the solar system:
	//   Mercury
	//   Venus
}
