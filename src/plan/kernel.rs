//! The kernels, the pipelines made of them, and what each needs to be right.

use std::fmt;

/// Classes of axis counts, `(lane, grid)`: few pipelines, whose loops have constant bounds.
pub(crate) const AXIS_CLASSES: [(usize, usize); 3] = [(0, 2), (2, 4), (8, 34)];

/// Classes of the axes of a row.
pub(crate) const RUN_CLASSES: [usize; 2] = [1, 8];

/// `(lanes, items)` of a workgroup: small ones waste fewer lanes on short or ragged axes, full ones of several items
/// amortise the decoding of their place.
pub(crate) const WORKGROUPS: [(u32, u32); 2] = [(64, 1), (256, 4)];

/// One WGSL kernel: `shaders/<name>.wgsl`, with a twin in `src/cpu/<name>.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kernel {
    /// One unit of 32, 64 or 128 bits per item.
    Words,
    /// One destination word per item, funnel-shifted from a source run of units below a word.
    Rows,
    /// One destination word per item, built from its units below a word.
    Gather,
    /// One unit below a word per item.
    Scatter,
}

/// How the two sides are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Access {
    /// Two buffers: a read-only source and a destination.
    Two,
    /// Two disjoint windows of one buffer, both bound read-write, as one dispatch may use a buffer in one way alone.
    TwoWritable,
    /// One window of one buffer, read and written through the destination's binding.
    One,
}

/// How destination words are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Store {
    /// Plain loads and stores: each word has one owner.
    Plain,
    /// Atomic: several invocations may own bits of one word.
    Atomic,
}

/// Which words of a row a dispatch writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Part {
    /// Every word; one that a row covers in part is merged by its one owner.
    Whole,
    /// Words that the row covers whole.
    Interior,
    /// Words that the row covers in part: its first and its last.
    Edges,
}

/// A compute pipeline as data: a shader module and the constants that specialise it.
///
/// Two dispatches with one program share a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Program {
    /// The kernel.
    pub kernel: Kernel,
    /// How the two sides are bound.
    pub access: Access,
    /// How destination words are written.
    pub store: Store,
    /// Bits of one unit: a power of two from 1 to 128.
    pub unit_bits: u32,
    /// Which words of a row are written (rows and gather).
    pub part: Part,
    /// Whether the source run is walked backwards (rows).
    pub reversed: bool,
    /// Invocations of a workgroup.
    pub lanes: u32,
    /// Items per invocation.
    pub items: u32,
    /// Axes that lie whole in a workgroup, at most: 0, 2 or 8.
    pub lane_axes: u32,
    /// Axes decoded from the workgroup's number, at most: 2, 4 or 34.
    pub grid_axes: u32,
    /// Axes of a destination run, decoded for each word (gather), at most: 1 or 8.
    pub run_axes: u32,
}

