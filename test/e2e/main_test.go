package e2e

import (
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/realtime"
)

func TestMain(m *testing.M) { realtime.Main(m) }
