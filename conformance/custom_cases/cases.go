package main

import "strings"

// updated is an object, and what it was before; empty: it is new.
type updated struct {
	old    string
	object string
}

type schemaCase struct {
	schema  string
	objects []updated
}

func made(schema string, objects ...string) schemaCase {
	one := schemaCase{schema: schema}
	for _, object := range objects {
		before, after, isUpdate := strings.Cut(object, " => ")
		if isUpdate {
			one.objects = append(one.objects, updated{before, after})
		} else {
			one.objects = append(one.objects, updated{"", object})
		}
	}
	return one
}

func objectCases() []schemaCase {
	return []schemaCase{
		made(`{"type":"object","required":["must"],"properties":{"must":{"type":"string"},"i":{"type":"integer","format":"int32","minimum":1,"maximum":9,"exclusiveMaximum":true,"multipleOf":2}}}`,
			`{}`, `{"must":""}`, `{"must":1}`, `{"must":null}`, `{"must":[]}`, `{"must":{}}`, `{"must":"x","i":"y"}`, `{"must":"x","i":true}`,
			`{"must":"x","i":0}`, `{"must":"x","i":9}`, `{"must":"x","i":4.0}`, `{"must":"x","i":4.5}`, `{"must":"x","i":3000000000}`, `{"must":"x","i":[1]}`, `{"must":"x","i":{}}`),
		made(`{"type":"object","properties":{"n":{"type":"number","minimum":0.5,"exclusiveMinimum":true,"multipleOf":0.25},"f":{"type":"number","format":"float"},"b":{"type":"boolean"}}}`,
			`{"n":0.5}`, `{"n":1}`, `{"n":0.3}`, `{"n":"x"}`, `{"f":1e300}`, `{"b":"true"}`, `{"b":1}`, `{"b":null}`),
		made(`{"type":"object","properties":{"s":{"type":"string","minLength":2,"maxLength":3,"pattern":"^a"},"e":{"type":"string","enum":["a","b"]},"m":{"enum":[1,"x",null,2.5],"x-kubernetes-preserve-unknown-fields":true}}}`,
			`{"s":"a"}`, `{"s":"aaaa"}`, `{"s":"bb"}`, `{"s":"äö"}`, `{"s":"aöü"}`, `{"e":"c"}`, `{"e":5}`, `{"m":1}`, `{"m":2.5}`, `{"m":"y"}`, `{"m":{"a":1}}`),
		made(`{"type":"object","properties":{"l":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string"}},"m":{"type":"object","minProperties":1,"maxProperties":1,"additionalProperties":{"type":"integer"}}}}`,
			`{"l":[]}`, `{"l":["a","b",1]}`, `{"l":[null]}`, `{"l":{}}`, `{"m":{}}`, `{"m":{"a":1,"b":"c"}}`, `{"m":{"a":null}}`, `{"m":[1]}`),
		made(`{"type":"object","properties":{"x":{"x-kubernetes-int-or-string":true},"y":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^[0-9]+%?$"}}}`,
			`{"x":1}`, `{"x":"a"}`, `{"x":true}`, `{"x":1.5}`, `{"x":null}`, `{"y":"10%"}`, `{"y":"x"}`, `{"y":7}`, `{"y":[]}`),
		made(`{"type":"object","properties":{"n":{"type":"string","nullable":true},"d":{"type":"string","nullable":true,"default":"x"},"o":{"type":"object","nullable":true,"properties":{"a":{"type":"integer","default":1}}}}}`,
			`{"n":null,"d":null,"o":null}`, `{"o":{}}`, `{}`, `{"o":{"a":null}}`),
		made(`{"type":"object","properties":{"either":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"oneOf":[{"required":["a"]},{"required":["b"]}]},"any":{"type":"string","anyOf":[{"pattern":"^a"},{"minLength":5}]},"not":{"type":"string","not":{"enum":["no"]}},"all":{"type":"integer","allOf":[{"minimum":1},{"maximum":3}]},"deep":{"type":"object","properties":{"k":{"type":"string"},"v":{"type":"integer"}},"anyOf":[{"properties":{"k":{"enum":["a"]},"v":{"maximum":5}}},{"properties":{"k":{"enum":["b"]}},"required":["v"]}]}}}`,
			`{"either":{"a":"","b":""}}`, `{"either":{}}`, `{"either":{"a":"x"}}`, `{"any":"b"}`, `{"any":"bbbbb"}`, `{"not":"no"}`, `{"not":"yes"}`, `{"all":4}`, `{"all":0}`, `{"all":2}`,
			`{"deep":{"k":"a","v":6}}`, `{"deep":{"k":"b"}}`, `{"deep":{"k":"c","v":1}}`, `{"deep":{"k":"a","v":1}}`),
		made(`{"type":"object","properties":{"spec":{"type":"object","properties":{"free":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"known":{"type":"object"}}},"map":{"type":"object","additionalProperties":{"type":"object","properties":{"a":{"type":"string"}}}},"list":{"type":"array","items":{"type":"object","properties":{"a":{"type":"integer","default":1},"n":{"type":"string","nullable":true}}}},"open":{"type":"object","additionalProperties":true},"defaulted":{"type":"object","default":{},"properties":{"x":{"type":"string","default":"y"}}},"any":{"x-kubernetes-preserve-unknown-fields":true},"flist":{"type":"array","x-kubernetes-preserve-unknown-fields":true,"items":{"type":"object","properties":{"p":{"type":"string"}}}}}}}}`,
			`{"spec":{"map":{"k":{"b":1,"a":"x"}},"free":{"z":{"y":null},"known":{"u":1}}},"kind":"K","metadata":{"name":"x"}}`,
			`{"spec":{"list":[{"a":null,"n":null},{"a":3,"b":1},null],"defaulted":null}}`,
			`{"spec":{"open":{"a":1,"b":{"c":2},"d":[{"e":1}]},"any":{"x":[1,{"y":null}]}},"extra":1}`,
			`{"spec":{"flist":[{"p":"x","q":1}],"free":5}}`, `{"spec":5}`, `{"spec":null}`, `{}`),
		made(`{"type":"object","properties":{"o":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},"p":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"spec":{"type":"object"}}}}}`,
			`{"o":{"kind":"Pod","apiVersion":"v1","spec":{"x":1}}}`, `{"o":{"kind":""}}`, `{"o":{"apiVersion":"a/b/c","kind":"_x"}}`, `{"o":{"apiVersion":1,"kind":2}}`, `{"p":{"kind":"K","apiVersion":"v1","metadata":{},"spec":{"u":1},"z":1}}`),
		made(`{"type":"object","properties":{"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},"map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","b"],"items":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","default":1}}}},"one":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"},"v":{"type":"integer","maximum":5}}}}}}`,
			`{"set":["a","b","a","a","b"]}`, `{"map":[{"a":"x"},{"a":"y"},{"a":"x","b":1},{}]}`, `{"one":[{"k":"a"},{"k":"a"}]}`, `{"one":["x"]}`,
			`{"one":[{"k":"1","v":9}]} => {"one":[{"k":"2","v":7},{"k":"1","v":9}]}`, `{"one":[{"k":"1","v":9}]} => {"one":[{"k":"1","v":8}]}`),
		made(`{"type":"object","properties":{"a":{"type":"string","minLength":3},"b":{"type":"string","enum":["x"]},"o":{"type":"object","required":["r"],"properties":{"r":{"type":"string"},"s":{"type":"integer","maximum":1}}},"l":{"type":"array","items":{"type":"integer","maximum":1}}}}`,
			`{"a":"x"} => {"a":"x","b":"x"}`, `{"a":"x"} => {"a":"y"}`, `{"b":"y"} => {"b":"y","a":"x"}`, `{"o":{"s":2}} => {"o":{"s":2},"a":"abc"}`, `{"o":{"s":2}} => {"o":{"s":3}}`, `{"l":[2]} => {"l":[2,3]}`, `{"l":[2]} => {"l":[2],"a":"abc"}`),
		made(`{"type":"object","properties":{"ip4":{"type":"string","format":"ipv4"},"ip6":{"type":"string","format":"ipv6"},"cidr":{"type":"string","format":"cidr"},"mac":{"type":"string","format":"mac"},"uuid":{"type":"string","format":"uuid"},"dt":{"type":"string","format":"date-time"},"date":{"type":"string","format":"date"},"dur":{"type":"string","format":"duration"},"host":{"type":"string","format":"hostname"},"uri":{"type":"string","format":"uri"},"mail":{"type":"string","format":"email"},"byte":{"type":"string","format":"byte"},"odd":{"type":"string","format":"odd"},"short":{"type":"string","format":"k8s-short-name"},"hex":{"type":"string","format":"hexcolor"},"i64":{"type":"integer","format":"int64"}}}`,
			`{"ip4":"1.2.3.4"}`, `{"ip4":"1.2.3"}`, `{"ip4":"01.2.3.4"}`, `{"ip4":"1.2.3.256"}`, `{"ip6":"::1"}`, `{"ip6":"1::2::3"}`, `{"ip6":"::ffff:1.2.3.4"}`, `{"ip6":"1.2.3.4"}`, `{"ip6":"1:2:3:4:5:6:7:8"}`, `{"ip6":"1:2:3:4:5:6:7"}`,
			`{"cidr":"10.0.0.0/8"}`, `{"cidr":"10.0.0.0/33"}`, `{"cidr":"fd00::/64"}`, `{"cidr":"10.0.0.0"}`, `{"mac":"00:11:22:33:44:55"}`, `{"mac":"0011"}`, `{"uuid":"123e4567-e89b-12d3-a456-426614174000"}`, `{"uuid":"123"}`,
			`{"dt":"2026-01-01T00:00:00Z"}`, `{"dt":"2026-01-01"}`, `{"dt":"2026-13-01T00:00:00Z"}`, `{"dt":"2026-01-01T00:00:00.123+02:00"}`, `{"date":"2026-02-03"}`, `{"date":"2026-02-30"}`, `{"date":"x"}`, `{"dur":"1h"}`, `{"dur":"3 days"}`, `{"dur":"x"}`,
			`{"host":"a.example.com"}`, `{"host":"a_b"}`, `{"host":""}`, `{"uri":"http://x/y"}`, `{"uri":"/x"}`, `{"uri":"x y"}`, `{"mail":"a@b.c"}`, `{"mail":"a"}`, `{"byte":"YQ=="}`, `{"byte":"Y"}`, `{"odd":"x"}`, `{"short":"a-b"}`, `{"short":"A"}`, `{"hex":"#fff"}`, `{"hex":"#ff"}`, `{"i64":"x"}`),
		made(`{"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 0"}]},"b":{"type":"string"},"list":{"type":"array","items":{"type":"string"}}},"x-kubernetes-validations":[{"rule":"!has(self.b) || self.b != 'bad'","messageExpression":"'b is ' + self.b","fieldPath":".b","reason":"FieldValueForbidden"},{"rule":"self.a >= oldSelf.a","message":" may not shrink "},{"rule":"self.list[0] == 'x'","message":"first"},{"rule":"oldSelf.orValue(self).a < 100","optionalOldSelf":true},{"rule":"self.a != 50","reason":"FieldValueRequired"},{"rule":"self.a != 51","reason":"FieldValueDuplicate"}]}}}`,
			`{"spec":{"a":0,"b":"bad","list":["x"]}}`, `{"spec":{"a":1,"list":[]}}`, `{"spec":{"a":1}}`, `{"spec":{"a":2,"list":["x"]}} => {"spec":{"a":1,"list":["x"]}}`, `{"spec":{"a":100,"list":["x"]}} => {"spec":{"a":200,"list":["x"]}}`,
			`{"spec":{"a":0,"list":["x"]}} => {"spec":{"a":0,"list":["x"]},"z":1}`, `{"spec":{"a":50,"list":["x"]}}`, `{"spec":{"a":51,"list":["x"]}}`, `{"spec":{"a":0,"list":["y"]}} => {"spec":{"a":1,"list":["y"]}}`),
		made(`{"type":"object","properties":{"map":{"type":"object","additionalProperties":{"type":"object","properties":{"v":{"type":"integer"}},"x-kubernetes-validations":[{"rule":"self.v == oldSelf.v","message":"fixed"},{"rule":"self.v < 5"}]}},"list":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"},"v":{"type":"integer"}},"x-kubernetes-validations":[{"rule":"self.v == oldSelf.v","message":"fixed"}]}},"atomic":{"type":"array","items":{"type":"integer","x-kubernetes-validations":[{"rule":"self < 5"}]}}},"x-kubernetes-validations":[{"rule":"self.metadata.name != 'bad'","message":"bad name"},{"rule":"size(self.map) < 3"}]}`,
			`{"metadata":{"name":"bad"},"map":{}}`, `{"metadata":{"name":"x"},"map":{"a":{"v":7},"b/c":{"v":8}}}`, `{"metadata":{"name":"x"},"map":{"a":{"v":1}}} => {"metadata":{"name":"x"},"map":{"a":{"v":2},"b":{"v":3}}}`,
			`{"metadata":{"name":"x"},"map":{},"list":[{"k":"1","v":1},{"k":"2","v":2}]} => {"metadata":{"name":"x"},"map":{},"list":[{"k":"2","v":3},{"k":"3","v":3},{"k":"1","v":1}]}`,
			`{"metadata":{"name":"x"},"map":{},"atomic":[7]} => {"metadata":{"name":"x"},"map":{},"atomic":[7,8]}`, `{"metadata":{"name":"x"},"map":{},"atomic":[7]} => {"metadata":{"name":"x"},"map":{"a":{"v":1}},"atomic":[7]}`),
	}
}

