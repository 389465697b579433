//go:build bundled

package chorale

//go:generate ./bundle.sh

// #cgo CFLAGS: -DCHORALE_STATIC -I${SRCDIR}/../../include
// #cgo LDFLAGS: ${SRCDIR}/bundled/libchorale.a -lstdc++ -lm -lpthread
import "C"
