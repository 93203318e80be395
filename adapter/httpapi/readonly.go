package httpapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"docledger/domain/fault"
)

// The keys of each record that a PUT body may repeat as they were read
// (decisions 1).
var (
	entityKeys      = []string{"id", "organization_id", "created_at", keyVersion, keyUpdated}
	settingsKeys    = []string{"entity_id", keyVersion, keyUpdated}
	integrationKeys = []string{"id", "provider", "type", "last_activity_at", "created_at", keyVersion, keyUpdated}
	metadataKeys    = []string{"organization_name"}
)

const (
	keyVersion = "version"
	keyUpdated = "updated_at"
)

// repeats reports whether a body contains one of the keys.
func repeats(body any, keys []string) (bool, error) {
	given, err := keysOf(body)
	if err != nil {
		return false, err
	}
	for _, key := range keys {
		if _, there := given[key]; there {
			return true, nil
		}
	}
	return false, nil
}

// checkRepeated returns a fault unless the keys of a body have the values of the
// record. An old version or time of change is a version conflict. fixed reports
// that the change is only valid for this version of the record. prefix is the
// path of the body in the request.
func checkRepeated(body, record any, version int, prefix string, keys []string) (fixed bool, err error) {
	given, err := keysOf(body)
	if err != nil {
		return false, err
	}
	current, err := keysOf(record)
	if err != nil {
		return false, err
	}
	var wrong fault.Fields
	stale := false
	for _, key := range keys {
		value, there := given[key]
		if !there {
			continue
		}
		same := sameValue(value, current[key])
		if key == keyVersion || key == keyUpdated {
			fixed, stale = true, stale || !same
			continue
		}
		if !same {
			wrong.Add(prefix+key, "is read-only; send its current value, or leave it out")
		}
	}
	if err := wrong.Err(); err != nil {
		return false, err
	}
	if stale {
		return false, fault.StaleVersion(version)
	}
	return fixed, nil
}

// sameValue compares two JSON values. Two spellings of one time are the same.
func sameValue(a, b any) bool {
	textA, isA := a.(string)
	textB, isB := b.(string)
	if isA && isB {
		timeA, errA := time.Parse(time.RFC3339Nano, textA)
		timeB, errB := time.Parse(time.RFC3339Nano, textB)
		if errA == nil && errB == nil {
			return timeA.Equal(timeB)
		}
	}
	return reflect.DeepEqual(a, b)
}

func keysOf(value any) (map[string]any, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode body: %w", err)
	}
	var keys map[string]any
	if err := json.Unmarshal(data, &keys); err != nil {
		return nil, fmt.Errorf("decode body: %w", err)
	}
	return keys, nil
}
