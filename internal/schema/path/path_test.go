package path

import (
	"strings"
	"testing"
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
