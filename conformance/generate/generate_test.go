package generate

import (
	"bytes"
	"testing"

	"loadline/conformance/admission"
	"loadline/conformance/recording"
)

// generators are the ways in which a seed becomes a cluster.
var generators = map[string]func(int64) *recording.Input{"Case": Case, "Grouped": Grouped}

func TestASeedMakesTheSameClusterAgain(t *testing.T) {
	for name, generator := range generators {
		for seed := int64(1); seed <= 60; seed++ {
			one, err := recording.Marshal(generator(seed))
			if err != nil {
				t.Fatal(err)
			}
			other, err := recording.Marshal(generator(seed))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(one, other) {
				t.Errorf("%s: seed %d made two clusters", name, seed)
			}
		}
	}
}

func TestTheAPIServerWouldTakeEveryObject(t *testing.T) {
	for name, generator := range generators {
		for seed := int64(1); seed <= 300; seed++ {
			input := generator(seed)
			admission.Default(input)
			if err := admission.Validate(input); err != nil {
				t.Errorf("%s: seed %d: %v", name, seed, err)
			}
		}
	}
}
