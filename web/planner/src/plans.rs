//! Copies as JavaScript states them.
//!
//! The numbers are: 1 if both views are in one buffer; 1 if the plan is for an open pass; the eight limits in the order of
//! [`Limits`]; the most steps; then for the source and for the destination the buffer's bytes, 1 if it may be bound as storage, 1
//! if it may take part in native copies, and the layout. The lines of the text are the two dtypes, the rung to force or nothing,
//! and the rungs to leave out, with commas between.

use restride::plan::{Limits, Operand, Options, Plan, Problem, RungSet};
use restride::{DType, Error, Layout};

use crate::Numbers;
use crate::errors::Failure;
use crate::layouts::layout;

struct Side {
    buffer_bytes: u64,
    storage: bool,
    copy: bool,
    layout: Layout,
}

impl Side {
    fn read(numbers: &mut Numbers<'_>, name: &'static str) -> Result<Self, Failure> {
        Ok(Self {
            buffer_bytes: numbers.unsigned(),
            storage: numbers.unsigned() != 0,
            copy: numbers.unsigned() != 0,
            layout: layout(numbers).map_err(|error| Failure::of(error, name))?,
        })
    }

    fn operand(&self) -> Operand<'_> {
        Operand {
            layout: &self.layout,
            buffer_bytes: self.buffer_bytes,
            storage: self.storage,
            copy: self.copy,
        }
    }
}

/// The plan of the copy that the input states.
pub fn plan(numbers: &mut Numbers<'_>, text: &str) -> Result<Plan, Failure> {
    let one_buffer = numbers.unsigned() != 0;
    let in_pass = numbers.unsigned() != 0;
    let limits = Limits {
        binding_bytes: numbers.unsigned(),
        alignment_bytes: numbers.unsigned(),
        uniform_alignment_bytes: numbers.unsigned(),
        uniform_bytes: numbers.unsigned(),
        buffer_bytes: numbers.unsigned(),
        groups: numbers.small(),
        invocations: numbers.small(),
        group_size_x: numbers.small(),
    };
    let max_steps = numbers.unsigned();
    let max_scratch_bytes = numbers.unsigned();
    let mut lines = text.split(['\n']);
    let mut line = || lines.next().unwrap_or_default();
    let mut dtype = |name| {
        let parsed = line().parse::<DType>();
        parsed.map_err(|error| Failure::of(error, name))
    };
    let (src_dtype, dst_dtype) = (dtype("src")?, dtype("dst")?);
    let force = Some(line()).filter(|name| !name.is_empty());
    let force = force.map(str::parse).transpose()?;
    let mut without = RungSet::EMPTY;
    for name in line().split([',']).filter(|name| !name.is_empty()) {
        without = without.with(name.parse()?);
    }
    let src = Side::read(numbers, "src")?;
    let dst = Side::read(numbers, "dst")?;
    let (left, right) = (src_dtype.bits(), dst_dtype.bits());
    if left != right {
        return Err(Error::UnlikeWidths { left, right }.into());
    }
    let problem = Problem {
        width: src_dtype.width(),
        src: src.operand(),
        dst: dst.operand(),
        one_buffer,
        in_pass,
    };
    let options = Options {
        limits,
        force,
        without,
        max_steps,
        max_scratch_bytes,
    };
    Ok(Plan::new(&problem, &options)?)
}
