package main

import (
	"go/format"
	"strings"
	"testing"
)

// head begins a file that has these imports.
func head(imports ...string) string {
	return "package main\n\nimport (\n\t\"os\"\n\n\t" + strings.Join(imports, "\n\t") + "\n)\n"
}

const (
	ctrlImport     = `ctrl "sigs.k8s.io/controller-runtime"`
	managerImport  = `"sigs.k8s.io/controller-runtime/pkg/manager"`
	builderImport  = `"sigs.k8s.io/controller-runtime/pkg/builder"`
	ourManager     = `"github.com/delta-runtime/delta-runtime/pkg/manager"`
	ourInspect     = `"github.com/delta-runtime/delta-runtime/pkg/inspect"`
	ourBuilder     = `"github.com/delta-runtime/delta-runtime/pkg/builder"`
	usual          = "127.0.0.1:8082"
	inspectedUsual = `inspect.Options{BindAddress: "127.0.0.1:8082"}`
)

// shapes are how operators make their managers and controllers.
var shapes = map[string]struct {
	inspector    string
	before, want string
}{
	"the options are in the call": {
		inspector: usual,
		before: head(ctrlImport) + `
func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		LeaderElection: true, // one at a time
	})
	if err != nil {
		os.Exit(1)
	}
	_ = mgr
}
`,
		want: head(ctrlImport, "", ourInspect, ourManager) + `
func main() {
	options := ctrl.Options{
		LeaderElection: true, // one at a time
	}
	if err := manager.Configure(&options); err != nil {
		os.Exit(1)
	}
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), options)
	if err != nil {
		os.Exit(1)
	}
	if err := manager.AddInspector(mgr, ` + inspectedUsual + `); err != nil {
		os.Exit(1)
	}
	_ = mgr
}
`,
	},
	"the options are a variable": {
		inspector: "none",
		before: head(ctrlImport) + `
func run(opts ctrl.Options) error {
	var failed error
	m, failed := ctrl.NewManager(ctrl.GetConfigOrDie(), opts)
	if failed != nil {
		return failed
	}
	return m.Start(ctrl.SetupSignalHandler())
}
`,
		want: head(ctrlImport, "", ourManager) + `
func run(opts ctrl.Options) error {
	var failed error
	if failed := manager.Configure(&opts); failed != nil {
		return failed
	}
	m, failed := ctrl.NewManager(ctrl.GetConfigOrDie(), opts)
	if failed != nil {
		return failed
	}
	return m.Start(ctrl.SetupSignalHandler())
}
`,
	},
	"the names are taken, and the manager is that of pkg/manager": {
		inspector: "metrics",
		before: head(managerImport) + `
func build(options []string, inspect bool) (manager.Manager, error) {
	if len(options) > 0 {
		mgr, err := manager.New(config(), managerOptions(options))
		if err != nil {
			return nil, err
		}
		return mgr, nil
	}
	return nil, nil
}
`,
		want: head(managerImport, "", `drinspect "github.com/delta-runtime/delta-runtime/pkg/inspect"`,
			`drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"`) + `
func build(options []string, inspect bool) (manager.Manager, error) {
	if len(options) > 0 {
		optionsOfManager := managerOptions(options)
		if err := drmanager.Configure(&optionsOfManager); err != nil {
			return nil, err
		}
		mgr, err := manager.New(config(), optionsOfManager)
		if err != nil {
			return nil, err
		}
		if err := drmanager.AddInspector(mgr, drinspect.Options{}); err != nil {
			return nil, err
		}
		return mgr, nil
	}
	return nil, nil
}
`,
	},
	"the manager is returned as it is made": {
		inspector: usual,
		before: head(ctrlImport) + `
func build() (ctrl.Manager, error) {
	return ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
}
`,
		want: head(ctrlImport, "", ourInspect, ourManager) + `
func build() (ctrl.Manager, error) {
	options := ctrl.Options{}
	if err := manager.Configure(&options); err != nil {
		return nil, err
	}
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), options)
	if err != nil {
		return nil, err
	}
	if err := manager.AddInspector(mgr, ` + inspectedUsual + `); err != nil {
		return nil, err
	}
	return mgr, nil
}
`,
	},
	"the manager is returned, without an inspector": {
		inspector: "none",
		before: head(ctrlImport) + `
func build(options ctrl.Options) (ctrl.Manager, error) {
	return ctrl.NewManager(ctrl.GetConfigOrDie(), options)
}
`,
		want: head(ctrlImport, "", ourManager) + `
func build(options ctrl.Options) (ctrl.Manager, error) {
	if err := manager.Configure(&options); err != nil {
		return nil, err
	}
	return ctrl.NewManager(ctrl.GetConfigOrDie(), options)
}
`,
	},
	"a command's function makes it, in a case": {
		inspector: "none",
		before: head(ctrlImport) + `
var command = map[string]func(string){"run": func(kind string) {
	switch kind {
	case "webhook":
		mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), options)
		if err != nil {
			os.Exit(1)
		}
		start(mgr)
	}
}}
`,
		want: head(ctrlImport, "", ourManager) + `
var command = map[string]func(string){"run": func(kind string) {
	switch kind {
	case "webhook":
		if err := manager.Configure(&options); err != nil {
			os.Exit(1)
		}
		mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), options)
		if err != nil {
			os.Exit(1)
		}
		start(mgr)
	}
}}
`,
	},
	"a controller with options of the builder": {
		before: head(ctrlImport, builderImport) + `
func (r *thing) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(r.kind, builder.WithPredicates(r.only)).Complete(r)
}
`,
		want: head(ourBuilder, ctrlImport) + `
func (r *thing) SetupWithManager(mgr ctrl.Manager) error {
	return builder.ControllerManagedBy(mgr).For(r.kind, builder.WithPredicates(r.only)).Complete(r)
}
`,
	},
	"controllers of pkg/builder": {
		before: head(`b "sigs.k8s.io/controller-runtime/pkg/builder"`) + `
func setup(mgr manager) error {
	return b.TypedControllerManagedBy[request](mgr).Complete(nil)
}
`,
		want: head(`b "github.com/delta-runtime/delta-runtime/pkg/builder"`) + `
func setup(mgr manager) error {
	return b.TypedControllerManagedBy[request](mgr).Complete(nil)
}
`,
	},
	"controller-runtime is imported for the builder alone": {
		before: `package main

import ctrl "sigs.k8s.io/controller-runtime"

func setup(mgr manager) error { return ctrl.NewControllerManagedBy(mgr).Complete(nil) }
`,
		want: `package main

import (
	"github.com/delta-runtime/delta-runtime/pkg/builder"
)

func setup(mgr manager) error { return builder.ControllerManagedBy(mgr).Complete(nil) }
`,
	},
	"a variable that is called ctrl": {
		before: head(ctrlImport) + `
func setup(ctrl fake) { ctrl.NewControllerManagedBy(nil) }
`,
		want: "",
	},
}

func TestShapes(t *testing.T) {
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			if formatted, err := format.Source([]byte(shape.before)); err != nil || string(formatted) != shape.before {
				t.Fatalf("the file is not as gofmt would have it: %v\n%s", err, formatted)
			}
			s, err := parse("main.go", shape.before)
			if err != nil {
				t.Fatal(err)
			}
			s.found = &findings{}
			s.editManagers(shape.inspector)
			s.editBuilders()
			if len(s.edits) == 0 {
				if shape.want != "" {
					t.Error("nothing is changed")
				}
				return
			}
			got, err := s.done()
			if err != nil || tidied(got) != tidied(shape.want) {
				t.Errorf("%v\n%s\nwant\n%s", err, got, shape.want)
			}
			if again, err := editSources(contents{"main.go": got}, onlyControllers); err != nil || len(again.changed) > 0 {
				t.Errorf("a second time the findings are %+v, error %v", again, err)
			}
		})
	}
}

// tidied leaves out blanks at the ends of lines, which head makes.
func tidied(text string) string { return strings.ReplaceAll(text, "\n\t\n", "\n\n") }
