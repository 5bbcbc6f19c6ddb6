package sabika

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

var errForm = errors.New("not of this form")

var (
	digitsForm   = regexp.MustCompile(`^(0|[1-9][0-9]{0,18})$`)
	countingForm = regexp.MustCompile(`^[1-9][0-9]{0,14}$`)
	hashForm     = regexp.MustCompile(`^[0-9a-f]{64}$`)
	timeForm     = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$`)
	// A surrogate pair is one escape.
	escapes = regexp.MustCompile(
		`\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)`)
)

const levelsMax = 32

// strictReader reads values of the forms that receipts have, and remembers whether one was of another form.
// json.Unmarshal would accept duplicate members and names in other letters.
type strictReader struct{ failed bool }

// object is a JSON object; a member that is missing or of another form fails its reader.
type object struct {
	members map[string]any
	reader  *strictReader
}

// readStrict reads a text that is one JSON object without duplicate members, and then read reads its members.
func readStrict(text []byte, read func(object)) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	// encoding/json would read half a character as another one.
	if !utf8.Valid(text) || !json.Valid(text) || hasLoneSurrogate(text) {
		return errForm
	}
	value, ok := readUnique(decoder, 0)
	reader := &strictReader{failed: !ok}
	if ok {
		read(reader.object(value))
	}
	if reader.failed {
		return errForm
	}
	return nil
}

// hasLoneSurrogate returns whether a valid text escapes half of a character beyond the basic plane.
func hasLoneSurrogate(text []byte) bool {
	for _, escape := range escapes.FindAll(text, -1) {
		if !bytes.HasPrefix(escape, []byte(`\u`)) {
			continue
		}
		unit, _ := strconv.ParseUint(string(escape[2:6]), 16, 32)
		isPair := len(escape) == 12
		if !isPair && utf16.IsSurrogate(rune(unit)) {
			return true
		}
	}
	return false
}

// readUnique reads the next value of a valid text; not ok if an object has two members of one name, or if there are
// too many levels.
func readUnique(decoder *json.Decoder, levels int) (value any, ok bool) {
	token, err := decoder.Token()
	if err != nil {
		return nil, false
	}
	if _, isDelim := token.(json.Delim); isDelim && levels == levelsMax {
		return nil, false
	}
	switch token {
	case json.Delim('{'):
		members := map[string]any{}
		for decoder.More() {
			name, err := decoder.Token()
			text, isText := name.(string)
			if _, isKnown := members[text]; err != nil || !isText || isKnown {
				return nil, false
			}
			if members[text], ok = readUnique(decoder, levels+1); !ok {
				return nil, false
			}
		}
		value = members
	case json.Delim('['):
		items := []any{}
		for decoder.More() {
			item, ok := readUnique(decoder, levels+1)
			if !ok {
				return nil, false
			}
			items = append(items, item)
		}
		value = items
	default:
		return token, true
	}
	_, err = decoder.Token()
	return value, err == nil
}

func (r *strictReader) object(value any) object {
	members, ok := value.(map[string]any)
	r.failed = r.failed || !ok
	return object{members, r}
}

func (o object) has(name string) bool {
	_, ok := o.members[name]
	return ok
}

// isNull is false, and the reader fails, if there is no such member.
func (o object) isNull(name string) bool {
	value, ok := o.members[name]
	o.reader.failed = o.reader.failed || !ok
	return ok && value == nil
}

func (o object) inner(name string) object { return o.reader.object(o.members[name]) }

func (o object) list(name string) []any {
	items, ok := o.members[name].([]any)
	o.reader.failed = o.reader.failed || !ok
	return items
}

func (o object) text(name string) string { return o.reader.text(o.members[name], nil) }

func (o object) texts(name string) []string {
	texts := []string{}
	for _, item := range o.list(name) {
		texts = append(texts, o.reader.text(item, nil))
	}
	return texts
}

func (r *strictReader) text(value any, form *regexp.Regexp) string {
	text, ok := value.(string)
	r.failed = r.failed || !ok || form != nil && !form.MatchString(text)
	return text
}

func (o object) hash(name string) string { return o.reader.text(o.members[name], hashForm) }

func (o object) micrograms(name string) Grams { return o.reader.micrograms(o.members[name]) }

func (r *strictReader) micrograms(value any) Grams {
	number, err := strconv.ParseInt(r.text(value, digitsForm), 10, 64)
	r.failed = r.failed || err != nil
	return Grams(number)
}

func (o object) counting(name string) int64 {
	text, _ := o.members[name].(json.Number)
	number, err := strconv.ParseInt(string(text), 10, 64)
	o.reader.failed = o.reader.failed || err != nil || !countingForm.MatchString(string(text))
	return number
}

func (o object) time(name string) time.Time {
	value, err := time.Parse(time.RFC3339, o.reader.text(o.members[name], timeForm))
	o.reader.failed = o.reader.failed || err != nil
	return value
}

func (o object) timeOrNil(name string) *time.Time {
	if o.isNull(name) {
		return nil
	}
	value := o.time(name)
	return &value
}

// amount reads the text of a number, as ParseSAR, ParseGrams and ParsePrice do.
func amount[T any](o object, name string, parse func(string) (T, error)) T {
	text, ok := o.members[name].(json.Number)
	value, err := parse(string(text))
	o.reader.failed = o.reader.failed || !ok || err != nil
	return value
}

// jsonString writes a string as canonical JSON does (RFC 8785): json.Marshal would escape more.
func jsonString(text string) string {
	var json strings.Builder
	json.WriteByte('"')
	for _, letter := range text {
		short := strings.IndexRune("\b\t\n\f\r\"\\", letter)
		switch {
		case short >= 0:
			json.WriteByte('\\')
			json.WriteByte(`btnfr"\`[short])
		case letter < ' ':
			fmt.Fprintf(&json, `\u%04x`, letter)
		default:
			json.WriteRune(letter)
		}
	}
	json.WriteByte('"')
	return json.String()
}

func jsonStrings(texts []string) string {
	written := make([]string, len(texts))
	for i, text := range texts {
		written[i] = jsonString(text)
	}
	return "[" + strings.Join(written, ",") + "]"
}
