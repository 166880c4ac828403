/* The least that C tests need: checks that name their line, tests in a table, a closing count. */

#ifndef RESTRIDE_TESTS_C_CHECK_H_
#define RESTRIDE_TESTS_C_CHECK_H_

#include <stdio.h>
#include <string.h>

static int check_failures = 0;

#define CHECK(condition)                                          \
  do {                                                            \
    if (!(condition)) {                                           \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      check_failures++;                                           \
    }                                                             \
  } while (0)

/* Of two numbers, which are shown where they differ. */
#define CHECK_EQ(left, right)                                              \
  do {                                                                     \
    long long left_ = (long long)(left), right_ = (long long)(right);      \
    if (left_ != right_) {                                                 \
      fprintf(stderr, "%s:%d: %s is %lld, %s is %lld\n", __FILE__, __LINE__, \
              #left, left_, #right, right_);                               \
      check_failures++;                                                    \
    }                                                                      \
  } while (0)

/* Of a status: its code, and that there are words with a failure and none without. */
#define CHECK_STATUS(status, code)                                             \
  do {                                                                         \
    CHECK_EQ(TF_GetCode(status), code);                                        \
    CHECK((TF_Message(status)[0] == '\0') == ((code) == TF_OK));               \
    if (TF_GetCode(status) != (code)) fprintf(stderr, "  %s\n", TF_Message(status)); \
  } while (0)

typedef struct Test {
  const char *name;
  void (*run)(void);
} Test;

static int run_tests(const char *file, const Test *tests, size_t count) {
  int failed = 0;
  for (size_t i = 0; i < count; i++) {
    check_failures = 0;
    tests[i].run();
    if (check_failures > 0) {
      fprintf(stderr, "%s: %s FAILED\n", file, tests[i].name);
      failed++;
    }
  }
  printf("%s: %d passed, %d failed\n", file, (int)count - failed, failed);
  return failed == 0 ? 0 : 1;
}

#define TEST(name) {#name, name}
#define RUN(tests) run_tests(__FILE__, tests, sizeof(tests) / sizeof((tests)[0]))

#endif /* RESTRIDE_TESTS_C_CHECK_H_ */
