package bench

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/warptime/warptime/internal/check"
)

// BenchmarkServe times requests to a server of forecasts, a process of its own: scripts/serve, and one by PyTorch.
func BenchmarkServe(b *testing.B) {
	b.Run("model=forecasts/by=simd", func(b *testing.B) {
		program := filepath.Join(b.TempDir(), "serve")
		check.OK(b, exec.Command("go", "build", "-o", program, "../serve").Run())
		requests(b, program, "-at")
	})
	b.Run("model=forecasts/by=pytorch", func(b *testing.B) {
		python := python("torch, uvicorn, uvloop, httptools")
		if python == "" {
			b.Skip("no PyTorch or no uvicorn; scripts/bench.sh -peers gets them")
		}
		requests(b, python, "peer_server.py")
	})
}

// requests starts a server, whose last argument is the address, and lets four clients for each core send one request
// after the other, each to a stream of its own.
func requests(b *testing.B, argv ...string) {
	listener := check.Got(net.Listen("tcp", "localhost:0"))(b)
	address := listener.Addr().String()
	check.OK(b, listener.Close())
	server := exec.Command(argv[0], append(argv[1:], address)...)
	check.OK(b, server.Start())
	defer server.Wait()
	defer server.Process.Kill()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1 << 10}}
	request := func(stream int32) error {
		response, err := client.Post(fmt.Sprintf("http://%s/forecasts/%d?x=0.5", address, stream), "", nil)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		_, err = fmt.Fscan(response.Body, new(float64))
		return err
	}
	for start := time.Now(); request(0) != nil; time.Sleep(time.Second / 10) {
		if time.Since(start) > time.Minute {
			b.Fatal("no answers from ", argv)
		}
	}
	b.Run("clients=4", func(b *testing.B) { // by core
		b.SetParallelism(4)
		var streams atomic.Int32
		b.RunParallel(func(pb *testing.PB) {
			for stream := streams.Add(1); pb.Next(); {
				if err := request(stream); err != nil {
					b.Error(err)
				}
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	})
}
