//! A plan as bytes, for executors that are not written in Rust.
//!
//! Everything is a little-endian 32-bit word; a `u64` is two, the low one first. Sizes and offsets are in bytes.
//!
//! | words | of the header |
//! |---|---|
//! | 1 | [`MAGIC`] |
//! | 1 | [`Plan::VERSION`]: a reader refuses any other |
//! | 1 | 1 if the plan is for one buffer, else 0 |
//! | 2 | scratch bytes |
//! | 2, 2 | least bytes of the source's and the destination's buffer |
//! | 1 | bytes of a uniform block |
//! | 1 | number of programs |
//! | 2 | number of steps |
//!
//! Then each program: its [`module_id`](Program::module_id); how the sides are bound (0: two buffers, the source read-only; 1:
//! two, both writable; 2: one, at binding 1); the number of bytes of a text, and the text, filled with zeros to a whole word. Its
//! first line is a label, each other line one override constant, `NAME=value`.
//!
//! Then each step: its kind (0: native copy; 1: dispatch), and its route (0: from source to destination; 1: from the source into
//! the scratch; 2: from the scratch to the destination).
//!
//! - A native copy goes on with source offset, destination offset and size, 2 words each.
//! - A dispatch goes on with the number of its program; offset and size of the source's window and of the destination's, 2 words
//!   each; workgroups along x, y and z; the number of words of its uniform block, and those words. Zeros at
//!   the block's end are left out.

use std::fmt::Write;

use crate::error::Error;

use super::{Access, Dispatch, Kernel, Params, Part, Plan, Program, Route, Step, Store, Window};

/// The first word of an encoded plan: `RSTR` in ASCII.
const MAGIC: u32 = u32::from_le_bytes(*b"RSTR");

impl Plan {
    /// The version of the encoding: it changes with the meaning of any word, of any override constant, and of the uniform block.
    pub const VERSION: u32 = 1;

    /// The plan as bytes, which any WebGPU program can carry out: header, programs, steps.
    ///
    /// All are little-endian 32-bit words; `src/plan/serial.rs` says which. The WGSL of a program is found by its
    /// [`module_id`](Program::module_id).
    ///
    /// # Errors
    ///
    /// [`Error::TooManySteps`]: an executor may not take the plan. [`Error::Memory`]: there is no room for the bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use restride::plan::{Operand, Options, Plan, Problem};
    /// use restride::{DType, Layout};
    ///
    /// let whole = Layout::contiguous(&[64, 64])?;
    /// let turned = whole.transpose();
    /// let problem = Problem {
    ///     width: DType::Float32.width(),
    ///     src: Operand::storage(&turned, 64 * 64 * 4),
    ///     dst: Operand::storage(&whole, 64 * 64 * 4),
    ///     one_buffer: false,
    ///     in_pass: true,
    /// };
    /// let bytes = Plan::new(&problem, &Options::default())?.encode()?;
    /// assert_eq!(bytes[..4], *b"RSTR");
    /// assert_eq!(bytes[4..8], Plan::VERSION.to_le_bytes());
    /// # Ok::<(), restride::Error>(())
    /// ```
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        self.check_steps()?;
        let mut programs: Vec<Program> = Vec::new();
        let mut steps = Words::default();
        for step in self.steps() {
            match step {
                Step::Native(copy) => {
                    steps.put(0)?;
                    steps.put(route(copy.route))?;
                    for bytes in [copy.src_bytes, copy.dst_bytes, copy.size_bytes] {
                        steps.put_u64(bytes)?;
                    }
                }
                Step::Dispatch(dispatch) => {
                    let known = programs.iter().position(|held| *held == dispatch.program);
                    let number = known.unwrap_or_else(|| {
                        programs.push(dispatch.program);
                        programs.len() - 1
                    });
                    steps.dispatch(&dispatch, count(number))?;
                }
            }
        }
        let mut whole = Words::default();
        whole.put(MAGIC)?;
        whole.put(Self::VERSION)?;
        whole.put(self.one_buffer.into())?;
        whole.put_u64(self.scratch_bytes())?;
        whole.put_u64(self.src_end_bytes)?;
        whole.put_u64(self.dst_end_bytes)?;
        whole.put(count(size_of::<Params>()))?;
        whole.put(count(programs.len()))?;
        whole.put_u64(self.step_count())?;
        for program in &programs {
            whole.program(program)?;
        }
        whole.append(&steps.bytes)?;
        Ok(whole.bytes)
    }
}

impl Program {
    /// A number for the shader module: programs with equal numbers have one [`source`](Self::source).
    #[must_use]
    pub fn module_id(&self) -> u32 {
        let module = self.module();
        let flags = u32::from(module.wide_src)
            | u32::from(module.wide_dst) << 1
            | u32::from(module.shifts()) << 2;
        let thirds = u32::from(module.unit_bits.is_multiple_of(3)) << 3;
        module.unit_bits.trailing_zeros()
            | thirds
            | (module.kernel as u32) << 4
            | (module.access as u32) << 8
            | (module.store as u32) << 12
            | flags << 16
    }

