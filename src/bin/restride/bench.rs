//! `restride bench`: copies timed against the device's own copy, a plain copy kernel and a naive kernel, in one process.

mod case;
mod gpu;
mod host;
mod kernels;
mod measure;
mod naive;
mod options;
mod packed;
mod row;
mod suites;
mod table;
mod timing;
mod ttc57;
mod views;

pub(crate) use options::Options;

use crate::failure::Failure;
use crate::progress::Progress;
use gpu::{Buffers, Gpu};
use host::Host;
use kernels::Kernels;
use measure::Bench;
use restride::gpu::Copier;
use row::Row;
use suites::Suite;
use timing::Clock;

/// The size at which the naive kernel is held against the reference.
const REFERENCE_BYTES: u64 = 4 << 20;

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let dtypes = options.dtypes();
    let list = |bytes| suites::cases(options.suite, bytes, &dtypes, &options.case);
    let cases = list(options.bytes.0)?;
    let small = list(options.bytes.0.min(REFERENCE_BYTES))?;
    if cases.is_empty() {
        return Err(Failure::Input(format!(
            "no case of the suite is named like {:?}",
            options.case
        )));
    }
    let gpu = Gpu::open(&options.adapter)?;
    let all = || cases.iter().chain(&small);
    let most = |bytes: &dyn Fn(&case::Case) -> u64| all().map(bytes).max().unwrap_or(16);
    let src_bytes = most(&|case| case.buffer_bytes(&case.src));
    let dst_bytes = most(&|case| case.buffer_bytes(&case.dst));
    let bench = Bench {
        kernels: Kernels::new(&gpu),
        clock: Clock::new(&gpu, options.clock),
        copier: Copier::new(&gpu.device).map_err(|e| gpu.trouble(e))?,
        buffers: Buffers::new(&gpu, src_bytes, dst_bytes)?,
        runs: options.runs(),
        naive_runs: options.naive_runs(),
        gpu: &gpu,
    };
    bench.kernels.fill(&bench.buffers.src, src_bytes, 1)?;
    let progress = Progress::new();
    progress.expect(cases.iter().map(case::Case::bytes).sum());
    progress.print(&format!(
        "{} ({}), {}, best of {}\n\n{}",
        gpu.name,
        gpu.driver,
        bench.clock.name(),
        bench.runs,
        table::head()
    ))?;
    let mut rows: Vec<Row> = Vec::with_capacity(cases.len());
    for (case, small) in cases.iter().zip(&small) {
        progress.phase(format!("{} {}", case.suite, case.name));
        let row = bench.measure(case, small)?;
        progress.print(&table::line(&row))?;
        progress.advance(case.bytes());
        rows.push(row);
    }
    drop(progress);
    crate::print(&table::means(&rows))?;
    if matches!(options.suite, Suite::Small | Suite::All) {
        let ratios = Host::new(&gpu.device).and_then(|host| host.ratios(bench.runs));
        crate::print(&table::host(&ratios.map_err(|e| gpu.trouble(e))?))?;
    }
    if let Some(path) = &options.json {
        let rows: Vec<String> = rows.iter().map(|row| row.json().to_string()).collect();
        let text = format!("[\n{}\n]\n", rows.join(",\n"));
        std::fs::write(path, text).map_err(|e| Failure::disk(path, e))?;
    }
    let wrong = rows.iter().filter(|row| !row.verified).count();
    if wrong > 0 {
        return Err(Failure::Verify(format!(
            "{wrong} of {} cases differ from the naive kernel or the reference",
            rows.len()
        )));
    }
    Ok(())
}
