/* A picture's pixels, interleaved as red, green, blue, become three planes, upside down.
 *
 *     transpose [device]
 *
 * "cpu" is the CPU executor, and what it runs on without an argument; any part of an adapter's name chooses that. */

#include <restride.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *what, TF_Status *status) {
  fprintf(stderr, "%s: %s\n", what, TF_Message(status));
  exit(1);
}

int main(int argc, char **argv) {
  enum { HEIGHT = 2, WIDTH = 3 };
  unsigned char pixels[HEIGHT][WIDTH][3] = {{"AaX", "BbY", "CcZ"}, {"DdU", "EeV", "FfW"}};
  const int64_t dims[] = {HEIGHT, WIDTH, 3}, planes_first[] = {2, 0, 1};
  TF_Status *status = TF_NewStatus();
  restride_device *device = restride_device_open(argc > 1 ? argv[1] : "cpu", status);
  if (device == NULL) fail("device", status);

  /* The array stays ours: there is nothing to free, so there is no deallocator. */
  TF_Tensor *picture = TF_NewTensor(TF_UINT8, dims, 3, pixels, sizeof pixels, NULL, NULL);

  /* Moves touch no pixel; the last one is copied by. */
  restride_layout *all = restride_layout_of(picture, status);
  restride_layout *flipped = restride_layout_flip(all, 0, status);
  restride_layout *planes = restride_layout_permute(flipped, planes_first, 3, status);
  if (planes == NULL) fail("moves", status);
  TF_Tensor *result = restride_materialize(device, picture, planes, status);
  if (result == NULL) fail("copy", status);

  const unsigned char *bytes = (const unsigned char *)TF_TensorData(result);
  for (int plane = 0; plane < 3; plane++) {
    for (int row = 0; row < HEIGHT; row++) {
      printf("%.*s%s", WIDTH, (const char *)bytes, row + 1 < HEIGHT ? "/" : "\n");
      bytes += WIDTH;
    }
  }
  TF_DeleteTensor(result);
  TF_DeleteTensor(picture);
  restride_layout_delete(planes);
  restride_layout_delete(flipped);
  restride_layout_delete(all);
  restride_device_delete(device);
  TF_DeleteStatus(status);
  return 0;
}