    /// The [`module`](Self::module) that has this number, of which [`source`](Self::source) can be asked; `None` for a number
    /// that no program has.
    ///
    /// ```
    /// use restride::plan::Program;
    ///
    /// let program = Program::all()[0];
    /// let module = Program::from_module_id(program.module_id()).expect("it is a program's");
    /// assert_eq!(module.source(), program.source());
    /// assert_eq!(Program::from_module_id(u32::MAX), None);
    /// ```
    #[must_use]
    pub fn from_module_id(id: u32) -> Option<Self> {
        let field = |from: u32| (id >> from & 0xf) as usize;
        let (thirds, flags) = (id & 8 != 0, id >> 16);
        let module = Self {
            kernel: *KERNELS.get(field(4))?,
            access: *ACCESSES.get(field(8))?,
            store: *STORES.get(field(12))?,
            unit_bits: if thirds { 3 } else { 1 } << (id & 7),
            part: if flags & 4 != 0 {
                Part::Interior
            } else {
                Part::Whole
            },
            reversed: false,
            wide_src: flags & 1 != 0,
            wide_dst: flags & 2 != 0,
            lanes: 0,
            items: 0,
            lane_axes: 0,
            grid_axes: 0,
            run_axes: 0,
        };
        let plain = module.store == Store::Plain;
        let two = module.access == Access::Two;
        let known = match module.kernel {
            Kernel::Blocks if thirds => {
                let form = flags == 0 || (flags == 4 && module.unit_bits < 32);
                matches!(module.unit_bits, 6..=48) && plain && form
            }
            _ if thirds => false,
            Kernel::Deinterleave | Kernel::Interleave => {
                let least = if module.kernel == Kernel::Interleave {
                    8
                } else {
                    4
                };
                let form = flags < 4 || (flags == 4 && module.unit_bits <= 8);
                (least..=32).contains(&module.unit_bits) && plain && two && form
            }
            Kernel::Blocks => {
                let form = match flags {
                    0 => true,
                    1..4 => module.access != Access::One && module.chunk_words() > 1,
                    _ => flags == 4 && module.unit_bits < 32,
                };
                module.unit_bits <= 64 && plain && form
            }
            Kernel::Words => matches!(module.unit_bits, 32..=128) && plain && flags == 0,
            Kernel::Quads => module.unit_bits == 32 && plain && flags == 0,
            Kernel::Pack | Kernel::Weave => module.unit_bits == 32 && plain && flags == 0 && two,
            _ => module.unit_bits == 32 && flags == 0,
        };
        known.then_some(module)
    }
}

// In the order of their numbers.
const KERNELS: [Kernel; 10] = [
    Kernel::Words,
    Kernel::Rows,
    Kernel::Quads,
    Kernel::Gather,
    Kernel::Scatter,
    Kernel::Blocks,
    Kernel::Pack,
    Kernel::Weave,
    Kernel::Deinterleave,
    Kernel::Interleave,
];
const ACCESSES: [Access; 3] = [Access::Two, Access::TwoWritable, Access::One];
const STORES: [Store; 2] = [Store::Plain, Store::Atomic];

const fn route(route: Route) -> u32 {
    match route {
        Route::Direct => 0,
        Route::IntoScratch => 1,
        Route::FromScratch => 2,
    }
}

/// A number of things in memory.
fn count(things: usize) -> u32 {
    u32::try_from(things).unwrap_or(u32::MAX)
}

/// Bytes in the making, always whole words.
#[derive(Default)]
struct Words {
    bytes: Vec<u8>,
}

impl Words {
    fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let room = self.bytes.try_reserve(bytes.len());
        room.map_err(|_| Error::Memory {
            bytes: (self.bytes.len() + bytes.len()) as u64,
        })?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn put(&mut self, word: u32) -> Result<(), Error> {
        self.append(&word.to_le_bytes())
    }

    fn put_u64(&mut self, value: u64) -> Result<(), Error> {
        self.append(&value.to_le_bytes())
    }

    fn window(&mut self, window: &Window) -> Result<(), Error> {
        self.put_u64(window.offset_bytes)?;
        self.put_u64(window.size_bytes)
    }

    fn dispatch(&mut self, dispatch: &Dispatch, program: u32) -> Result<(), Error> {
        self.put(1)?;
        self.put(route(dispatch.route))?;
        self.put(program)?;
        self.window(&dispatch.src)?;
        self.window(&dispatch.dst)?;
        for groups in dispatch.groups {
            self.put(groups)?;
        }
        let block = dispatch.params.bytes();
        let used = block.iter().rposition(|byte| *byte != 0);
        let words = used.map_or(0, |last| last / 4 + 1);
        self.put(count(words))?;
        self.append(&block[..words * 4])
    }

    fn program(&mut self, program: &Program) -> Result<(), Error> {
        self.put(program.module_id())?;
        self.put(match program.access {
            Access::Two => 0,
            Access::TwoWritable => 1,
            Access::One => 2,
        })?;
        // A String takes whatever it is given.
        let mut text = String::new();
        let _ = write!(text, "{program}");
        for (name, value) in program.constant_words() {
            let _ = write!(text, "\n{name}={value}");
        }
        self.put(count(text.len()))?;
        self.append(text.as_bytes())?;
        let filled = text.len().next_multiple_of(4) - text.len();
        self.append(&[0; 3][..filled])
    }
}
