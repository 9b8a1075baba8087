# SPDX-License-Identifier: BSD-3-Clause
# usage: pvbatch render.py OUTPUT FILE...: ParaView opens each file, colours it by its latency and writes OUTPUT/FILE.png.
# Fails when a file has no such array, or a picture shows one colour only.
import os, sys
from paraview.simple import *
from paraview import servermanager
from vtkmodules.util.numpy_support import vtk_to_numpy

out, failed = sys.argv[1], 0
for path in sys.argv[2:]:
    name = os.path.basename(path)
    source = OpenDataFile(path)
    source.UpdatePipeline()
    times = list(getattr(source, "TimestepValues", None) or [])
    if times:
        source.UpdatePipeline(times[-1])
    found = [(kind, a.Name) for kind, data in (("CELLS", source.CellData), ("POINTS", source.PointData)) for a in data
             if a.Name.endswith("latency_mean_cycles")]
    if not found:
        print(f"FAIL: {name}: no latency among its arrays")
        failed = 1
        continue
    view = CreateRenderView(ViewSize=[800, 600], Background=[1, 1, 1])
    view.UseColorPaletteForBackground = 0
    shown = Show(source, view)
    shown.SetRepresentationType("Surface")
    ColorBy(shown, found[0])
    if times:
        view.ViewTime = times[-1]
    colours = GetColorTransferFunction(found[0][1])
    colours.ApplyPreset("Viridis (matplotlib)", True)
    colours.NanColor = [0.9, 0.9, 0.9]
    shown.RescaleTransferFunctionToDataRange(False, True)
    shown.SetScalarBarVisibility(view, True)
    ResetCamera(view)
    if "cube" in name or "box" in name:
        view.CameraPosition = [view.CameraFocalPoint[d] - (1, 2, -1)[d] for d in range(3)]
        view.CameraViewUp = [0, 0, 1]
        ResetCamera(view)
    Render(view)
    picture = os.path.join(out, name + ".png")
    SaveScreenshot(picture, view)
    reader = PNGSeriesReader(FileNames=[picture])
    pixels = vtk_to_numpy(servermanager.Fetch(reader).GetPointData().GetArray(0))
    middle = pixels.reshape(600, 800, -1)[150:450, 200:500]
    colours_seen = len({tuple(p) for p in middle.reshape(-1, middle.shape[-1])})
    print(f"{name}: {found[0][1]}, {len(times)} times, {colours_seen} colours")
    if colours_seen < 2:
        print(f"FAIL: {name}: one colour only")
        failed = 1
    Delete(source)
    Delete(view)
sys.exit(failed)
