/* Loads a service: load PORT TOKEN CLIENTS SECONDS FUNCTIONS ROWS [SEED]
 *
 * Each client submits cost summaries of ROWS rows over one connection, one after the other, about
 * FUNCTIONS functions, and sends each again until it is acknowledged. At the end it prints the
 * number of acknowledged submissions and the times of the answers. The contents of the service can
 * then be compared with this number. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS_MAX = 1024, BODY_BYTES = 1 << 18, SAMPLES_MAX = 1 << 20 };

struct load { int port, functions, rows; const char *token; double end; unsigned seed; };

struct client {
    const struct load *load;
    pthread_t thread;
    unsigned number, random;
    int socket;
    char body[BODY_BYTES], answer[4096];
    size_t bytes;
    uint64_t acknowledged, known, retries, count, sum, made;
    float *sample;                  /* milliseconds of each acknowledged answer */
    size_t samples;
};

static double now(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static unsigned draw(struct client *client, unsigned below)
{
    client->random = client->random * 1103515245u + 12345u;
    return (client->random >> 8) % below;
}

/* A row of one bucket: calls of one cost. */
static int put_row(struct client *client, char *at, size_t room, uint64_t *count, uint64_t *sum)
{
    unsigned bucket = 4 + draw(client, 10), calls = 1 + draw(client, 1000);
    uint64_t cost = (UINT64_C(1) << bucket) + draw(client, 1u << bucket);
    int function = (int)draw(client, (unsigned)client->load->functions);

    *count += calls;
    *sum += calls * cost;
    return snprintf(at, room, "{\"function\":\"ns%d::function_%d(int)\",\"module\":\"libm%d.so\","
                    "\"cost\":\"cycles\",\"scope\":\"inclusive\",\"buckets\":[{\"bucket\":%u,"
                    "\"count\":%u,\"sum\":\"%llu\",\"sum_of_squares\":\"%llu\"}]}", function % 97,
                    function, function % 7, bucket, calls, (unsigned long long)(calls * cost),
                    (unsigned long long)(calls * cost * cost));
}

static void make(struct client *client, uint64_t *count, uint64_t *sum)
{
    int bytes = snprintf(client->body, BODY_BYTES,
                         "{\"schema\":1,\"id\":\"load-%08x-%06u-%010llu\",\"program\":\"load%u\","
                         "\"version\":\"1\",\"functions\":[", client->load->seed, client->number,
                         (unsigned long long)client->made++, client->number % 8);

    *count = *sum = 0;
    for (int i = 0; i < client->load->rows; i++) {
        if (i > 0)
            client->body[bytes++] = ',';
        bytes += put_row(client, client->body + bytes, BODY_BYTES - (size_t)bytes - 8, count, sum);
    }
    client->bytes = (size_t)(bytes + snprintf(client->body + bytes, 8, "]}"));
}

static bool open_socket(struct client *client)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(
                                      (uint16_t)client->load->port)};
    struct timeval limit = {.tv_sec = 60};

    if (client->socket >= 0)
        return true;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    client->socket = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(client->socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (connect(client->socket, (struct sockaddr *)&address, sizeof address) == 0)
        return true;
    close(client->socket);
    client->socket = -1;
    return false;
}

static bool send_all(int socket, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t sent = send(socket, bytes, count, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        bytes += sent;
        count -= (size_t)sent;
    }
    return true;
}

/* The status of the whole answer; 0: there was none. */
static int receive(struct client *client)
{
    size_t got = 0;

    while (got < sizeof client->answer - 1) {
        ssize_t more = recv(client->socket, client->answer + got, sizeof client->answer - 1 - got,
                            0);
        char *end, *length;

        if (more <= 0)
            return 0;
        got += (size_t)more;
        client->answer[got] = '\0';
        end = strstr(client->answer, "\r\n\r\n");
        length = strstr(client->answer, "Content-Length: ");
        if (end != NULL && length != NULL && length < end &&
            got >= (size_t)(end + 4 - client->answer) + strtoul(length + 16, NULL, 10))
            return atoi(client->answer + 9);
    }
    return 0;
}