// ruleProperties and ruleObject are the schema and the value of what ruleCases are about.
const ruleProperties = `"i":{"type":"integer"},"n":{"type":"number"},"s":{"type":"string"},"b":{"type":"boolean"},"l":{"type":"array","items":{"type":"integer"}},"ls":{"type":"array","items":{"type":"string"}},` +
	`"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},"m":{"type":"object","additionalProperties":{"type":"integer"}},"o":{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}}},` +
	`"los":{"type":"array","items":{"type":"object","properties":{"k":{"type":"string"},"v":{"type":"integer"}}}},"ios":{"x-kubernetes-int-or-string":true},"at":{"type":"string","format":"date-time"},"date":{"type":"string","format":"date"},` +
	`"span":{"type":"string","format":"duration"},"raw":{"type":"string","format":"byte"},"a-b":{"type":"integer"},"in":{"type":"integer"},"x.y/z":{"type":"integer"},"u__v":{"type":"integer"}`
const ruleObject = `{"spec":{"i":3,"n":2,"s":"größe","b":true,"l":[1,2,3],"ls":["a","b"],"set":["x","y"],"m":{"k":1,"l":2},"o":{"x":"1"},"los":[{"k":"a","v":1},{"k":"b","v":2}],"ios":"50%","at":"2026-01-02T03:04:05.678Z","date":"2026-01-02","span":"90m","raw":"YQ==","a-b":1,"in":2,"x.y/z":3,"u__v":4}}`

