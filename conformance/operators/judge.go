package operators

import (
	"fmt"
	"slices"
)

// verdict is what differs between recorded and played cases of a kind and is not argued for, by case.
type verdict struct {
	differences [][]difference // of the cases, in their order
	count       tally
	excused     int
}

func judge(k kind, expected, actual []*Outcome, argued *arguments) *verdict {
	v := &verdict{differences: make([][]difference, len(expected))}
	for i := range expected {
		for _, d := range compare(expected[i], actual[i], &v.count) {
			if argued.excuse(k.name, d) {
				v.excused++
			} else {
				v.differences[i] = append(v.differences[i], d)
			}
		}
	}
	return v
}

// differing are the places of the cases that differ.
func (v *verdict) differing() []int {
	var places []int
	for i, found := range v.differences {
		if len(found) > 0 {
			places = append(places, i)
		}
	}
	return places
}

// print shows what differs, and returns whether nothing does.
func (v *verdict) print(k kind, shown int) bool {
	found := slices.Concat(v.differences...)
	for _, d := range found[:min(shown, len(found))] {
		fmt.Printf("operators: %s: %s\n", k.name, d)
	}
	if len(found) > shown {
		fmt.Printf("operators: %s: … and %d more\n", k.name, len(found)-shown)
	}
	differ := v.count.differ
	if len(found) == 0 {
		differ = 0
	}
	fmt.Printf("operators: %s: %d cases, %d objects, %d differ (%d fields, %d more are argued)\n", k.name, len(v.differences), v.count.objects, differ,
		len(found), v.excused)
	return len(found) == 0
}

const (
	mostAgain = 12 // cases may differ by chance: which of two endings is seen first, which event a recorder drops
	plays     = 4  // of a case that differs
)

// playAgain plays the cases that differ again, if they are few, and leaves in the verdict what differs in every play. A recording holds what several
// runs of the real operator agree on; where ours differs from it in one play and not in another, both answers are ones that it gives. A mistake that is
// not left to chance shows in each play.
func (o *options) playAgain(k kind, expected []*Outcome, judged *verdict, argued *arguments) error {
	for range plays - 1 {
		places := judged.differing()
		if len(places) == 0 || len(places) > mostAgain {
			return nil
		}
		fmt.Printf("operators: %s: %d cases differ, and are played again\n", k.name, len(places))
		some := make([]*Outcome, len(places))
		cases := make([]Case, len(places))
		for i, place := range places {
			some[i], cases[i] = expected[place], expected[place].Case
		}
		again, err := o.play(o.target, k, cases)
		if err != nil {
			return err
		}
		for i, found := range judge(k, some, again, argued).differences {
			judged.differences[places[i]] = inBoth(judged.differences[places[i]], found)
		}
	}
	return nil
}

func inBoth(one, other []difference) []difference {
	return slices.DeleteFunc(slices.Clone(one), func(d difference) bool { return !slices.Contains(other, d) })
}
