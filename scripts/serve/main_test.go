//go:build !js

package main

import (
	"fmt"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"sync"
)

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// Eight clients at once send a temperature every hour, each to a stream of its own. The hour after the last has 0.25,
// 0.5, …, 2 degrees.
func Example() {
	server := httptest.NewServer(must(handler()))
	defer server.Close()
	var forecasts [8]float64
	var clients sync.WaitGroup
	for c := range forecasts {
		clients.Go(func() {
			for hour := range 3*24 + 6 {
				x := float64(1+c) / 4 * math.Sin(float64(hour)*math.Pi/12)
				response := must(http.Post(fmt.Sprintf("%s/forecasts/%d?x=%g", server.URL, c, x), "", nil))
				must(fmt.Fscan(response.Body, &forecasts[c]))
				response.Body.Close()
			}
		})
	}
	clients.Wait()
	fmt.Printf("%.3f\n", forecasts)
	// Output: [0.248 0.497 0.747 0.997 1.249 1.501 1.753 2.004]
}
