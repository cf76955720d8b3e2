package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
)

func TestPageLeadsABrowserToTheInspector(t *testing.T) {
	i := healthy()
	base := inspect(t, i)
	i.HandleFunc("GET /delta/{$}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "the page, for "+r.Header.Get("Authorization"))
	})
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		var errOut bytes.Buffer
		p := newProgram(in, &errOut, func(string) string { return "" })
		ended <- run(ctx, []string{"page", "--url", base, "--token", "secret"}, p)
		_ = in.Close()
	}()
	link, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if got, want := visit(t, strings.TrimSpace(link)), "the page, for Bearer secret"; got != want {
		t.Errorf("the browser shows %q, want %q", got, want)
	}
	interrupt()
	if code := <-ended; code != exitFine {
		t.Errorf("after an interrupt it ended with %d", code)
	}
}

// visit follows a link as a browser does.
func visit(t *testing.T, link string) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Client{Jar: jar, Transport: transport}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
