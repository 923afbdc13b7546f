/*
 * What the kernel's UDP sockets carry between two processes of one machine: the limit that a RoCEv2 device in user
 * space is measured against. Nothing is acknowledged on the wire; how far the receiver is stands in shared memory.
 *
 *   udptwin stream SECONDS         trains (UDP_SEGMENT, UDP_GRO) of datagrams with 4096 bytes of payload; a CRC-32 on
 *                                  both sides, and the payload copied into place at the receiver: gigabits of payload a second
 *   udptwin rate SECONDS           64 bytes of payload, one sendto each: million datagrams a second
 *   udptwin spin|block SECONDS     64 bytes there and back, polling or sleeping: half round trip, median, microseconds
 *   udptwin reply SECONDS          from the call that receives 64 bytes to the end of the call that sends as many back, on two
 *                                  sockets of this process with the options of a device: median, microseconds
 *   udptwin alone|both SECONDS     a program that sends 64 bytes of payload to itself, sixteen datagrams at a time; two of them
 *                                  at once, each on a processor: million datagrams a second, of both together
 *
 * Prints one number. Two processors; needs isa-l for a CRC as fast as Java's: cc -O2 udptwin.c -lisal
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <isa-l.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#define UDP_GRO 104
#endif

enum {
  BTH = 12,  /* bytes before the payload, as a WRITE MIDDLE packet has them */
  ICRC = 4,  /* and behind it */
  MTU = 4096,
  SMALL = 64,
  TRAIN = 15, /* datagrams of the path MTU that one call takes */
  REGION = 1 << 20,
  WINDOW = 512, /* datagrams under way: what the socket's buffer holds */
  BUFFER = 4 << 20
};

/* Each on cache lines of its own. */
struct progress {
  _Alignas(128) atomic_ulong received;
  _Alignas(128) atomic_ulong also;
  _Alignas(128) atomic_bool over;
};

static struct progress *progress;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static void pin(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  sched_setaffinity(0, sizeof set, &set); /* with one processor the figures tell */
}

/* A socket of 127.0.0.1 with a free port, which it writes to *own. */
static int opened(struct sockaddr_in *own) {
  int fd = socket(AF_INET, SOCK_DGRAM, 0), bytes = BUFFER;
  if (fd < 0) fail("socket");
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes))
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes))
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  *own = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof *own;
  if (bind(fd, (struct sockaddr *)own, length) || getsockname(fd, (struct sockaddr *)own, &length)) fail("bind");
  return fd;
}

static unsigned char *region(size_t bytes) {
  unsigned char *at = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!at) fail("memory");
  memset(at, 1, bytes);
  return at;
}

/* Waits until what is under way leaves room; after 50 ms what was lost is no longer waited for. */
static void await_room(unsigned long sent, unsigned long *lost) {
  double patience = 0;
  while (sent - *lost - atomic_load_explicit(&progress->received, memory_order_acquire) >= WINDOW) {
    if (atomic_load_explicit(&progress->over, memory_order_relaxed)) return;
    double t = now();
    if (patience == 0) patience = t + .05;
    if (t > patience) *lost = sent - atomic_load(&progress->received);
  }
}

static void send_stream(int fd, int payload, int train) {
  int size = BTH + payload + ICRC;
  unsigned char *packets = region((size_t)train * size);
  unsigned long sent = 0, lost = 0;
  if (train > 1 && setsockopt(fd, SOL_UDP, UDP_SEGMENT, &size, sizeof size)) fail("UDP_SEGMENT");
  while (!atomic_load_explicit(&progress->over, memory_order_relaxed)) {
    await_room(sent + train, &lost);
    for (int i = 0; i < train; i++) {
      unsigned char *packet = packets + (size_t)i * size;
      if (train > 1) {
        uint32_t crc = crc32_gzip_refl(0, packet + BTH, payload);
        memcpy(packet + BTH + payload, &crc, ICRC);
      }
    }
    if (send(fd, packets, (size_t)train * size, 0) >= 0)
      sent += train;
    else if (errno != EAGAIN && errno != ENOBUFS)
      fail("send");
  }
}

