package edge

import (
	"strconv"
	"strings"

	"docledger/domain/fault"
)

// ETag returns the entity tag of a record's version.
func ETag(version int) string { return `"` + strconv.Itoa(version) + `"` }

// IfMatchVersion returns the version of an If-Match header that ETag created.
// No header and `*` mean any version: 0. An unknown tag returns -1, which
// equals no version.
func IfMatchVersion(header *string) (int, error) {
	if header == nil || strings.TrimSpace(*header) == "*" {
		return 0, nil
	}
	tag := strings.TrimSpace(*header)
	if strings.Contains(tag, ",") {
		return 0, fault.InvalidField("If-Match", "must name one ETag")
	}
	if len(tag) < 2 || !strings.HasPrefix(tag, `"`) || !strings.HasSuffix(tag, `"`) {
		return 0, fault.InvalidField("If-Match", `must be an ETag in double quotes such as "3"`)
	}
	version, err := strconv.Atoi(tag[1 : len(tag)-1])
	if err != nil || version < 1 {
		return -1, nil
	}
	return version, nil
}
