/* The same work again and again: caches and predictors that are warm after the first rounds stay
 * warm. */
enum { WORDS = 3000, ROUNDS = 60 };

static unsigned value[WORDS], sum;

__attribute__((noinline)) static void work(void)
{
    for (unsigned i = 0; i < WORDS; i++) {
        unsigned word = value[i * 7 % WORDS];
        sum += word % 3 == 0 ? word : ~word;
    }
}

int main(void)
{
    for (unsigned i = 0; i < WORDS; i++)
        value[i] = i * 2654435761u;
    for (unsigned round = 0; round < ROUNDS; round++)
        work();
    return sum == 0;
}