static void receive_stream(int fd, int payload, int train) {
  int size = BTH + payload + ICRC, one = 1;
  unsigned char *bytes = region(65536), *destination = region(REGION + MTU);
  char control[64];
  unsigned long received = 0, wrong = 0;
  size_t to = 0;
  if (train > 1 && setsockopt(fd, SOL_UDP, UDP_GRO, &one, sizeof one)) fail("UDP_GRO");
  while (!atomic_load_explicit(&progress->over, memory_order_relaxed)) {
    struct iovec vector = {bytes, 65536};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t length = train > 1 ? recvmsg(fd, &message, MSG_DONTWAIT) : recv(fd, bytes, 65536, MSG_DONTWAIT);
    if (length < 0) continue;
    for (ssize_t at = 0; at + size <= length; at += size) {
      received++;
      if (train > 1) {
        uint32_t crc;
        memcpy(&crc, bytes + at + BTH + payload, ICRC);
        wrong += crc32_gzip_refl(0, bytes + at + BTH, payload) != crc;
        memcpy(destination + to, bytes + at + BTH, payload);
        to = (to + payload) % REGION;
      }
    }
    atomic_store_explicit(&progress->received, received, memory_order_release);
  }
  if (wrong) fprintf(stderr, "udptwin: %lu wrong CRCs\n", wrong), exit(1);
}

/* Datagrams a second, after a warm-up. */
static double stream(double seconds, int payload, int train) {
  struct sockaddr_in there, here;
  int to = opened(&there), from = opened(&here);
  if (connect(from, (struct sockaddr *)&there, sizeof there)) fail("connect");
  pid_t receiver = fork();
  if (!receiver) pin(1), receive_stream(to, payload, train), _exit(0);
  pid_t sender = fork();
  if (!sender) pin(0), send_stream(from, payload, train), _exit(0);
  usleep(200000);
  unsigned long before = atomic_load(&progress->received);
  double begin = now();
  usleep(seconds * 1e6);
  double rate = (atomic_load(&progress->received) - before) / (now() - begin);
  atomic_store(&progress->over, true);
  int status = 0;
  waitpid(sender, NULL, 0);
  waitpid(receiver, &status, 0);
  if (status) exit(1);
  return rate;
}

static void take(int fd, char *bytes, bool spins) {
  while (recv(fd, bytes, SMALL + BTH + ICRC, spins ? MSG_DONTWAIT : 0) < 0)
    if (errno != EAGAIN) fail("recv");
}

static void send_to_self(atomic_ulong *count) {
  enum { BATCH = 16 };
  struct sockaddr_in own;
  int fd = opened(&own);
  if (connect(fd, (struct sockaddr *)&own, sizeof own)) fail("connect");
  char bytes[SMALL + BTH + ICRC] = {0};
  while (!atomic_load_explicit(&progress->over, memory_order_relaxed)) {
    for (int i = 0; i < BATCH; i++) send(fd, bytes, sizeof bytes, 0);
    for (int i = 0; i < BATCH; i++) take(fd, bytes, true);
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + BATCH, memory_order_relaxed);
  }
}

