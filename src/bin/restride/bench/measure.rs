//! One case: planned, timed in turns with what it is measured against, and verified.

use super::case::Case;
use super::contender::Contender;
use super::gpu::{Buffers, Gpu};
use super::kernels::Kernels;
use super::naive::Nest;
use super::row::Row;
use super::timing::{Clock, Samples};
use crate::failure::Failure;
use restride::gpu::{Copier, Prepared, View};
use restride::reference;
use std::time::Duration;

/// What destinations hold before a verification.
const BEFORE: u32 = 0x5eed;

/// What times and verifies cases.
pub(crate) struct Bench<'a> {
    pub(crate) gpu: &'a Gpu,
    pub(crate) kernels: Kernels<'a>,
    pub(crate) clock: Clock<'a>,
    pub(crate) copier: Copier,
    pub(crate) buffers: Buffers,
    /// The runs that are counted.
    pub(crate) runs: usize,
    /// Those of the naive kernel.
    pub(crate) naive_runs: usize,
}

impl Bench<'_> {
    /// Times `case`, with fewer runs where they take longer than `limit`, and verifies it: `small` is the same case of a
    /// size that the reference takes.
    pub(crate) fn measure(
        &self,
        case: &Case,
        small: &Case,
        limit: Option<Duration>,
    ) -> Result<Row, Failure> {
        let (rung, prepared) = self.prepare(case)?;
        let Buffers { src, other, .. } = &self.buffers;
        let bytes = case.bytes().next_multiple_of(4);
        let vec4 = self.kernels.vec4(src, other, bytes)?;
        let nest = nest(case)?;
        let naive = self.kernels.naive(&nest, src, other)?;
        let contenders = [
            (ours(case, &prepared), self.runs),
            (Contender::Native(src, other, bytes), self.runs),
            (Contender::Jobs(&vec4), self.runs),
            (Contender::Jobs(&naive), self.naive_runs),
        ];
        let times = self.clock.time(&contenders, limit)?;
        let best = |k: usize| times.get(k).and_then(Samples::best);
        let median = |k: usize| times.get(k).and_then(Samples::median);
        // A clock may be too coarse for a copy of one element.
        let positive = |time: Option<f64>| time.unwrap_or_default().max(1e-9);
        Ok(Row {
            suite: case.suite,
            case: case.name.clone(),
            dtype: case.dtype.to_string(),
            group: (case.group.bits(), case.group.to_string()),
            shape: case.shape().to_vec(),
            shape_text: case.shape_text(),
            bytes: case.bytes(),
            rung,
            ours: positive(best(0)),
            native: positive(best(1)),
            vec4: positive(best(2)),
            naive: best(3).map(|time| time.max(1e-9)),
            median_share: positive(median(1)) / positive(median(0)),
            verified: self.agrees_with_naive(case, &prepared)?
                && self.agrees_with_reference(small)?,
        })
    }

    /// Our copy of `case` from the source to the destination, and the name of its rung.
    fn prepare(&self, case: &Case) -> Result<(&'static str, Prepared), Failure> {
        let Buffers { src, dst, .. } = &self.buffers;
        let view = |buffer, layout| View {
            buffer,
            dtype: case.dtype,
            layout,
        };
        let (from, to) = (view(src, &case.src), view(dst, &case.dst));
        let plan = if case.in_pass {
            self.copier.plan_in_pass(from, to)
        } else {
            self.copier.plan(from, to)
        };
        let plan = plan.map_err(|e| self.refused(case, &e))?;
        let prepared = self.copier.prepare(&plan, src, dst);
        Ok((
            plan.rung().name(),
            prepared.map_err(|e| self.refused(case, &e))?,
        ))
    }

    fn refused(&self, case: &Case, error: &restride::Error) -> Failure {
        let name = &case.name;
        self.gpu.trouble(format!("{} {name}: {error}", case.suite))
    }

    /// Whether our copy and the naive kernel leave the same bytes, those between the elements too.
    fn agrees_with_naive(&self, case: &Case, prepared: &Prepared) -> Result<bool, Failure> {
        let Buffers { src, dst, other } = &self.buffers;
        let bytes = case.buffer_bytes(&case.dst);
        for buffer in [dst, other] {
            self.kernels.fill(buffer, bytes, BEFORE)?;
        }
        let naive = self.kernels.naive(&nest(case)?, src, other)?;
        let mut encoder = self.gpu.encoder();
        ours(case, prepared).record(&mut encoder)?;
        Contender::Jobs(&naive).record(&mut encoder)?;
        self.gpu.run(encoder)?;
        Ok(self.kernels.differing(dst, other, bytes)? == 0)
    }

    /// Whether the naive kernel, and our copy, leave what the reference does, on a case that is small enough.
    fn agrees_with_reference(&self, case: &Case) -> Result<bool, Failure> {
        let (_, prepared) = self.prepare(case)?;
        if !self.agrees_with_naive(case, &prepared)? {
            return Ok(false);
        }
        let found = self.read_other(case)?;
        self.kernels
            .fill(&self.buffers.other, case.buffer_bytes(&case.dst), BEFORE)?;
        let mut expected = self.read_other(case)?;
        let source = self
            .gpu
            .read(&self.buffers.src, case.buffer_bytes(&case.src))?;
        reference::copy(
            case.dtype.width(),
            &source,
            &case.src,
            &mut expected,
            &case.dst,
        )
        .map_err(|e| self.refused(case, &e))?;
        Ok(found == expected)
    }

    fn read_other(&self, case: &Case) -> Result<Vec<u8>, Failure> {
        self.gpu
            .read(&self.buffers.other, case.buffer_bytes(&case.dst))
    }
}

fn ours<'a>(case: &Case, prepared: &'a Prepared) -> Contender<'a> {
    if case.in_pass {
        Contender::InPass(prepared)
    } else {
        Contender::Prepared(prepared)
    }
}

fn nest(case: &Case) -> Result<Nest, Failure> {
    Nest::new(case)
        .ok_or_else(|| Failure::Input(format!("{} has too many axes to be timed", case.name)))
}
