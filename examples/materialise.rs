//! Turns a photograph on the GPU: colour planes, a flip, a crop, and a mosaic of overlapping windows.
//!
//! Each picture is a strided view of the photograph's bytes, copied into a view of a white canvas. What the copy does not
//! own stays white. The pictures go to `target/materialise/`, and each must equal what the plain reference makes of it.
//!
//! ```text
//! cargo run --release --example materialise
//! ```

mod common;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use common::Gpu;
use restride::gpu::{Copier, Tensor};
use restride::{DType, Layout, reference};

/// A picture to be made: which view of the photograph goes to which view of the canvas.
struct Turn {
    name: &'static str,
    src: Layout,
    dst: Layout,
    /// The canvas: height, width and channels (1 or 3).
    canvas: [u64; 3],
}

/// Side and spacing of the mosaic's windows, in pixels: they overlap by half.
const SIDE: u64 = 96;
const STEP: u64 = 48;
/// White pixels between the parts of a canvas.
const GAP: u64 = 6;

fn turns(photo: &Layout) -> Result<Vec<Turn>, restride::Error> {
    let &[height, width, channels] = photo.shape() else {
        unreachable!("a photograph has rows, columns and channels")
    };

    // HWC to CHW: three grey planes, side by side on a canvas with gaps.
    let planes = photo.permute(&[2, 0, 1])?;
    let sheet = Layout::contiguous(&[height, channels * width + (channels - 1) * GAP])?;
    let places = sheet
        .unfold(1, width, width + GAP)? // row, plane, column
        .permute(&[1, 0, 2])?;

    let mirrored = photo.flip(1)?;
    let eyes = photo.narrow(0, 72, 96)?.narrow(1, 120, 232)?;

    // Windows along both axes: window row, window column, channel, row, column. The source repeats most of its pixels.
    let windows = photo.unfold(0, SIDE, STEP)?.unfold(1, SIDE, STEP)?;
    let (down, across) = (windows.dim(0), windows.dim(1));
    let pitch = SIDE + GAP;
    let wall = Layout::contiguous(&[down * pitch - GAP, across * pitch - GAP, 3])?;
    let tiles = wall.unfold(0, SIDE, pitch)?.unfold(1, SIDE, pitch)?;

    let turn = |name, src: Layout, dst: Layout, canvas: [u64; 3]| Turn {
        name,
        src,
        dst,
        canvas,
    };
    let whole = |layout: &Layout| Layout::contiguous(layout.shape());
    let (mirror, frame) = (whole(&mirrored)?, whole(&eyes)?);
    Ok(vec![
        turn("planes", planes, places, [height, sheet.dim(1), 1]),
        turn("mirror", mirrored, mirror, [height, width, 3]),
        turn("crop", eyes, frame, [96, 232, 3]),
        turn("mosaic", windows, tiles, [wall.dim(0), wall.dim(1), 3]),
    ])
}

impl Turn {
    /// The canvas before the copy: white, in whole words.
    fn white(&self) -> Vec<u8> {
        let bytes: u64 = self.canvas.iter().product();
        vec![255; usize::try_from(bytes.next_multiple_of(4)).expect("a canvas fits memory")]
    }
}

/// Every turn recorded into one encoder, submitted once, read back.
fn on_gpu(gpu: &Gpu, photo: &[u8], turns: &[Turn]) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let copier = Copier::new(&gpu.device)?;
    let photo = Tensor::upload(&gpu.device, DType::UInt8, &[photo.len() as u64], photo)?;
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let mut reads = Vec::new();
    for turn in turns {
        let white = turn.white();
        let canvas = Tensor::upload(&gpu.device, DType::UInt8, &[white.len() as u64], &white)?;
        // Two views: each is a buffer, a dtype and a layout.
        let src = Tensor::new(photo.buffer().clone(), DType::UInt8, turn.src.clone())?;
        let dst = Tensor::new(canvas.buffer().clone(), DType::UInt8, turn.dst.clone())?;
        let plan = copier.plan(src.view(), dst.view())?;
        println!("{}: {}", turn.name, common::in_a_line(&plan));
        copier.copy(&mut encoder, src.view(), dst.view())?;
        reads.push(canvas.record_read(&copier, &mut encoder)?);
    }
    // The library submits nothing and waits for nothing: both are the caller's.
    gpu.queue.submit([encoder.finish()]);
    gpu.device.poll(wgpu::PollType::wait_indefinitely())?;
    let read = |read| Ok(pollster::block_on(read)?);
    reads.into_iter().map(read).collect()
}

/// The same plans on host memory.
fn on_cpu(photo: &[u8], turns: &[Turn]) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let mut canvases = Vec::new();
    for turn in turns {
        let mut canvas = turn.white();
        let (src, dst) = ((photo, &turn.src), (&mut canvas[..], &turn.dst));
        let plan = common::copy_on_cpu(DType::UInt8.width(), src, dst)?;
        println!("{}: {}", turn.name, common::in_a_line(&plan));
        canvases.push(canvas);
    }
    Ok(canvases)
}

fn save(path: &Path, turn: &Turn, canvas: &[u8]) -> Result<(), Box<dyn Error>> {
    let [height, width, channels] = turn.canvas.map(|extent| u32::try_from(extent).unwrap_or(0));
    let color = match channels {
        1 => image::ExtendedColorType::L8,
        _ => image::ExtendedColorType::Rgb8,
    };
    let pixels = &canvas[..(height * width * channels) as usize];
    image::save_buffer(path, pixels, width, height, color)?;
    Ok(())
}

fn run() -> Result<bool, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let photo = image::open(root.join("examples/photo.png"))?.into_rgb8();
    let (width, height) = photo.dimensions();
    let layout = Layout::contiguous(&[height.into(), width.into(), 3])?;
    let mut photo = photo.into_raw();
    photo.resize(photo.len().next_multiple_of(4), 0);

    let turns = turns(&layout)?;
    let canvases = match common::open()? {
        Some(gpu) => on_gpu(&gpu, &photo, &turns)?,
        None => on_cpu(&photo, &turns)?,
    };

    let folder = root.join("target/materialise");
    std::fs::create_dir_all(&folder)?;
    let mut all_equal = true;
    for (turn, canvas) in turns.iter().zip(&canvases) {
        let mut expected = turn.white();
        let width = DType::UInt8.width();
        reference::copy(width, &photo, &turn.src, &mut expected, &turn.dst)?;
        all_equal &= common::equal(turn.name, canvas, &expected);
        save(&folder.join(turn.name).with_extension("png"), turn, canvas)?;
    }
    println!("pictures: target/materialise/");
    println!(
        "a plan reads: rung, steps, then each axis as extent (destination step <- source step)"
    );
    Ok(all_equal)
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    Ok(ExitCode::from(u8::from(!run()?)))
}
