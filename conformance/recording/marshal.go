package recording

import (
	"bytes"
	"encoding/json"
)

// Marshal writes JSON without what says nothing: the nulls and the empty statuses that API types print.
func Marshal(value any) ([]byte, error) {
	tree, err := ToTree(value)
	if err != nil {
		return nil, err
	}
	return json.Marshal(tree)
}

// ToTree turns a value into maps, lists and plain values, numbers kept as they are written.
func ToTree(value any) (any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	return tidied(tree), nil
}

// FromTree reads an Input back.
func FromTree(tree any) (*Input, error) {
	text, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	input := &Input{}
	if err := json.Unmarshal(text, input); err != nil {
		return nil, err
	}
	return input, nil
}

// noise is what API types print for fields that are not set.
var noise = map[string]bool{"daemonEndpoints": true, "nodeInfo": true}

// An empty object means something in a selector or a volume, but nothing here.
var emptySaysNothing = map[string]bool{"status": true, "resources": true, "strategy": true, "loadBalancer": true}

func tidied(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			member = tidied(member)
			value[key] = member
			if object, is := member.(map[string]any); member == nil || noise[key] || is && len(object) == 0 && emptySaysNothing[key] {
				delete(value, key)
			}
		}
	case []any:
		for i := range value {
			value[i] = tidied(value[i])
		}
	}
	return value
}
