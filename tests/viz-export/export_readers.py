# SPDX-License-Identifier: BSD-3-Clause
# Files that loadstone export wrote into a directory, read by VTK and h5py and compared with the recording,
# value by value. For scripts with the arguments RUN.h5 DIRECTORY, whose DOMAINS and LABELS describe the
# contents of the files.
import functools, glob, os, sys
import xml.etree.ElementTree as ET
import h5py
import numpy as np

run = h5py.File(sys.argv[1])
os.chdir(sys.argv[2])
count = [0]  # comparisons
METRICS = ["samples", "time_ns", "stall_ns", "latency_mean_cycles", "latency_max_cycles", "level_l1", "level_l2",
           "level_l3", "level_memory", "timed"]
UNITS = {"time_ns": "ns", "stall_ns": "ns", "latency_mean_cycles": "cycles", "latency_max_cycles": "cycles"}
DOMAINS = {}  # name of a file: prefix of its arrays: field
LABELS = {}  # name of a file: label of its domain, where it differs


def mesh_of(name):
    return run["meshes"][LABELS.get(name, name)]


def equal(got, wanted, what):
    count[0] += 1
    got, wanted = np.asarray(got), np.asarray(wanted)
    assert got.shape == wanted.shape, f"{what}: shape {got.shape}, in run.h5 {wanted.shape}"
    same = (got == wanted) | (np.isnan(got.astype(float)) & np.isnan(wanted.astype(float)))
    assert same.all(), f"{what}: {np.flatnonzero(~same.ravel())[:5]} differ: {got.ravel()[~same.ravel()][:5]}"


def is_(got, wanted, what):
    count[0] += 1
    assert got == wanted, f"{what}: {got!r}, wanted {wanted!r}"


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


# --- the description of a field in run.h5
@functools.lru_cache(maxsize=None)
def whole(path):
    return run[path][()]


def values(field, metric, step=None):
    f = f"fields/{field}"
    return (whole(f"{f}/{metric}") if step is None else whole(f"{f}/steps/{metric}")[step]).ravel()


def centering(field):
    return text(run["fields"][field].attrs["centering"])


def grid_geometry(name):
    m = mesh_of(name)
    dims = int(m.attrs["dims"])
    extents = [int(m.attrs["extents"][d]) if d < dims else 0 for d in range(3)]
    origin = [float(m.attrs["origin"][d]) if d < dims else 0.0 for d in range(3)]
    spacing = [float(m.attrs["spacing"][d]) if d < dims else 1.0 for d in range(3)]
    return dims, extents, origin, spacing


def is_solid(name):  # a grid with more than one cell along each of three axes
    m = mesh_of(name)
    return text(m.attrs["kind"]) == "grid" and int(m.attrs["dims"]) == 3 and all(int(n) > 1 for n in m.attrs["extents"])


# --- VTK
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkDataArray, vtkOutputWindow
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as Pipeline
from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLRectilinearGridReader, vtkXMLUnstructuredGridReader

complaints = []


def listen(reader):
    reader.AddObserver("ErrorEvent", lambda caller, event: complaints.append(caller.GetClassName()))
    reader.AddObserver("WarningEvent", lambda caller, event: complaints.append(caller.GetClassName()))
    return reader


def read(kind, path):
    reader = listen(kind())
    assert reader.CanReadFile(path), f"{path}: {kind.__name__} cannot read it"
    reader.SetFileName(path)
    reader.Update()
    assert not complaints, f"{path}: {complaints}"
    return reader.GetOutputDataObject(0)


def check_arrays(data, name, path, step=None, units=True):
    wanted = set()
    for prefix, field in DOMAINS[name].items():
        kind = data.GetCellData() if centering(field) == "cells" else data.GetPointData()
        if path.endswith(".vtkhdf") and data.GetClassName() == "vtkImageData":
            kind = data.GetPointData()
        for metric in METRICS:
            array = kind.GetArray(prefix + metric)
            wanted.add(prefix + metric)
            assert array is not None, f"{path}: no {prefix + metric}; there are {[kind.GetArrayName(i) for i in range(kind.GetNumberOfArrays())]}"
            equal(vtk_to_numpy(array), values(field, metric, step), f"{path}: {prefix + metric}")
            if units:
                is_(array.GetInformation().Get(vtkDataArray.UNITS_LABEL()), UNITS.get(metric), f"{path}: unit of {metric}")
    found = {d.GetArrayName(i) for d in (data.GetCellData(), data.GetPointData()) for i in range(d.GetNumberOfArrays())}
    is_(found, wanted, f"{path}: arrays")


def check_facts(data, name, path, time=0.0, cycle=0):
    field = data.GetFieldData()
    is_(field.GetArray("TimeValue").GetTuple1(0), time, f"{path}: TimeValue")
    is_(field.GetArray("TIME").GetTuple1(0), time, f"{path}: TIME")
    is_(field.GetArray("CYCLE").GetTuple1(0), float(cycle), f"{path}: CYCLE")
    is_(field.GetAbstractArray("MeshName").GetValue(0), LABELS.get(name, name), f"{path}: MeshName")
    is_(field.GetAbstractArray("CoordinateUnit").GetValue(0), text(mesh_of(name).attrs["unit"]), f"{path}: CoordinateUnit")
    is_(field.GetAbstractArray("Command").GetValue(0), text(run["run"].attrs["command"]), f"{path}: Command")


