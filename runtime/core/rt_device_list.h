/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that allocate, release and copy memory of devices, and that wait for devices. Like functions of MPI they are
 * known by name and number of arguments, which pass through as words: no header of CUDA, HIP or OpenCL is needed. The
 * last column describes the call by its arguments a, b, c, ... (runtime/hooks/rt_hooks_device.c).
 *
 * The lists never change.  Thread: any.  Signal: safe. */
#ifndef RT_DEVICE_LIST_H
#define RT_DEVICE_LIST_H

/* X(interface, function, arguments, description); they return 0 where they succeed */
#define RT_DEVICE_CUDA_LIST(X)                                               \
    X(CUDA, cudaMalloc, 2, BLOCK(DEVICE, a, b))                              \
    X(CUDA, cudaMallocManaged, 3, BLOCK(MANAGED, a, b))                      \
    X(CUDA, cudaMallocHost, 2, BLOCK(HOST, a, b))                            \
    X(CUDA, cudaHostAlloc, 3, BLOCK(HOST, a, b))                             \
    X(CUDA, cudaMallocPitch, 4, ROWS(a, b, d))                               \
    X(CUDA, cudaMallocAsync, 3, BLOCK(DEVICE, a, b))                         \
    X(CUDA, cudaMallocAsync_ptsz, 3, BLOCK(DEVICE, a, b))                    \
    X(CUDA, cudaMallocFromPoolAsync, 4, BLOCK(DEVICE, a, b))                 \
    X(CUDA, cudaMallocFromPoolAsync_ptsz, 4, BLOCK(DEVICE, a, b))            \
    X(CUDA, cudaFree, 1, FREE(a))                                            \
    X(CUDA, cudaFreeHost, 1, FREE(a))                                        \
    X(CUDA, cudaFreeAsync, 2, FREE(a))                                       \
    X(CUDA, cudaFreeAsync_ptsz, 2, FREE(a))                                  \
    X(CUDA, cudaMemcpy, 4, COPY(KIND(d), a, b, c))                           \
    X(CUDA, cudaMemcpy_ptds, 4, COPY(KIND(d), a, b, c))                      \
    X(CUDA, cudaMemcpyAsync, 5, QUEUED(KIND(d), a, b, c))                    \
    X(CUDA, cudaMemcpyAsync_ptsz, 5, QUEUED(KIND(d), a, b, c))               \
    X(CUDA, cudaMemcpy2D, 7, COPY(KIND(g), a, c, PRODUCT(e, f)))             \
    X(CUDA, cudaMemcpy2D_ptds, 7, COPY(KIND(g), a, c, PRODUCT(e, f)))        \
    X(CUDA, cudaMemcpy2DAsync, 8, QUEUED(KIND(g), a, c, PRODUCT(e, f)))      \
    X(CUDA, cudaMemcpy2DAsync_ptsz, 8, QUEUED(KIND(g), a, c, PRODUCT(e, f))) \
    X(CUDA, cudaMemcpyPeer, 5, COPY(LS_DEVICE_ON_DEVICE, a, c, e))           \
    X(CUDA, cudaMemcpyPeerAsync, 6, QUEUED(LS_DEVICE_ON_DEVICE, a, c, e))    \
    X(CUDA, cudaMemcpyToSymbol, 5, COPY(KIND(e), 0, b, c))                   \
    X(CUDA, cudaMemcpyFromSymbol, 5, COPY(KIND(e), a, 0, c))                 \
    X(CUDA, cudaDeviceSynchronize, 0, WAIT)                                  \
    X(CUDA, cudaStreamSynchronize, 1, WAIT)                                  \
    X(CUDA, cudaStreamSynchronize_ptsz, 1, WAIT)                             \
    X(CUDA, cudaEventSynchronize, 1, WAIT)

