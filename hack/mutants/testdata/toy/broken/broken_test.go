package broken

import "testing"

func TestFails(t *testing.T) { t.Error("as it is meant to") }
