//! Clocks: timestamps around each contender where the adapter has them, else wall time around each, never both.

use super::contender::Contender;
use super::gpu::Gpu;
use super::options::Timer;
use crate::failure::Failure;
use std::time::{Duration, Instant};

/// The most runs of a case: what a query set holds.
pub(crate) const MAX_RUNS: usize = 256;

/// The rounds that are not counted: they compile, and touch memory first.
const WARM_UPS: usize = 2;

/// The runs that a limit of time leaves.
const LEAST_RUNS: usize = 3;

/// The seconds of a contender's runs, sorted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    fn new(mut seconds: Vec<f64>) -> Self {
        seconds.sort_by(f64::total_cmp);
        Self(seconds)
    }

    /// The shortest run; `None` if there was none.
    pub(crate) fn best(&self) -> Option<f64> {
        self.0.first().copied()
    }

    /// The run in the middle.
    pub(crate) fn median(&self) -> Option<f64> {
        self.0.get(self.0.len() / 2).copied()
    }
}

/// Timestamps and where they arrive.
struct Queries {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Seconds of a tick.
    period: f64,
}

/// Times contenders on one device, all by the same clock.
pub(crate) struct Clock<'a> {
    gpu: &'a Gpu,
    queries: Option<Queries>,
}

impl<'a> Clock<'a> {
    pub(crate) fn new(gpu: &'a Gpu, timer: Timer) -> Self {
        let stamps = timer == Timer::Auto && gpu.has_timestamps();
        let queries = stamps.then(|| {
            let count = 8 * u32::try_from(MAX_RUNS).unwrap_or(1);
            Queries {
                set: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                    label: Some("restride bench"),
                    ty: wgpu::QueryType::Timestamp,
                    count,
                }),
                resolved: gpu.device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("restride bench timestamps"),
                    size: u64::from(count) * 8,
                    usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                    mapped_at_creation: false,
                }),
                period: f64::from(gpu.queue.get_timestamp_period()) * 1e-9,
            }
        });
        Self { gpu, queries }
    }

    /// What the times are of.
    pub(crate) fn name(&self) -> &'static str {
        match self.queries {
            Some(_) => "timestamps around each copy",
            None => "wall time of submit and wait",
        }
    }

    /// Runs each contender its number of times, in turns, each in a submission of its own that is waited for. After
    /// `limit` no further round is begun, once there are enough to choose the best of.
    pub(crate) fn time(
        &self,
        contenders: &[(Contender<'_>, usize)],
        limit: Option<Duration>,
    ) -> Result<Vec<Samples>, Failure> {
        for round in 0..WARM_UPS {
            for (contender, runs) in contenders {
                if *runs > round {
                    let mut encoder = self.gpu.encoder();
                    contender.record(&mut encoder)?;
                    self.gpu.run(encoder)?;
                }
            }
        }
        let rounds = contenders.iter().map(|(_, runs)| *runs).max().unwrap_or(0);
        let mut seconds = vec![Vec::new(); contenders.len()];
        // The contender of each pair of timestamps.
        let mut stamped = Vec::new();
        let begin = Instant::now();
        for round in 0..rounds.min(MAX_RUNS) {
            if round >= LEAST_RUNS && limit.is_some_and(|limit| begin.elapsed() > limit) {
                break;
            }
            for (k, (contender, runs)) in contenders.iter().enumerate() {
                if round >= *runs {
                    continue;
                }
                let mut encoder = self.gpu.encoder();
                let stamp = |encoder: &mut wgpu::CommandEncoder, which: usize| {
                    if let Some(queries) = &self.queries {
                        let index = u32::try_from(2 * stamped.len() + which).unwrap_or(0);
                        encoder.write_timestamp(&queries.set, index);
                    }
                };
                stamp(&mut encoder, 0);
                contender.record(&mut encoder)?;
                stamp(&mut encoder, 1);
                let start = Instant::now();
                self.gpu.run(encoder)?;
                if self.queries.is_some() {
                    stamped.push(k);
                } else {
                    seconds[k].push(start.elapsed().as_secs_f64());
                }
            }
        }
        if let Some(queries) = &self.queries {
            for (k, time) in stamped.iter().zip(self.resolve(queries, stamped.len())?) {
                seconds[*k].push(time);
            }
        }
        Ok(seconds.into_iter().map(Samples::new).collect())
    }

    /// The seconds between each pair of timestamps.
    fn resolve(&self, queries: &Queries, pairs: usize) -> Result<Vec<f64>, Failure> {
        let count = u32::try_from(2 * pairs).unwrap_or(0);
        let mut encoder = self.gpu.encoder();
        encoder.resolve_query_set(&queries.set, 0..count, &queries.resolved, 0);
        self.gpu.run(encoder)?;
        let bytes = self.gpu.read(&queries.resolved, u64::from(count) * 8)?;
        let ticks: Vec<u64> = bytemuck::pod_collect_to_vec(&bytes);
        Ok(ticks
            .chunks_exact(2)
            .map(|pair| pair[1].saturating_sub(pair[0]) as f64 * queries.period)
            .collect())
    }
}
