package tour

import (
	"regexp"
	"slices"
	"strings"
)

// varying is what differs from one run to the next by nature, and what stands for it. The order counts: times before the ages that they contain.
var varying = []struct {
	pattern *regexp.Regexp
	stands  string
}{
	{regexp.MustCompile(`\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}`), "<time>"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "<time>"},
	{regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "<uid>"},
	{regexp.MustCompile(`\b[0-9a-f]{32,}\b`), "<id>"},
	{regexp.MustCompile(`\b\d+\.\d+\.\d+\.\d+(:\d+)?\b`), "<address>"},
	{regexp.MustCompile(`<(invalid|unknown)>`), "<age>"}, // What kubectl makes of a time that is a moment ahead of its clock.
	{regexp.MustCompile(`\b(\d+[dhms]){1,3}\b`), "<age>"},
	{regexp.MustCompile(` \(x\d+ over <age>\)`), ""},
	{regexp.MustCompile(`-[bcdfghjklmnpqrstvwxz2456789]{5}\b`), "-" + generated},
	{regexp.MustCompile(`-{3,}|={3,}`), "---"}, // As wide as the column.
	{regexp.MustCompile(`[ \t]+`), " "},
}

// generated stands for the end of a generated name.
const generated = "<generated>"

// progress is what kubectl says while it waits: how often, depends on how fast it asks.
var progress = regexp.MustCompile(`^Waiting for .* (rollout to finish|to be observed|to be rolled out)`)

// normal is output without what differs by nature, and without the widths of columns and progress. Lines that begin with a generated name, and follow one another, are put
// in order: kubectl orders them by chance.
func normal(lines []string) []string {
	made := make([]string, 0, len(lines))
	for _, line := range lines {
		if progress.MatchString(line) {
			continue
		}
		for _, v := range varying {
			line = v.pattern.ReplaceAllString(line, v.stands)
		}
		made = append(made, strings.TrimRight(line, " "))
	}
	for from := 0; from < len(made); from++ {
		to := from
		for to < len(made) && strings.Contains(made[to], generated) {
			to++
		}
		slices.Sort(made[from:to])
		from = max(from, to-1)
	}
	for len(made) > 0 && made[len(made)-1] == "" {
		made = made[:len(made)-1]
	}
	return made
}

// alike says whether two outputs differ only by nature.
func alike(a, b []string) bool { return slices.Equal(normal(a), normal(b)) }

// readers are the commands that change nothing, so that they may be asked again until the cluster has come to rest.
var readers = regexp.MustCompile(`^kubectl (-n \S+ )?(get|describe|top|logs|rollout history|api-resources)\b`)

func reads(command string) bool { return readers.MatchString(command) }
