package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"sigs.k8s.io/yaml"

	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

var update = flag.Bool("update", false, "write testdata")

func TestMain(m *testing.M) {
	time.Local = time.UTC // times of day are shown as this machine has them
	// A closed connection of spdystream stays for another second, in case somebody asks how its
	// end went. Nothing can be done about that from outside.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/moby/spdystream.(*Connection).shutdown"))
}

// ran is what a command line did.
type ran struct {
	code        int
	out, errOut string
}

func runs(ctx context.Context, args ...string) ran {
	var out, errOut bytes.Buffer
	p := newProgram(&out, &errOut, func(string) string { return "" })
	p.pause = time.Millisecond
	code := run(ctx, args, p)
	return ran{code: code, out: out.String(), errOut: errOut.String()}
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("it wrote\n%s\nand %s has\n%s", got, file, want)
	}
}

func TestCommands(t *testing.T) {
	for name, args := range map[string][]string{
		"top":          {"top"},
		"status":       {"status"},
		"status-yaml":  {"status", "-o", "yaml"},
		"why":          {"why", "site/blog", "-n", "demo"},
		"history":      {"history", "site/blog", "-n", "demo"},
		"diff":         {"diff", "site/blog", "-n", "demo", "--last", "2"},
		"queue":        {"queue"},
		"policies":     {"policies"},
		"policies-one": {"policies", "secrets"},
		"memory":       {"memory", "deploy"},
	} {
		t.Run(name, func(t *testing.T) {
			base := inspect(t, healthy())
			got := runs(t.Context(), append(args, "--url", base)...)
			if got.code != exitFine || got.errOut != "" {
				t.Errorf("it ended with %d and said %q", got.code, got.errOut)
			}
			golden(t, name, got.out)
			for line := range strings.Lines(got.out) {
				if n := len([]rune(line)); n > 121 {
					t.Errorf("a line has %d columns: %s", n, line)
				}
			}
		})
	}
}

func TestActions(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
		says string
	}{
		"resync":          {[]string{"resync", "deploy", "-l", "app=web"}, `POST /delta/v1/actions/resync? {"kind":"deploy","selector":"app=web"}`, "12 objects"},
		"relist":          {[]string{"relist", "Secret"}, `POST /delta/v1/actions/relist? {"kind":"Secret"}`, "listed again"},
		"policy":          {[]string{"policies", "set", "deployments.apps", "--period", "10m", "--rate", "5"}, `POST /delta/v1/actions/policy? {"kind":"deployments.apps","period":"10m","rate":5}`, "every 10m"},
		"no more resyncs": {[]string{"policies", "set", "deployment", "--period", "never"}, `POST /delta/v1/actions/policy? {"kind":"deployment","period":"never"}`, ""},
		"forget":          {[]string{"forget", "site", "demo/blog"}, `POST /delta/v1/actions/forget? {"controller":"site","namespace":"demo","name":"blog"}`, "tried at once"},
		"cancel":          {[]string{"cancel", "site", "blog"}, `POST /delta/v1/actions/cancel? {"controller":"site","namespace":"","name":"blog"}`, "cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			i := healthy()
			got := runs(t.Context(), append(test.args, "--url", inspect(t, i))...)
			if got.code != exitFine || !strings.Contains(got.out, test.says) {
				t.Errorf("it ended with %d and wrote %q %q", got.code, got.out, got.errOut)
			}
			if last := i.last(1)[0]; last != test.want {
				t.Errorf("it asked for %s, want %s", last, test.want)
			}
		})
	}
}

