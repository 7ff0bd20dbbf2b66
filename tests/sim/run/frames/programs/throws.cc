// Exceptions through frames with destructors, virtual functions, templates, the C++ library.
#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct Base {
    virtual int value(int n) = 0;
    virtual ~Base() {}
};
static volatile int sink;

struct Thrower : Base {
    int value(int n) override
    {
        if (n > 3)
            throw std::runtime_error("n");
        return n;
    }
};

struct Guard {
    int kept;
    ~Guard() { sink = sink + kept; }
};

__attribute__((noinline)) int deep(Base *base, int n)
{
    Guard guard{n};
    std::string text((size_t)n * 3, 'x');

    return n == 0 ? base->value(sink % 7 + 4) : deep(base, n - 1) + (int)text.size();
}

int main()
{
    Thrower thrower;
    std::map<std::string, int> names;
    std::vector<int> numbers;
    int caught = 0;

    try {
        deep(&thrower, 2);
    } catch (std::exception &e) {
        caught = e.what()[0];
    }
    for (int i = 0; i < 12; i++)
        names[std::to_string(i * 37 % 41)] += i;
    for (auto &pair : names)
        numbers.push_back(pair.second);
    std::sort(numbers.begin(), numbers.end(), [](int x, int y) { return x > y; });
    std::function<int(int)> sum = [&](int x) { return x + caught; };
    return sum(numbers[0]) == 11 + 'n' ? 0 : 1;
}
