package diff

// These functions describe a part of some kinds, as the API reference does.

func leafOf(values ...any) *shape {
	return &shape{values: func(d *dice) any { return d.OneOf(values...) }}
}

func structOf(of map[string]*shape, always ...string) *shape {
	return &shape{sort: fields, fields: of, always: always}
}

func mapOf(below *shape, names ...any) *shape {
	return &shape{sort: entries, below: below, names: func(d *dice) string { return d.OneOf(names...).(string) }}
}

func setOf(values ...any) *shape {
	return &shape{sort: set, values: func(d *dice) any { return d.OneOf(values...) }}
}

func listBy(below *shape, keys ...string) *shape {
	below.always = append(below.always, keys...)
	return &shape{sort: byKey, below: below, keys: keys}
}

// texts are values that need quotes or escapes.
func texts() *shape {
	return leafOf("", "a", "b", "é", `"`, "a,b] = {", "true", "1", "\n", "…")
}

// owner is one value by its schema, although it has fields.
func owner() *shape {
	s := structOf(map[string]*shape{
		"uid": leafOf("1", "2", "3"), "name": leafOf("o", "p"), "kind": leafOf("K"), "apiVersion": leafOf("v1"), "controller": leafOf(true, false),
	}, "name", "kind", "apiVersion")
	s.atomic = true
	return s
}

func metadata() *shape {
	return structOf(map[string]*shape{
		"name": leafOf("x"), "namespace": leafOf("y"),
		"resourceVersion": leafOf("1", "2", "3"),
		"generation":      leafOf(1.0, 2.0),
		"labels":          mapOf(texts(), "app", "tier", "app.kubernetes.io/name", "0"),
		"annotations":     mapOf(texts(), "a", "b.c/d", "e f"),
		"finalizers":      setOf("a/1", "b/2", `c"3`),
		"ownerReferences": listBy(owner(), "uid"),
		"managedFields":   leafOf(nil, []any{map[string]any{"manager": "a"}}, []any{map[string]any{"manager": "b", "fieldsV1": map[string]any{"f:x": map[string]any{}}}}),
	}, "name")
}

func containers() *shape {
	return listBy(structOf(map[string]*shape{
		"name": leafOf("a", "b", "c"), "image": leafOf("i:1", "i:2"), "args": leafOf([]any{"x"}, []any{"x", "y"}, []any{}),
		"env": listBy(structOf(map[string]*shape{"name": leafOf("A", "B"), "value": texts()}), "name"),
		"ports": listBy(structOf(map[string]*shape{
			"containerPort": leafOf(80.0, 443.0), "protocol": leafOf("TCP", "UDP"), "name": leafOf("http", "x"),
		}), "containerPort", "protocol"),
		"resources": structOf(map[string]*shape{
			"limits": mapOf(leafOf("500m", "1", "1Gi"), "cpu", "memory", "example.com/gpu"), "requests": mapOf(leafOf("1m", "1"), "cpu"),
		}),
		"volumeMounts": listBy(structOf(map[string]*shape{"mountPath": leafOf("/a", "/b"), "name": leafOf("v", "w")}, "name"), "mountPath"),
		"livenessProbe": structOf(map[string]*shape{
			"httpGet": structOf(map[string]*shape{"port": leafOf(80.0, "http"), "path": leafOf("/", "/x")}, "port"), "periodSeconds": leafOf(1.0, 2.0),
		}),
	}), "name")
}

func podSpec() *shape {
	return structOf(map[string]*shape{
		"containers": containers(), "initContainers": containers(),
		"nodeSelector": leafOf(map[string]any{"a": "b"}, map[string]any{"a": "c"}, map[string]any{"a": "b", "d": "e"}), // an atomic map
		"tolerations":  leafOf([]any{map[string]any{"key": "a"}}, []any{map[string]any{"key": "a"}, map[string]any{"key": "b"}}),
		"hostNetwork":  leafOf(true), "terminationGracePeriodSeconds": leafOf(0.0, 30.0),
		"volumes": listBy(structOf(map[string]*shape{
			"name":      leafOf("v", "w"),
			"configMap": structOf(map[string]*shape{"name": leafOf("a", "b"), "items": leafOf([]any{map[string]any{"key": "k", "path": "p"}})}),
			"emptyDir":  structOf(map[string]*shape{"sizeLimit": leafOf("1Gi", "2Gi")}),
		}), "name"),
	}, "containers")
}

