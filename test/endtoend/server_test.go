package endtoend

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"

	"github.com/delta-runtime/delta-runtime/test/endtoend/wireserver"
)

// serve is the server's process. It prints its address when it is ready.
func serve(s scenario) error {
	server, err := wireserver.New(s.collection())
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "http://"+listener.Addr().String())
	handler := commands(server)
	handler.Handle("/", server)
	if s.Lies {
		handler.HandleFunc("GET /versions", versions(func() map[string]string {
			all := server.Versions()
			all[slices.Max(slices.Collect(maps.Keys(all)))] = "9"
			return all
		}))
	} else {
		handler.HandleFunc("GET /versions", versions(server.Versions))
	}
	return http.Serve(listener, handler) //nolint:gosec // nobody else is connected
}

func versions(of func() map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(of()) }
}

// commands adds what the client tells the server to do.
func commands(server *wireserver.Server) *http.ServeMux {
	mux := http.NewServeMux()
	command := func(do func(n int) error) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			n, err := strconv.Atoi(r.PathValue("n"))
			if err == nil {
				err = do(n)
			}
			if err == nil {
				return
			}
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	}
	mux.HandleFunc("POST /release/{n}", command(server.Release))
	mux.HandleFunc("POST /expire/{n}", command(server.Expire))
	return mux
}
