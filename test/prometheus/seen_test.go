//go:build observability

package prometheus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// onlooker looks at one operator in all the ways that people have.
type onlooker struct {
	*world
	probes, delta   string // addresses, of probes and of the inspector
	browser, plugin string // programs
	profile         string // a folder of the browser's
	kinds           []string
}

// disconnections says which kinds are disconnected, and since when.
type disconnections map[string]time.Time

// newOnlooker starts a world with one operator that is stale after a time.
func newOnlooker(t *testing.T, rules *ruleFile, staleAfter time.Duration) *onlooker {
	t.Helper()
	o := &onlooker{browser: chromium(t), profile: t.TempDir(), probes: controlplane.FreeAddressForTest(t), delta: controlplane.FreeAddressForTest(t)}
	installed(t, "promtool")
	o.plugin = filepath.Join(t.TempDir(), "kubectl-delta")
	if err := compile("cmd/kubectl-delta", ".", o.plugin); err != nil {
		t.Fatalf("compile kubectl-delta: %v", err)
	}
	o.world = newWorld(t, rules, 1, fmt.Sprint("--stale-after=", staleAfter), "--health-probe-bind-address="+o.probes, "--inspector-bind-address="+o.delta)
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

// ways are ways to look at an operator, by name.
type ways map[string]func(context.Context) (disconnections, error)

// ways are all that say which kinds are disconnected. The log is not among them, because it does not forget.
func (o *onlooker) ways() ways {
	return ways{
		"the inspector's API": o.inspector, "readiness": o.readiness, "the page": o.page,
		"kubectl delta status": o.table, "kubectl delta status -o json": o.answer,
	}
}

// agree returns an error unless all ways say this.
func (d disconnections) agree(ctx context.Context, all ways) error {
	for way, look := range all {
		got, err := look(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", way, err)
		}
		if !got.is(d) {
			return fmt.Errorf("%s says that these are disconnected: %v, want %v", way, got, d)
		}
	}
	return nil
}

// is compares to the second, because most ways say no more.
func (d disconnections) is(other disconnections) bool {
	return maps.EqualFunc(d, other, func(a, b time.Time) bool { return a.Truncate(time.Second).Equal(b.Truncate(time.Second)) })
}

// ask sends a GET request.
func (o *onlooker) ask(ctx context.Context, address, path string) (code int, text []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	response, err := o.http.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err = io.ReadAll(response.Body)
	return response.StatusCode, text, err
}

// list asks the inspector's API.
func (o *onlooker) list(ctx context.Context) (list v1.KindList, err error) {
	code, text, err := o.ask(ctx, o.delta, "/delta/v1/kinds")
	if err == nil && code != http.StatusOK {
		err = fmt.Errorf("%d %s", code, text)
	}
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	return list, err
}

func (o *onlooker) inspector(ctx context.Context) (disconnections, error) {
	list, err := o.list(ctx)
	return disconnectedOf(list), err
}

func disconnectedOf(list v1.KindList) disconnections {
	disconnected := disconnections{}
	for i := range list.Items {
		if k := &list.Items[i]; !k.DisconnectedSince.IsZero() {
			disconnected[k.Name] = k.DisconnectedSince
		}
	}
	return disconnected
}

var unready = regexp.MustCompile(`version [0-9]+.* \(disconnected since (\S+)\)$`)

// readiness asks for the one check as somebody who wants to know why. A kubelet asks for all checks
// together, and gets no reason: see isReady.
func (o *onlooker) readiness(ctx context.Context) (disconnections, error) {
	disconnected := disconnections{}
	code, text, err := o.ask(ctx, o.probes, "/readyz/kinds")
	if err != nil || code == http.StatusOK {
		return disconnected, err
	}
	why, ok := strings.CutPrefix(string(text), "internal server error: ")
	if code != http.StatusInternalServerError || !ok {
		return nil, fmt.Errorf("%d %s", code, text)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(why), "\n") {
		i := slices.IndexFunc(o.kinds, func(kind string) bool { return strings.HasPrefix(line, kind+" ") })
		m := unready.FindStringSubmatch(line)
		if i < 0 || m == nil {
			return nil, fmt.Errorf("the reason has the line %q", line)
		}
		if disconnected[o.kinds[i]], err = time.Parse(time.RFC3339, m[1]); err != nil {
			return nil, err
		}
	}
	return disconnected, nil
}

// isReady asks as a kubelet does.
func (o *onlooker) isReady(ctx context.Context) (bool, error) {
	code, text, err := o.ask(ctx, o.probes, "/readyz")
	if err == nil && code != http.StatusOK && code != http.StatusInternalServerError {
		err = fmt.Errorf("%d %s", code, text)
	}
	return code == http.StatusOK, err
}

// unheard is what the page shows in the row of a kind that is disconnected: a word, for how long, and since
// when to who points at it.
var unheard = regexp.MustCompile(`not heard</span> <time datetime="([^"]+)" title="since ([^"]+)" data-lasting="">for [0-9]+ (?:s|min)\b`)

// page has a browser run the page, and reads what that makes of it.
func (o *onlooker) page(ctx context.Context) (disconnections, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	look := exec.CommandContext(ctx, o.browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+o.profile, //nolint:gosec // a browser
		"--dump-dom", "--virtual-time-budget=3000", "http://"+o.delta+"/delta/#/kinds")
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

// status runs kubectl-delta.
func (o *onlooker) status(ctx context.Context, args ...string) (string, error) {
	command := exec.CommandContext(ctx, o.plugin, append([]string{"status", "--url", "http://" + o.delta}, args...)...) //nolint:gosec // our own
	command.Env = append(os.Environ(), "KUBECONFIG=/nowhere")
	said, err := command.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, said)
	}
	return string(said), err
}

