//! Writes the keys and values of a few decoding steps into a KV cache, as one batch.
//!
//! The key cache is `[heads, max_len, dim]`: one step's keys `[heads, dim]` become row `t` of every head. The value cache is
//! kept transposed, `[heads, dim, max_len]`: one step's values become column `t`, whose float16 elements share 32-bit words
//! with their neighbours. A slot of a cache is a view of it, and nothing else of the cache may change.
//!
//! ```text
//! cargo run --release --example kv_cache
//! ```

mod common;

use std::error::Error;
use std::process::ExitCode;

use common::Gpu;
use restride::gpu::{Copier, Pair, Tensor, View};
use restride::{DType, Layout, reference};

const HEADS: u64 = 8;
const DIM: u64 = 80;
const MAX_LEN: u64 = 251;
const DTYPE: DType = DType::Float16;

/// The positions that are written.
const AT: [i64; 3] = [0, 17, 250];

/// One step's keys or values on their way into a slot. Both layouts have the shape `[heads, dim]`.
struct Write {
    name: String,
    src: Layout,
    slot: Layout,
}

/// For each step the write of its keys into cache 0, and that of its values into cache 1.
fn writes() -> Result<Vec<[Write; 2]>, restride::Error> {
    // What the model hands over: step, keys or values, head, element.
    let fresh = Layout::contiguous(&[AT.len() as u64, 2, HEADS, DIM])?;
    let keys = Layout::contiguous(&[HEADS, MAX_LEN, DIM])?;
    let values = Layout::contiguous(&[HEADS, DIM, MAX_LEN])?;
    let step = |(step, t)| {
        let of_step = fresh.select(0, step)?;
        let write = |what, kind, slot| {
            let (name, src) = (format!("{what} at {t}"), of_step.select(0, kind)?);
            Ok(Write { name, src, slot })
        };
        Ok([
            write("keys", 0, keys.select(1, t)?)?,
            write("values", 1, values.select(2, t)?)?,
        ])
    };
    (0..).zip(AT).map(step).collect()
}

/// A view of a tensor's buffer: the buffer, a dtype and a layout.
fn view<'a>(tensor: &'a Tensor, layout: &'a Layout) -> View<'a> {
    View {
        buffer: tensor.buffer(),
        dtype: tensor.dtype(),
        layout,
    }
}

/// The caches after every write, recorded as one batch.
fn on_gpu(
    gpu: &Gpu,
    fresh: &[u8],
    before: &[u8],
    writes: &[[Write; 2]],
) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let copier = Copier::new(&gpu.device)?;
    let upload = |bytes: &[u8]| {
        let numel = DTYPE.width().numel_in(bytes.len() as u64);
        Tensor::upload(&gpu.device, DTYPE, &[numel], bytes)
    };
    let fresh = upload(fresh)?;
    let caches = [upload(before)?, upload(before)?];

    let mut copies = Vec::new();
    for step in writes {
        for (write, cache) in step.iter().zip(&caches) {
            let (src, dst) = (view(&fresh, &write.src), view(cache, &write.slot));
            let plan = copier.plan_in_pass(src, dst)?;
            println!("{}: {}", write.name, common::in_a_line(&plan));
            copies.push(Pair { src, dst });
        }
    }
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    copier.copy_all(&mut encoder, &copies)?;
    gpu.queue.submit([encoder.finish()]);
    println!("{} copies in one compute pass", copies.len());

    let read = |cache: &Tensor| Ok(cache.read_blocking(&copier, &gpu.queue)?);
    caches.iter().map(read).collect()
}

/// The same plans on host memory, one after the other.
fn on_cpu(
    fresh: &[u8],
    before: &[u8],
    writes: &[[Write; 2]],
) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let mut caches = vec![before.to_vec(); 2];
    for step in writes {
        for (write, cache) in step.iter().zip(&mut caches) {
            let (src, dst) = ((fresh, &write.src), (&mut cache[..], &write.slot));
            let plan = common::copy_on_cpu(DTYPE.width(), src, dst)?;
            println!("{}: {}", write.name, common::in_a_line(&plan));
        }
    }
    Ok(caches)
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let bytes = |numel: u64| usize::try_from(DTYPE.width().bytes_for(numel));
    // Made-up keys and values; and what the caches hold before, so that a stray write shows.
    let fresh: Vec<u8> = (0..=250)
        .cycle()
        .take(bytes(AT.len() as u64 * 2 * HEADS * DIM)?)
        .collect();
    let before = vec![0xff; bytes(HEADS * MAX_LEN * DIM)?];

    let writes = writes()?;
    let caches = match common::open()? {
        Some(gpu) => on_gpu(&gpu, &fresh, &before, &writes)?,
        None => on_cpu(&fresh, &before, &writes)?,
    };

    let mut expected = [before.clone(), before];
    for step in &writes {
        for (write, cache) in step.iter().zip(&mut expected) {
            reference::copy(DTYPE.width(), &fresh, &write.src, cache, &write.slot)?;
        }
    }
    let mut all_equal = true;
    for (name, (cache, expected)) in ["key cache", "value cache"]
        .iter()
        .zip(caches.iter().zip(&expected))
    {
        all_equal &= common::equal(name, cache, expected);
    }
    Ok(ExitCode::from(u8::from(!all_equal)))
}
