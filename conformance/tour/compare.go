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
	// Kueue's Workloads: such digits may look like an age.
	{regexp.MustCompile(`\b((?:job|jobset|pod|statefulset|leaderworkerset)-[a-z0-9-]+)-[0-9a-f]{5}\b`), "$1-" + generated},
	// The end of a Workload's name is a hash of its job's uid.
	{regexp.MustCompile(`\b((job|jobset|statefulset|leaderworkerset|pytorchjob|raycluster|rayjob)-[a-z0-9.-]+)-[0-9a-f]{5}\b`), "$1-" + generated},
	{regexp.MustCompile(`<(invalid|unknown)>`), "<age>"},                                                // What kubectl makes of a time that is a moment ahead of its clock.
	{regexp.MustCompile(`\b(\d{1,3}s|\d{1,2}m(\d{1,2}s)?|\d{1,2}h(\d{1,2}m)?|\d+d(\d+h)?)\b`), "<age>"}, // Not 500m, which is half a CPU.
	{regexp.MustCompile(` \(x\d+ over <age>\)`), ""},
	{regexp.MustCompile(`-[bcdfghjklmnpqrstvwxz2456789]{5}\b`), "-" + generated},
	{regexp.MustCompile(`-{3,}|={3,}`), "---"}, // As wide as the column.
	{regexp.MustCompile(`[ \t]+`), " "},
}

// generated stands for the end of a generated name.
const generated = "<generated>"

// byChance are lines that kubectl orders by chance when they follow one another: those with generated names, and the rows of `describe limitrange`.
var byChance = regexp.MustCompile(generated + `|^(Container|Pod|PersistentVolumeClaim) [a-z./]+( (-|\d\w*)){5}$`)

// progress is what kubectl says while it waits: how often, depends on how fast it asks.
var progress = regexp.MustCompile(`^Waiting for .* (rollout to finish|to be observed|to be rolled out)`)

// normal is output without what differs by nature, and without the widths of columns and progress. Neighbours whose order is
// chance are put in order.
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
		for to < len(made) && byChance.MatchString(made[to]) {
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
