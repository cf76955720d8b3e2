package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
)

// pluginVersion is the only version of kubebuilder's protocol.
const pluginVersion = "v1alpha1"

// request is what kubebuilder writes to an external plugin. It also sends all the project's files, which are on disk as well.
type request struct {
	APIVersion string   `json:"apiVersion"`
	Command    string   `json:"command"`
	Args       []string `json:"args"`
}

// response is what it reads.
type response struct {
	APIVersion string       `json:"apiVersion"`
	Command    string       `json:"command"`
	Metadata   metadata     `json:"metadata"`
	Universe   contents     `json:"universe"`
	Error      bool         `json:"error,omitempty"`
	ErrorMsgs  []string     `json:"errorMsgs,omitempty"`
	Flags      []pluginFlag `json:"flags,omitempty"`
}

type metadata struct {
	Description string `json:"description"`
	Examples    string `json:"examples"`
}

type pluginFlag struct {
	Name, Type, Default, Usage string
}

// servePlugin answers one request of kubebuilder's. The diff goes where kubebuilder shows it.
func servePlugin(ctx context.Context, in io.Reader, out, diff io.Writer) error {
	answer := response{APIVersion: pluginVersion, Universe: contents{}}
	var asked request
	err := json.NewDecoder(in).Decode(&asked)
	if err == nil && asked.APIVersion != pluginVersion {
		err = fmt.Errorf("kubebuilder speaks %q, and this plugin %s", asked.APIVersion, pluginVersion)
	}
	answer.Command = asked.Command
	if err == nil {
		err = answer.fill(ctx, &asked, diff)
	}
	if err != nil {
		answer.Error, answer.ErrorMsgs = true, []string{"delta.dev: " + err.Error()}
	}
	if err := json.NewEncoder(out).Encode(&answer); err != nil {
		return fmt.Errorf("answer kubebuilder: %w", err)
	}
	return nil
}

func (r *response) fill(ctx context.Context, asked *request, diff io.Writer) error {
	var c choices
	flags := flag.NewFlagSet("delta.dev/v1", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	c.bind(flags)
	switch asked.Command {
	case "metadata":
		r.Metadata = metadata{
			Description: "Put delta-runtime under the operator, or take it out with --undo.",
			Examples:    "kubebuilder edit --plugins=delta.dev/v1\nkubebuilder edit --plugins=delta.dev/v1 --undo",
		}
		return nil
	case "flags":
		flags.VisitAll(func(f *flag.Flag) {
			kind := "string"
			if f.DefValue == "false" {
				kind = "bool"
			}
			_, usage := flag.UnquoteUsage(f)
			r.Flags = append(r.Flags, pluginFlag{f.Name, kind, f.DefValue, usage})
		})
		return nil
	case "edit":
	default:
		return fmt.Errorf("there is nothing to do for %q: use kubebuilder edit", asked.Command)
	}
	if err := flags.Parse(asked.Args); err != nil {
		return err
	}
	return c.do(ctx, ".", diff)
}
