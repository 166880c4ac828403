//! Tensors of 200 MiB, over the 128 MiB that one binding reaches: every word as a formula has it.

mod most;

use restride::Layout;
use restride::gpu::Copier;
use restride::plan::{Limits, Options};

use crate::adapters::{Engine, all};
use crate::gpu_parts::{EVERY_USE, encoder, submit, view};

const ROWS: u64 = 6400;
const COLUMNS: u64 = 8192;
const BYTES: u64 = ROWS * COLUMNS * 4;

/// Bytes that are on their way at a time: the host never holds a whole tensor.
const CHUNK: u64 = 16 << 20;

/// GiB of memory that the test asks for: three tensors, their shadows in a driver, and room to spare.
const NEEDED_GIB: u64 = 4;

/// Why this machine is too small for a test that needs so many GiB, if it is.
fn too_small(needed_gib: u64) -> Option<String> {
    let known = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = known
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let available: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    (available < needed_gib << 20).then(|| {
        format!(
            "{} MiB of memory are free, {needed_gib} GiB are needed",
            available >> 10
        )
    })
}

/// The source's word at `place`: no two are the same, as the multiplier is odd.
fn word(place: u64) -> u32 {
    u32::try_from(place).unwrap().wrapping_mul(0x9e37_79b1)
}

/// A tensor of [`BYTES`], filled by `word`.
fn filled(engine: &Engine, word: impl Fn(u64) -> u32) -> wgpu::Buffer {
    filled_to(engine, BYTES, word)
}

/// A buffer of so many bytes, filled by `word`.
fn filled_to(engine: &Engine, bytes: u64, word: impl Fn(u64) -> u32) -> wgpu::Buffer {
    let buffer = engine.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: bytes,
        usage: EVERY_USE,
        mapped_at_creation: false,
    });
    for first in (0..bytes).step_by(usize::try_from(CHUNK).unwrap()) {
        let words: Vec<u32> = (first / 4..(first + CHUNK).min(bytes) / 4)
            .map(&word)
            .collect();
        engine
            .queue
            .write_buffer(&buffer, first, bytemuck::cast_slice(&words));
        // What was written is freed before the next chunk comes.
        engine.queue.submit([]);
        engine
            .device
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
    }
    buffer
}

/// `Ok` iff each word of the buffer is as `expected` says.
fn holds(
    engine: &Engine,
    buffer: &wgpu::Buffer,
    expected: impl Fn(u64) -> u32,
) -> Result<(), String> {
    let bytes = buffer.size();
    for first in (0..bytes).step_by(usize::try_from(CHUNK).unwrap()) {
        let size = CHUNK.min(bytes - first);
        let staging = engine.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = encoder(&engine.device);
        encoder.copy_buffer_to_buffer(buffer, first, &staging, 0, size);
        encoder.map_buffer_on_submit(&staging, wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
        engine.queue.submit([encoder.finish()]);
        engine
            .device
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
        let bytes = staging.get_mapped_range(..).unwrap();
        let words: &[u32] = bytemuck::cast_slice(&bytes);
        for (&found, place) in words.iter().zip(first / 4..) {
            if found != expected(place) {
                return Err(format!(
                    "word {place} is {found:#x}, not {:#x}",
                    expected(place)
                ));
            }
        }
    }
    Ok(())
}

/// Runs a test on lavapipe, and on hardware: other software would take minutes.
fn each_able(test: impl Fn(&Engine, &Copier)) {
    each_with(NEEDED_GIB, BYTES, test);
}

/// Runs a test that needs so many GiB of memory, and buffers of so many bytes.
fn each_with(needed_gib: u64, bytes: u64, test: impl Fn(&Engine, &Copier)) {
    if let Some(why) = too_small(needed_gib) {
        println!("gpu_large: skipped: {why}");
        return;
    }
    for engine in all() {
        let quick =
            engine.name == "llvmpipe/Vulkan" || engine.info.device_type != wgpu::DeviceType::Cpu;
        let limits: Limits = (&engine.device.limits()).into();
        if !quick || limits.buffer_bytes < bytes {
            println!(
                "gpu_large: {} skipped: too slow, or its buffers too small",
                engine.name
            );
            continue;
        }
        engine.alone(|engine| {
            // Where a binding reaches further, the copy is cut all the same.
            let limits = Limits {
                binding_bytes: limits.binding_bytes.min(Limits::BASELINE.binding_bytes),
                ..limits
            };
            let options = Options {
                limits,
                ..Options::default()
            };
            test(
                engine,
                &Copier::with_options(&engine.device, options).unwrap(),
            );
        });
    }
}

const POISON: u32 = 0xdead_beef;

#[test]
fn transposed_and_sliced() {
    each_able(|engine, copier| {
        let (src, dst) = (filled(engine, word), filled(engine, |_| POISON));
        // Columns 5 to 8,189, rows from the last: the source's columns become the destination's rows.
        let x = Layout::contiguous(&[ROWS, COLUMNS]).unwrap();
        let part = x.narrow(1, 5, 8185).unwrap().flip(0).unwrap().transpose();
        let target = Layout::strided(3, &[6400, 1], &[8185, ROWS]).unwrap();
        let (from, to) = (view(&src, 32, &part), view(&dst, 32, &target));
        let plan = copier.plan(from, to).unwrap();
        assert!(plan.step_count() > 1, "{plan}");
        submit(engine, |encoder| copier.copy(encoder, from, to).unwrap());
        let expected = |place: u64| match place.checked_sub(3) {
            Some(k) if k < 8185 * ROWS => word((ROWS - 1 - k % ROWS) * COLUMNS + 5 + k / ROWS),
            _ => POISON,
        };
        holds(engine, &dst, expected).unwrap();
        // A wrong bit in the last word is found.
        let last = expected(8185 * ROWS + 2) ^ 1 << 31;
        engine
            .queue
            .write_buffer(&dst, (8185 * ROWS + 2) * 4, &last.to_le_bytes());
        holds(engine, &dst, expected).unwrap_err();
    });
}

#[test]
fn bytes_of_rows_that_start_anywhere_in_a_word() {
    each_able(|engine, copier| {
        let (src, dst) = (filled(engine, word), filled(engine, |_| POISON));
        // All but three bytes of each row, packed: rows move against each other by a byte each.
        let (row_bytes, kept) = (COLUMNS * 4, COLUMNS * 4 - 3);
        let part = Layout::contiguous(&[ROWS, row_bytes])
            .unwrap()
            .narrow(1, 3, kept)
            .unwrap();
        let target = Layout::contiguous(&[ROWS, kept]).unwrap();
        let (from, to) = (view(&src, 8, &part), view(&dst, 8, &target));
        assert!(copier.plan(from, to).unwrap().step_count() > 1);
        submit(engine, |encoder| copier.copy(encoder, from, to).unwrap());
        let byte = |k: u64| {
            if k >= ROWS * kept {
                return POISON.to_le_bytes()[usize::try_from(k % 4).unwrap()];
            }
            let at = k / kept * row_bytes + 3 + k % kept;
            word(at / 4).to_le_bytes()[usize::try_from(at % 4).unwrap()]
        };
        let expected = |place: u64| u32::from_le_bytes([0, 1, 2, 3].map(|b| byte(place * 4 + b)));
        holds(engine, &dst, expected).unwrap();
        holds(engine, &dst, |place| {
            expected(place) ^ u32::from(place == 100)
        })
        .unwrap_err();
    });
}
