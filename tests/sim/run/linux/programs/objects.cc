// C++: streams, containers, exceptions, run-time types, static construction.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <regex.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

struct counted {
    static int alive;
    counted() { alive++; }
    counted(const counted &) { alive++; }
    virtual ~counted() { alive--; }
    virtual const char *name() const { return "base"; }
};
struct derived : counted {
    const char *name() const override { return "derived"; }
};
int counted::alive = 0;

static int depth(int n)
{
    counted guard;
    if (n == 0)
        throw std::out_of_range("the bottom");
    return depth(n - 1) + 1;
}

struct at_start {
    at_start() { std::cout << "constructed before main\n"; }
    ~at_start() { std::cout << "destroyed after main\n"; }
} global;

// The C library's expressions: the C++ library's would be two thirds of the time to compile.
static std::string without_numbers(std::string text)
{
    regex_t numbers;
    regmatch_t found;
    regcomp(&numbers, "[0-9]+", REG_EXTENDED);
    while (regexec(&numbers, text.c_str(), 1, &found, 0) == 0)
        text.replace(found.rm_so, found.rm_eo - found.rm_so, "#");
    regfree(&numbers);
    return text;
}

int main()
{
    std::vector<int> values(1000);
    std::iota(values.begin(), values.end(), 0);
    std::reverse(values.begin(), values.end());
    std::sort(values.begin(), values.end(), [](int a, int b) { return a % 7 != b % 7 ? a % 7 < b % 7 : a < b; });
    std::cout << values[0] << ' ' << values[500] << ' ' << std::accumulate(values.begin(), values.end(), 0L) << '\n';

    std::map<std::string, int> words;
    std::istringstream text("the quick brown fox jumps over the lazy dog the end");
    for (std::string word; text >> word;)
        words[word]++;
    for (const auto &[word, count] : words)
        std::cout << word << '=' << count << ' ';
    std::cout << '\n';

    std::unordered_map<int, double> table;
    for (int i = 0; i < 10000; i++)
        table[i * 7919] = i / 3.0;
    std::cout << std::fixed << std::setprecision(4) << table[7919 * 100] << ' ' << table.size() << '\n';

    try {
        depth(20);
    } catch (const std::exception &error) {
        std::cout << "caught " << error.what() << ", alive " << counted::alive << '\n';
    }
    try {
        std::vector<int>().at(3);
    } catch (...) {
        std::cout << "caught something\n";
    }
    std::unique_ptr<counted> object = std::make_unique<derived>();
    std::cout << object->name() << ' ' << (dynamic_cast<derived *>(object.get()) != nullptr) << '\n';
    std::cout << without_numbers("a1b22c333") << '\n';
    std::string line;
    while (std::getline(std::cin, line))
        std::cout << "read <" << line << ">\n";
    return 11;
}