// ruleCases are expressions, most of them false, so that what is wrong shows.
func ruleCases() []string {
	return []string{
		"false", "self.i + 2 * 3 == 10", "self.i / 2 == 2", "-self.i % 2 == 1", "self.i / 0 == 1", "self.i % 0 == 1", "9223372036854775807 + self.i > 0", "self.n == 2.5", "self.n + 0.5 == 3.0", "self.n / 0.0 > 1.0",
		"double(self.i) == self.n", "self.i < 2.5", "self.s == 'x'", "self.s + 'x' == 'größex1'", "self.s.size() == 6", "size(self.raw) == 2", "!self.b", "self.b ? self.i == 4 : true",
		"self.l[3] == 1", "self.l[-1] == 1", "self.l.exists(x, x > 3)", "self.l.all(x, x > 1)", "self.l.exists_one(x, x > 1)", "self.l.map(x, x * 2) == [2, 4, 7]", "self.l.filter(x, x > 1).size() == 3", "self.l.map(x, x > 1, x + 1) == [3]",
		"4 in self.l", "'z' in self.m", "self.m['z'] == 1", "self.m.k == 2", "self.m.all(k, self.m[k] < 2)", "has(self.o.y)", "self.o.y == 'a'", "self.o.?y.orValue('q') == 'r'", "self.?o.?y.hasValue()", "self.m[?'z'].orValue(7) == 8",
		"self.los.exists(e, e.k == 'c')", "self.los.all(e, self.los.exists_one(f, e.k == f.k && e.v > 1))", "self.l + [4] == [1, 2, 3]", "self.set == ['y', 'x', 'z']", "self.set != ['y', 'x']", "self.set + ['x'] == ['x']",
		"self.ios == 1", "self.ios == '50'", "type(self.ios) == int", "self.at > timestamp('2027-01-01T00:00:00Z')", "self.at.getFullYear() == 2025", "self.at.getMonth() == 1", "self.at.getDayOfMonth() == 0", "self.at.getDate() == 1", "self.at.getDayOfWeek() == 4", "self.at.getMilliseconds() == 0", "self.at.getDayOfYear() == 2",
		"self.date == timestamp('2026-01-03T00:00:00Z')", "self.span < duration('1h')", "self.span.getHours() == 2", "self.span.getMinutes() == 30", "string(self.span) == '90m'", "self.at - self.span == self.at", "self.at - timestamp('2026-01-01T00:00:00Z') < duration('1s')", "string(self.raw) == 'b'", "self.raw == b'b'",
		"self.a__dash__b == 2", "self.__in__ == 3", "self.x__dot__y__slash__z == 4", "self.u__underscores__v == 5",
		"self.s.startsWith('x')", "self.s.endsWith('x')", "self.s.contains('x')", "self.s.matches('^x')", "self.s.matches('(')", "self.s.find('[a-f]+') == 'x'", "self.s.findAll('[a-z]').size() == 1", "self.s.lowerAscii() == 'x'", "self.s.upperAscii() == 'x'", "self.s.substring(1, 3) == 'x'", "self.s.substring(9) == 'x'", "self.s.charAt(2) == 'x'", "self.s.indexOf('e') == 0", "self.s.lastIndexOf('r') == 0", "self.s.replace('r', 'R') == 'x'", "self.s.split('r').size() == 1", "self.ls.join(',') == 'a'", "' x '.trim() == ' x'", "self.s.reverse() == 'x'",
		"self.ls.isSorted() && false", "self.l.sum() == 7", "self.l.min() == 2", "self.l.max() == 2", "self.l.indexOf(9) == 0", "self.l.slice(0, 2) == [1]", "self.l.slice(0, 9) == [1]", "[[1], [2]].flatten() == [1]", "self.l.sort() == [3]", "self.l.distinct() == [1]", "self.l.reverse() == [1]",
		"int(self.s) == 1", "int('7') == 8", "int(2.9) == 3", "double('x') == 1.0", "string(self.i) == '4'", "string(self.n) == '2.0'", "string(1.5) == '2'", "uint(self.i) == 4u", "uint(-1) == 4u", "bool('maybe')", "dyn(self.i) == 'x'", "type(self.i) == uint",
		"quantity('1.5').isLessThan(quantity('1'))", "quantity('x').isInteger()", "isQuantity('1Xi')", "quantity('1Gi').asInteger() == 1", "quantity('1500m').isInteger()", "quantity('1500m').asInteger() == 1", "quantity('1').add(quantity('1')).compareTo(quantity('3')) == 0", "quantity('-1').sign() == 1", "quantity('2').sub(1).isGreaterThan(quantity('5'))", "quantity('1500m').asApproximateFloat() == 1.0",
		"sets.contains(self.ls, ['c'])", "sets.intersects(self.ls, ['c'])", "sets.equivalent(self.ls, ['a'])", "cel.bind(x, self.i, x + x) == 7", "optional.of(self.i).optMap(x, x + 1).value() == 5", "optional.none().value() == 1", "optional.none().hasValue()",
		"false && self.i / 0 == 1", "self.i / 0 == 1 && false", "false || self.i / 0 == 1", "self.i / 0 == 1 || false", "self.l.all(x, 6 / (x - 1) > 100)", "self.l.exists(x, 6 / (x - 1) > 100)",
		"{'a': 1, 'b': self.i}['b'] == 4", "{'a': 1}['z'] == 1", "[1, 2] == [2, 1]", "{'a': 1} == {'a': 2}", "'''a\nb'''.size() == 4", "r'\\d'.size() == 3", "'\\u00e9\\x41\\101'.size() == 4", "0x10 == 17", "1e2 == 10.0", "true != true", "null == self.i", "'a' < 'A'", "[1].exists(i, i == 2)", "self == self && false",
	}
}

