package path

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

func TestParsePath(t *testing.T) {
	for text, want := range map[string]string{
		"":               "",
		".":              "",
		"spec.replicas":  "spec.replicas",
		".spec.replicas": "spec.replicas",
		`spec.template.spec.containers[name="app"].image`: `spec.template.spec.containers[name="app"].image`,
		`containers[name=app].image`:                      `containers[name="app"].image`,
		`containers[name='app'].image`:                    `containers[name="app"].image`,
		`containers[*].image`:                             `containers[*].image`,
		`ports[protocol="TCP",port=80]`:                   `ports[port=80,protocol="TCP"]`,
		`ports[port="80"]`:                                `ports[port="80"]`,
		`metadata.labels[app]`:                            `metadata.labels[app]`,
		`metadata.labels.app`:                             `metadata.labels.app`,
		`metadata.labels["app.kubernetes.io/name"]`:       `metadata.labels["app.kubernetes.io/name"]`,
		`metadata.labels[app.kubernetes.io/name]`:         `metadata.labels["app.kubernetes.io/name"]`,
		`metadata.finalizers[="a/b"]`:                     `metadata.finalizers[="a/b"]`,
		`numbers[=1e3]`:                                   `numbers[=1000]`,
		`flags[=true]`:                                    `flags[=true]`,
		`data["0"]`:                                       `data["0"]`,
		`rules[0].host`:                                   `rules[0].host`,
		`["a.b"].c`:                                       `["a.b"].c`,
		`x-kubernetes.$ref`:                               `x-kubernetes["$ref"]`,
	} {
		path, err := Parse(text)
		if err != nil {
			t.Errorf("Parse(%q): %v", text, err)
			continue
		}
		if got := path.String(); got != want {
			t.Errorf("Parse(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestParsePathSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"spec..replicas":                         "a name has to follow",
		"spec.":                                  "a name has to follow",
		"spec replicas":                          "a dot or a bracket has to follow",
		"spec]":                                  "a dot or a bracket has to follow",
		"spec[":                                  "a name, an index, a key or * has to follow",
		"spec[a":                                 "a closing bracket has to follow",
		`spec["a]`:                               "the quotes are not closed",
		`spec['a]`:                               "the quotes are not closed",
		"spec[a=]":                               "a value has to follow",
		"spec[a=b,c]":                            "the value of a key has to follow",
		"spec[a=b,a=c]":                          "a is given twice",
		"spec[=]":                                "a value has to follow",
		"spec[**]":                               "a closing bracket has to follow",
		"metadata.labels.app.kubernetes.io/name": `at byte 30: labels and annotations have nothing below them: write a key that has dots as ["key"]`,
		"spec.template.metadata.annotations.a.b": `write a key that has dots as ["key"]`,
		strings.Repeat("[", 10_000):              "a name, an index, a key or * has to follow",
	} {
		path, err := Parse(text)
		if err == nil {
			t.Errorf("Parse(%q) = %s, want an error", text, path)
			continue
		}
		if !strings.Contains(err.Error(), want) || len(err.Error()) > MaxPath+200 {
			t.Errorf("Parse(%.40q): %v, want %s", text, err, want)
		}
	}
}

// TestPathsTouch has pairs that may and that may not be about the same, in both orders.
func TestPathsTouch(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"", "spec", true},
		{"spec", "spec.replicas", true},
		{"spec.replicas", "spec.replicas", true},
		{"spec.replicas", "spec.paused", false},
		{"spec", "status", false},
		{"specs", "spec", false},
		{`c[name="a"].image`, "c", true},
		{`c[name="a"].image`, `c[name="a"]`, true},
		{`c[name="a"].image`, `c[name="b"]`, false},
		{`c[name="a"].image`, `c[*].image`, true},
		{`c[name="a"].image`, `c[*].args`, false},
		{`c[name="a"].image`, `c[0].image`, true}, // can't be told
		{`c[name="a"].image`, `c[0].args`, false},
		{`c[0]`, `c[1]`, false},
		{`p[port=80,protocol="TCP"]`, `p[port=80]`, true},
		{`p[port=80,protocol="TCP"]`, `p[port=81]`, false},
		{`p[port=80]`, `p[port="80"]`, false},
		{`p[name="a"]`, `p[port=80]`, true}, // can't be told
		{`metadata.labels.app`, `metadata.labels["app"]`, true},
		{`metadata.labels[app]`, `metadata.labels[web]`, false},
		{`f[="a"]`, `f["a"]`, true},
		{`f[="a"]`, `f["b"]`, false},
		{`f[="a"]`, `f[="b"]`, false},
		{`f[=1]`, `f[="1"]`, false},
		{`f[=1]`, `f[=1.0]`, true},
		{`data.config.yaml`, `data["config.yaml"]`, true},
		{`data.config`, `data["config.yaml"]`, false},
		{`data.config.yam`, `data["config.yaml"]`, false},
		{`data[config].yaml`, `data["config.yaml"]`, false},
		{`data.a.b.c`, `data["a.b"]`, true},
		{`data.a.b.c`, `data["a.b"].d`, false},
	} {
		if got := mustParse(t, c.a).Touches(mustParse(t, c.b)); got != c.want {
			t.Errorf("%s touches %s: %v, want %v", c.a, c.b, got, c.want)
		}
		if got := mustParse(t, c.b).Touches(mustParse(t, c.a)); got != c.want {
			t.Errorf("%s touches %s: %v, want %v", c.b, c.a, got, c.want)
		}
	}
}