def check_image(data, name, path):
    dims, extents, origin, spacing = grid_geometry(name)
    is_(data.GetExtent(), (0, extents[0], 0, extents[1], 0, extents[2]), f"{path}: extent")
    is_(list(data.GetOrigin()), origin, f"{path}: origin")
    is_(list(data.GetSpacing()), spacing, f"{path}: spacing")
    is_(data.GetNumberOfCells(), int(np.prod(extents[:dims])), f"{path}: cells")


def check_middles(data, name, path):
    dims, extents, origin, spacing = grid_geometry(name)
    for i in range(data.GetNumberOfPoints()):
        rest, at = i, [0.0, 0.0, 0.0]
        for d in range(dims):
            at[d] = origin[d] + (rest % extents[d] + 0.5) * spacing[d]
            rest //= extents[d]
        equal(np.array(data.GetPoint(i)), np.array(at), f"{path}: point {i}")


def check_cells_of_grid(data, name, path):
    dims, extents, origin, spacing = grid_geometry(name)
    for i in range(data.GetNumberOfCells()):
        bounds, rest, wanted = data.GetCell(i).GetBounds(), i, []
        for d in range(dims):
            at = origin[d] + rest % extents[d] * spacing[d]
            wanted += [at, at + spacing[d]]
            rest //= extents[d]
        equal(bounds, wanted + [0.0] * (6 - len(wanted)), f"{path}: cell {i}")
        is_(data.GetCellType(i), {1: 4 if path.endswith(".xdmf") else 3, 2: 9, 3: 12}[dims], f"{path}: shape")


def check_rectilinear(data, name, path):
    dims, extents, origin, spacing = grid_geometry(name)
    for d, axis in enumerate([data.GetXCoordinates(), data.GetYCoordinates(), data.GetZCoordinates()]):
        equal(vtk_to_numpy(axis), origin[d] + np.arange(extents[d] + 1) * spacing[d], f"{path}: axis {d}")


def check_mesh(data, name, path):
    m = mesh_of(name)
    equal(vtk_to_numpy(data.GetPoints().GetData()), m["points"][()].reshape(-1, 3), f"{path}: points")
    shapes, offsets, connectivity = (m[k][()] if k in m else np.array([]) for k in ("shapes", "offsets", "connectivity"))
    if len(shapes) == 0:  # points alone have a vertex each
        points = data.GetNumberOfPoints()
        shapes, offsets, connectivity = np.ones(points), np.arange(points + 1), np.arange(points)
    if path.endswith(".xdmf"):  # XDMF has vertices and lines of any number of points only
        shapes = [{1: 2, 3: 4}.get(int(s), int(s)) for s in shapes]
    equal(vtk_to_numpy(data.GetCellTypesArray()), shapes, f"{path}: shapes")
    equal(vtk_to_numpy(data.GetCells().GetOffsetsArray()), offsets, f"{path}: offsets")
    equal(vtk_to_numpy(data.GetCells().GetConnectivityArray()), connectivity, f"{path}: connectivity")


READERS = {"vti": (vtkXMLImageDataReader, check_image), "vtr": (vtkXMLRectilinearGridReader, check_rectilinear),
           "vtu": (vtkXMLUnstructuredGridReader, check_mesh)}
def check_vtk_files():
    for path in sorted(glob.glob("*.vt[iru]")):
        name, end = path.split(".")
        kind, check = READERS[end]
        data = read(kind, path)
        check(data, name, path)
        check_arrays(data, name, path)
        check_facts(data, name, path)

    for path in sorted(glob.glob("*.vtkhdf")):
        name = path.split(".")[0]
        data = read(vtkHDFReader, path)
        is_(data.GetClassName(), "vtkImageData" if is_solid(name) else "vtkUnstructuredGrid", f"{path}: class")
        if data.GetClassName() == "vtkImageData":
            check_middles(data, name, path)
        elif text(mesh_of(name).attrs["kind"]) == "grid":
            check_cells_of_grid(data, name, path)
        else:
            check_mesh(data, name, path)
        check_arrays(data, name, path, units=False)
        if data.GetClassName() == "vtkImageData":
            facts = h5py.File(path)["VTKHDF"].attrs
            is_(text(facts["MeshName"]), LABELS.get(name, name), f"{path}: MeshName")
            is_(text(facts["Command"]), text(run["run"].attrs["command"]), f"{path}: Command")
        else:
            check_facts(data, name, path)
        for prefix, field in DOMAINS[name].items():
            on_cells = centering(field) == "cells" and data.GetClassName() != "vtkImageData"
            group = h5py.File(path)["VTKHDF/CellData" if on_cells else "VTKHDF/PointData"]
            for metric in UNITS:
                is_(text(group[prefix + metric].attrs["unit"]), UNITS[metric], f"{path}: unit of {metric}")

    for path in sorted(glob.glob("*.pvd")):
        name = path.split(".")[0]
        first = run["fields"][next(iter(DOMAINS[name].values()))]["steps"]
        entries = ET.parse(path).getroot().findall("Collection/DataSet")
        is_(len(entries), len(first["begin_s"]), f"{path}: steps")
        for step, entry in enumerate(entries):
            time = float(first["begin_s"][step])
            is_(float(entry.get("timestep")), time, f"{path}: timestep")
            is_(entry.get("name"), text(first["label"][step]), f"{path}: label")
            kind, check = READERS[entry.get("file").split(".")[-1]]
            data = read(kind, entry.get("file"))
            check(data, name, entry.get("file"))
            check_arrays(data, name, entry.get("file"), step)
            check_facts(data, name, entry.get("file"), time, step)


