package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"loadline/conformance/answer"
	"loadline/conformance/server"
)

type options struct {
	programs    server.Programs
	target      string
	recordings  string
	differences string
	only        *regexp.Regexp
	most        int
}

func parseOptions(arguments []string) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("golden", flag.ContinueOnError)
	o.programs.Register(flags)
	flags.StringVar(&o.target, "server", "loadline", "which server answers: loadline or real")
	flags.StringVar(&o.recordings, "recordings", "../shared/data/recordings", "the folder of the recordings")
	flags.StringVar(&o.differences, "differences", "", "argued differences; conformance/golden/differences.txt for loadline, differences-real.txt for real")
	flags.IntVar(&o.most, "most", 6, "how many differences of a case to print")
	only := flags.String("only", "", "print cases that match only; all are sent")
	if err := flags.Parse(arguments); err != nil {
		return nil, err
	}
	if o.differences == "" {
		o.differences = map[string]string{"real": "conformance/golden/differences-real.txt"}[o.target]
		if o.differences == "" {
			o.differences = "conformance/golden/differences.txt"
		}
	}
	var err error
	o.only, err = regexp.Compile(*only)
	return o, err
}

// tally is what came of all cases.
type tally struct {
	*options
	reasons                       map[string]string
	passed, argued, failed, stale int
}

// Run replays all recordings and returns whether each was answered as recorded, or differs for a reason that is written down.
func Run(arguments []string) (bool, error) {
	o, err := parseOptions(arguments)
	if err != nil {
		return false, err
	}
	folder := filepath.Join(o.recordings, "raw")
	if _, err := os.Stat(folder); err != nil {
		fmt.Printf("golden: skipped, no recordings in %s\n", folder)
		return true, nil
	}
	cases, err := ReadCases(folder)
	if err != nil {
		return false, err
	}
	t := &tally{options: o}
	if t.reasons, err = readDifferences(o.differences); err != nil {
		return false, err
	}
	for i := range sessions {
		if err := t.runSession(&sessions[i], cases); err != nil {
			return false, fmt.Errorf("session %s: %w", sessions[i].name, err)
		}
	}
	fmt.Printf("golden: %d as recorded, %d differ as argued, %d differ, %d reasons are stale\n", t.passed, t.argued, t.failed, t.stale)
	return t.failed+t.stale == 0, nil
}

func (t *tally) runSession(part *session, cases []*Case) error {
	target, err := server.Start(server.WithoutControllers(t.target), t.programs)
	if err != nil {
		return err
	}
	defer target.Stop()
	r, err := newReplay(part, target)
	if err != nil {
		return err
	}
	if err := r.begin(); err != nil {
		return err
	}
	if part.twice {
		for _, c := range cases {
			if part.has(c) {
				r.run(c)
			}
		}
	}
	for _, c := range cases {
		if part.has(c) {
			t.count(c, r.run(c))
		}
	}
	return target.Crashed()
}

func (t *tally) count(c *Case, found []answer.Difference) {
	reason, argued := t.reasons[c.Name]
	switch {
	case len(found) == 0 && argued:
		t.stale++
		fmt.Printf("STALE %s is answered as recorded, but is argued to differ: %s\n", c.Name, reason)
	case len(found) == 0:
		t.passed++
	case argued:
		t.argued++
	default:
		t.failed++
		t.print(c, found)
	}
}

func (t *tally) print(c *Case, found []answer.Difference) {
	if !t.only.MatchString(c.Name) {
		return
	}
	fmt.Printf("DIFFERS %s %s %s\n", c.Name, c.Method, answer.Shorten(c.Path))
	for i, difference := range found {
		if i == t.most {
			fmt.Printf("  and %d more\n", len(found)-i)
			break
		}
		fmt.Printf("  %s\n", difference)
	}
}
