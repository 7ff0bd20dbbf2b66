// What rvsim api is tested on with allocators: each function allocates a known number of bytes a known
// number of times, by another routine each.
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <sys/mman.h>

#define APART __attribute__((noinline))

static void *volatile sink;

static void drop(void *pointer)
{
    sink = pointer;
    std::free(sink);
}

namespace geo {
struct own {
    char bytes[24];
    APART void *operator new(std::size_t bytes) { return ::operator new(bytes + 8); }
};
APART void by_new()
{
    sink = new own;
    delete static_cast<own *>(sink);
    asm volatile("");
}

struct alignas(64) wide { char bytes[192]; };
APART void by_aligned_new()
{
    sink = new wide;
    delete static_cast<wide *>(sink);
    asm volatile("");
}

APART void by_array()
{
    sink = new (std::nothrow) char[33];
    delete[] static_cast<char *>(sink);
    asm volatile("");
}
}

APART void by_calloc() { drop(std::calloc(3, 50)); }
APART void by_realloc() { sink = std::malloc(100); drop(std::realloc(sink, 400)); }
APART void by_aligned()
{
    void *pointer = nullptr;

    drop(aligned_alloc(256, 512));
    if (posix_memalign(&pointer, 512, 512) == 0)
        drop(pointer);
    drop(memalign(32, 512));
}
APART void by_mmap()
{
    void *pointer = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    sink = pointer;
    munmap(sink, 8192);
}
APART void by_library() { drop(strdup("twelve chars")); }
APART void of_nothing() { drop(std::malloc(0)); }
APART void *by_tail_call() { return std::malloc(100); }

static std::jmp_buf back;
APART void by_long_jump()
{
    sink = std::malloc(40);
    std::longjmp(back, 1);
}
APART void by_throw()
{
    sink = std::malloc(48);
    throw 1;
}

APART int deeper(int levels)
{
    void *pointer = std::malloc(16);
    int below = levels > 0 ? deeper(levels - 1) : 0;

    drop(pointer);
    return below + 1;
}

int main()
{
    for (int i = 0; i < 3; i++) {
        geo::by_new();
        geo::by_aligned_new();
        geo::by_array();
        by_calloc();
        by_realloc();
        by_aligned();
        by_mmap();
        by_library();
        of_nothing();
        drop(by_tail_call());
        if (setjmp(back) == 0)
            by_long_jump();
        try {
            by_throw();
        } catch (int) {
        }
    }
    return deeper(9) == 10 ? 0 : 1;
}
