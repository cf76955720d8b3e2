package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// settings is what the command line says.
type settings struct {
	root      string
	pkg       string
	name      name.Tag
	platforms []v1.Platform
	out       string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// run packs the program that args name.
func run(ctx context.Context, args []string, progress io.Writer) error {
	s, err := parseSettings(args, progress)
	if err != nil {
		return err
	}
	images := make([]platformImage, 0, len(s.platforms))
	for _, platform := range s.platforms {
		fmt.Fprintf(progress, "build %s for %s\n", s.pkg, platform.String())
		program, err := compile(ctx, s, platform)
		if err != nil {
			return err
		}
		image, err := pack(program, platform)
		if err != nil {
			return err
		}
		images = append(images, image)
	}
	digest, err := writeArchive(s.out, s.name, images)
	if err != nil {
		return err
	}
	fmt.Fprintf(progress, "%s is %s, %s\n", s.out, canonical(s.name), digest)
	return nil
}

func parseSettings(args []string, problems io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	flags.SetOutput(problems)
	flags.StringVar(&s.root, "root", filepath.Join("..", ".."), "`folder` of the module that has the program")
	flags.StringVar(&s.pkg, "package", "./examples/sample-operator", "the program's main `package`, as the go command names it in that folder")
	flags.StringVar(&s.out, "o", "", "`file` for the archive (default artifacts/sample-operator.tar of the module)")
	called := flags.String("name", "sample-operator:dev", "the image's name and `tag`")
	platforms := flags.String("platforms", "linux/amd64,linux/arm64", "the `platforms` to build for, separated by commas")
	if err := flags.Parse(args); err != nil {
		return s, fmt.Errorf("read the command line: %w", err)
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("read the command line: unexpected %q", flags.Arg(0))
	}
	if s.out == "" {
		s.out = filepath.Join(s.root, "artifacts", "sample-operator.tar")
	}
	var err error
	if s.name, err = name.NewTag(*called); err != nil {
		return s, fmt.Errorf("read the image's name: %w", err)
	}
	s.platforms, err = parsePlatforms(*platforms)
	return s, err
}

// parsePlatforms reads a list of platforms. None may be named twice.
func parsePlatforms(list string) ([]v1.Platform, error) {
	var platforms []v1.Platform
	seen := map[string]bool{}
	for text := range strings.SplitSeq(list, ",") {
		platform, err := v1.ParsePlatform(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("read platform %q: %w", text, err)
		}
		if platform.OS != "linux" || platform.Architecture == "" || platform.Variant != "" {
			return nil, fmt.Errorf("read platform %q: want linux/ARCHITECTURE", text)
		}
		if seen[platform.Architecture] {
			return nil, fmt.Errorf("read platform %q: it is named twice", text)
		}
		seen[platform.Architecture] = true
		platforms = append(platforms, *platform)
	}
	return platforms, nil
}
