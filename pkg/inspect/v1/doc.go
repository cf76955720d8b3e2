// Package v1 has the forms in which the inspector answers.
//
//	your program ──GET /delta/v1/…──▶ inspector
//	     ▲                               │
//	     └── JSON of the types here ◀────┘
//
// Within v1 a field keeps its name and its meaning. Fields may be added.
//
// No form contains an object. An answer shows an object's name, its version, who changed it, and
// the fields that changed, with their values. It never shows the values of a Secret.
//
// # Concurrency
//
// These are values. Each answer is a new one.
//
// # Testing
//
// A test compares the types with the OpenAPI document that the inspector serves.
package v1
