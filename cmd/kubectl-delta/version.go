package main

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
)

func (p *program) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of this plugin",
		Args:  takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			version, revision := "", ""
			if info, ok := debug.ReadBuildInfo(); ok {
				version = info.Main.Version
				for _, setting := range info.Settings {
					if setting.Key == "vcs.revision" {
						revision = ", revision " + setting.Value
					}
				}
			}
			p.out.Line(show.Text("kubectl-delta " + cmp.Or(version, "(unknown)") + revision + ", " + runtime.Version() + ", for inspectors with /delta/v1/"))
			return nil
		},
	}
}
