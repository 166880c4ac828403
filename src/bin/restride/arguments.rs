//! The command line as clap reads it.

use crate::failure::Failure;
use crate::formats::Hints;
use clap::{Args, Parser, Subcommand, ValueEnum};
use restride::plan::{Limits, Rung};
use restride::{DType, Layout, view::View};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Copies strided views of tensors in files, bit for bit, on the GPU.
#[derive(Debug, Parser)]
#[command(name = "restride", version, arg_required_else_help = true, after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const AFTER_HELP: &str = "\
Files are read and written by extension: .npy, .safetensors, .png, .bin. Bits are moved, never converted.

Views are written like NumPy's, and chained:
  [2:5, ::-1, ..., None, 3]                slices, indices, new axes
  .T  .permute(0,2,1)  .swap(0,1)          axes in another order
  .reshape(2,-1)  .squeeze()  .unsqueeze(0)
  .broadcast(4,3)  .flip(0)
  .window(axis,size,step,dilation)         sliding windows, the new axis last
  .as_strided((3,2),(1,3),offset)          strides and offset in elements
  .bitcast(uint4)                          the same bits as another type

Exit codes: 0 done, 1 --verify found a difference, 2 bad input, 3 device or disk trouble.

Examples:
  restride copy x.npy y.npy --view '.T'
  restride copy photo.png planes.npy --view '.permute(2,0,1)'
  restride write rows.npy cache.npy new.npy --at '[:, 7]'
  restride explain --dtype uint4 --shape 4096,4096 --view '.T'";

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Copy(Copy),
    Write(Write),
    Explain(Explain),
    Bench(crate::bench::Options),
    /// List the adapters with their limits and features.
    Adapters,
}

/// Save view V of IN as OUT, in C order.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  restride copy x.npy y.npy --view '[::2, ::-1]'
  restride copy model.safetensors w.safetensors --tensor layer.0.weight --view '.T'
  restride copy w.bin t.bin --dtype uint4 --shape 128,64 --view '.T' --verify")]
pub(crate) struct Copy {
    /// The file to read.
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// The file to write: beside its place first, then renamed.
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) execution: Execution,
}

/// Save BASE as OUT, with view V of IN in the place of its view W.
///
/// V and W have one shape and one width. W must not repeat an element, and nothing in it is materialised in between. What W
/// does not cover stays as it is in BASE, other tensors of a .safetensors file too.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  restride write row.npy cache.npy new.npy --at '[:, 7]'
  restride write tile.png photo.png out.png --at '[100:164, 200:264]'
  restride write a.bin b.bin c.bin --dtype bits(12) --shape 8 --base-shape 3,8 --at '[1]'")]
pub(crate) struct Write {
    /// The file to read.
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// The file to start from; it is not changed.
    #[arg(value_name = "BASE")]
    pub(crate) base: PathBuf,
    /// The file to write: beside its place first, then renamed.
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) target: Target,
    #[command(flatten)]
    pub(crate) execution: Execution,
}

/// Print the plan of a copy, and the reason for it.
///
/// Needs only --dtype, --shape and --view, and no device: plans are made for the WebGPU baseline unless --adapter names one.
/// With BASE or --base-shape it is the plan of a write.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  restride explain --dtype uint8 --shape 1080,1920,3 --view '.permute(2,0,1)'
  restride explain --dtype float16 --shape 8,128 --base-shape 8,512,128 --at '[:, 7]'
  restride explain x.npy --view '.T.reshape(-1)' --limits tiny")]
pub(crate) struct Explain {
    /// The file whose view is copied, in place of --dtype and --shape.
    #[arg(value_name = "IN")]
    pub(crate) input: Option<PathBuf>,
    /// The file that is written into, in place of --base-shape.
    #[arg(value_name = "BASE")]
    pub(crate) base: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) source: Source,
    #[command(flatten)]
    pub(crate) target: Target,
    /// Plan for this adapter's limits: auto, cpu, its index, or a part of its name.
    #[arg(long, value_name = "A")]
    pub(crate) adapter: Option<Adapter>,
    #[command(flatten)]
    pub(crate) planning: Planning,
}

/// What is read.
#[derive(Debug, Args)]
pub(crate) struct Source {
    /// The view of IN that is copied.
    #[arg(long, value_name = "V", allow_hyphen_values = true)]
    pub(crate) view: Option<Text<View>>,
    /// The dtype of a .bin file: uint4, float32, bits(12), ...
    #[arg(long, value_name = "D")]
    pub(crate) dtype: Option<DType>,
    /// The shape of a .bin file: 3,5, or () for a scalar.
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) shape: Option<Shape>,
    /// The tensor of a .safetensors file; not needed if it has only one.
    #[arg(long, value_name = "NAME")]
    pub(crate) tensor: Option<String>,
}

impl Source {
    /// Refuses what is said of files that are not there.
    pub(crate) fn check(&self, files: &[&Path]) -> Result<(), Failure> {
        needed("--dtype", self.dtype.is_some(), "bin", files)?;
        needed("--shape", self.shape.is_some(), "bin", files)?;
        needed("--tensor", self.tensor.is_some(), "safetensors", files)
    }