/// Override constants of one program: names that its module declares, with their values.
pub type Constants = Vec<(&'static str, f64)>;

impl Program {
    /// Every program that a plan names under limits of at least 256 invocations a workgroup.
    ///
    /// Under smaller limits, workgroups have fewer lanes; all else is the same.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for (lanes, items) in WORKGROUPS {
            for (lane_axes, grid_axes) in AXIS_CLASSES {
                for access in [Access::Two, Access::TwoWritable, Access::One] {
                    let base = Self {
                        kernel: Kernel::Words,
                        access,
                        store: Store::Plain,
                        unit_bits: 32,
                        part: Part::Whole,
                        reversed: false,
                        lanes,
                        items,
                        lane_axes: short(lane_axes),
                        grid_axes: short(grid_axes),
                        run_axes: 1,
                    };
                    all.extend([32, 64, 128].map(|unit_bits| Self { unit_bits, ..base }));
                    for unit_bits in [1, 2, 4, 8, 16] {
                        base.below_a_word(unit_bits, &mut all);
                    }
                }
            }
        }
        all
    }

    /// The programs for units of `unit_bits`, below a word, that share this one's access and axes.
    fn below_a_word(self, unit_bits: u32, all: &mut Vec<Self>) {
        for store in [Store::Plain, Store::Atomic] {
            all.push(Self {
                kernel: Kernel::Scatter,
                store,
                unit_bits,
                ..self
            });
        }
        for (part, store) in [
            (Part::Whole, Store::Plain),
            (Part::Interior, Store::Plain),
            (Part::Edges, Store::Atomic),
        ] {
            let row = Self {
                part,
                store,
                unit_bits,
                ..self
            };
            all.extend([false, true].map(|reversed| Self {
                kernel: Kernel::Rows,
                reversed,
                ..row
            }));
            all.extend(RUN_CLASSES.map(|run| Self {
                kernel: Kernel::Gather,
                run_axes: short(run),
                ..row
            }));
        }
    }

    /// The shader module's WGSL: `shaders/head.wgsl`, the bindings, the kernel.
    ///
    /// Programs that differ in constants alone have one source.
    #[must_use]
    pub fn source(&self) -> String {
        let unit = match self.unit_bits {
            64 => "alias Unit = vec2<u32>;\n",
            128 => "alias Unit = vec4<u32>;\n",
            _ => "alias Unit = u32;\n",
        };
        let bindings = match (self.access, self.store) {
            (Access::Two, Store::Plain) => include_str!("../../shaders/bind/two.wgsl"),
            (Access::Two, Store::Atomic) => include_str!("../../shaders/bind/two_atomic.wgsl"),
            (Access::TwoWritable, Store::Plain) => {
                include_str!("../../shaders/bind/two_writable.wgsl")
            }
            (Access::TwoWritable, Store::Atomic) => {
                include_str!("../../shaders/bind/two_writable_atomic.wgsl")
            }
            (Access::One, Store::Plain) => include_str!("../../shaders/bind/one.wgsl"),
            (Access::One, Store::Atomic) => include_str!("../../shaders/bind/one_atomic.wgsl"),
        };
        let kernel = match self.kernel {
            Kernel::Words => include_str!("../../shaders/words.wgsl"),
            Kernel::Rows => include_str!("../../shaders/rows.wgsl"),
            Kernel::Gather => include_str!("../../shaders/gather.wgsl"),
            Kernel::Scatter => include_str!("../../shaders/scatter.wgsl"),
        };
        [
            unit,
            include_str!("../../shaders/head.wgsl"),
            bindings,
            kernel,
        ]
        .concat()
    }

    /// A key of [`source`](Self::source): programs with equal keys have one source.
    #[must_use]
    pub fn module(&self) -> Self {
        Self {
            unit_bits: self.unit_bits.max(32),
            part: Part::Whole,
            reversed: false,
            lanes: 0,
            items: 0,
            lane_axes: 0,
            grid_axes: 0,
            run_axes: 0,
            ..*self
        }
    }

    /// The override constants, exactly those that the module declares.
    #[must_use]
    pub fn constants(&self) -> Constants {
        let mut constants = vec![
            ("LANES", self.lanes.into()),
            ("ITEMS", self.items.into()),
            ("LANE_AXES", self.lane_axes.into()),
            ("GRID_AXES", self.grid_axes.into()),
        ];
        let bits = self.unit_bits;
        let unit_log2 = ("UNIT_LOG2", bits.trailing_zeros().into());
        let unit_mask = ("UNIT_MASK", f64::from(unit_mask(bits)));
        let part = match self.part {
            Part::Whole => 0.0,
            Part::Interior => 1.0,
            Part::Edges => 2.0,
        };
        match self.kernel {
            Kernel::Words => {}
            Kernel::Rows => constants.extend([
                unit_log2,
                ("PART", part),
                ("REVERSED", u32::from(self.reversed).into()),
            ]),
            Kernel::Gather => constants.extend([
                unit_log2,
                unit_mask,
                ("PART", part),
                ("RUN_AXES", self.run_axes.into()),
            ]),
            Kernel::Scatter => constants.push(unit_mask),
        }
        constants
    }
}

/// A label for people: the kernel, the unit and what sets the program apart.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kernel = match self.kernel {
            Kernel::Words => "words",
            Kernel::Rows => "rows",
            Kernel::Gather => "gather",
            Kernel::Scatter => "scatter",
        };
        write!(f, "restride::{kernel}[{}", self.unit_bits)?;
        match self.part {
            Part::Whole => {}
            Part::Interior => f.write_str(" interior")?,
            Part::Edges => f.write_str(" edges")?,
        }
        if self.reversed {
            f.write_str(" reversed")?;
        }
        match self.access {
            Access::Two => {}
            Access::TwoWritable => f.write_str(" two-writable")?,
            Access::One => f.write_str(" one-buffer")?,
        }
        if self.store == Store::Atomic {
            f.write_str(" atomic")?;
        }
        write!(
            f,
            " {}x{} axes {}+{}+{}]",
            self.lanes, self.items, self.lane_axes, self.grid_axes, self.run_axes
        )
    }
}

/// A count of axes as a shader constant.
pub(crate) fn short(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The low `bits` bits of a word; all of it from 32 bits on.
pub(crate) const fn unit_mask(bits: u32) -> u32 {
    if bits >= 32 {
        u32::MAX
    } else {
        (1 << bits) - 1
    }
}