#define RT_DEVICE_DRIVER_LIST(X)                                                         \
    X(CUDA_DRIVER, cuMemAlloc_v2, 2, BLOCK(DEVICE, a, b))                                \
    X(CUDA_DRIVER, cuMemAllocManaged, 3, BLOCK(MANAGED, a, b))                           \
    X(CUDA_DRIVER, cuMemAllocHost_v2, 2, BLOCK(HOST, a, b))                              \
    X(CUDA_DRIVER, cuMemHostAlloc, 3, BLOCK(HOST, a, b))                                 \
    X(CUDA_DRIVER, cuMemAllocPitch_v2, 5, ROWS(a, b, d))                                 \
    X(CUDA_DRIVER, cuMemAllocAsync, 3, BLOCK(DEVICE, a, b))                              \
    X(CUDA_DRIVER, cuMemAllocAsync_ptsz, 3, BLOCK(DEVICE, a, b))                         \
    X(CUDA_DRIVER, cuMemAllocFromPoolAsync, 4, BLOCK(DEVICE, a, b))                      \
    X(CUDA_DRIVER, cuMemAllocFromPoolAsync_ptsz, 4, BLOCK(DEVICE, a, b))                 \
    X(CUDA_DRIVER, cuMemFree_v2, 1, FREE(a))                                             \
    X(CUDA_DRIVER, cuMemFreeHost, 1, FREE(a))                                            \
    X(CUDA_DRIVER, cuMemFreeAsync, 2, FREE(a))                                           \
    X(CUDA_DRIVER, cuMemFreeAsync_ptsz, 2, FREE(a))                                      \
    X(CUDA_DRIVER, cuMemcpy, 3, COPY(LS_DEVICE_NOT_KNOWN, a, b, c))                      \
    X(CUDA_DRIVER, cuMemcpy_ptds, 3, COPY(LS_DEVICE_NOT_KNOWN, a, b, c))                 \
    X(CUDA_DRIVER, cuMemcpyAsync, 4, QUEUED(LS_DEVICE_NOT_KNOWN, a, b, c))               \
    X(CUDA_DRIVER, cuMemcpyAsync_ptsz, 4, QUEUED(LS_DEVICE_NOT_KNOWN, a, b, c))          \
    X(CUDA_DRIVER, cuMemcpyHtoD_v2, 3, COPY(LS_DEVICE_TO_DEVICE, a, b, c))               \
    X(CUDA_DRIVER, cuMemcpyHtoD_v2_ptds, 3, COPY(LS_DEVICE_TO_DEVICE, a, b, c))          \
    X(CUDA_DRIVER, cuMemcpyDtoH_v2, 3, COPY(LS_DEVICE_FROM_DEVICE, a, b, c))             \
    X(CUDA_DRIVER, cuMemcpyDtoH_v2_ptds, 3, COPY(LS_DEVICE_FROM_DEVICE, a, b, c))        \
    X(CUDA_DRIVER, cuMemcpyDtoD_v2, 3, COPY(LS_DEVICE_ON_DEVICE, a, b, c))               \
    X(CUDA_DRIVER, cuMemcpyDtoD_v2_ptds, 3, COPY(LS_DEVICE_ON_DEVICE, a, b, c))          \
    X(CUDA_DRIVER, cuMemcpyHtoDAsync_v2, 4, QUEUED(LS_DEVICE_TO_DEVICE, a, b, c))        \
    X(CUDA_DRIVER, cuMemcpyHtoDAsync_v2_ptsz, 4, QUEUED(LS_DEVICE_TO_DEVICE, a, b, c))   \
    X(CUDA_DRIVER, cuMemcpyDtoHAsync_v2, 4, QUEUED(LS_DEVICE_FROM_DEVICE, a, b, c))      \
    X(CUDA_DRIVER, cuMemcpyDtoHAsync_v2_ptsz, 4, QUEUED(LS_DEVICE_FROM_DEVICE, a, b, c)) \
    X(CUDA_DRIVER, cuMemcpyDtoDAsync_v2, 4, QUEUED(LS_DEVICE_ON_DEVICE, a, b, c))        \
    X(CUDA_DRIVER, cuMemcpyDtoDAsync_v2_ptsz, 4, QUEUED(LS_DEVICE_ON_DEVICE, a, b, c))   \
    X(CUDA_DRIVER, cuCtxSynchronize, 0, WAIT)                                            \
    X(CUDA_DRIVER, cuStreamSynchronize, 1, WAIT)                                         \
    X(CUDA_DRIVER, cuStreamSynchronize_ptsz, 1, WAIT)                                    \
    X(CUDA_DRIVER, cuEventSynchronize, 1, WAIT)

