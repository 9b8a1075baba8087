/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that are counted and timed only, so that the kernel's time has callers. The C library's internal
 * calls (by stdio) do not pass these hooks. */
#include "runtime/core/rt_real.h"
#include "runtime/core/rt_timed.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Body of a hook: the real call, timed and recorded if it is selected. */
#define RT_TIMED_CALL(kind, flags, addr, len_bytes, call)                                          \
    do {                                                                                           \
        if (!rt_timed_count(RT_TIMED_##kind)) return call;                                         \
        struct rt_timed_call timed = rt_timed_begin(RT_TIMED_##kind, __builtin_return_address(0)); \
        const __typeof__(call) result = call;                                                      \
        rt_timed_end(&timed, flags, addr, len_bytes);                                              \
        return result;                                                                             \
    } while (0)
#define RT_BYTES_OF(result) ((result) > 0 ? (uint64_t)(result) : 0)
#define RT_READ(call) RT_TIMED_CALL(READ, SPOOL_CALL_READ, NULL, RT_BYTES_OF(result), call)
#define RT_WRITE(call) RT_TIMED_CALL(WRITE, SPOOL_CALL_WRITE, NULL, RT_BYTES_OF(result), call)

/* Functions that programs built with _FORTIFY_SOURCE call. */
ssize_t __read_chk(int fd, void *data, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *data, size_t n, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *data, size_t n, off64_t offset, size_t room);
ssize_t __recv_chk(int fd, void *data, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *data, size_t n, size_t room, int flags, struct sockaddr *from,
                       socklen_t *from_len);

LS_EXPORT ssize_t read(int fd, void *data, size_t n)
{
    RT_READ(RT_REAL(read)(fd, data, n));
}

LS_EXPORT ssize_t __read_chk(int fd, void *data, size_t n, size_t room)
{
    RT_READ(RT_REAL(__read_chk)(fd, data, n, room));
}

LS_EXPORT ssize_t pread(int fd, void *data, size_t n, off_t offset)
{
    RT_READ(RT_REAL(pread)(fd, data, n, offset));
}

LS_EXPORT ssize_t pread64(int fd, void *data, size_t n, off64_t offset)
{
    RT_READ(RT_REAL(pread64)(fd, data, n, offset));
}

LS_EXPORT ssize_t __pread_chk(int fd, void *data, size_t n, off_t offset, size_t room)
{
    RT_READ(RT_REAL(__pread_chk)(fd, data, n, offset, room));
}

LS_EXPORT ssize_t __pread64_chk(int fd, void *data, size_t n, off64_t offset, size_t room)
{
    RT_READ(RT_REAL(__pread64_chk)(fd, data, n, offset, room));
}

LS_EXPORT ssize_t readv(int fd, const struct iovec *parts, int parts_len)
{
    RT_READ(RT_REAL(readv)(fd, parts, parts_len));
}

LS_EXPORT ssize_t recv(int fd, void *data, size_t n, int flags)
{
    RT_READ(RT_REAL(recv)(fd, data, n, flags));
}

LS_EXPORT ssize_t __recv_chk(int fd, void *data, size_t n, size_t room, int flags)
{
    RT_READ(RT_REAL(__recv_chk)(fd, data, n, room, flags));
}

LS_EXPORT ssize_t recvfrom(int fd, void *data, size_t n, int flags, struct sockaddr *from,
                           socklen_t *from_len)
{
    RT_READ(RT_REAL(recvfrom)(fd, data, n, flags, from, from_len));
}

LS_EXPORT ssize_t __recvfrom_chk(int fd, void *data, size_t n, size_t room, int flags, struct sockaddr *from,
                                 socklen_t *from_len)
{
    RT_READ(RT_REAL(__recvfrom_chk)(fd, data, n, room, flags, from, from_len));
}

LS_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    RT_READ(RT_REAL(recvmsg)(fd, message, flags));
}

LS_EXPORT ssize_t write(int fd, const void *data, size_t n)
{
    RT_WRITE(RT_REAL(write)(fd, data, n));
}

LS_EXPORT ssize_t pwrite(int fd, const void *data, size_t n, off_t offset)
{
    RT_WRITE(RT_REAL(pwrite)(fd, data, n, offset));
}

LS_EXPORT ssize_t pwrite64(int fd, const void *data, size_t n, off64_t offset)
{
    RT_WRITE(RT_REAL(pwrite64)(fd, data, n, offset));
}

LS_EXPORT ssize_t writev(int fd, const struct iovec *parts, int parts_len)
{
    RT_WRITE(RT_REAL(writev)(fd, parts, parts_len));
}

LS_EXPORT ssize_t send(int fd, const void *data, size_t n, int flags)
{
    RT_WRITE(RT_REAL(send)(fd, data, n, flags));
}

LS_EXPORT ssize_t sendto(int fd, const void *data, size_t n, int flags, const struct sockaddr *to,
                         socklen_t to_len)
{
    RT_WRITE(RT_REAL(sendto)(fd, data, n, flags, to, to_len));
}

LS_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    RT_WRITE(RT_REAL(sendmsg)(fd, message, flags));
}

/* Advice that frees memory takes as long as munmap. */
LS_EXPORT int madvise(void *addr, size_t n, int advice)
{
    const bool gives_back = advice == MADV_DONTNEED || advice == MADV_FREE;
    RT_TIMED_CALL(UNMAP, gives_back ? SPOOL_CALL_UNMAP : SPOOL_CALL_OTHER, addr, n,
                  RT_REAL(madvise)(addr, n, advice));
}