func definition(name, spec string) string {
	return `{"metadata":{"name":"` + name + `"},"spec":` + spec + `}`
}

// withSchema is a definition of which only the schema is of interest.
func withSchema(schema string) string {
	return definition("widgets.example.com", `{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":`+schema+`}}]}`)
}

func definitionCases() []string {
	const fine = `{"type":"object"}`
	version := func(members string) string {
		return definition("widgets.example.com", `{"group":"example.com","scope":"Cluster","names":{"plural":"widgets","kind":"Widget"},"versions":[`+members+`]}`)
	}
	cases := []string{
		withSchema(fine),
		definition("widgets.example.com", `{"group":"example.com","scope":"Cluster","names":{"plural":"widgets","kind":"Widget"},"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://x.y/z"},"conversionReviewVersions":["v2"]}},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":`+fine+`}}]}`),
		definition("x.example.com", `{"group":"example.com","scope":"Foo","names":{"plural":"y","kind":"Y"},"versions":[{"name":"v1","served":true,"storage":true}]}`),
		definition("a.b", `{"group":"","scope":"","names":{},"versions":[]}`),
		definition("as.Up", `{"group":"Up","scope":"Cluster","names":{"plural":"as","kind":"1A","singular":"A_","listKind":"1A","shortNames":["X","ok"],"categories":["_"]},"versions":[{"name":"V1","served":true,"storage":false,"schema":{"openAPIV3Schema":`+fine+`}}]}`),
		definition("as.plain", `{"group":"plain","scope":"Cluster","names":{"plural":"as","kind":"A"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":`+fine+`}}]}`),
		definition("as.x.k8s.io", `{"group":"x.k8s.io","scope":"Cluster","names":{"plural":"as","kind":"A"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":`+fine+`}}]}`),
		version(`{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":` + fine + `}},{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":` + fine + `}}`),
		version(`{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{}}}}},{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"array"}}}`),
		version(`{"name":"v1","served":true,"storage":true,"deprecationWarning":"x","schema":{"openAPIV3Schema":` + fine + `},"subresources":{"scale":{"specReplicasPath":"spec.x","statusReplicasPath":".spec.x","labelSelectorPath":".x"}},"additionalPrinterColumns":[{"name":"","type":"foo","format":"bar","jsonPath":"x"},{"name":"a","type":"","jsonPath":""}]}`),
		version(`{"name":"v1","served":true,"storage":true,"deprecated":true,"deprecationWarning":"","schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"s":{"type":"string"},"o":{"type":"object"}}}}}},"selectableFields":[{"jsonPath":".spec.s"},{"jsonPath":".spec.s"},{"jsonPath":".spec.o"},{"jsonPath":".spec.z"},{"jsonPath":"spec"},{"jsonPath":""},{"jsonPath":".spec['s']"}]}`),
		version(`{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","nullable":true}}}`),
		definition("widgets.example.com", `{"group":"example.com","scope":"Cluster","names":{"plural":"widgets","kind":"Widget"},"conversion":{"strategy":"Foo"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":`+fine+`}}]}`),
		definition("widgets.example.com", `{"group":"example.com","scope":"Cluster","names":{"plural":"widgets","kind":"Widget"},"conversion":{"strategy":"Webhook"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":`+fine+`}}]}`),
	}
	for _, schema := range []string{
		`{}`, `{"type":"string"}`, `{"type":"foo"}`, `{"type":"object","properties":{"a":{"description":"x"}}}`, `{"type":"object","properties":{"a":{"type":"array"}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{}}}}`,
		`{"type":"object","additionalProperties":{"type":"string"}}`, `{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"string"},"properties":{"b":{"type":"string"}}}}}`,
		`{"type":"object","properties":{"a":{"type":"string","anyOf":[{"type":"string","default":"x","nullable":true}]}}}`, `{"type":"object","properties":{"a":{"type":"object","allOf":[{"properties":{"b":{"minLength":1},"metadata":{}}}]}}}`,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"not":{"items":{"enum":["x"]}}},"b":{"type":"object","oneOf":[{"required":["x"]},{"items":{}}]}}}`,
		`{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}`, `{"type":"object","properties":{"a":{"type":"string","pattern":"[z-a]"}}}`, `{"type":"object","properties":{"a":{"type":"string","pattern":"(?<x>a)(?!b)"}}}`, `{"type":"object","properties":{"a":{"type":"string","pattern":"a**"}}}`, `{"type":"object","properties":{"a":{"type":"string","pattern":"*"}}}`, `{"type":"object","properties":{"a":{"type":"string","pattern":"a{2000}"}}}`, `{"type":"object","properties":{"a":{"type":"string","pattern":"\\8"}}}`,
		`{"type":"object","properties":{"metadata":{"type":"object","properties":{"name":{"type":"string","maxLength":5}}}}}`, `{"type":"object","properties":{"metadata":{"type":"object","properties":{"labels":{"type":"object"}}},"kind":{"type":"integer"}}}`, `{"type":"object","properties":{"metadata":{"type":"string"}}}`,
		`{"type":"object","properties":{"a":{"x-kubernetes-embedded-resource":true},"b":{"type":"object","x-kubernetes-embedded-resource":true},"c":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true,"additionalProperties":{"type":"string"}}}}`,
		`{"type":"object","properties":{"a":{"x-kubernetes-int-or-string":true,"x-kubernetes-preserve-unknown-fields":true,"x-kubernetes-embedded-resource":true}}}`, `{"type":"object","properties":{"a":{"type":"string","x-kubernetes-preserve-unknown-fields":false}}}`,
		`{"type":"object","properties":{"a":{"type":"string","uniqueItems":true,"id":"x"},"b":{"type":"array","items":{"type":"string"},"uniqueItems":true}}}`,
		`{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"foo","items":{"type":"string"}},"b":{"type":"string","x-kubernetes-list-type":"atomic","x-kubernetes-map-type":"atomic"},"c":{"type":"object","x-kubernetes-map-type":"foo"}}}`,
		`{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"object","nullable":true}},"b":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}}}}`,
		`{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"map","items":{"type":"object"}},"b":{"type":"array","x-kubernetes-list-map-keys":["k"],"items":{"type":"object"}},"c":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","k","z","o"],"items":{"type":"object","properties":{"k":{"type":"string","nullable":true},"o":{"type":"object","default":{}}}}},"d":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"string"}}}}`,
		`{"type":"object","properties":{"a":{"type":"integer","default":"x"},"b":{"type":"object","default":{"z":1},"properties":{"y":{"type":"string"}}},"c":{"type":"integer","minimum":3,"default":1},"d":{"type":"array","items":{"type":"string","default":"a","enum":["b"]}}}}`,
		`{"type":"object","default":{},"properties":{"kind":{"type":"string","default":"x"}}}`,
		`{"type":"object","properties":{"a":{"type":"string","x-kubernetes-validations":[{"rule":""},{"rule":"true","message":" "},{"rule":"true","message":"a\nb"},{"rule":"true\n&& true"},{"rule":"true","reason":"Foo"}]}}}`,
		`{"type":"object","properties":{"a":{"type":"array","maxItems":5,"items":{"type":"string","maxLength":5,"x-kubernetes-validations":[{"rule":"self == oldSelf"}]}},"b":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"c":{"type":"string","maxLength":5,"x-kubernetes-validations":[{"rule":"self == oldSelf"}]}}}}}`,
		`{"type":"object","properties":{"a":{"type":"string","x-kubernetes-validations":[{"rule":"true","optionalOldSelf":true}]}}}`,
	} {
		cases = append(cases, withSchema(schema))
	}
	return cases
}