var since = regexp.MustCompile(`(?m)^ +disconnected since ((?:[-0-9]+ )?[:0-9]+), `)

// table reads what people read. The table has a row for each kind, and below it each kind that is
// ill has lines of its own.
func (o *onlooker) table(ctx context.Context) (disconnections, error) {
	said, err := o.status(ctx)
	if err != nil {
		return nil, err
	}
	disconnected := disconnections{}
	for _, kind := range o.kinds {
		row := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(kind) + `  +(\w+) `).FindStringSubmatch(said)
		if row == nil {
			return nil, fmt.Errorf("there is no row for %s in\n%s", kind, said)
		}
		_, ill, _ := strings.Cut(said, "\n"+kind+": ")
		ill, _, _ = strings.Cut(ill, "\n\n")
		m := since.FindStringSubmatch(ill)
		if (m == nil) != (row[1] == "Following") {
			return nil, fmt.Errorf("%s is %s, and what is said of it: %q", kind, row[1], ill)
		}
		if m == nil {
			continue
		}
		if len(m[1]) == len(time.TimeOnly) { // it was today
			m[1] = time.Now().Format(time.DateOnly) + " " + m[1]
		}
		if disconnected[kind], err = time.ParseInLocation(time.DateTime, m[1], time.Local); err != nil { //nolint:gosmopolitan // as the program does
			return nil, err
		}
	}
	return disconnected, nil
}

// answer reads what programs read.
func (o *onlooker) answer(ctx context.Context) (disconnections, error) {
	said, err := o.status(ctx, "-o", "json")
	if err != nil {
		return nil, err
	}
	var all struct {
		Kinds v1.KindList `json:"kinds"`
	}
	if err := json.Unmarshal([]byte(said), &all); err != nil {
		return nil, fmt.Errorf("read %s: %w", said, err)
	}
	if len(all.Kinds.Items) != len(o.kinds) {
		return nil, errors.New("not all kinds are in " + said)
	}
	return disconnectedOf(all.Kinds), nil
}
