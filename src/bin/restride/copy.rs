//! `restride copy`: a view of a file's tensor as a file of its own.

use crate::arguments::{Copy, Source, Text};
use crate::buffer::Buffer;
use crate::failure::Failure;
use crate::files::{Input, Output};
use crate::formats::Kind;
use crate::progress::Progress;
use crate::run::Runner;
use restride::view::{Op, Stage, View};
use restride::{Error, Layout};
use std::path::Path;

/// The tensor's name in a .safetensors file that is made from another format.
const NAME: &str = "tensor";

pub(crate) fn run(arguments: &Copy) -> Result<(), Failure> {
    let files = [arguments.input.as_path(), &arguments.output];
    arguments.source.check(&files)?;
    let (mut input, viewed) = open(&arguments.input, &arguments.source)?;
    let output = Output::new(&arguments.output)?;
    let name = input
        .name
        .clone()
        .or_else(|| arguments.source.tensor.clone());
    let form = output.form(
        &viewed.kind,
        viewed.shape(),
        name.as_deref().unwrap_or(NAME),
    )?;
    let runner = Runner::new(&arguments.execution)?;

    let progress = Progress::new();
    progress.expect(input.bytes + viewed.bytes() + viewed.last_bytes());
    progress.phase("reading");
    let source = input.load(&progress)?;
    let data = viewed.materialise(source, &runner, &progress)?;
    output.save(&form, data.bytes(), &progress)
}

/// A view of a tensor: a chain of strided views, each but the last to be materialised.
pub(crate) struct Viewed {
    /// The elements of the result.
    pub(crate) kind: Kind,
    /// The chain, of at least one.
    pub(crate) stages: Vec<Stage>,
}

impl Viewed {
    /// The view of `kind` elements that `view` describes.
    pub(crate) fn new(
        view: &Text<View>,
        kind: &Kind,
        layout: &Layout,
        bytes: u64,
    ) -> Result<Self, Failure> {
        let stages = view
            .value
            .stages(kind.dtype(), layout, bytes)
            .map_err(|e| refuse("--view", &view.text, &e))?;
        let kind = recast(&view.value, kind, stages.last().map(|stage| stage.dtype));
        Ok(Self { kind, stages })
    }

    /// The result's shape.
    pub(crate) fn shape(&self) -> &[u64] {
        self.stages.last().map_or(&[], |stage| stage.layout.shape())
    }

    /// The bytes of all stages, materialised.
    pub(crate) fn bytes(&self) -> u64 {
        self.stages
            .iter()
            .map(stage_bytes)
            .fold(0, u64::saturating_add)
    }

    /// The bytes of the result.
    pub(crate) fn last_bytes(&self) -> u64 {
        self.stages.last().map_or(0, stage_bytes)
    }

    /// The stages before the last, one copy each: the buffer that the last one is a view of.
    pub(crate) fn prepare(
        &self,
        source: Buffer,
        runner: &Runner,
        progress: &Progress,
    ) -> Result<Buffer, Failure> {
        let before = self
            .stages
            .split_last()
            .map_or(&[][..], |(_, before)| before);
        before.iter().try_fold(source, |source, stage| {
            materialise(stage, &source, runner, progress)
        })
    }

    /// The result in C order.
    pub(crate) fn materialise(
        &self,
        source: Buffer,
        runner: &Runner,
        progress: &Progress,
    ) -> Result<Buffer, Failure> {
        let source = self.prepare(source, runner, progress)?;
        let bytes = source.bytes().len() as u64;
        match self.stages.last() {
            Some(last) if !is_done(last, bytes) => materialise(last, &source, runner, progress),
            _ => Ok(source),
        }
    }
}

/// Whether a stage is, in C order from the first bit to the last, the copy of `bytes` that was made for it.
pub(crate) fn is_done(stage: &Stage, bytes: u64) -> bool {
    stage.cause.is_some()
        && stage.layout.is_contiguous()
        && stage.layout.offset() == 0
        && stage_bytes(stage) == bytes
}

/// Opens IN and the view of it that the command line describes.
pub(crate) fn open(path: &Path, source: &Source) -> Result<(Input, Viewed), Failure> {
    let hints = source.hints();
    let input = Input::open(path, &hints)?;
    let view = source.view.clone().unwrap_or_default();
    let viewed = Viewed::new(&view, &input.kind, &input.layout, input.bytes)?;
    Ok((input, viewed))
}

/// What elements are called after a view: a bitcast gives them a type of the table, all else leaves them as they are.
pub(crate) fn recast(view: &View, kind: &Kind, last: Option<restride::DType>) -> Kind {
    let casts = view
        .steps()
        .iter()
        .any(|step| matches!(step.op, Op::Bitcast(_)));
    match last {
        Some(dtype) if casts => Kind::Named(dtype),
        _ => kind.clone(),
    }
}

/// The refusal of a view.
pub(crate) fn refuse(argument: &str, text: &str, error: &Error) -> Failure {
    Failure::Input(format!("{argument} '{text}': {error}"))
}

/// A stage's elements in C order, in a buffer of their own.
pub(crate) fn materialise(
    stage: &Stage,
    source: &Buffer,
    runner: &Runner,
    progress: &Progress,
) -> Result<Buffer, Failure> {
    let mut result = Buffer::zeros(stage_bytes(stage))?;
    let packed =
        Layout::contiguous(stage.layout.shape()).map_err(|e| Failure::Input(e.to_string()))?;
    let width = stage.dtype.width();
    runner.copy(
        width,
        (source, &stage.layout),
        (&mut result, &packed),
        progress,
    )?;
    progress.advance(stage_bytes(stage));
    Ok(result)
}

fn stage_bytes(stage: &Stage) -> u64 {
    stage.dtype.width().bytes_for(stage.layout.numel())
}
