//! restride beside cubecl's `copy_into`, on one device in one process, in turns: `cargo run --release -- [size in MiB] [runs] [part
//! of the cases' names]`.
//!
//! Both are timed by the wall clock around submitting and waiting. A case counts if cubecl can say it (no negative step, an
//! offset that may be bound) and copies it right.

// The same cases as `restride bench` times.
#[path = "../../../src/bin/restride/bench/case.rs"]
#[allow(dead_code, reason = "the bench uses more of it")]
mod case;
#[path = "../../../src/bin/restride/bench/ttc57.rs"]
mod ttc57;
#[path = "../../../src/bin/restride/bench/views.rs"]
mod views;

mod peer;

use case::Case;
use cubecl::wgpu::{AutoGraphicsApi, RuntimeOptions, WgpuDevice, WgpuSetup, init_setup};
use peer::Peer;
use restride::gpu::{Copier, Prepared, Tensor, View};
use restride::{DType, reference};
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// What became of a case.
struct Row {
    ours: Duration,
    theirs: Duration,
    right: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let number = |k: usize, or: u64| match std::env::args().nth(k) {
        Some(text) => text.parse(),
        None => Ok(or),
    };
    let (mib, runs) = (number(1, 16)?, number(2, 15)?);
    let part = std::env::args().nth(3).unwrap_or_default();
    let device = WgpuDevice::default();
    // The device is cubecl's choice, so it has all the features that cubecl asks for.
    let setup = init_setup::<AutoGraphicsApi>(&device, RuntimeOptions::default());
    let info = setup.adapter.get_info();
    println!(
        "{} ({:?}), {mib} MiB, best of {runs}\n",
        info.name, info.backend
    );
    println!(
        "{:6} {:30} {:24} {:>9} {:>9} {:>7}",
        "suite", "case", "shape", "ours ms", "cubecl ms", "ratio"
    );
    let peer = Peer::new(&device);
    let copier = Copier::new(&setup.device)?;
    let mut cases = ttc57::cases(mib << 20, &[DType::UInt32])?;
    cases.extend(views::cases(mib << 20, &[DType::UInt32])?);
    cases.retain(|case| case.name.contains(&part));
    let mut ratios = Vec::new();
    for case in &cases {
        let name = format!("{:6} {:30} {:24}", case.suite, case.name, case.shape_text());
        if let Err(reason) = Peer::admits(case, &setup) {
            println!("{name} {reason}");
            continue;
        }
        // cubecl panics where it cannot compile a kernel.
        let timed = catch_unwind(AssertUnwindSafe(|| {
            time(case, &setup, &copier, &peer, runs)
        }));
        match timed {
            Ok(row) => {
                let row = row?;
                let ratio = row.theirs.as_secs_f64() / row.ours.as_secs_f64();
                let note = if row.right { "" } else { "  cubecl is wrong" };
                println!(
                    "{name} {:>9.3} {:>9.3} {ratio:>7.2}{note}",
                    row.ours.as_secs_f64() * 1e3,
                    row.theirs.as_secs_f64() * 1e3,
                );
                if row.right {
                    ratios.push((case.suite, ratio));
                }
            }
            Err(_) => println!("{name} cubecl panicked"),
        }
    }
    println!();
    for suite in ["ttc57", "views", ""] {
        let of: Vec<f64> = ratios
            .iter()
            .filter(|(name, _)| suite.is_empty() || *name == suite)
            .map(|(_, ratio)| *ratio)
            .collect();
        let mean = (of.iter().map(|ratio| ratio.ln()).sum::<f64>() / of.len() as f64).exp();
        let least = of.iter().copied().fold(f64::INFINITY, f64::min);
        let name = if suite.is_empty() { "all" } else { suite };
        println!(
            "{name}: {} cases, geometric mean {mean:.2} x cubecl, least {least:.2}",
            of.len()
        );
    }
    Ok(())
}

/// Times a case, and checks both copies.
fn time(
    case: &Case,
    setup: &WgpuSetup,
    copier: &Copier,
    peer: &Peer,
    runs: u64,
) -> Result<Row, Box<dyn Error>> {
    let words = case.buffer_bytes(&case.src) / 4;
    let source: Vec<u8> = (0..words)
        .flat_map(|k| (k as u32).wrapping_mul(0x9e37_79b9).to_le_bytes())
        .collect();
    let upload = |bytes: &[u8]| {
        let shape = [bytes.len() as u64];
        Tensor::upload(&setup.device, DType::UInt8, &shape, bytes)
    };
    let before = vec![0; usize::try_from(case.buffer_bytes(&case.dst))?];
    let (from, to) = (upload(&source)?, upload(&before)?);
    let prepared = prepare(case, copier, &from, &to)?;
    let copy = peer.copy(case, &source, &before);
    let mut row = Row {
        ours: Duration::MAX,
        theirs: Duration::MAX,
        right: false,
    };
    // Two rounds are not counted: they compile, and touch memory first.
    for round in 0..runs + 2 {
        let start = Instant::now();
        let descriptor = wgpu::CommandEncoderDescriptor::default();
        let mut encoder = setup.device.create_command_encoder(&descriptor);
        prepared.record(&mut encoder);
        setup.queue.submit([encoder.finish()]);
        setup.device.poll(wgpu::PollType::wait_indefinitely())?;
        let ours = start.elapsed();
        let start = Instant::now();
        peer.run(&copy)?;
        let theirs = start.elapsed();
        if round >= 2 {
            row.ours = row.ours.min(ours);
            row.theirs = row.theirs.min(theirs);
        }
    }
    let mut expected = before;
    let width = case.dtype.width();
    reference::copy(width, &source, &case.src, &mut expected, &case.dst)?;
    if to.read_blocking(copier, &setup.queue)? != expected {
        return Err(format!("restride is wrong: {}", case.name).into());
    }
    row.right = peer.read(&copy)? == expected;
    Ok(row)
}

fn prepare(
    case: &Case,
    copier: &Copier,
    from: &Tensor,
    to: &Tensor,
) -> Result<Prepared, restride::Error> {
    let source = View {
        buffer: from.buffer(),
        dtype: case.dtype,
        layout: &case.src,
    };
    let target = View {
        buffer: to.buffer(),
        dtype: case.dtype,
        layout: &case.dst,
    };
    let plan = copier.plan(source, target)?;
    copier.prepare(&plan, from.buffer(), to.buffer())
}
