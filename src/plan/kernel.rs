//! The kernels, the pipelines made of them, and what each needs to be right.

use std::fmt::{self, Write};

use super::wgsl::wgsl;

/// Classes of axis counts, `(lane, grid)`: few pipelines, whose loops have constant bounds.
pub(crate) const AXIS_CLASSES: [(usize, usize); 3] = [(2, 4), (2, 34), (8, 34)];

/// Classes of the axes of a row.
pub(crate) const RUN_CLASSES: [usize; 3] = [1, 3, 8];

/// The same where the first of them is fetched at once.
pub(crate) const WEAVE_CLASSES: [usize; 3] = [2, 3, 8];

/// `(lanes, items)` of a workgroup: small ones waste fewer lanes on short or ragged axes, full ones of several items
/// amortise the decoding of their place.
pub(crate) const WORKGROUPS: [(u32, u32); 2] = [(64, 1), (256, 4)];

/// Items of the fullest workgroups of `Words`, whose items are the cheapest.
pub(crate) const WORD_ITEMS: u32 = 8;

/// Blocks of a workgroup: a square of lanes, so that neighbours fill whole memory sectors on both sides.
pub(crate) const BLOCK_LANES: u32 = 64;

/// The smallest class with `lane` and `grid` axes.
pub(crate) fn axis_class(lane: usize, grid: usize) -> (usize, usize) {
    let fits = |class: &(usize, usize)| class.0 >= lane && class.1 >= grid;
    AXIS_CLASSES
        .into_iter()
        .find(fits)
        .unwrap_or(AXIS_CLASSES[2])
}

/// One WGSL kernel: `shaders/<name>.wgsl`, with a twin in `src/cpu/<name>.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kernel {
    /// One unit of 32, 64 or 128 bits per item.
    Words,
    /// One destination word per item, funnel-shifted from a source run of units below a word.
    Rows,
    /// Two 16-byte units of a destination row per item, shifted out of a source run of units of at most a word.
    Quads,
    /// One destination word per item, built from its units of at most a word.
    Gather,
    /// One unit below a word per item.
    Scatter,
    /// One square of units per item, turned in registers: `shaders/blocks/<unit's bits>.wgsl`. Of [`Part::Interior`] where its
    /// rows start within words, which are then shifted.
    Blocks,
    /// One 16-byte unit of a destination row per item, built from its units of 8 to 32 bits.
    Pack,
    /// One 16-byte unit of a destination row per item, built from runs of at most 32 bits: elements of 6 or 24 bits, say.
    Weave,
    /// As many elements of three units per item as a chunk has units, taken apart: each unit goes to a row of its own.
    Deinterleave,
    /// The same put together: each unit comes from a row of its own.
    Interleave,
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
    /// 16-byte units that the row covers whole.
    Quads,
    /// Words of the 16-byte units that the row covers in part: its first and its last.
    QuadEdges,
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
    /// Bits of one unit: a power of two from 1 to 128; for blocks also 6, 12, 24 and 48.
    pub unit_bits: u32,
    /// Which words of a row are written (rows, gather and blocks).
    pub part: Part,
    /// Whether the source run is walked backwards (rows).
    pub reversed: bool,
    /// Whether the source is read by whole chunks, not word by word (blocks, deinterleave and interleave).
    pub wide_src: bool,
    /// Whether the destination is written by whole chunks, not word by word (the same).
    pub wide_dst: bool,
    /// Invocations of a workgroup.
    pub lanes: u32,
    /// Items per invocation.
    pub items: u32,
    /// Axes that lie whole in a workgroup, at most: 2 or 8.
    pub lane_axes: u32,
    /// Axes decoded from the workgroup's number, at most: 4 or 34.
    pub grid_axes: u32,
    /// Axes of a destination run, decoded for each word (gather, pack and weave), at most: 1 to 3, or 8.
    pub run_axes: u32,
}