func deploymentShape() *shape {
	return structOf(map[string]*shape{
		"metadata": metadata(),
		"spec": structOf(map[string]*shape{
			"replicas": leafOf(0.0, 1.0, 2.0), "paused": leafOf(true), "minReadySeconds": leafOf(1.0),
			"selector": leafOf(map[string]any{"matchLabels": map[string]any{"a": "b"}}, map[string]any{"matchLabels": map[string]any{"a": "c"}}),
			"strategy": structOf(map[string]*shape{
				"type":          leafOf("RollingUpdate", "Recreate"),
				"rollingUpdate": structOf(map[string]*shape{"maxSurge": leafOf(1.0, "25%", "1"), "maxUnavailable": leafOf(0.0, "0")}),
			}),
			"template": structOf(map[string]*shape{
				"metadata": structOf(map[string]*shape{"labels": mapOf(texts(), "a", "b.c")}), "spec": podSpec(),
			}, "spec"),
		}, "selector", "template"),
		"status": structOf(map[string]*shape{
			"replicas": leafOf(1.0, 2.0), "observedGeneration": leafOf(1.0),
			"conditions": listBy(structOf(map[string]*shape{
				"type": leafOf("Available", "Progressing"), "status": leafOf("True", "False"), "lastTransitionTime": leafOf(nil, "2026-01-02T03:04:05Z"),
			}, "status"), "type"),
		}),
	}, "metadata", "spec")
}

func serviceShape() *shape {
	return structOf(map[string]*shape{
		"metadata": metadata(),
		"spec": structOf(map[string]*shape{
			"type": leafOf("ClusterIP", "NodePort"), "externalIPs": leafOf([]any{"1.2.3.4"}, []any{"1.2.3.5", "1.2.3.4"}),
			"selector": leafOf(map[string]any{"a": "b"}, map[string]any{"a": "c"}),
			"ports": listBy(structOf(map[string]*shape{
				"port": leafOf(80.0, 443.0), "protocol": leafOf("TCP", "UDP"), "targetPort": leafOf(80.0, "http"), "name": leafOf("n", "m"),
			}, "targetPort"), "port", "protocol"),
		}),
	}, "metadata", "spec")
}

func configMapShape() *shape {
	return structOf(map[string]*shape{
		"metadata": metadata(), "data": mapOf(texts(), "a", "b.conf", "c d"), "binaryData": mapOf(leafOf("AAE=", "AAI="), "x", "y"), "immutable": leafOf(true, false),
	}, "metadata")
}

// customShape is the shape of the kind that samples.Custom knows.
func customShape() *shape {
	item := structOf(map[string]*shape{
		"name": leafOf("a", "b", "c", 1.0, true), "zone": leafOf("z", "default"), "value": leafOf(1.0, 1.5, "x", nil), "tags": setOf("a", "b", 1.0, 2.5, true),
	}, "name")
	items := &shape{sort: byKey, below: item, keys: []string{"name", "zone"}, defaults: map[string]any{"zone": "default"}}
	// The schema says nothing about these fields, so they are deduced.
	free := structOf(map[string]*shape{"a": leafOf(1.0, "1", nil, []any{1.0, nil}, map[string]any{}), "b": structOf(map[string]*shape{"c": leafOf(1.0, 2.0)})})
	return structOf(map[string]*shape{
		"metadata": metadata(),
		"spec": structOf(map[string]*shape{
			"items": items, "atoms": leafOf([]any{1.0}, []any{1.0, 2.0}, nil), "free": free,
			"byName": mapOf(structOf(map[string]*shape{"x": leafOf(1.0, 2.0, 1e20)}), "p", "q.r"), "point": leafOf(map[string]any{"x": 1.0}, map[string]any{"x": 1.0, "y": nil}),
		}),
	}, "metadata")
}