func mustParse(t *testing.T, text string) Path {
	t.Helper()
	path, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func FuzzParsePath(f *testing.F) {
	for _, seed := range []string{
		"", ".", "spec.replicas", `a[name="b",c=1].d`, `a[*]`, `a[="x"]`, `a[=1e3]`, `a[0]`, `["x.y"]`, `a['b']`, "a[", `a["\xff"]`, "metadata.labels.a.b", "a[=-0]", "a[=+1]", "a[=NaN]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(path.String())
		if err != nil {
			t.Fatalf("Parse(%q) is %s, which does not parse: %v", text, path, err)
		}
		if again.String() != path.String() || !again.Touches(path) || len(again.Steps) != len(path.Steps) {
			t.Errorf("Parse(%q) is %s, and parsed again %s", text, path, again)
		}
	})
}

func at(uid types.UID, version, label string) Object {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: uid, ResourceVersion: version, Labels: map[string]string{"a": label}}}
}

func metaAt(uid types.UID, version string) Object {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: uid, ResourceVersion: version}}
}

func TestTwoStates(t *testing.T) {
	one, bare := at("a", "1", ""), at("a", "", "")
	for name, tt := range map[string]struct {
		a, b                              Object
		object, version, same, inOnePlace bool
	}{
		"one in memory":               {one, one, true, true, true, true},
		"one version":                 {one, at("a", "1", ""), true, true, true, false},
		"one version, other contents": {one, at("a", "1", "x"), true, true, false, false},
		"one version, two forms":      {one, metaAt("a", "1"), true, true, true, false},
		"two versions":                {one, at("a", "2", ""), true, false, false, false},
		"two objects":                 {one, at("b", "1", ""), false, false, false, false},
		"one in memory, no version":   {bare, bare, true, false, true, true},
		"no version":                  {at("a", "", ""), at("a", "", ""), true, false, false, false},
		"a UID that is not known":     {one, at("", "1", ""), true, false, false, false},
	} {
		if got := SameObject(tt.a, tt.b); got != tt.object {
			t.Errorf("%s: SameObject is %t", name, got)
		}
		if got := SameVersion(tt.a, tt.b); got != tt.version {
			t.Errorf("%s: SameVersion is %t", name, got)
		}
		if got := SameState(tt.a, tt.b); got != tt.same {
			t.Errorf("%s: SameState is %t", name, got)
		}
		if got := Identical(tt.a, tt.b); got != tt.inOnePlace {
			t.Errorf("%s: Identical is %t", name, got)
		}
	}
	if !SameState(nil, nil) || SameState(one, nil) || SameState(nil, one) {
		t.Error("nothing is the same state as nothing, and as nothing else")
	}
}

func TestALongTextIsCut(t *testing.T) {
	seeds.Run(t, 500, func(t *testing.T, rng *rand.Rand) {
		var b strings.Builder
		for range rng.IntN(100) {
			b.WriteString([]string{"a", "é", "…", "😀"}[rng.IntN(4)])
		}
		text, limit := b.String(), 16+rng.IntN(100)
		cut, ends := Cut(text, limit), Ends(text, limit)
		if len(text) <= limit && (cut != text || ends != text) {
			t.Errorf("%q of at most %d bytes became %q and %q", text, limit, cut, ends)
		}
		for _, got := range []string{cut, ends} {
			if before, after, _ := strings.Cut(got, "…"); len(got) > limit || !utf8.ValidString(got) || len(text) > limit && (len(got) < limit-8 || !strings.HasPrefix(text, before)) {
				t.Errorf("of %q are left %q, and %q", text, got, after)
			}
		}
		if len(text) > limit && !strings.HasSuffix(text, ends[len(ends)-limit/2:]) {
			t.Errorf("%q does not end with %q", text, ends[len(ends)-limit/2:])
		}
	})
}
