//go:build observability

package prometheus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// onlooker looks at one operator with the inspector.
type onlooker struct {
	*world
	address          string // of the inspector
	browser, profile string // a program, and a folder of it
	kinds            []string
}

// disconnections says which kinds are disconnected, and since when.
type disconnections map[string]time.Time

// newOnlooker starts a world with one operator that has an inspector.
func newOnlooker(t *testing.T, rules *ruleFile) *onlooker {
	t.Helper()
	o := &onlooker{browser: chromium(t), profile: t.TempDir(), address: controlplane.FreeAddressForTest(t)}
	o.world = newWorld(t, rules, 1, "--inspector-bind-address="+o.address)
	list, err := o.list(t.Context())
	if err != nil || len(list.Items) < 4 {
		t.Fatalf("the operator has the kinds %v, error %v", list.Items, err)
	}
	for i := range list.Items {
		o.kinds = append(o.kinds, list.Items[i].Name)
	}
	return o
}

// chromium returns the path of the browser.
func chromium(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath(cmp.Or(os.Getenv("CHROME"), "chromium"))
	if err != nil {
		t.Fatalf("there is no browser to look at the inspector's page with: install chromium, on Debian with `apt-get install chromium`, "+
			"or set CHROME to the path of a Chromium or Chrome (%v)", err)
	}
	return path
}

// shows waits until the page says this. It compares to the second, because the page says no more.
func (o *onlooker) shows(t *testing.T, want disconnections) {
	t.Helper()
	await.Success(t, "the page to say which kinds are disconnected", func() error {
		got, err := o.page(t.Context())
		if err == nil && !maps.EqualFunc(got, want, func(a, b time.Time) bool { return a.Truncate(time.Second).Equal(b.Truncate(time.Second)) }) {
			err = fmt.Errorf("the page says that these are disconnected: %v, want %v", got, want)
		}
		return err
	})
}

// list asks the inspector's API.
func (o *onlooker) list(ctx context.Context) (list v1.KindList, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+o.address+"/delta/v1/kinds", http.NoBody)
	if err != nil {
		return list, err
	}
	response, err := o.http.Do(request)
	if err != nil {
		return list, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return list, errors.New(response.Status)
	}
	err = json.NewDecoder(response.Body).Decode(&list)
	return list, err
}

// disconnected asks the inspector's API which kinds are disconnected.
func (o *onlooker) disconnected(ctx context.Context) (disconnections, error) {
	list, err := o.list(ctx)
	disconnected := disconnections{}
	for i := range list.Items {
		if k := &list.Items[i]; !k.DisconnectedSince.IsZero() {
			disconnected[k.Name] = k.DisconnectedSince
		}
	}
	return disconnected, err
}

// unheard is what the page shows in the row of a kind that is disconnected: a word, for how long, and since
// when to who points at it.
var unheard = regexp.MustCompile(`not heard</span> <time datetime="([^"]+)" title="since ([^"]+)" data-lasting="">for [0-9]+ (?:s|min)\b`)

// page has a browser run the page, and reads what that makes of it.
func (o *onlooker) page(ctx context.Context) (disconnections, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	look := exec.CommandContext(ctx, o.browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+o.profile, //nolint:gosec // a browser
		"--dump-dom", "--virtual-time-budget=3000", "http://"+o.address+"/delta/#/kinds")
	look.WaitDelay = time.Second
	shown, err := look.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.browser, err)
	}
	rows := map[string]string{}
	for _, row := range strings.Split(string(shown), `<tr role="row" data-key="`)[1:] {
		name, rest, _ := strings.Cut(row, `"`)
		rows[html.UnescapeString(name)], _, _ = strings.Cut(rest, "</tr>")
	}
	disconnected := disconnections{}
	for _, kind := range o.kinds {
		row, ok := rows[kind]
		if !ok {
			return nil, fmt.Errorf("there is no row for %s in\n%s", kind, shown)
		}
		m := unheard.FindStringSubmatch(row)
		if m == nil {
			if strings.Contains(row, "not heard") || strings.Contains(row, `class="error"`) {
				return nil, fmt.Errorf("the row of %s has an error and does not say since when: %s", kind, row)
			}
			continue
		}
		if disconnected[kind], err = time.Parse(time.RFC3339, m[1]); err != nil {
			return nil, err
		}
		if clock := disconnected[kind].Local().Format("04:05"); !strings.Contains(m[2], clock) {
			return nil, fmt.Errorf("%s is disconnected since %v, and people read %q, which does not have %s", kind, disconnected[kind], m[2], clock)
		}
	}
	return disconnected, nil
}
