//go:build !amd64

package kernel

func detect() Level { return Portable }

func implementations(Level) implementation { return portable }

func tileRows() int { return 1 }

func tile(t *tileArgs) { tileGo(t) }

func peak(int) int { return 0 }
