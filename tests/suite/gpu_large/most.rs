//! Buffers of 1.9 GiB, nearly the most that a device makes: positions past 2^32 bits on both sides.

use std::time::Instant;

use restride::Layout;
use restride::gpu::Copier;

use super::{Engine, each_with, filled_to, holds, word};
use crate::gpu_parts::{encoder, submit, view};

/// 1.9 GiB, of whole 16 bytes and a word more.
const BYTES: u64 = (19 << 30) / 10 / 16 * 16 + 4;

/// What is printed of a stage's time.
fn timed<T>(what: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let value = run();
    println!("gpu_large: {what}: {:.1} s", start.elapsed().as_secs_f64());
    value
}

/// Runs a copy to its end.
fn copy(engine: &Engine, record: impl FnOnce(&mut wgpu::CommandEncoder)) {
    submit(engine, record);
    engine
        .device
        .poll(wgpu::PollType::wait_indefinitely())
        .unwrap();
}

/// Zeros again.
fn clear(engine: &Engine, buffer: &wgpu::Buffer) {
    let mut encoder = encoder(&engine.device);
    encoder.clear_buffer(buffer, 0, None);
    engine.queue.submit([encoder.finish()]);
}

/// The element of `bits` at `position` of the source.
fn element(position: u64, bits: u64) -> u32 {
    let bit = position * bits;
    let mask = u32::MAX >> (32 - bits);
    word(bit / 32) >> (bit % 32) & mask
}

/// Elements `bits` wide, one from every `src_step` to every `dst_step`, from the buffers' last elements backwards.
struct Scatter {
    bits: u64,
    count: u64,
    src_step: u64,
    dst_step: u64,
    /// The destination's first element.
    first: u64,
}

impl Scatter {
    fn layouts(&self) -> [Layout; 2] {
        let last = BYTES * 8 / self.bits - 1;
        let src_step = i64::try_from(self.src_step).unwrap();
        let dst_step = i64::try_from(self.dst_step).unwrap();
        [
            Layout::strided(last, &[-src_step], &[self.count]).unwrap(),
            Layout::strided(self.first, &[dst_step], &[self.count]).unwrap(),
        ]
    }

    /// Sees that it reaches past 2^32 bits on both sides, and is made in several windows.
    fn reaches_far(&self, steps: u64) {
        for layout in self.layouts() {
            assert!(
                layout.span().end * self.bits > 3 << 32
                    && layout.span().end * self.bits <= BYTES * 8
            );
        }
        assert!(steps > 15, "{steps} steps");
    }

    /// Its elements in word `place` of the destination.
    fn word(&self, place: u64) -> u32 {
        let last = BYTES * 8 / self.bits - 1;
        let in_word = 32 / self.bits;
        let positions = place * in_word..(place + 1) * in_word;
        // The first of its elements at or after the word's first position.
        let k = (positions.start.saturating_sub(self.first)).div_ceil(self.dst_step);
        let position = self.first + k * self.dst_step;
        if k >= self.count || !positions.contains(&position) {
            return 0;
        }
        let shift = (position - positions.start) * self.bits;
        element(last - k * self.src_step, self.bits) << shift
    }
}

/// The words from an element of one width to the next are multiples of this.
const PERIOD: u64 = 510;

/// Few elements across the whole of both buffers, which meet in no word: each width has its own of [`PERIOD`] words.
const SCATTERS: [Scatter; 4] = [
    Scatter {
        bits: 1,
        count: 1_000_000,
        src_step: 16_303,
        dst_step: 16_320,
        first: 11,
    },
    Scatter {
        bits: 4,
        count: 500_000,
        src_step: 8_101,
        dst_step: 8_160,
        first: 8 + 3,
    },
    Scatter {
        bits: 8,
        count: 250_000,
        src_step: 8_101,
        dst_step: 8_160,
        first: 8 + 2,
    },
    Scatter {
        bits: 32,
        count: 200_000,
        src_step: 2_503,
        dst_step: 2_550,
        first: 3,
    },
];

