/** The best of several warm 1 MiB transposes, from recording to the queue's end, in milliseconds. */
export async function measure({ restride, device }) {
  const [from, to] = [0, 1].map(() => device.createBuffer({ size: 1 << 20, usage: 0x80 | 0x8 | 0x4 }));
  const [src, dst] = [
    { buffer: from, dtype: 'float32', shape: [512, 512], view: '.T' },
    { buffer: to, dtype: 'float32', shape: [512, 512] },
  ];
  await restride.warm(src, dst);
  const times = [];
  for (let run = 0; run < 20; run += 1) {
    const start = performance.now();
    const encoder = device.createCommandEncoder();
    restride.copy(encoder, src, dst);
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    times.push(performance.now() - start);
  }
  from.destroy();
  to.destroy();
  times.sort((a, b) => a - b);
  return { best: times[0], median: times[times.length >> 1] };
}
