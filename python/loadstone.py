# SPDX-License-Identifier: BSD-3-Clause
"""Loadstone for Python programs: give names to memory, mark phases, and switch sampling on and off.

    import loadstone
    import numpy

    x = numpy.zeros(1000000)
    loadstone.register("x", x)
    with loadstone.phase("solve"):
        x += 1

Run the program under ``loadstone record -- python3 program.py``; ``loadstone report`` then has rows for "x" and "solve".
Without the profiler all functions check their arguments and do nothing else; is_recording() returns whether there is one.

Units: addresses and lengths are bytes. Threads: all functions may be called from any thread. Any exporter of the buffer
protocol is accepted (NumPy arrays, array.array, bytearray, mmap, ctypes arrays), contiguous or not, writable or not. The
memory stays the caller's, and no reference to it is kept.
"""

import contextlib
import ctypes
import threading
import weakref

__all__ = ["Error", "Range", "is_recording", "phase", "register", "start", "stop", "unregister"]

_RUNTIME = b"/libloadstone-preload.so"
_PYBUF_FULL_RO = 0x011C  # PyBUF_INDIRECT | PyBUF_FORMAT, from Python's object.h
_LABEL_BYTES_MAX = 4096


class Error(Exception):
    """The profiler refused a call. `name` is the name of the error, such as "LS_ERR_OVERLAP"."""

    def __init__(self, name, text):
        super().__init__("%s: %s" % (name, text))
        self.name = name


class _Buffer(ctypes.Structure):
    """Py_buffer of Python's stable ABI (pybuffer.h)."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
        ("internal", ctypes.c_void_p),
    ]


class _Spec(ctypes.Structure):
    """struct smr_spec of loadstone/smr.h."""

    _fields_ = [
        ("label", ctypes.c_char_p),
        ("start", ctypes.c_void_p),
        ("end", ctypes.c_void_p),
        ("elem_size_bytes", ctypes.c_size_t),
        ("dims", ctypes.c_size_t),
    ]


def _load():
    """Return the functions of the preloaded runtime, or None where the program is not recorded."""
    try:
        with open("/proc/self/maps", "rb") as maps:
            if not any(_RUNTIME in line for line in maps):
                return None
    except OSError:
        return None
    library = ctypes.CDLL(None)  # a preloaded object is in the global scope
    if not hasattr(library, "loadstone_start"):
        return None
    pointer = ctypes.c_void_p
    for name, result, arguments in (
        ("loadstone_start", None, ()),
        ("loadstone_stop", None, ()),
        ("loadstone_phase_begin", None, (ctypes.c_char_p,)),
        ("loadstone_phase_end", None, (ctypes.c_char_p,)),
        ("smr_tree_new", ctypes.c_int, (ctypes.POINTER(pointer),)),
        ("smr_tree_insert", ctypes.c_int, (pointer, ctypes.POINTER(_Spec), ctypes.POINTER(pointer))),
        ("smr_tree_insert_group", ctypes.c_int, (pointer, ctypes.c_char_p, ctypes.POINTER(pointer))),
        ("smr_node_add_member", ctypes.c_int, (pointer, pointer)),
        ("smr_node_remove", ctypes.c_int, (pointer,)),
        ("ls_err_name", ctypes.c_char_p, (ctypes.c_int,)),
        ("ls_last_error", ctypes.c_char_p, ()),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()
_lock = threading.RLock()  # a finaliser may run while its own thread holds it
_tree = None
_groups = {}  # label: node
_ranges = {}  # node: its Range


def is_recording():
    """Return whether the program runs under ``loadstone record``."""
    return _library is not None


def _check(status):
    """Raise Error unless a function of the library returned LS_OK."""
    if status:
        raise Error(_library.ls_err_name(status).decode(), _library.ls_last_error().decode("utf-8", "replace"))


def _label_bytes(label):
    """Return a label as the library takes it. Raises TypeError and ValueError."""
    if not isinstance(label, str):
        raise TypeError("a label must be a str, not %s" % type(label).__name__)
    encoded = label.encode("utf-8", "replace")
    if not encoded or b"\0" in encoded or len(encoded) > _LABEL_BYTES_MAX:
        raise ValueError("a label has 1 to %d bytes of UTF-8, and no zero byte" % _LABEL_BYTES_MAX)
    return encoded


def _extent(address, itemsize, shape, strides):
    """Return [start, end) of the elements; shape None: one element, strides None: contiguous."""
    if shape is None:
        return address, address + itemsize
    if 0 in shape:
        return address, address
    if strides is None:
        count = 1
        for length in shape:
            count *= length
        return address, address + count * itemsize
    steps = [(length - 1) * stride for length, stride in zip(shape, strides)]
    return address + sum(s for s in steps if s < 0), address + sum(s for s in steps if s > 0) + itemsize


def _extent_of_interface(data):
    """The same of an object that has NumPy's __array_interface__ only, such as an array of dates."""
    try:
        interface = data.__array_interface__
        address, itemsize = interface["data"][0], int(interface["typestr"][2:].split("[")[0])
    except (AttributeError, KeyError, TypeError, ValueError):
        raise TypeError("%s does not support the buffer protocol" % type(data).__name__) from None
    if interface["typestr"][1] == "U":
        itemsize *= 4  # letters of UCS-4
    return _extent(address, itemsize, interface["shape"], interface.get("strides")) + (itemsize,)


