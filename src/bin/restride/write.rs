//! `restride write`: a view of one tensor into a view of another.

use crate::arguments::{Text, Write};
use crate::buffer::Buffer;
use crate::copy::{self, Viewed};
use crate::failure::Failure;
use crate::files::{Input, Output};
use crate::formats::{Format, Kind, shape_text};
use crate::progress::Progress;
use crate::run::Runner;
use restride::view::{Stage, View};
use restride::{DType, Layout};

/// The tensor's name in a .safetensors file that is made from another format.
const NAME: &str = "tensor";

pub(crate) fn run(arguments: &Write) -> Result<(), Failure> {
    let (base, output) = (arguments.base.as_path(), arguments.output.as_path());
    arguments.source.check(&[&arguments.input, base, output])?;
    arguments.target.check(&[base])?;
    let (mut input, viewed) = copy::open(&arguments.input, &arguments.source)?;
    let hints = arguments.target.hints(&arguments.source.hints());
    let mut base = Input::open(&arguments.base, &hints)?;
    let at = arguments.target.at.clone().unwrap_or_default();
    let place = place(&at, base.kind.dtype(), &base.layout, base.bytes)?;
    fits(&viewed, &place)?;
    let output = Output::new(&arguments.output)?;
    // A file of the same format keeps all that surrounds the data; another one is made from the whole tensor.
    let whole = Stage {
        dtype: base.kind.dtype(),
        layout: base.layout.clone(),
        cause: None,
    };
    let form = if output.takes_after(&base) {
        None
    } else {
        let name = base.name.clone().unwrap_or_else(|| NAME.to_owned());
        Some(output.form(&base.kind, base.layout.shape(), &name)?)
    };
    let runner = Runner::new(&arguments.execution)?;

    let progress = Progress::new();
    progress.expect(input.bytes + viewed.bytes() + 2 * base.bytes);
    progress.phase("reading");
    let source = input.load(&progress)?;
    let mut target = base.load(&progress)?;
    let source = viewed.prepare(source, &runner, &progress)?;
    if let Some(last) = viewed.stages.last() {
        runner.copy(
            place.dtype.width(),
            (&source, &last.layout),
            (&mut target, &place.layout),
            &progress,
        )?;
        progress.advance(viewed.last_bytes());
    }
    let Some(form) = form else {
        if base.format == Format::Bin {
            clear_spare_bits(&mut target, &base.kind, &base.layout);
        }
        return output.splice(&mut base, target.bytes(), &progress);
    };
    let data = if base.layout.is_contiguous() {
        clear_spare_bits(&mut target, &base.kind, &base.layout);
        target
    } else {
        copy::materialise(&whole, &target, &runner, &progress)?
    };
    output.save(&form, data.bytes(), &progress)
}

/// The view of BASE that is written; it is one strided view of BASE itself, or the writing would be lost.
pub(crate) fn place(
    at: &Text<View>,
    dtype: DType,
    layout: &Layout,
    bytes: u64,
) -> Result<Stage, Failure> {
    let (dtype, layout) = at
        .value
        .apply(dtype, layout, bytes)
        .map_err(|e| copy::refuse("--at", &at.text, &e))?;
    if !layout.is_distinct() {
        return Err(copy::refuse(
            "--at",
            &at.text,
            &restride::Error::NotDistinct,
        ));
    }
    Ok(Stage {
        dtype,
        layout,
        cause: None,
    })
}

/// Refuses two views between which nothing can be copied.
pub(crate) fn fits(viewed: &Viewed, place: &Stage) -> Result<(), Failure> {
    let (from, to) = (viewed.kind.dtype().width(), place.dtype.width());
    if from != to {
        return Err(Failure::Input(format!(
            "IN's view has elements of {from} bits ({}), BASE's of {to} ({}): bits are not converted",
            viewed.kind, place.dtype
        )));
    }
    let shapes = (viewed.shape(), place.layout.shape());
    if shapes.0 != shapes.1 {
        return Err(Failure::Input(format!(
            "IN's view has shape {}, BASE's {}",
            shape_text(shapes.0),
            shape_text(shapes.1)
        )));
    }
    Ok(())
}

/// Zeros in the last byte's bits that no element has, as the format has them.
fn clear_spare_bits(data: &mut Buffer, kind: &Kind, layout: &Layout) {
    // At most 2^53 elements of at most 2^7 bits.
    let used = (layout.numel() * u64::from(kind.dtype().bits())) % 8;
    if let Some(last) = data.bytes_mut().last_mut()
        && used > 0
    {
        *last &= (1 << used) - 1;
    }
}
