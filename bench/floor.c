/* CPU time of what no sampler can spare: to sleep, and to read what a sample holds from files that are open.
 *
 * Arguments: samples, seconds between them, files. Prints nanoseconds a sample, the sleep included.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 32, BYTES = 65536 };

static long spent_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

int main(int count, char **words) {
    static char text[BYTES];
    int files[MOST], n = count - 3;
    if (n < 1 || n > MOST) {
        fprintf(stderr, "expected samples, seconds, and 1 to %d files\n", MOST);
        return 2;
    }
    long samples = atol(words[1]);
    double every = atof(words[2]);
    struct timespec pause = {(time_t)every, (long)((every - (double)(time_t)every) * 1e9)};
    for (int i = 0; i < n; i++) {
        if ((files[i] = open(words[i + 3], O_RDONLY)) < 0) {
            perror(words[i + 3]);
            return 1;
        }
    }
    long before = spent_ns();
    for (long sample = 0; sample < samples; sample++) {
        clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
        for (int i = 0; i < n; i++) {
            if (pread(files[i], text, BYTES, 0) < 0) {
                perror(words[i + 3]);
                return 1;
            }
        }
    }
    printf("%ld\n", (spent_ns() - before) / samples);
    return 0;
}
