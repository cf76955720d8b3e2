// Package v1 has the forms in which the inspector answers.
//
//	your program ──GET /delta/v1/…──▶ inspector
//	     ▲                               │
//	     └── JSON of the types here ◀────┘
//
// Within v1 a field keeps its name and its meaning. Fields may be added.
//
// No form contains an object. What can be seen of an object is its name, its version, who
// changed it, and the paths of the fields that changed. Values of fields are shown, but never
// those of a Secret.
//
// # Concurrency
//
// These are values. Each answer is a new one.
//
// # Testing
//
// A test compares the types with the OpenAPI document that the inspector serves.
package v1
