//go:build !unix

package replication

import "os"

// lock does nothing where the system has no flock: two processes that write one record are then not told apart.
func lock(*os.File) error { return nil }
