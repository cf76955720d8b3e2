package imprint

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
)

// version is that of what records look like.
const version = 1

// Print tells the layout from all others: types, their kinds, and the names, tags and order of fields.
func (t *Type) Print() string { return t.layout }

// digest is the print of all that was met.
func (m *planner) digest() string {
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "version %d\n", version) // a hash takes all
	for _, p := range m.order {
		_, _ = fmt.Fprintf(sum, "%s %q as %d: %v, %d bytes", p.typ.PkgPath(), p.typ, p.sort, p.typ.Kind(), p.size)
		if p.elem != nil {
			_, _ = fmt.Fprintf(sum, " of %s %q", p.elem.typ.PkgPath(), p.elem.typ)
		}
		_, _ = fmt.Fprintln(sum)
		if p.typ.Kind() != reflect.Struct {
			continue
		}
		for i := range p.typ.NumField() {
			f := p.typ.Field(i)
			_, _ = fmt.Fprintf(sum, "\t%d %q %s %q %q\n", f.Offset, f.Name, f.Type.PkgPath(), f.Type, f.Tag)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
