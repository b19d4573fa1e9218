package main

import (
	"fmt"
	"os"
	"time"

	"loadline/conformance/admission"
	"loadline/conformance/oracle"
	"loadline/conformance/recording"
)

func main() {
	for _, folder := range os.Args[1:] {
		input, err := recording.ReadInput(folder)
		if err != nil {
			fmt.Println(err)
			continue
		}
		begin := time.Now()
		admission.Default(input)
		fmt.Println(admission.Validate(input), time.Since(begin))
		begin = time.Now()
		in, ex, err := oracle.Run(input)
		fmt.Println(folder, err, time.Since(begin))
		if err == nil {
			(&recording.Case{Name: in.Name, Input: in, Expected: ex}).Write("/tmp/oracle-out/" + in.Name)
			begin = time.Now()
			for i := 0; i < 20; i++ {
				oracle.Run(input)
			}
			fmt.Println(time.Since(begin) / 20)
		}
	}
}
