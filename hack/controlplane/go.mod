module github.com/delta-runtime/delta-runtime/hack/controlplane

go 1.26.0
