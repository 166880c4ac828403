//! The table of all programs: every pipeline that plans ask for.

use super::kernel::{
    AXIS_CLASSES, Access, BLOCK_LANES, Kernel, Part, Program, RUN_CLASSES, Store, WEAVE_CLASSES,
    WORD_ITEMS, WORKGROUPS, chunk_words, short,
};

impl Program {
    /// Every program that a plan names under limits of at least 256 invocations a workgroup.
    ///
    /// Under smaller limits, workgroups have fewer lanes; all else is the same.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for (lane_axes, grid_axes) in &AXIS_CLASSES {
            blocks(short(*lane_axes), short(*grid_axes), &mut all);
        }
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
                        wide_src: false,
                        wide_dst: false,
                        lanes,
                        items,
                        lane_axes: short(lane_axes),
                        grid_axes: short(grid_axes),
                        run_axes: 1,
                    };
                    all.extend([32, 64, 128].map(|unit_bits| Self { unit_bits, ..base }));
                    if items > 1 {
                        let items = WORD_ITEMS;
                        all.extend([32, 64, 128].map(|unit_bits| Self {
                            unit_bits,
                            items,
                            ..base
                        }));
                    }
                    for unit_bits in [1, 2, 4, 8, 16] {
                        base.below_a_word(unit_bits, &mut all);
                    }
                    for unit_bits in [1, 2, 4, 8, 16, 32] {
                        base.quads(unit_bits, &mut all);
                    }
                    if access == Access::Two {
                        base.packs(&mut all);
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
            // Edges are made by small workgroups alone.
            if part == Part::Edges && self.items > WORKGROUPS[0].1 {
                continue;
            }
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

    /// The programs for runs of units of `unit_bits`, up to a word, that share this one's access and axes.
    fn quads(self, unit_bits: u32, all: &mut Vec<Self>) {
        for reversed in [false, true] {
            let row = Self {
                reversed,
                unit_bits,
                ..self
            };
            all.push(Self {
                kernel: Kernel::Quads,
                part: Part::Quads,
                ..row
            });
            all.extend(self.edge_stores(unit_bits).map(|store| Self {
                kernel: Kernel::Rows,
                part: Part::QuadEdges,
                store,
                ..row
            }));
        }
    }

    /// The programs for 16-byte units built from units or from runs of them, and for what rows leave of them.
    fn packs(self, all: &mut Vec<Self>) {
        for unit_bits in [1, 2, 4, 8, 16, 32] {
            let quads = |kernel: Kernel, classes: [usize; 3]| {
                classes.map(|run| Self {
                    kernel,
                    part: Part::Quads,
                    unit_bits,
                    run_axes: short(run),
                    ..self
                })
            };
            if unit_bits >= 8 {
                all.extend(quads(Kernel::Pack, RUN_CLASSES));
            }
            if unit_bits <= 8 {
                all.extend(quads(Kernel::Weave, WEAVE_CLASSES));
            }
            // A row of runs has a second axis.
            let classes = RUN_CLASSES
                .into_iter()
                .filter(|run| unit_bits >= 8 || *run > 1);
            for run in classes {
                all.extend(self.edge_stores(unit_bits).map(|store| Self {
                    kernel: Kernel::Gather,
                    part: Part::QuadEdges,
                    store,
                    unit_bits,
                    run_axes: short(run),
                    ..self
                }));
            }
        }
    }

    /// How the edges of rows are stored: atomically too below a word, and by small workgroups alone.
    fn edge_stores(self, unit_bits: u32) -> impl Iterator<Item = Store> {
        let small = self.items == WORKGROUPS[0].1;
        [Store::Plain, Store::Atomic]
            .into_iter()
            .filter(move |_| small)
            .take(if unit_bits < 32 { 2 } else { 1 })
    }
}

/// The programs of the blocks kernel with these axes.
fn blocks(lane_axes: u32, grid_axes: u32, all: &mut Vec<Program>) {
    let both = [false, true];
    for (wide_src, wide_dst) in both.into_iter().flat_map(|src| both.map(|dst| (src, dst))) {
        for access in [Access::Two, Access::TwoWritable, Access::One] {
            if access == Access::One && (wide_src || wide_dst) {
                continue;
            }
            let wide = wide_src || wide_dst;
            // A chunk of one word is a word: there is no wider access to it.
            let widths = [1, 2, 4, 8, 16, 32, 64]
                .into_iter()
                .filter(|bits| !wide || chunk_words(*bits) > 1);
            let thirds = [6, 12, 24, 48].into_iter().filter(|_| !wide);
            let base = Program {
                kernel: Kernel::Blocks,
                access,
                store: Store::Plain,
                unit_bits: 32,
                part: Part::Whole,
                reversed: false,
                wide_src,
                wide_dst,
                lanes: BLOCK_LANES,
                items: 1,
                lane_axes,
                grid_axes,
                run_axes: 1,
            };
            let whole = widths.chain(thirds);
            let whole = whole.map(|unit_bits| Program { unit_bits, ..base });
            all.extend(whole.clone());
            if !wide {
                // Rows below a word may start within one.
                let below = whole.clone().filter(|program| program.unit_bits < 32);
                all.extend(below.map(|program| Program {
                    part: Part::Interior,
                    ..program
                }));
            }
            if access == Access::Two {
                for (kernel, least) in [(Kernel::Deinterleave, 4), (Kernel::Interleave, 8)] {
                    let threes = [4, 8, 16, 32].into_iter().filter(|bits| *bits >= least);
                    for unit_bits in threes {
                        let parts = [Part::Whole, Part::Interior].into_iter();
                        all.extend(parts.take(if unit_bits > 8 || wide { 1 } else { 2 }).map(
                            |part| Program {
                                kernel,
                                part,
                                unit_bits,
                                ..base
                            },
                        ));
                    }
                }
            }
        }
    }
}
