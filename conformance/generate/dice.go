package generate

import (
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/api/resource"
)

// dice is seeded chance.
type dice struct{ *rand.Rand }

func newDice(seed int64) dice { return dice{rand.New(rand.NewPCG(uint64(seed), 0x10ad11e))} }

// chance is true in so many of 100 cases.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

// between returns a number from low to high, both included.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

func pick[T any](d dice, items ...T) T { return items[d.IntN(len(items))] }

// some returns up to most of the items, at least one, in their order.
func some[T any](d dice, most int, items ...T) []T {
	wanted := d.between(1, min(most, len(items)))
	var chosen []T
	for i, item := range items {
		if d.IntN(len(items)-i) < wanted-len(chosen) {
			chosen = append(chosen, item)
		}
	}
	return chosen
}

func (d dice) quantity(texts ...string) resource.Quantity {
	return resource.MustParse(pick(d, texts...))
}
