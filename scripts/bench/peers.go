package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// The peers' versions.
const (
	torch = "2.15.0"
	jax   = "0.10.2"
)

// Where the peers live, git-ignored; what says there that pip was at work, since pip repairs nothing that an
// interruption left half-made; and where torch.compile keeps what it compiled.
const (
	peersDir   = ".cache/peers"
	unfinished = peersDir + "/unfinished"
)

var (
	peersPython, _   = filepath.Abs(peersDir + "/bin/python")
	compiledCache, _ = filepath.Abs(peersDir + "/compiled")
)

// makePeers installs what the chosen contenders import into the virtual environment, which it makes if there is none.
// PyTorch's own index has wheels without CUDA; PyPI is taken where it does not answer.
func makePeers(ctx context.Context, chosen []contender, stderr io.Writer) error {
	wants := func(module string) bool {
		return slices.ContainsFunc(chosen, func(c contender) bool { return c.module == module })
	}
	if !present(peersDir+"/bin/pip") || present(unfinished) {
		fmt.Fprintf(stderr, "Making a virtual environment in %s.\n", peersDir)
		if err := show(ctx, stderr, "python3", "-m", "venv", "--clear", peersDir); err != nil {
			return fmt.Errorf("no virtual environment in %s (Debian: package python3-venv): %w", peersDir, err)
		}
	}
	install := func(arguments ...string) error {
		if err := os.WriteFile(unfinished, nil, 0o644); err != nil {
			return err
		}
		pip := []string{"-m", "pip", "install", "--no-cache-dir"}
		if err := show(ctx, stderr, peersPython, append(pip, arguments...)...); err != nil {
			return err
		}
		return os.Remove(unfinished)
	}
	if wants("jax") && installed(peersPython, "jax") != jax {
		if err := install("jax=="+jax, "jaxlib=="+jax); err != nil {
			return fmt.Errorf("pip cannot install JAX %s: %w", jax, err)
		}
	}
	if version := installed(peersPython, "torch"); wants("torch") && version != torch && version != torch+"+cpu" {
		err := install("--retries", "1", "--timeout", "20",
			"--index-url", "https://download.pytorch.org/whl/cpu", "torch=="+torch)
		if err != nil && ctx.Err() == nil {
			fmt.Fprintln(stderr, "PyTorch's own index does not answer: taking PyPI's wheel, with CUDA.")
			err = install("torch==" + torch)
		}
		if err != nil {
			return fmt.Errorf("pip cannot install PyTorch %s: %w", torch, err)
		}
	}
	return nil
}

func present(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}

// show runs a command whose output the user sees.
func show(ctx context.Context, stderr io.Writer, name string, arguments ...string) error {
	cmd := exec.CommandContext(ctx, name, arguments...)
	cmd.Stdout, cmd.Stderr = stderr, stderr
	return cmd.Run()
}
