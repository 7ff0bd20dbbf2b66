// Functions that share a name, operators, templates, and one that the compiler clones.
#include <cstdio>

#define ALONE __attribute__((noinline))

namespace geo {
struct box {
    int w, h;
    box(int a, int b) : w(a), h(b) {}
    box operator+(const box &other) const;
};
ALONE int area(const box &box) { return box.w * box.h; }
ALONE int area(int w, char h) { return w * h + 1; }
ALONE box box::operator+(const box &other) const { return box(w + other.w, h + other.h); }
template <class T, class U> ALONE T twice(T a, U b)
{
    __asm__ volatile("" : "+r"(a));
    return a + a + static_cast<T>(b);
}
template <class... T> struct list {};
ALONE int length(list<list<box, box, box>, list<list<box, box>, list<box, list<box, box, box>>>,
                      list<list<box, list<box, box>>, list<box, box, list<box, box>>>> *all)
{
    return all == nullptr;
}
}

ALONE static int work(int a, int b)
{
    __asm__ volatile("" : "+r"(a));
    return a * b;
}

int main()
{
    geo::box a(1, 2), b(3, 4);
    int sum = geo::length(nullptr);
    for (int i = 0; i < 10; i++)
        sum += geo::area(a + b) + geo::area(i, 2) + geo::twice<int, long>(i, 1) + work(i, 5);
    std::printf("%d\n", sum);
}
