"""How kernels run: compiled and kept on disk, eight lanes at a time."""
