// Package watch shows the curves of runs, those in progress too, on a page for a browser on this machine.
//
// The page is drawn from the records, as the figures and the notebooks are: it asks again every two seconds, and loads
// what has changed. It needs no network, and nothing that would have to be built.
package watch

import (
	"embed"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"time"
)

// A connection that is idle, or slow, for this long is closed: it must not use up the file descriptors of a training.
const patience = 10 * time.Second

// port is WARP on the keys of a telephone. It is the same every time, so that a page that is still open shows the next
// training.
const port = 9277

// Start serves the page of the records under dir, which need not be there yet, on a port of 127.0.0.1: the usual one,
// or another if that is taken: the server's address, "127.0.0.1:9277". The server is to be closed.
func Start(dir string) (*http.Server, error) {
	listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		listener, err = net.Listen("tcp4", "127.0.0.1:0")
	}
	if err != nil {
		return nil, err
	}
	s := &http.Server{
		Addr: listener.Addr().String(), Handler: handler(&runs{dir: dir}),
		ReadTimeout: patience, IdleTimeout: patience, WriteTimeout: 6 * patience,
	}
	go s.Serve(listener)
	return s, nil
}

//go:embed page.html page.css page.js favicon.svg
var files embed.FS

var page = template.Must(template.ParseFS(files, "page.html"))

func handler(rs *runs) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { page.Execute(w, rs.view(time.Now())) })
	for _, name := range []string{"page.css", "page.js", "favicon.svg"} {
		mux.Handle("GET /"+name, http.FileServerFS(files))
	}
	mux.HandleFunc("GET /curves/", rs.serve)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "+
			"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		// A name of somebody else's may mean 127.0.0.1. The port may be another one: that of a tunnel (ssh -L). From
		// pages of other origins, browsers keep what is served, by these headers.
		if host := (&url.URL{Host: r.Host}).Hostname(); host != "127.0.0.1" && host != "localhost" {
			w.WriteHeader(http.StatusForbidden)
			address := r.Context().Value(http.LocalAddrContextKey)
			fmt.Fprintf(w, "Type http://%v/ into the browser's address bar.", address)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// serve serves a picture that may be kept, because its address has its version.
func (rs *runs) serve(w http.ResponseWriter, r *http.Request) {
	rs.mu.Lock()
	draw := rs.cards[r.URL.RequestURI()].draw // of the last view
	rs.mu.Unlock()
	if draw == nil {
		http.NotFound(w, r)
		return
	}
	svg, err := draw()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'") // gonum writes style="…"
	h.Set("Cache-Control", "private, max-age=3600, immutable")
	w.Write(svg)
}
