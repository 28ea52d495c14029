package main

import (
	"fmt"
	"slices"
	"strings"
)

// An option is one of sbatch, by its long name and its short one, if it has one.
type option struct{ long, short string }

// ours are the options that this program sets. The user's would hide the logs, or keep jobs from being submitted,
// started or requeued.
var ours = []option{
	{"array", "a"}, {"dependency", "d"}, {"error", "e"}, {"open-mode", ""}, {"output", "o"}, {"requeue", ""},
	{"no-requeue", ""}, {"signal", ""},
}

// flags are the short options without a value: another one may follow in the same word, as in -Hd singleton.
const flags = "HOQWv"

// is reports whether sbatch may take an argument for this option. A long name may be abbreviated; ambiguous
// abbreviations count, too: sbatch rejects them.
func (o option) is(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	if long, ok := strings.CutPrefix(name, "--"); ok {
		return long != "" && strings.HasPrefix(o.long, long)
	}
	short, ok := strings.CutPrefix(name, "-")
	return ok && o.short != "" && strings.HasPrefix(strings.TrimLeft(short, flags), o.short)
}

// checkOptions rejects options of the user that this program sets.
func checkOptions(args []string) error {
	for i, arg := range args {
		if i == 0 && !strings.HasPrefix(arg, "-") {
			return fmt.Errorf("unexpected argument %q: put options of sbatch after --", arg)
		}
		for _, o := range ours {
			if o.is(arg) {
				return fmt.Errorf("%s cannot be used: this program sets sbatch's --%s itself",
					arg, strings.TrimPrefix(o.long, "no-"))
			}
		}
	}
	return nil
}

// arguments are those of sbatch. Ours come last, where they take precedence over the user's and over SBATCH_… in the
// environment, which takes precedence over the script. The last job waits for the jobs after which it comes, however
// they end.
func (s script) arguments(options, after []string) []string {
	log := strings.TrimSuffix(s.path, ".sh") + ".log"
	args := append(slices.Clone(options), "--parsable", "--open-mode=append", "--requeue")
	if s.runs > 0 {
		log = strings.TrimSuffix(s.path, ".sh") + ".%a.log"
		args = append(args, fmt.Sprintf("--array=0-%d", s.runs-1), "--signal=B:TERM@60")
	} else if len(after) > 0 {
		args = append(args, "--dependency=afterany:"+strings.Join(after, ":"))
	}
	return append(args, "--output="+log, "--error="+log, s.path)
}
