/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of devices (GPUs) as the runtime records it. Spool and run.h5 share the numbers: new ones go to the end. */
#ifndef LS_DEVICE_H
#define LS_DEVICE_H

/* X(name, text): the interface that the program called. */
#define LS_DEVICE_APIS(X)         \
    X(CUDA, "CUDA")               \
    X(CUDA_DRIVER, "CUDA driver") \
    X(HIP, "HIP")                 \
    X(OPENCL, "OpenCL")

/* X(name, text): where a block is. MANAGED moves between both sides; HOST is memory of the host that devices reach. */
#define LS_DEVICE_MEMORIES(X) X(DEVICE, "device") X(MANAGED, "managed") X(HOST, "host")

/* X(name, text): a copy's direction. WAIT copies nothing: the call waits until the device is done. */
#define LS_DEVICE_DIRECTIONS(X)   \
    X(TO_DEVICE, "to device")     \
    X(FROM_DEVICE, "from device") \
    X(ON_DEVICE, "on device")     \
    X(ON_HOST, "on host")         \
    X(NOT_KNOWN, "not known")     \
    X(WAIT, "wait")

#define LS_DEVICE_API_ENUM(name, text) LS_DEVICE_API_##name,
enum ls_device_api { LS_DEVICE_APIS(LS_DEVICE_API_ENUM) LS_DEVICE_APIS_LEN };
#define LS_DEVICE_MEMORY_ENUM(name, text) LS_DEVICE_MEMORY_##name,
enum ls_device_memory { LS_DEVICE_MEMORIES(LS_DEVICE_MEMORY_ENUM) LS_DEVICE_MEMORIES_LEN };
#define LS_DEVICE_DIRECTION_ENUM(name, text) LS_DEVICE_##name,
enum ls_device_direction { LS_DEVICE_DIRECTIONS(LS_DEVICE_DIRECTION_ENUM) LS_DEVICE_DIRECTIONS_LEN };
#undef LS_DEVICE_API_ENUM
#undef LS_DEVICE_MEMORY_ENUM
#undef LS_DEVICE_DIRECTION_ENUM

#endif
