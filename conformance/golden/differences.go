package golden

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// readDifferences reads the argued differences: a line is a case's name and the reason; empty lines and those that begin with # say nothing.
func readDifferences(path string) (map[string]string, error) {
	reasons := map[string]string{}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return reasons, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, _ := strings.Cut(line, " ")
		if strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s: no reason for %s", path, name)
		}
		reasons[name] = strings.TrimSpace(reason)
	}
	return reasons, lines.Err()
}
