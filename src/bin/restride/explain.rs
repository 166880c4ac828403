//! `restride explain`: the plan of a copy in words, and the memory traffic that a GPU will see from it.

use crate::arguments::{Explain, Text};
use crate::copy::{self, Viewed};
use crate::device;
use crate::failure::Failure;
use crate::files::Input;
use crate::formats::{Hints, Kind, shape_text};
use crate::run::{self, options};
use crate::write;
use restride::plan::Limits;
use restride::view::{Stage, View};
use restride::{DType, Layout, cpu};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A tensor of which only the header matters.
struct Tensor {
    kind: Kind,
    layout: Layout,
    bytes: u64,
}

pub(crate) fn run(arguments: &Explain) -> Result<(), Failure> {
    let paths = [&arguments.input, &arguments.base];
    let files: Vec<&Path> = paths.into_iter().flatten().map(PathBuf::as_path).collect();
    if arguments.input.is_some() {
        arguments.source.check(&files)?;
    }
    if let Some(base) = &arguments.base {
        arguments.target.check(&[base])?;
    }
    let hints = arguments.source.hints();
    let source = tensor(
        arguments.input.as_deref(),
        &hints,
        "--dtype and --shape, or IN",
    )?;
    let view = arguments.source.view.clone().unwrap_or_default();
    let viewed = Viewed::new(&view, &source.kind, &source.layout, source.bytes)?;
    let writes = arguments.base.is_some() || arguments.target.base_shape.is_some();
    let place = if writes {
        let hints = arguments.target.hints(&hints);
        let base = tensor(arguments.base.as_deref(), &hints, "--base-shape")?;
        let at = arguments.target.at.clone().unwrap_or_default();
        let place = write::place(&at, base.kind.dtype(), &base.layout, base.bytes)?;
        write::fits(&viewed, &place)?;
        Some((place, base.bytes))
    } else if arguments.target.at.is_some() {
        return Err(Failure::Input("--at needs BASE or --base-shape".to_owned()));
    } else {
        None
    };
    let limits = match &arguments.adapter {
        Some(adapter) => device::choose(adapter)?.map(|chosen| chosen.limits()),
        None => None,
    };
    let options = options(&arguments.planning, limits.unwrap_or(Limits::BASELINE));

    let mut text = format!("source: {} of {}\n", source.kind, source.layout);
    let mut bytes = source.bytes;
    let count = viewed.stages.len();
    for (i, stage) in viewed.stages.iter().enumerate() {
        let last = i + 1 == count;
        let packed =
            Layout::contiguous(stage.layout.shape()).map_err(|e| Failure::Input(e.to_string()))?;
        let packed_bytes = stage.dtype.width().bytes_for(packed.numel());
        let (target, target_bytes) = match &place {
            Some((place, base_bytes)) if last => (&place.layout, *base_bytes),
            _ => (&packed, packed_bytes),
        };
        describe(&mut text, &view, stage, count - i);
        if last && place.is_none() && copy::is_done(stage, bytes) {
            text.push_str("plan: nothing: the copy made before is the result\n");
            break;
        }
        let plan = run::plan(
            stage.dtype.width(),
            (bytes, &stage.layout),
            (target_bytes, target),
            &options,
        )?;
        let to = if last && place.is_some() {
            "into"
        } else {
            "to"
        };
        let _ = writeln!(text, "{to}: {} of {target}", stage.dtype);
        let _ = writeln!(text, "plan: {plan}");
        let _ = writeln!(text, "traffic: {}", cpu::traffic(&plan));
        bytes = packed_bytes;
    }
    crate::print(&text)
}

/// The tensor that a file holds, or that the command line describes.
fn tensor(path: Option<&Path>, hints: &Hints, needed: &str) -> Result<Tensor, Failure> {
    if let Some(path) = path {
        let input = Input::open(path, hints)?;
        return Ok(Tensor {
            kind: input.kind,
            layout: input.layout,
            bytes: input.bytes,
        });
    }
    let (Some(dtype), Some(shape)) = (hints.dtype, &hints.shape) else {
        return Err(Failure::Input(format!("explain needs {needed}")));
    };
    let layout = Layout::contiguous(shape)
        .map_err(|e| Failure::Input(format!("shape {}: {e}", shape_text(shape))))?;
    Ok(Tensor {
        kind: Kind::Named(dtype),
        bytes: DType::width(dtype).bytes_for(layout.numel()),
        layout,
    })
}

/// The lines before a plan: what it copies, and why it does not copy everything.
fn describe(text: &mut String, view: &Text<View>, stage: &Stage, left: usize) {
    if let Some(span) = &stage.cause {
        let step = view.text.get(span.clone()).unwrap_or("").trim();
        let _ = writeln!(text, "then {step}, on the copy made before:");
    }
    if left > 1 {
        let _ = writeln!(
            text,
            "materialised first, as no strides express the reshape that follows:"
        );
    }
    let _ = writeln!(text, "view: {} of {}", stage.dtype, stage.layout);
}