def _extent_of(data):
    """Return start, end and the size of an element in bytes. Raises TypeError and ValueError."""
    view, get = _Buffer(), ctypes.pythonapi.PyObject_GetBuffer
    try:
        get(ctypes.py_object(data), ctypes.byref(view), _PYBUF_FULL_RO)
    except (TypeError, ValueError, BufferError):
        start, end, itemsize = _extent_of_interface(data)
    else:
        try:
            if view.suboffsets and any(view.suboffsets[i] >= 0 for i in range(view.ndim)):
                raise ValueError("the rows of this buffer are separate blocks: register each of them")
            shape = view.shape[: view.ndim] if view.shape else [view.len // max(view.itemsize, 1)]
            strides = view.strides[: view.ndim] if view.strides else None
            start, end = _extent(view.buf or 0, view.itemsize, shape, strides)
            itemsize = view.itemsize
        finally:
            ctypes.pythonapi.PyBuffer_Release(ctypes.byref(view))
    if end <= start:
        raise ValueError("the data is empty: there is no memory to register")
    return start, end, itemsize


def _owner_of(data):
    """Return the object that owns the memory of a view: NumPy's `base`, `obj` of a memoryview."""
    for _ in range(64):
        if isinstance(data, memoryview):
            inner = data.obj
        else:
            inner = getattr(data, "base", None) if hasattr(data, "__array_interface__") else None
        if inner is None:
            break
        data = inner
    return data


def _count(name, value, default):
    """Return a positive number of an argument. Raises TypeError and ValueError."""
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("%s must be an int, not %s" % (name, type(value).__name__))
    if value < 1:
        raise ValueError("%s must be at least 1, not %d" % (name, value))
    return value


class Range:
    """A registered range of memory: `label`, `start` and `end` (addresses), `elem_size_bytes`, `dims`.

    register() makes it, unregister() ends it, and is_registered is false then. It ends by itself when its memory is freed.
    """

    def __init__(self, spec):
        self.label, self.start, self.end = spec.label.decode(), spec.start, spec.end
        self.elem_size_bytes, self.dims = spec.elem_size_bytes, spec.dims
        self._node = self._finalizer = None

    def __repr__(self):
        return "<loadstone.Range %r, %d bytes at %#x>" % (self.label, self.end - self.start, self.start)

    @property
    def is_registered(self):
        """Whether the profiler knows this range."""
        return self._node is not None

    def _end_watch(self):
        if self._finalizer:
            self._finalizer.detach()


def _remove(made):
    with _lock:
        node, made._node = made._node, None
        made._end_watch()
        if node is not None:
            _ranges.pop(node, None)
            _library.smr_node_remove(node)


def _follow(made, data):
    """End the range with the object that owns its memory. Objects without weak references are left out: when they
    free their memory, the profiler ends the range."""
    try:
        made._finalizer = weakref.finalize(_owner_of(data), _remove, made)
    except TypeError:
        return
    made._finalizer.atexit = False


def _insert(spec, group):
    global _tree
    tree, node = _tree or ctypes.c_void_p(), ctypes.c_void_p()
    if not _tree:
        _check(_library.smr_tree_new(ctypes.byref(tree)))
        _tree = tree
    _check(_library.smr_tree_insert(tree, ctypes.byref(spec), ctypes.byref(node)))
    if group is not None:
        if group not in _groups:
            made = ctypes.c_void_p()
            _check(_library.smr_tree_insert_group(tree, group, ctypes.byref(made)))
            _groups[group] = made
        _check(_library.smr_node_add_member(_groups[group], node))
    return node.value


def register(label, data, *, elem_size_bytes=None, dims=None, group=None):
    """Give the memory of `data` the name `label` and return its Range.

    data             an object with the buffer protocol, or with NumPy's __array_interface__. A view that has strides
                     names the memory from its first to its last element.
    elem_size_bytes  size of one component in bytes (default: the size of the array's elements)
    dims             components per element, such as 3 for points of x, y, z (default: 1)
    group            name of a group of the report that the range belongs to

    The range ends with the object that owns the memory (for views: the base), or by unregister(). The same label at
    the same start is registered anew, with the new extent: the Range is the same object. Ranges may nest.

    Raises TypeError for an object that gives no memory, ValueError for empty data or a wrong argument, and Error
    where the profiler refuses: name "LS_ERR_OVERLAP" if the range overlaps another one without being nested in it,
    "LS_ERR_NOMEM". Without the profiler the arguments are checked, and the Range is not registered.
    """
    encoded = _label_bytes(label)
    group = None if group is None else _label_bytes(group)
    start, end, itemsize = _extent_of(data)
    spec = _Spec(encoded, start, end, _count("elem_size_bytes", elem_size_bytes, itemsize), _count("dims", dims, 1))
    made = Range(spec)
    if _library is None:
        return made
    with _lock:
        made._node = _insert(spec, group)
        before = _ranges.get(made._node)
        if before:
            before._end_watch()
            before.__init__(spec)
            before._node, made = made._node, before
        _ranges[made._node] = made
        _follow(made, data)
    return made


def unregister(what):
    """End a range: a Range that register() returned, or a label, which ends all ranges that have it.

    Returns the number of ranges that ended; a range that has ended already counts as 0. Raises TypeError.
    """
    if isinstance(what, Range):
        ended = [what] if what.is_registered else []
    elif isinstance(what, str):
        with _lock:
            ended = [made for made in _ranges.values() if made.label == what]
    else:
        raise TypeError("unregister takes a Range or a label, not %s" % type(what).__name__)
    for made in ended:
        _remove(made)
    return len(ended)


class phase(contextlib.ContextDecorator):
    """A named part of the calling thread's run, for ``loadstone report --by phase``.

        with loadstone.phase("solve"):          @loadstone.phase("assemble")
            ...                                 def assemble(): ...

    Phases nest, and end with an exception as well. Threads that are in no phase belong to the main thread's. A phase
    around an ``await`` includes all that its thread does meanwhile. Raises TypeError and ValueError for the label.
    """

    def __init__(self, label):
        self._label = _label_bytes(label)

    def __enter__(self):
        if _library is not None:
            _library.loadstone_phase_begin(self._label)
        return self

    def __exit__(self, *_):
        if _library is not None:
            _library.loadstone_phase_end(self._label)
        return False


def start():
    """Switch sampling on, as after ``loadstone record --paused``."""
    if _library is not None:
        _library.loadstone_start()


def stop():
    """Switch sampling off until start()."""
    if _library is not None:
        _library.loadstone_stop()