static int submit(struct client *client)
{
    char head[512];
    int bytes, status = 0;

    if (!open_socket(client))
        return 0;
    bytes = snprintf(head, sizeof head, "POST /v1/costs HTTP/1.1\r\nHost: localhost\r\n"
                     "Authorization: Bearer %s\r\nContent-Length: %zu\r\n\r\n",
                     client->load->token, client->bytes);
    if (send_all(client->socket, head, (size_t)bytes) &&
        send_all(client->socket, client->body, client->bytes))
        status = receive(client);
    if (status != 200 && status != 201) {
        close(client->socket);
        client->socket = -1;
    }
    return status;
}

static void *run(void *arg)
{
    struct client *client = arg;
    uint64_t count, sum;

    while (now() < client->load->end) {
        double start = now();
        int status;

        make(client, &count, &sum);
        while ((status = submit(client)) != 200 && status != 201) {
            if (status >= 400 && status < 500 && status != 429) {
                fprintf(stderr, "status %d: %.300s\n", status, client->answer);
                return NULL;
            }
            client->retries++;
            usleep(20000);
        }
        client->acknowledged++;
        client->known += status == 200;
        client->count += count;
        client->sum += sum;
        if (client->samples < SAMPLES_MAX)
            client->sample[client->samples++] = (float)((now() - start) * 1e3);
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static void print(const struct client *client, int clients, double seconds)
{
    uint64_t acknowledged = 0, known = 0, retries = 0, count = 0, sum = 0;
    size_t samples = 0;
    float *all;

    for (int i = 0; i < clients; i++)
        samples += client[i].samples;
    all = malloc((samples + 1) * sizeof *all);
    samples = 0;
    for (int i = 0; i < clients; i++) {
        memcpy(all + samples, client[i].sample, client[i].samples * sizeof *all);
        samples += client[i].samples;
        acknowledged += client[i].acknowledged;
        known += client[i].known;
        retries += client[i].retries;
        count += client[i].count;
        sum += client[i].sum;
    }
    qsort(all, samples, sizeof *all, compare);
    printf("{\"acknowledged\":%llu,\"known\":%llu,\"retries\":%llu,\"count\":%llu,\"sum\":%llu,"
           "\"a_second\":%.1f", (unsigned long long)acknowledged, (unsigned long long)known,
           (unsigned long long)retries, (unsigned long long)count, (unsigned long long)sum,
           (double)acknowledged / seconds);
    if (samples > 0)
        printf(",\"ms\":{\"p50\":%.2f,\"p99\":%.2f,\"p999\":%.2f,\"max\":%.2f}",
               (double)all[samples / 2], (double)all[samples * 99 / 100],
               (double)all[samples * 999 / 1000], (double)all[samples - 1]);
    printf("}\n");
    free(all);
}

int main(int argc, char **argv)
{
    int clients = argc > 6 ? atoi(argv[3]) : 0;
    double seconds = argc > 6 ? atof(argv[4]) : 0, start = now();
    struct load load;
    struct client *client;

    if (clients < 1 || clients > CLIENTS_MAX)
        return 2;
    load = (struct load){.port = atoi(argv[1]), .functions = atoi(argv[5]), .rows = atoi(argv[6]),
                         .token = argv[2], .end = start + seconds,
                         .seed = argc > 7 ? (unsigned)atoi(argv[7]) : (unsigned)time(NULL)};
    client = calloc((size_t)clients, sizeof *client);
    for (int i = 0; i < clients; i++) {
        client[i].load = &load;
        client[i].number = (unsigned)i;
        client[i].random = load.seed * 31 + (unsigned)i * 7919;
        client[i].socket = -1;
        client[i].sample = malloc(SAMPLES_MAX * sizeof(float));
        pthread_create(&client[i].thread, NULL, run, &client[i]);
    }
    for (int i = 0; i < clients; i++)
        pthread_join(client[i].thread, NULL);
    print(client, clients, now() - start);
    for (int i = 0; i < clients; i++)
        free(client[i].sample);
    free(client);
    return 0;
}