#define RT_DEVICE_HIP_LIST(X)                                             \
    X(HIP, hipMalloc, 2, BLOCK(DEVICE, a, b))                             \
    X(HIP, hipExtMallocWithFlags, 3, BLOCK(DEVICE, a, b))                 \
    X(HIP, hipMallocManaged, 3, BLOCK(MANAGED, a, b))                     \
    X(HIP, hipMallocHost, 2, BLOCK(HOST, a, b))                           \
    X(HIP, hipHostMalloc, 3, BLOCK(HOST, a, b))                           \
    X(HIP, hipHostAlloc, 3, BLOCK(HOST, a, b))                            \
    X(HIP, hipMallocPitch, 4, ROWS(a, b, d))                              \
    X(HIP, hipMallocAsync, 3, BLOCK(DEVICE, a, b))                        \
    X(HIP, hipFree, 1, FREE(a))                                           \
    X(HIP, hipFreeHost, 1, FREE(a))                                       \
    X(HIP, hipHostFree, 1, FREE(a))                                       \
    X(HIP, hipFreeAsync, 2, FREE(a))                                      \
    X(HIP, hipMemcpy, 4, COPY(KIND(d), a, b, c))                          \
    X(HIP, hipMemcpyWithStream, 5, COPY(KIND(d), a, b, c))                \
    X(HIP, hipMemcpyAsync, 5, QUEUED(KIND(d), a, b, c))                   \
    X(HIP, hipMemcpy2D, 7, COPY(KIND(g), a, c, PRODUCT(e, f)))            \
    X(HIP, hipMemcpy2DAsync, 8, QUEUED(KIND(g), a, c, PRODUCT(e, f)))     \
    X(HIP, hipMemcpyPeer, 5, COPY(LS_DEVICE_ON_DEVICE, a, c, e))          \
    X(HIP, hipMemcpyPeerAsync, 6, QUEUED(LS_DEVICE_ON_DEVICE, a, c, e))   \
    X(HIP, hipMemcpyToSymbol, 5, COPY(KIND(e), 0, b, c))                  \
    X(HIP, hipMemcpyFromSymbol, 5, COPY(KIND(e), a, 0, c))                \
    X(HIP, hipMemcpyHtoD, 3, COPY(LS_DEVICE_TO_DEVICE, a, b, c))          \
    X(HIP, hipMemcpyDtoH, 3, COPY(LS_DEVICE_FROM_DEVICE, a, b, c))        \
    X(HIP, hipMemcpyDtoD, 3, COPY(LS_DEVICE_ON_DEVICE, a, b, c))          \
    X(HIP, hipMemcpyHtoDAsync, 4, QUEUED(LS_DEVICE_TO_DEVICE, a, b, c))   \
    X(HIP, hipMemcpyDtoHAsync, 4, QUEUED(LS_DEVICE_FROM_DEVICE, a, b, c)) \
    X(HIP, hipMemcpyDtoDAsync, 4, QUEUED(LS_DEVICE_ON_DEVICE, a, b, c))   \
    X(HIP, hipDeviceSynchronize, 0, WAIT)                                 \
    X(HIP, hipStreamSynchronize, 1, WAIT)                                 \
    X(HIP, hipEventSynchronize, 1, WAIT)

#define RT_DEVICE_OPENCL_LIST(X)                                                   \
    X(OPENCL, clReleaseMemObject, 1, RELEASE(a))                                   \
    X(OPENCL, clSVMFree, 2, FREE(b))                                               \
    X(OPENCL, clEnqueueWriteBuffer, 9, ENQUEUED(c, LS_DEVICE_TO_DEVICE, b, f, e))  \
    X(OPENCL, clEnqueueReadBuffer, 9, ENQUEUED(c, LS_DEVICE_FROM_DEVICE, f, b, e)) \
    X(OPENCL, clEnqueueCopyBuffer, 9, ENQUEUED(0, LS_DEVICE_ON_DEVICE, c, b, f))   \
    X(OPENCL, clEnqueueSVMMemcpy, 8, ENQUEUED(b, LS_DEVICE_NOT_KNOWN, c, d, e))    \
    X(OPENCL, clFinish, 1, WAIT)                                                   \
    X(OPENCL, clWaitForEvents, 2, WAIT)

#define RT_DEVICE_LIST(X) \
    RT_DEVICE_CUDA_LIST(X) RT_DEVICE_DRIVER_LIST(X) RT_DEVICE_HIP_LIST(X) RT_DEVICE_OPENCL_LIST(X)

/* X(interface, function, arguments, length, flags, where an error is put): they return the memory, or NULL */
#define RT_DEVICE_MAKER_LIST(X)                         \
    X(OPENCL, clCreateBuffer, 5, c, b, e)               \
    X(OPENCL, clCreateBufferWithProperties, 6, d, c, f) \
    X(OPENCL, clSVMAlloc, 4, c, b, 0)

#endif