/* Datagrams a second of that many programs which have nothing to do with each other. */
static double to_themselves(double seconds, int programs) {
  atomic_ulong *counts[] = {&progress->received, &progress->also};
  for (int i = 0; i < programs; i++)
    if (!fork()) pin(i), send_to_self(counts[i]), _exit(0);
  usleep(200000);
  unsigned long before = atomic_load(counts[0]) + atomic_load(counts[1]);
  double begin = now();
  usleep(seconds * 1e6);
  double rate = (atomic_load(counts[0]) + atomic_load(counts[1]) - before) / (now() - begin);
  atomic_store(&progress->over, true);
  while (waitpid(-1, NULL, 0) > 0)
    ;
  return rate;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double ping_pong(double seconds, bool spins) {
  enum { MOST = 4000000 };
  struct sockaddr_in a, b;
  int first = opened(&a), second = opened(&b);
  if (connect(first, (struct sockaddr *)&b, sizeof b) || connect(second, (struct sockaddr *)&a, sizeof a)) fail("connect");
  char bytes[SMALL + BTH + ICRC] = {0};
  pid_t other = fork();
  pin(other ? 0 : 1);
  if (!other)
    for (;;) {
      take(second, bytes, spins);
      send(second, bytes, sizeof bytes, 0);
    }
  double *halves = malloc(MOST * sizeof *halves), warm = now() + .2, end = warm + seconds, before = now();
  size_t count = 0;
  while (before < end && count < MOST) {
    send(first, bytes, sizeof bytes, 0);
    take(first, bytes, spins);
    double after = now();
    if (after > warm) halves[count++] = (after - before) / 2 * 1e6;
    before = after;
  }
  kill(other, SIGKILL);
  waitpid(other, NULL, 0);
  qsort(halves, count, sizeof *halves, ascending);
  return halves[count / 2];
}

/* A socket as a device needs it: any peer, congestion marks, hop limit, trains, drops. */
static int of_device(struct sockaddr_in *own) {
  int fd = opened(own), on = 1, probe = IP_PMTUDISC_PROBE;
  if (setsockopt(fd, SOL_IP, IP_RECVTOS, &on, sizeof on) || setsockopt(fd, SOL_IP, IP_RECVTTL, &on, sizeof on) ||
      setsockopt(fd, SOL_IP, IP_MTU_DISCOVER, &probe, sizeof probe) || setsockopt(fd, SOL_UDP, UDP_GRO, &on, sizeof on) ||
      setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on))
    fail("setsockopt");
  return fd;
}

static ssize_t receive(int fd) {
  static char bytes[1 << 16], name[32], control[192];
  struct iovec part = {bytes, sizeof bytes};
  struct msghdr message = {name, sizeof name, &part, 1, control, sizeof control, 0};
  return recvmsg(fd, &message, MSG_DONTWAIT);
}

/* What org.roce4j.benchmarks.ReplyCost does, without a device. */
static double reply(double seconds) {
  enum { MOST = 100000, REPLIES = 200, IDLE = 5 };
  struct sockaddr_in address[2];
  int fd[] = {of_device(&address[0]), of_device(&address[1])}, answers = 1;
  char bytes[SMALL + BTH + ICRC] = {0};
  sendto(fd[0], bytes, sizeof bytes, 0, (struct sockaddr *)&address[1], sizeof address[1]);
  double *means = malloc(MOST * sizeof *means), end = now() + seconds;
  size_t count = 0;
  while (count < MOST && now() < end) {
    double sum = 0;
    for (int i = 0; i < REPLIES; i++) {
      int waits = 1 - answers;
      for (int poll = 0; poll < IDLE; poll++) receive(fd[waits]);
      double begin = now();
      while (receive(fd[answers]) < 0)
        if (errno != EAGAIN) fail("recvmsg");
      sendto(fd[answers], bytes, sizeof bytes, 0, (struct sockaddr *)&address[waits], sizeof address[waits]);
      sum += now() - begin;
      answers = waits;
    }
    means[count++] = sum / REPLIES * 1e6;
  }
  qsort(means, count, sizeof *means, ascending);
  return means[count / 2];
}

int main(int argc, char **argv) {
  if (argc != 3 || atof(argv[2]) <= 0) {
    fputs("usage: udptwin stream|rate|spin|block|reply|alone|both SECONDS\n", stderr);
    return 2;
  }
  progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (progress == MAP_FAILED) fail("mmap");
  const char *what = argv[1];
  double seconds = atof(argv[2]), figure;
  if (!strcmp(what, "stream"))
    figure = stream(seconds, MTU, TRAIN) * MTU * 8 / 1e9;
  else if (!strcmp(what, "rate"))
    figure = stream(seconds, SMALL, 1) / 1e6;
  else if (!strcmp(what, "spin") || !strcmp(what, "block"))
    figure = ping_pong(seconds, what[0] == 's');
  else if (!strcmp(what, "reply"))
    figure = reply(seconds);
  else if (!strcmp(what, "alone") || !strcmp(what, "both"))
    figure = to_themselves(seconds, what[0] == 'a' ? 1 : 2) / 1e6;
  else
    return 2;
  printf("%.3f\n", figure);
  return 0;
}