    /// What this says of IN.
    pub(crate) fn hints(&self) -> Hints {
        Hints {
            dtype: self.dtype,
            shape: self.shape.clone().map(|shape| shape.0),
            tensor: self.tensor.clone(),
        }
    }
}

/// What is written into.
#[derive(Debug, Args)]
pub(crate) struct Target {
    /// The view of BASE that is overwritten.
    #[arg(long, value_name = "W", allow_hyphen_values = true)]
    pub(crate) at: Option<Text<View>>,
    /// The dtype of a .bin BASE; --dtype if left out.
    #[arg(long, value_name = "D")]
    pub(crate) base_dtype: Option<DType>,
    /// The shape of a .bin BASE; --shape if left out.
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) base_shape: Option<Shape>,
    /// The tensor of a .safetensors BASE; --tensor if left out.
    #[arg(long, value_name = "NAME")]
    pub(crate) base_tensor: Option<String>,
}

impl Target {
    /// Refuses what is said of another BASE than there is.
    pub(crate) fn check(&self, base: &[&Path]) -> Result<(), Failure> {
        needed("--base-dtype", self.base_dtype.is_some(), "bin", base)?;
        needed("--base-shape", self.base_shape.is_some(), "bin", base)?;
        needed(
            "--base-tensor",
            self.base_tensor.is_some(),
            "safetensors",
            base,
        )
    }

    /// What this, or else `source`, says of BASE.
    pub(crate) fn hints(&self, source: &Hints) -> Hints {
        let shape = self.base_shape.clone().map(|shape| shape.0);
        Hints {
            dtype: self.base_dtype.or(source.dtype),
            shape: shape.or_else(|| source.shape.clone()),
            tensor: self.base_tensor.clone().or_else(|| source.tensor.clone()),
        }
    }
}

/// Refuses an argument that would be passed over: it would seem to convert, and nothing does.
fn needed(argument: &str, given: bool, extension: &str, files: &[&Path]) -> Result<(), Failure> {
    let described = |file: &&Path| {
        file.extension()
            .is_some_and(|e| e.eq_ignore_ascii_case(extension))
    };
    if given && !files.iter().any(described) {
        return Err(Failure::Input(format!(
            "{argument} describes a .{extension} file, and none is given: other files say it themselves, and bits are not converted"
        )));
    }
    Ok(())
}

/// How to run.
#[derive(Debug, Args)]
pub(crate) struct Execution {
    /// Where to run: auto (the best GPU, else any adapter, else the CPU), cpu, an adapter's index, or a part of its name.
    #[arg(long, value_name = "A", default_value = "auto")]
    pub(crate) adapter: Adapter,
    /// Compare the result with the reference copy on the CPU; exit code 1 if they differ.
    #[arg(long)]
    pub(crate) verify: bool,
    #[command(flatten)]
    pub(crate) planning: Planning,
}

/// How to plan.
#[derive(Debug, Args)]
pub(crate) struct Planning {
    /// Use this rung of the planner's ladder: native, rows, gather, scatter.
    #[arg(long, value_name = "NAME")]
    pub(crate) rung: Option<Rung>,
    /// Plan under smaller limits than the device's.
    #[arg(long, value_name = "L")]
    pub(crate) limits: Option<LimitsName>,
}

/// Limits that have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LimitsName {
    /// What every browser grants.
    Baseline,
    /// Bindings of 1 KiB, aligned to 32 bytes, 7 workgroups a dimension.
    Tiny,
}

impl LimitsName {
    /// The limits.
    pub(crate) fn limits(self) -> Limits {
        match self {
            Self::Baseline => Limits::BASELINE,
            Self::Tiny => Limits::TINY,
        }
    }
}

/// An adapter, as asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Adapter {
    Auto,
    Cpu,
    Index(usize),
    Name(String),
}

impl FromStr for Adapter {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "auto" => Self::Auto,
            "cpu" => Self::Cpu,
            _ => text
                .parse()
                .map_or_else(|_| Self::Name(text.to_owned()), Self::Index),
        })
    }
}

/// A value with the text that it was read from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text<T> {
    pub(crate) text: String,
    pub(crate) value: T,
}

impl<T: FromStr> FromStr for Text<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        Ok(Self {
            text: text.to_owned(),
            value: text.parse()?,
        })
    }
}

/// A shape: `3,5`, or `()` for a scalar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape(pub(crate) Vec<u64>);

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
        let (list, scalar) = (
            inner.unwrap_or(text),
            inner.is_some_and(|t| t.trim().is_empty()),
        );
        if scalar {
            return Ok(Self(Vec::new()));
        }
        let list = list.strip_suffix(',').unwrap_or(list);
        let extent = |text: &str| {
            text.trim()
                .parse::<u64>()
                .map_err(|_| format!("{:?} is no extent of at least 0 within 64 bits; a shape is written 3,5, a scalar ()", text.trim()))
        };
        let shape: Vec<u64> = list.split(',').map(extent).collect::<Result<_, _>>()?;
        Layout::contiguous(&shape).map_err(|e| e.to_string())?;
        Ok(Self(shape))
    }
}
