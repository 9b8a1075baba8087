/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with buffers of OpenCL on its first device. It declares the few functions that it needs; values
 * are from the OpenCL specification. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEN = 1 << 20, READ_WRITE = 1, COPY_HOST = 1 << 5, SKIPPED = 77 };

static void *library;

static void *find(const char *name)
{
    void *const found = dlsym(library, name);
    if (!found) exit(printf("no %s\n", name) > 0 ? SKIPPED : 1);
    return found;
}
#define FIND(function) *(void **)&(function) = find(#function)

static int failed;
static void is(const char *what, long got, long wanted)
{
    if (got == wanted) return;
    printf("%s: %ld, wanted %ld\n", what, got, wanted);
    failed = 1;
}

int main(void)
{
    int (*clGetPlatformIDs)(unsigned, void **, unsigned *);
    int (*clGetDeviceIDs)(void *, uint64_t, unsigned, void **, unsigned *);
    void *(*clCreateContext)(const void *, unsigned, void **, void *, void *, int *);
    void *(*clCreateCommandQueue)(void *, void *, uint64_t, int *);
    void *(*clCreateBuffer)(void *, uint64_t, size_t, void *, int *);
    int (*clRetainMemObject)(void *), (*clReleaseMemObject)(void *), (*clFinish)(void *);
    int (*clEnqueueWriteBuffer)(void *, void *, unsigned, size_t, size_t, const void *, unsigned, void *,
                                void *);
    int (*clEnqueueReadBuffer)(void *, void *, unsigned, size_t, size_t, void *, unsigned, void *, void *);
    int (*clEnqueueCopyBuffer)(void *, void *, void *, size_t, size_t, size_t, unsigned, void *, void *);
    void *platform, *device;
    unsigned platforms = 0;
    int error;
    library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return puts(dlerror()), SKIPPED;
    FIND(clGetPlatformIDs);
    FIND(clGetDeviceIDs);
    FIND(clCreateContext);
    FIND(clCreateCommandQueue);
    FIND(clCreateBuffer);
    FIND(clRetainMemObject);
    FIND(clReleaseMemObject);
    FIND(clFinish);
    FIND(clEnqueueWriteBuffer);
    FIND(clEnqueueReadBuffer);
    FIND(clEnqueueCopyBuffer);
    if (clGetPlatformIDs(1, &platform, &platforms) || platforms == 0 ||
        clGetDeviceIDs(platform, UINT32_MAX, 1, &device, NULL))
        return puts("no device"), SKIPPED;
    void *context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    void *queue = clCreateCommandQueue(context, device, 0, &error);
    char *data = malloc(2 * LEN), *back = calloc(1, LEN);
    if (!data || !back) return 9;
    memset(data, 'x', 2 * LEN);
    void *source = clCreateBuffer(context, READ_WRITE, LEN, NULL, &error);
    void *target = clCreateBuffer(context, READ_WRITE | COPY_HOST, LEN + LEN / 2, data, &error);
    is("too large", clCreateBuffer(context, READ_WRITE, 0, NULL, &error) == NULL, 1);
    is("write", clEnqueueWriteBuffer(queue, source, 1, 0, LEN, data, 0, NULL, NULL), 0);
    is("copy", clEnqueueCopyBuffer(queue, source, target, 0, LEN, LEN / 2, 0, NULL, NULL), 0);
    is("read", clEnqueueReadBuffer(queue, target, 0, LEN, LEN / 2, back, 0, NULL, NULL), 0);
    is("finish", clFinish(queue), 0);
    is("content", memcmp(data, back, LEN / 2), 0);
    is("retain", clRetainMemObject(source), 0);
    is("release", clReleaseMemObject(source), 0); /* it lives on */
    is("write again", clEnqueueWriteBuffer(queue, source, 1, 0, 1000, data, 0, NULL, NULL), 0);
    is("release again", clReleaseMemObject(source), 0);
    is("release", clReleaseMemObject(target), 0);
    free(data);
    free(back);
    puts(failed ? "failed" : "done");
    return failed;
}