# --- XDMF: by markup and h5py, then by ParaView's readers
def xdmf_item(item):
    file, path = item.text.strip().split(":")
    data = h5py.File(file)[path][()]
    is_(list(data.shape), [int(n) for n in item.get("Dimensions").split()], f"{file}{path}: dimensions")
    return data


def check_xdmf_grid(grid, name, path, step):
    is_(grid.get("Name"), LABELS.get(name, name), f"{path}: mesh name")
    steps = step is not None
    first = run["fields"][next(iter(DOMAINS[name].values()))]
    is_(float(grid.find("Time").get("Value")), float(first["steps/begin_s"][step]) if steps else 0.0, f"{path}: time")
    for prefix, field in DOMAINS[name].items():
        for metric in METRICS:
            a = [a for a in grid.findall("Attribute") if a.get("Name") == prefix + metric]
            is_(len(a), 1, f"{path}: attribute {prefix + metric}")
            is_(a[0].get("Center"), "Cell" if centering(field) == "cells" else "Node", f"{path}: centre")
            equal(xdmf_item(a[0].find("DataItem")).ravel(), values(field, metric, step), f"{path}: {prefix + metric}")
            unit = a[0].find("Information[@Name='Units']")
            is_(unit.get("Value") if unit is not None else None, UNITS.get(metric), f"{path}: unit of {metric}")
    if text(mesh_of(name).attrs["kind"]) == "mesh":
        equal(xdmf_item(grid.find("Geometry/DataItem")), mesh_of(name)["points"][()].reshape(-1, 3), f"{path}: points")


def read_xdmf(kind, path, name):
    reader = listen(kind())
    whole = os.path.abspath(path)  # as ParaView hands it over: without a directory the readers find no HDF5 file
    assert reader.CanReadFile(whole), f"{path}: {kind.__name__} cannot read it"
    reader.SetFileName(whole)
    reader.UpdateInformation()
    times = reader.GetOutputInformation(0).Get(Pipeline.TIME_STEPS()) or [0.0]
    for step, time in enumerate(times):
        reader.UpdateTimeStep(time)
        data = reader.GetOutputDataObject(0)
        while data.IsA("vtkMultiBlockDataSet"):
            data = data.GetBlock(0)
        assert not complaints, f"{path}: {complaints}"
        steps = "-steps" in path
        if steps:
            is_(time, float(run["fields"][next(iter(DOMAINS[name].values()))]["steps/begin_s"][step]), f"{path}: time")
        check_arrays(data, name, f"{path} ({kind.__name__})", step if steps else None, units=False)
        if text(mesh_of(name).attrs["kind"]) == "mesh":
            check_mesh(data, name, path)
        elif int(mesh_of(name).attrs["dims"]) < 3:
            is_(data.GetClassName(), "vtkUnstructuredGrid", f"{path}: class")
            check_cells_of_grid(data, name, path)
        else:
            dims, extents, origin, spacing = grid_geometry(name)
            bounds = [b for d in range(3) for b in (origin[d], origin[d] + extents[d] * spacing[d])]
            is_([round(b, 9) for b in data.GetBounds()], [round(b, 9) for b in bounds], f"{path}: bounds")
    if "-steps" in path:
        is_(len(times), len(run["fields"][next(iter(DOMAINS[name].values()))]["steps/begin_s"]), f"{path}: steps")


from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
xdmf_readers = [vtkXdmfReader]
try:
    from vtkmodules.vtkIOXdmf3 import vtkXdmf3Reader
    xdmf_readers.append(vtkXdmf3Reader)
except ImportError:
    pass


def check_xdmf_files():
    for path in sorted(glob.glob("*.xdmf")):
        name = path.split(".")[0].replace("-steps", "")
        domain = ET.parse(path).getroot().find("Domain")
        series = domain.find("Grid[@GridType='Collection']")
        for step, grid in enumerate(series.findall("Grid") if series is not None else [domain.find("Grid")]):
            check_xdmf_grid(grid, name, path, step if series is not None else None)
        for kind in xdmf_readers:
            read_xdmf(kind, path, name)
