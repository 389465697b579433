//go:build !system

// The sources of the repository, with which a clone builds. A release has the library itself in the
// place of this file, and its header beside it (bundle.sh).
#include "../../src/chorale.cpp"