func TestExitCodes(t *testing.T) {
	well := healthy()
	well.answers["kinds"] = v1.KindList{At: now, Items: kinds().Items[4:]}
	well.answers["loops"] = v1.LoopList{At: now, Items: []v1.Loop{{Over: true}}}
	well.answers["now"] = v1.Now{At: now, Attention: []v1.Attention{{What: "Unsettled", Controller: "site"}}}
	failing := healthy()
	failing.answers["kinds"], failing.answers["loops"] = well.answers["kinds"], well.answers["loops"]
	cut := healthy()
	cut.answers["kinds"] = v1.KindList{At: now, Items: kinds().Items[4:], Cut: "1 of 2 are shown"}
	cut.answers["loops"], cut.answers["now"] = well.answers["loops"], well.answers["now"]
	wellBase, illBase, cutBase, failingBase := inspect(t, well), inspect(t, healthy()), inspect(t, cut), inspect(t, failing)
	for name, test := range map[string]struct {
		args []string
		code int
		says string
	}{
		"all is well":         {[]string{"status", "--fail", "--url", wellBase}, exitFine, ""},
		"something is ill":    {[]string{"status", "--fail", "--url", illBase}, exitIll, ""},
		"requests fail":       {[]string{"status", "--fail", "--url", failingBase}, exitIll, ""},
		"some is left out":    {[]string{"status", "--fail", "--url", cutBase}, exitIll, ""},
		"ill, and as JSON":    {[]string{"status", "--fail", "-o", "json", "--url", illBase}, exitIll, ""},
		"ill, and no matter":  {[]string{"status", "--url", illBase}, exitFine, ""},
		"no such command":     {[]string{"stauts"}, exitUsage, `did you mean "status"?`},
		"no such flag":        {[]string{"status", "--what"}, exitUsage, "unknown flag: --what; see kubectl delta status --help"},
		"an argument missing": {[]string{"why"}, exitUsage, "why: accepts between 1 and 2 arg(s), received 0; use it as"},
		"one too many":        {[]string{"relist", "a", "b"}, exitUsage, "received 2"},
		"no name":             {[]string{"why", "site", "--url", wellBase}, exitUsage, "not KIND/NAME"},
		"no such output":      {[]string{"status", "-o", "xml"}, exitUsage, "json or yaml"},
		"a bad request":       {[]string{"forget", "site", "a/b/c"}, exitUsage, "NAMESPACE/NAME"},
		"no such port":        {[]string{"status", "--port", "70000"}, exitUsage, "--port"},
		"neither yes nor no":  {[]string{"status", "--insecure-skip-tls-verify=maybe"}, exitUsage, "--insecure-skip-tls-verify"},
		"a bad url":           {[]string{"status", "--url", "localhost:8443"}, exitUsage, "not an address"},
		"two tokens":          {[]string{"status", "--url", wellBase, "--token", "a", "--token-file", "b"}, exitUsage, "only one of"},
		"no such file":        {[]string{"status", "--url", wellBase, "--token-file", "/does/not/exist"}, exitError, "read the token"},
		"nobody there":        {[]string{"status", "--url", "http://127.0.0.1:1"}, exitError, "get kinds from http://127.0.0.1:1: "},
		"the version":         {[]string{"--version"}, exitFine, ""},
		"help":                {[]string{"--help"}, exitFine, ""},
		"a completion":        {[]string{"completion", "bash"}, exitFine, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := runs(t.Context(), test.args...)
			if got.code != test.code || !strings.Contains(got.errOut, test.says) {
				t.Errorf("it ended with %d and said %q, want %d and %q", got.code, got.errOut, test.code, test.says)
			}
			if n := strings.Count(got.errOut, "\n"); n > 1 {
				t.Errorf("it said %d lines: %s", n, got.errOut)
			}
		})
	}
}

// An answer of a later inspector must get through.
func TestAnswersComeThroughUnchanged(t *testing.T) {
	i := healthy()
	type more struct {
		v1.Why
		Later string `json:"later"`
	}
	i.answers["why"] = more{Why: why(), Later: "<\u0085&>"}
	base := inspect(t, i)
	for _, format := range []string{"json", "yaml"} {
		got := runs(t.Context(), "why", "site/blog", "-n", "demo", "-o", format, "--url", base)
		var read more
		decode := json.Unmarshal
		if format == "yaml" {
			decode = func(in []byte, into any) error { return yaml.Unmarshal(in, into) }
		}
		if err := decode([]byte(got.out), &read); err != nil {
			t.Fatalf("%s: %v\n%s", format, err, got.out)
		}
		if !reflect.DeepEqual(read, i.answers["why"]) {
			t.Errorf("%s: read %+v, want %+v", format, read, i.answers["why"])
		}
	}
}

func TestObjectsWithoutANamespaceAreFound(t *testing.T) {
	i := healthy()
	i.answers["why"] = v1.Why{At: now, Kind: "v1 Pod", Name: "x"}
	base := inspect(t, i)
	if got := runs(t.Context(), "why", "pod", "x", "--url", base); got.code != exitFine {
		t.Fatal(got.errOut)
	}
	want := []string{"kind=pod&name=x&namespace=default", "kind=pod&name=x&namespace="}
	for n, query := range want {
		if asked := i.last(len(want))[n]; !strings.Contains(asked, query+" ") {
			t.Errorf("it asked for %s, want %s", asked, query)
		}
	}
}