#[test]
fn tensors_of_nearly_2_gib() {
    each_with(8, BYTES, |engine, copier| {
        println!("gpu_large: {BYTES} bytes on each side, on {}", engine.name);
        let src = timed("fill", || filled_to(engine, BYTES, word));
        let dst = engine.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: BYTES,
            usage: crate::gpu_parts::EVERY_USE,
            mapped_at_creation: false,
        });
        whole_and_shifted(engine, copier, [&src, &dst]);
        scattered(engine, copier, [&src, &dst]);
        transposed(engine, copier, [&src, &dst]);
    });
}

/// The whole by the device's own copy, and its end again: bits three places on, then nibbles one place on.
fn whole_and_shifted(engine: &Engine, copier: &Copier, [src, dst]: [&wgpu::Buffer; 2]) {
    const SHIFTED_BITS: u64 = 1 << 28;
    let whole = Layout::contiguous(&[BYTES]).unwrap();
    let end = |bits: u64, before: u64, by: u64| {
        let (all, part) = (BYTES * 8 / bits, SHIFTED_BITS / bits);
        let start = |by| all - part * (before + 1) - by;
        [start(by), start(0)].map(|start| Layout::strided(start, &[1], &[part]).unwrap())
    };
    let (bits, nibbles) = (end(1, 1, 3), end(4, 0, 1));
    timed("copy, and shifts", || {
        copy(engine, |encoder| {
            for (width, [from, to]) in [
                (8, [&whole, &whole]),
                (1, bits.each_ref()),
                (4, nibbles.each_ref()),
            ] {
                let (from, to) = (view(src, width, from), view(dst, width, to));
                copier.copy(encoder, from, to).unwrap();
            }
        });
    });
    let (words, part) = (BYTES / 4, SHIFTED_BITS / 32);
    let expected = |place: u64| {
        let shift = match words - 1 - place {
            nibbles if nibbles < part => 4,
            bits if bits < 2 * part => 3,
            _ => return word(place),
        };
        word(place) << shift | word(place - 1) >> (32 - shift)
    };
    timed("check", || holds(engine, dst, expected)).unwrap();
}

fn scattered(engine: &Engine, copier: &Copier, [src, dst]: [&wgpu::Buffer; 2]) {
    clear(engine, dst);
    timed("scatter", || {
        for scatter in &SCATTERS {
            let bits = u32::try_from(scatter.bits).unwrap();
            let [from, to] = scatter.layouts();
            let (from, to) = (view(src, bits, &from), view(dst, bits, &to));
            scatter.reaches_far(copier.plan(from, to).unwrap().step_count());
            copy(engine, |encoder| copier.copy(encoder, from, to).unwrap());
        }
    });
    let expected = |place: u64| {
        let scatter = usize::try_from(place % PERIOD)
            .ok()
            .and_then(|k| SCATTERS.get(k));
        scatter.map_or(0, |scatter| scatter.word(place))
    };
    timed("check", || holds(engine, dst, expected)).unwrap();
}

/// 1.5 GiB of words, rows to columns.
fn transposed(engine: &Engine, copier: &Copier, [src, dst]: [&wgpu::Buffer; 2]) {
    const ROWS: u64 = 16_384;
    const COLUMNS: u64 = 24_576;
    assert_eq!(ROWS * COLUMNS * 4, 3 << 29);
    clear(engine, dst);
    let turned = Layout::contiguous(&[ROWS, COLUMNS]).unwrap().transpose();
    let target = Layout::contiguous(&[COLUMNS, ROWS]).unwrap();
    timed("transpose", || {
        copy(engine, |encoder| {
            copier
                .copy(encoder, view(src, 32, &turned), view(dst, 32, &target))
                .unwrap();
        });
    });
    let expected = |place: u64| {
        if place < ROWS * COLUMNS {
            word(place % ROWS * COLUMNS + place / ROWS)
        } else {
            0
        }
    };
    timed("check", || holds(engine, dst, expected)).unwrap();
    // A wrong bit in the very last word is found.
    let last = (BYTES - 4) / 4;
    holds(engine, dst, |place| {
        expected(place) ^ u32::from(place == last)
    })
    .unwrap_err();
}