/// Override constants of one program: names that its module declares, with their values.
pub type Constants = Vec<(&'static str, f64)>;

impl Program {
    /// Words that a block reads or writes of a row at once.
    pub(crate) fn chunk_words(&self) -> u32 {
        chunk_words(self.unit_bits)
    }

    /// Rows and columns of a block: the units of a chunk.
    pub(crate) fn block_side(&self) -> u32 {
        block_side(self.unit_bits)
    }

    /// Whether chunks of blocks are read and written, not words or units.
    fn in_chunks(&self) -> bool {
        matches!(
            self.kernel,
            Kernel::Blocks | Kernel::Deinterleave | Kernel::Interleave
        )
    }

    /// Whether rows of blocks start at any bit of a word: their addresses count bits, and only whole words are written.
    pub(crate) fn shifts(&self) -> bool {
        self.in_chunks() && self.part == Part::Interior
    }

    /// Rows that a block reads beyond its own, and columns: a row's first whole word starts at most so many units behind the row.
    pub(crate) fn more(&self) -> [u32; 2] {
        let more = if self.shifts() {
            let starts = self.unit_bits & self.unit_bits.wrapping_neg();
            (32 - starts).div_ceil(self.unit_bits)
        } else {
            0
        };
        match self.kernel {
            Kernel::Interleave => [0, more],
            _ => [more, 0],
        }
    }

    /// The shader module's WGSL: `shaders/head.wgsl`, the bindings, the kernel.
    ///
    /// Programs that differ in constants alone have one source.
    #[must_use]
    pub fn source(&self) -> String {
        let mut source = String::with_capacity(24 << 10);
        source.push_str(&self.declarations());
        source.push_str(wgsl!("head.wgsl"));
        for piece in self.pieces() {
            source.push_str(piece);
        }
        source
    }

    /// The module's first lines: its types and its bindings.
    fn declarations(&self) -> String {
        let blocks = self.in_chunks();
        let vector = |words: u32| match words {
            1 => "u32",
            2 => "vec2<u32>",
            _ => "vec4<u32>",
        };
        let (name, words) = match self.kernel {
            _ if blocks => ("Chunk", chunk_words(self.unit_bits)),
            Kernel::Quads | Kernel::Pack | Kernel::Weave => ("Unit", 4),
            _ => ("Unit", self.unit_bits.div_ceil(32)),
        };
        let mut text = format!("alias {name} = {};\n", vector(words));
        if blocks {
            let _ = writeln!(
                text,
                "const CHUNK_WORDS = {words}u;\nconst UNIT_BITS = {}u;",
                self.unit_bits
            );
        }
        let element = |wide: bool| if !blocks || wide { name } else { "u32" };
        let source = match self.access {
            Access::Two => Some("read"),
            Access::TwoWritable => Some("read_write"),
            Access::One => None,
        };
        if let Some(mode) = source {
            let element = if matches!(self.kernel, Kernel::Pack | Kernel::Weave) {
                "u32"
            } else {
                element(self.wide_src)
            };
            let _ = writeln!(
                text,
                "@group(0) @binding(0) var<storage, {mode}> src: array<{element}>;"
            );
        }
        let element = match self.store {
            Store::Plain => element(self.wide_dst),
            Store::Atomic => "atomic<u32>",
        };
        let _ = writeln!(
            text,
            "@group(0) @binding(1) var<storage, read_write> dst: array<{element}>;"
        );
        text
    }

    /// The WGSL after the head: loads, stores, the kernel.
    fn pieces(&self) -> Vec<&'static str> {
        let own = self.access == Access::One;
        if self.in_chunks() {
            return self.block_pieces().to_vec();
        }
        let load = match (own, self.store) {
            _ if matches!(self.kernel, Kernel::Pack | Kernel::Weave) => {
                wgsl!("access/load_word.wgsl")
            }
            (false, _) => wgsl!("access/load.wgsl"),
            (true, Store::Plain) => wgsl!("access/load_own.wgsl"),
            (true, Store::Atomic) => wgsl!("access/load_own_atomic.wgsl"),
        };
        let store = match self.store {
            Store::Plain => wgsl!("access/store.wgsl"),
            Store::Atomic => wgsl!("access/store_atomic.wgsl"),
        };
        let kernel = match self.kernel {
            Kernel::Words => wgsl!("words.wgsl"),
            Kernel::Rows => wgsl!("rows.wgsl"),
            Kernel::Quads => wgsl!("quads.wgsl"),
            Kernel::Gather => wgsl!("gather.wgsl"),
            Kernel::Pack => wgsl!("pack.wgsl"),
            Kernel::Weave => wgsl!("weave.wgsl"),
            _ => wgsl!("scatter.wgsl"),
        };
        let run = match self.kernel {
            Kernel::Gather | Kernel::Pack | Kernel::Weave => wgsl!("access/run.wgsl"),
            _ => "",
        };
        let reverse = match self.kernel {
            Kernel::Rows | Kernel::Quads => wgsl!("access/reverse.wgsl"),
            _ => "",
        };
        let covered = match self.kernel {
            Kernel::Rows | Kernel::Gather => wgsl!("access/covered.wgsl"),
            _ => "",
        };
        vec![
            load,
            store,
            run,
            covered,
            kernel,
            reverse,
            wgsl!("items.wgsl"),
        ]
    }

    fn block_pieces(&self) -> [&'static str; 8] {
        let words = chunk_words(self.unit_bits);
        // Whole chunks are not read word by word.
        let load = match self.access {
            _ if self.wide_src => "",
            Access::One => wgsl!("access/load_own.wgsl"),
            _ => wgsl!("access/load.wgsl"),
        };
        let load_chunk = match (words, self.shifts()) {
            _ if self.wide_src => wgsl!("blocks/load_wide.wgsl"),
            (1, false) => wgsl!("blocks/load1.wgsl"),
            (_, false) => wgsl!("blocks/load4.wgsl"),
            (1, true) => wgsl!("blocks/shift1.wgsl"),
            (_, true) => wgsl!("blocks/shift4.wgsl"),
        };
        let store = match words {
            _ if self.wide_dst => wgsl!("blocks/store_wide.wgsl"),
            1 => wgsl!("blocks/store1.wgsl"),
            _ => wgsl!("blocks/store4.wgsl"),
        };
        let put = match words {
            1 => wgsl!("blocks/put1.wgsl"),
            _ => wgsl!("blocks/put4.wgsl"),
        };
        let put_chunk = if self.shifts() {
            wgsl!("blocks/put_shifted.wgsl")
        } else {
            wgsl!("blocks/put_whole.wgsl")
        };
        let rows = if words == 3 {
            wgsl!("blocks/thirds.wgsl")
        } else {
            wgsl!("blocks/plain.wgsl")
        };
        // Three words are taken as four of 24 bits, in which elements lie as their like of a power of two does in whole words.
        let kernel = match (self.kernel, self.unit_bits) {
            (Kernel::Deinterleave, _) => wgsl!("deinterleave.wgsl"),
            (Kernel::Interleave, _) => wgsl!("interleave.wgsl"),
            (_, 1) => wgsl!("blocks/1.wgsl"),
            (_, 2) => wgsl!("blocks/2.wgsl"),
            (_, 4) => wgsl!("blocks/4.wgsl"),
            (_, 6 | 8) => wgsl!("blocks/8.wgsl"),
            (_, 12 | 16) => wgsl!("blocks/16.wgsl"),
            (_, 24 | 32) => wgsl!("blocks/32.wgsl"),
            _ => wgsl!("blocks/64.wgsl"),
        };
        let main = wgsl!("blocks/main.wgsl");
        [load, load_chunk, store, put, put_chunk, rows, kernel, main]
    }

    /// A key of [`source`](Self::source): programs with equal keys have one source.
    #[must_use]
    pub fn module(&self) -> Self {
        Self {
            unit_bits: if self.in_chunks() {
                self.unit_bits
            } else {
                self.unit_bits.max(32)
            },
            part: if self.shifts() {
                self.part
            } else {
                Part::Whole
            },
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
        let words = self.constant_words().into_iter();
        words.map(|(name, word)| (name, word.into())).collect()
    }

    /// The override constants as the words that they are.
    pub(super) fn constant_words(&self) -> Vec<(&'static str, u32)> {
        let mut constants = vec![
            ("LANES", self.lanes),
            ("ITEMS", self.items),
            ("LANE_AXES", self.lane_axes),
            ("GRID_AXES", self.grid_axes),
        ];
        let bits = self.unit_bits;
        let unit_log2 = ("UNIT_LOG2", bits.trailing_zeros());
        let unit_mask = ("UNIT_MASK", unit_mask(bits));
        let part = match self.part {
            Part::Whole => 0,
            Part::Interior => 1,
            Part::Edges => 2,
            Part::Quads | Part::QuadEdges => 3,
        };
        match self.kernel {
            Kernel::Words | Kernel::Blocks | Kernel::Deinterleave | Kernel::Interleave => {}
            Kernel::Rows => constants.extend([
                unit_log2,
                ("PART", part),
                ("REVERSED", u32::from(self.reversed)),
            ]),
            Kernel::Quads => {
                constants.extend([unit_log2, ("REVERSED", u32::from(self.reversed))]);
            }
            Kernel::Gather => constants.extend([
                unit_log2,
                unit_mask,
                ("PART", part),
                ("RUN_AXES", self.run_axes),
            ]),
            Kernel::Pack => {
                constants.extend([unit_log2, unit_mask, ("RUN_AXES", self.run_axes)]);
            }
            Kernel::Weave => constants.extend([unit_log2, ("RUN_AXES", self.run_axes)]),
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
            Kernel::Quads => "quads",
            Kernel::Gather => "gather",
            Kernel::Pack => "pack",
            Kernel::Weave => "weave",
            Kernel::Scatter => "scatter",
            Kernel::Blocks => "blocks",
            Kernel::Deinterleave => "deinterleave",
            Kernel::Interleave => "interleave",
        };
        write!(f, "restride::{kernel}[{}", self.unit_bits)?;
        match self.part {
            Part::Whole => {}
            Part::Interior => f.write_str(" interior")?,
            Part::Edges => f.write_str(" edges")?,
            Part::Quads => {}
            Part::QuadEdges => f.write_str(" quad-edges")?,
        }
        if self.reversed {
            f.write_str(" reversed")?;
        }
        match (self.wide_src, self.wide_dst) {
            (false, false) => {}
            (true, false) => f.write_str(" wide-source")?,
            (false, true) => f.write_str(" wide-destination")?,
            (true, true) => f.write_str(" wide")?,
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

/// Words of a chunk: what a block reads or writes of a row at once.
pub(crate) const fn chunk_words(unit_bits: u32) -> u32 {
    match unit_bits {
        ..=2 => 1,
        6 | 12 | 24 | 48 => 3,
        _ => 4,
    }
}

/// Units of a chunk, and so rows and columns of a block.
pub(crate) const fn block_side(unit_bits: u32) -> u32 {
    chunk_words(unit_bits) * 32 / unit_bits
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
