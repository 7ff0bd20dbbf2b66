/* A recursion that an exception leaves, of which one activation catches and throws again. gcc -Os
 * puts the landing pads of one activation behind the call of _Unwind_Resume of another. */
#include <stdexcept>

static volatile long sum;

struct guard {
    long level;
    __attribute__((noinline)) ~guard() { sum = sum + level; }
};

__attribute__((noinline, noclone)) static long descend(long level)
{
    guard own{level};

    if (level == 0)
        throw std::out_of_range("end");
    if (level == 3) {
        try {
            return descend(level - 1);
        } catch (std::logic_error &) {
            sum = sum + 5;
            throw;
        }
    }
    return descend(level - 1) + 1;
}

int main()
{
    for (long level = 0; level < 6; level++) {
        try {
            descend(level);
        } catch (std::exception &) {
        }
    }
    return 0;
}
