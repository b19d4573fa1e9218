package operators

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// arguments are the differences that have a reason. A line is a kind (or one case of a kind: LeaderWorkerSet/99), a pattern of where (as in path.Match, with
// * for names), and the reason. An event is found by its text, too: event/Normal?Created*,
// and event+/Normal?Created* if Loadline alone tells it.
type arguments struct{ lines []argument }

type argument struct{ kind, where, reason string }

func readArguments(file string) (*arguments, error) {
	opened, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &arguments{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	var out arguments
	scanner := bufio.NewScanner(opened)
	for scanner.Scan() {
		text := strings.TrimSpace(scanner.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		words := strings.SplitN(text, " ", 3)
		if len(words) < 3 {
			return nil, fmt.Errorf("%s: %q has no reason", file, text)
		}
		out.lines = append(out.lines, argument{words[0], words[1], words[2]})
	}
	return &out, scanner.Err()
}

// excuse says whether there is a reason for a difference.
func (a *arguments) excuse(kind string, d difference) bool {
	for _, line := range a.lines {
		if line.kind != "*" && line.kind != kind && line.kind != fmt.Sprintf("%s/%d", kind, d.seed) {
			continue
		}
		if matches(line.where, d.where) || matches(line.where, d.event()) {
			return true
		}
	}
	return false
}

// matches is path.Match, but brackets stand for themselves, and a slash is no border.
func matches(pattern, text string) bool {
	plain := strings.NewReplacer("[", "(", "]", ")", "/", ":")
	ok, err := path.Match(plain.Replace(pattern), plain.Replace(text))
	return err == nil && ok
}
