package browser

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/testing/toyoperator"
)

// TestATokenIsAskedForAndKeptInTheTab has the page behind a filter that lets its files through and asks for a
// token where there is data. It answers in plain text, as the one of controller-runtime's metrics server does.
func TestATokenIsAskedForAndKeptInTheTab(t *testing.T) {
	b := open(t, desk, "deltas", func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch token := r.Header.Get("Authorization"); {
			case !strings.HasPrefix(r.URL.Path, inspector.Prefix+"v1/"):
				h.ServeHTTP(w, r)
			case token != "Bearer reader":
				http.Error(w, "Unauthorized", http.StatusUnauthorized)
			case r.Method == http.MethodPost:
				http.Error(w, "Authorization denied for user reader", http.StatusForbidden)
			default:
				h.ServeHTTP(w, r)
			}
		})
	})
	b.expect("401")
	b.expect("403")
	b.expect("Password field is not contained in a form") // the page's policy forbids to send one
	b.says("dialog", "The operator asks who you are")
	b.rules()
	b.shot("light-token")
	b.fill("input[name=token]", "wrong")
	b.press("dialog", "Use this token")
	b.says("dialog", "does not accept this token")
	b.fill("input[name=token]", "reader")
	b.press("dialog", "Use this token")
	b.says(".side", "live")
	b.toy.Scale(toyoperator.Demo(toyoperator.Site, "blog"), "kubectl", 4, 6)
	b.says("tbody tr:first-child", "4 → 6")
	if kept := evaluate[string](b, `JSON.stringify([Object.values(sessionStorage), Object.values(localStorage), document.cookie])`); kept != `[["reader"],[],""]` {
		t.Errorf("kept is %s", kept)
	}
	b.key("6")
	b.says("main", "Label selector")
	b.press("main section", "Relist")
	b.press("dialog", "Relist")
	b.says("dialog .problem", "403 Authorization denied for user reader")
	b.says("dialog .problem", "with a ClusterRole that has the verb post for /delta/v1/actions/relist")
	b.press("dialog", "Go back")
	b.press("header", "Forget token")
	b.says("dialog", "The operator asks who you are")
	b.quiet()
}

func TestALostConnectionIsSaidAndFoundAgain(t *testing.T) {
	var away atomic.Bool
	b := open(t, desk, "deltas", func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if away.Load() {
				panic(http.ErrAbortHandler)
			}
			h.ServeHTTP(w, r)
		})
	})
	b.expect("net::ERR_")
	b.says(".side", "live")
	away.Store(true)
	b.server.CloseClientConnections()
	b.says("#lost", "Cannot reach the operator since")
	b.says("#link", "Not connected")
	b.rules()
	b.shot("light-lost")
	b.toy.Scale(toyoperator.Demo(toyoperator.Site, "blog"), "kubectl", 11, 12)
	away.Store(false)
	b.says("tbody tr:first-child", "11 → 12")
	b.says("#link", "Connected")
	b.quiet()
}

// TestAnOperatorThatSaysNothingIsSaid has an operator that takes requests and does not answer them, as one does that is stopped.
func TestAnOperatorThatSaysNothingIsSaid(t *testing.T) {
	var frozen atomic.Bool
	thawed := make(chan struct{})
	thaw := sync.OnceFunc(func() { frozen.Store(false); close(thawed) })
	defer thaw()
	b := open(t, desk, "kinds", func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if frozen.Load() {
				<-thawed
			}
			h.ServeHTTP(w, r)
		})
	})
	b.says("#link", "Connected")
	frozen.Store(true)
	b.await(20*time.Second, `document.querySelector("#lost").innerText.includes("no answer in 10 s. Trying again")`)
	b.says("#link", "Not connected")
	thaw()
	b.says("#link", "Connected")
	b.quiet()
}

// TestAProxyThatDoesNotReachTheOperatorIsSaid has the page behind a proxy such as kubectl delta page,
// which goes on when the operator is gone.
func TestAProxyThatDoesNotReachTheOperatorIsSaid(t *testing.T) {
	var away atomic.Int32
	b := open(t, desk, "deltas", func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if status := away.Load(); status != 0 {
				http.Error(w, "connection refused", int(status))
				return
			}
			h.ServeHTTP(w, r)
		})
	})
	b.expect("502")
	b.expect("500")
	b.expect("net::ERR_")
	for n, status := range []int32{http.StatusBadGateway, http.StatusInternalServerError} {
		b.says(".side", "live")
		away.Store(status)
		b.server.CloseClientConnections()
		switch status {
		case http.StatusBadGateway:
			b.says("#lost", "Cannot reach the operator since")
			b.says("#lost", "connection refused. Trying again")
			b.says("#link", "Not connected")
		default: // of a filter that can't ask who somebody is
			b.says(".problem", "500 connection refused")
		}
		b.toy.Scale(toyoperator.Demo(toyoperator.Site, "blog"), "kubectl", n, n+7)
		away.Store(0)
		b.await(15*time.Second, fmt.Sprintf(`document.querySelector("tbody tr")?.innerText.includes("%d → %d")`, n, n+7))
		b.says("#link", "Connected")
	}
	b.quiet()
}

func TestARestartedOperatorIsNoticed(t *testing.T) {
	var now atomic.Pointer[http.Handler]
	b := open(t, desk, "deltas", func(h http.Handler) http.Handler {
		now.Store(&h)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*now.Load()).ServeHTTP(w, r) })
	})
	b.expect("net::ERR_")
	b.says(".side", "live")
	b.toy.Scale(toyoperator.Demo(toyoperator.Site, "blog"), "kubectl", 1, 2)
	b.says("tbody tr:first-child", "1 → 2")
	again := toyoperator.New()
	h := inspector.New(again, inspector.Options{})
	now.Store(&h)
	b.server.CloseClientConnections()
	b.says(".warning", "The operator has started again.")
	again.Scale(toyoperator.Demo(toyoperator.Site, "blog"), "kubectl", 21, 22)
	b.says("tbody tr:first-child", "21 → 22")
	b.quiet()
}
