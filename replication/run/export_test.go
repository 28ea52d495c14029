package run

// NewBackend is for the tests outside of the package.
var NewBackend = newBackend
