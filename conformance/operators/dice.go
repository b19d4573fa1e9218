package operators

import "math/rand/v2"

// dice is seeded chance.
type dice struct{ *rand.Rand }

func newDice(seed int64) dice { return dice{rand.New(rand.NewPCG(uint64(seed), 0x0be7a704))} }

// chance is true in so many of 100 cases.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

// between returns a number from low to high, both included.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

func pick[T any](d dice, items ...T) T { return items[d.IntN(len(items))] }

// object is a JSON object.
type object = map[string]any

// maybe sets a field of an object in so many of 100 cases.
func (d dice) maybe(percent int, into object, field string, value func() any) {
	if d.chance(percent) {
		into[field] = value()
	}
}

// one returns a function that picks an item, for maybe.
func one[T any](d dice, items ...T) func() any { return func() any { return pick(d, items...) } }
