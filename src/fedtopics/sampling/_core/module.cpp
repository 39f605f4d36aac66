// The Python face of the native kernels.
#include <nanobind/nanobind.h>

NB_MODULE(_native, m) { m.doc() = "Native kernels of fedtopics.sampling"; }
