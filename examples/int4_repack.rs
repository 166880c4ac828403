//! Repacks a matrix of int4 weights for kernels that read it in another order. Only nibbles move: no value is decoded.
//!
//! The weights come as `[K, N]`, eight to a 32-bit word along N. One kernel wants them packed along K. Another wants words
//! of eight columns, those of one column group one below the other. A third wants the eight columns of a word interleaved,
//! the even ones first, so that it unpacks them in pairs.
//!
//! ```text
//! cargo run --release --example int4_repack
//! ```

mod common;

use std::error::Error;
use std::process::ExitCode;

use common::Gpu;
use restride::gpu::{Copier, Tensor};
use restride::{DType, Layout, reference};

const K: u64 = 256;
const N: u64 = 512;
const DTYPE: DType = DType::Int4;

/// A name, and the view of the weights that is the wanted order.
type Repack = (&'static str, Layout);

fn repacks(weights: &Layout) -> Result<[Repack; 3], restride::Error> {
    // N is cut into groups of eight columns, and each group's words are laid one below the other.
    let groups = weights.unflatten(1, &[-1, 8])?.swap_axes(0, 1)?;
    // Column 2·pair + parity of a group goes to place 4·parity + pair.
    let pairs = weights.unflatten(1, &[-1, 4, 2])?.swap_axes(2, 3)?;
    Ok([
        ("packed along K", weights.transpose()),
        ("column groups", groups),
        ("interleaved columns", pairs),
    ])
}

/// Every order, materialised from one upload in one submission.
fn on_gpu(gpu: &Gpu, weights: &[u8], repacks: &[Repack]) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let copier = Copier::new(&gpu.device)?;
    let weights = Tensor::upload(&gpu.device, DTYPE, &[K, N], weights)?;
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let mut reads = Vec::new();
    for (name, order) in repacks {
        // The view shares the buffer; `materialize` records the copy into a new one.
        let view = Tensor::new(weights.buffer().clone(), DTYPE, order.clone())?;
        let packed = view.materialize(&copier, &mut encoder)?;
        let plan = copier.plan(view.view(), packed.view())?;
        println!("{name}: {}", common::in_a_line(&plan));
        reads.push(packed.record_read(&copier, &mut encoder)?);
    }
    gpu.queue.submit([encoder.finish()]);
    gpu.device.poll(wgpu::PollType::wait_indefinitely())?;
    let read = |read| Ok(pollster::block_on(read)?);
    reads.into_iter().map(read).collect()
}

/// The same plans on host memory.
fn on_cpu(weights: &[u8], repacks: &[Repack]) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let mut results = Vec::new();
    for (name, order) in repacks {
        let to = Layout::contiguous(order.shape())?;
        let mut packed = vec![0; weights.len()];
        let (src, dst) = ((weights, order), (&mut packed[..], &to));
        let plan = common::copy_on_cpu(DTYPE.width(), src, dst)?;
        println!("{name}: {}", common::in_a_line(&plan));
        results.push(packed);
    }
    Ok(results)
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let layout = Layout::contiguous(&[K, N])?;
    let bytes = usize::try_from(DTYPE.width().bytes_for(layout.numel()))?;
    // Made-up weights: any bytes are two int4.
    let weights: Vec<u8> = (0..=250).cycle().take(bytes).collect();

    let repacks = repacks(&layout)?;
    let results = match common::open()? {
        Some(gpu) => on_gpu(&gpu, &weights, &repacks)?,
        None => on_cpu(&weights, &repacks)?,
    };

    let mut all_equal = true;
    for ((name, order), found) in repacks.iter().zip(&results) {
        let to = Layout::contiguous(order.shape())?;
        let mut expected = vec![0; bytes];
        reference::copy(DTYPE.width(), &weights, order, &mut expected, &to)?;
        all_equal &= common::equal(name, found, &expected);
    }
    Ok(ExitCode::from(u8::from(!all_equal)))
}
