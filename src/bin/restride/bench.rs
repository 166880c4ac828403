//! `restride bench`: copies timed against the device's own copy, a plain copy kernel and a naive kernel, in one process.

mod case;
mod contender;
mod gpu;
mod host;
mod kernel;
mod kernels;
mod measure;
mod naive;
mod options;
mod packed;
mod plots;
mod report;
mod row;
mod suites;
mod svg;
mod table;
mod timing;
mod ttc57;
mod views;

pub(crate) use options::Options;

use crate::failure::Failure;
use crate::progress::Progress;
use case::Case;
use gpu::{Buffers, Gpu};
use host::Host;
use kernels::Kernels;
use measure::Bench;
use report::Setting;
use restride::gpu::Copier;
use row::Row;
use std::time::Instant;
use suites::Suite;
use timing::Clock;

/// The size at which the naive kernel is held against the reference.
const REFERENCE_BYTES: u64 = 4 << 20;

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let progress = Progress::new();
    let gpu = Gpu::open(&options.adapter)?;
    let cases = cases(options, &gpu, &progress)?;
    let bench = bench(options, &gpu, &cases)?;
    progress.expect(cases.iter().map(|(case, _)| case.bytes()).sum());
    progress.print(&format!(
        "{} ({}), {}, best of {}\n\n{}",
        gpu.name,
        gpu.driver,
        bench.clock.name(),
        bench.runs,
        table::head()
    ))?;
    let begin = Instant::now();
    let mut rows: Vec<Row> = Vec::with_capacity(cases.len());
    for (k, (case, small)) in cases.iter().enumerate() {
        let left = options
            .time()
            .map(|time| time.saturating_sub(begin.elapsed()));
        if left.is_some_and(|left| left.is_zero()) {
            let count = cases.len() - k;
            progress.say(&format!("restride: time is up: {count} cases are left out"));
            break;
        }
        let limit = left.map(|left| left / u32::try_from(cases.len() - k).unwrap_or(u32::MAX));
        progress.phase(format!("{} {}", case.suite, case.name));
        let row = bench.measure(case, small, limit)?;
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
    save(options, &bench, &rows)?;
    let wrong = rows.iter().filter(|row| !row.verified).count();
    if wrong > 0 {
        return Err(Failure::Verify(format!(
            "{wrong} of {} cases differ from the naive kernel or the reference",
            rows.len()
        )));
    }
    Ok(())
}

/// The cases that the device has room for, each with its like of a size that the reference takes.
fn cases(options: &Options, gpu: &Gpu, progress: &Progress) -> Result<Vec<(Case, Case)>, Failure> {
    let dtypes = options.dtypes();
    let list = |bytes| suites::cases(options.suite, bytes, &dtypes, &options.case);
    let small = list(options.bytes.0.min(REFERENCE_BYTES))?;
    let mut cases: Vec<(Case, Case)> = list(options.bytes.0)?.into_iter().zip(small).collect();
    if cases.is_empty() {
        return Err(Failure::Input(format!(
            "no case of the suite is named like {:?}",
            options.case
        )));
    }
    let most = gpu.device.limits().max_buffer_size;
    cases.retain(|(case, _)| {
        let needs = case.buffer_bytes(&case.src).max(case.buffer_bytes(&case.dst));
        if needs > most {
            progress.say(&format!(
                "restride: left out: {} {} {} needs a buffer of {needs} bytes, and {} makes none beyond {most}",
                case.suite, case.name, case.dtype, gpu.name
            ));
        }
        needs <= most
    });
    Ok(cases)
}

/// What times `cases`, its buffers large enough for each of them and its source filled.
fn bench<'a>(
    options: &Options,
    gpu: &'a Gpu,
    cases: &[(Case, Case)],
) -> Result<Bench<'a>, Failure> {
    let most = |bytes: &dyn Fn(&Case) -> u64| {
        let all = cases.iter().flat_map(|(case, small)| [case, small]);
        all.map(bytes).max().unwrap_or(16)
    };
    let src_bytes = most(&|case| case.buffer_bytes(&case.src));
    let dst_bytes = most(&|case| case.buffer_bytes(&case.dst));
    let bench = Bench {
        kernels: Kernels::new(gpu),
        clock: Clock::new(gpu, options.clock),
        copier: Copier::new(&gpu.device).map_err(|e| gpu.trouble(e))?,
        buffers: Buffers::new(gpu, src_bytes, dst_bytes)?,
        runs: options.runs(),
        naive_runs: options.naive_runs(),
        gpu,
    };
    bench.kernels.fill(&bench.buffers.src, src_bytes, 1)?;
    Ok(bench)
}

/// Writes the files that are asked for.
fn save(options: &Options, bench: &Bench<'_>, rows: &[Row]) -> Result<(), Failure> {
    if let Some(path) = &options.json {
        let rows: Vec<String> = rows.iter().map(|row| row.json().to_string()).collect();
        let text = format!("[\n{}\n]\n", rows.join(",\n"));
        std::fs::write(path, text).map_err(|e| Failure::disk(path, e))?;
    }
    if let Some(path) = &options.report {
        let setting = Setting {
            adapter: &bench.gpu.name,
            driver: &bench.gpu.driver,
            clock: bench.clock.name(),
            bytes: options.bytes.0,
            runs: bench.runs,
        };
        let page = report::page(&setting, rows);
        std::fs::write(path, page).map_err(|e| Failure::disk(path, e))?;
    }
    Ok(())
}
