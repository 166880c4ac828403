//! A plan invocation by invocation, for copies of few elements: each bit of the destination with the bit that it is copied
//! from, as the shaders have it, line by line, in wrapping arithmetic.

use std::collections::HashMap;

use restride::plan::{Dispatch, Kernel, Params, Part, Program, Step, Store};
use restride::{Layout, Width};

/// The destination's bits, each with the source's.
pub(super) type Copied = HashMap<u64, u64>;

/// What a copy's definition says.
pub(super) fn defined(width: Width, src: &Layout, dst: &Layout) -> Copied {
    let bits = u64::from(width.bits());
    let mut copied = Copied::new();
    let mut index = vec![0; dst.rank()];
    for _ in 0..dst.numel() {
        let (from, to) = (src.position(&index) * bits, dst.position(&index) * bits);
        copied.extend((0..bits).map(|bit| (to + bit, from + bit)));
        for (i, &extent) in index.iter_mut().zip(dst.shape()).rev() {
            *i += 1;
            if *i < extent {
                break;
            }
            *i = 0;
        }
    }
    copied
}

/// What the steps do, after others wrote what they read; an error where a bit is written twice, or a word plainly by two
/// invocations of a dispatch, or where nobody wrote a bit that is read.
pub(super) fn walked(
    steps: impl Iterator<Item = Step>,
    before: Option<&Copied>,
) -> Result<Copied, String> {
    let mut copied = Copied::new();
    for step in steps {
        match step {
            Step::Native(copy) => {
                for bit in 0..copy.size_bytes * 8 {
                    once(
                        &mut copied,
                        copy.dst_bytes * 8 + bit,
                        copy.src_bytes * 8 + bit,
                    )?;
                }
            }
            Step::Dispatch(dispatch) => {
                Walk {
                    dispatch: &dispatch,
                    copied: &mut copied,
                    writers: HashMap::new(),
                }
                .run()?;
            }
            other => return Err(format!("a step of a new kind: {other:?}")),
        }
    }
    let Some(before) = before else {
        return Ok(copied);
    };
    let through = copied.into_iter().map(|(to, via)| match before.get(&via) {
        Some(from) => Ok((to, *from)),
        None => Err(format!("bit {via} is read before it is written")),
    });
    through.collect()
}

fn once(copied: &mut Copied, to: u64, from: u64) -> Result<(), String> {
    match copied.insert(to, from) {
        Some(_) => Err(format!("bit {to} is written twice")),
        None => Ok(()),
    }
}

#[derive(Clone, Copy)]
struct Place {
    src: u32,
    dst: u32,
    cell: u32,
    at: u32,
}

fn divide(n: u32, axis: [u32; 4]) -> u32 {
    let high = (u64::from(n) * u64::from(axis[3])) >> 32;
    match axis[3] {
        0 => n,
        _ => u32::try_from(high).unwrap() >> (axis[0] >> 26),
    }
}

impl Place {
    fn advance(&mut self, i: u32, src: u32, dst: u32) {
        self.src = self.src.wrapping_add(i.wrapping_mul(src));
        self.dst = self.dst.wrapping_add(i.wrapping_mul(dst));
    }

    /// `locate`.
    fn first(p: &Params, program: &Program, number: u32, lane: u32) -> Option<Self> {
        let mut place = Self {
            src: p.src_base,
            dst: p.dst_base,
            cell: 0,
            at: 0,
        };
        let mut rest = lane;
        let mut digits = [0; 4];
        for a in 0..program.lane_axes as usize {
            let axis = p.axes[a];
            let quotient = rest.wrapping_mul(axis[3]) >> 16;
            let i = rest.wrapping_sub(quotient.wrapping_mul(axis[0]));
            rest = quotient;
            place.advance(i, axis[1], axis[2]);
            if a < 2 {
                digits[a + 1] = i;
            }
        }
        digits[3] = rest;
        if rest >= p.split_lanes || number >= p.group_count {
            return None;
        }
        place.advance(rest, p.split_src, p.split_dst);
        let counted = [(1, p.lane_at[0]), (2, p.lane_at[1]), (3, p.lane_at[2])];
        let counted = counted.map(|(i, weight): (usize, u32)| digits[i].wrapping_mul(weight));
        place.at = counted.into_iter().fold(0, u32::wrapping_add);
        let mut across = digits[p.across_axis as usize % 4];
        rest = number;
        for a in 0..program.grid_axes as usize {
            if rest == 0 {
                break;
            }
            let axis = p.axes[program.lane_axes as usize + a];
            let quotient = divide(rest, axis);
            let i = rest.wrapping_sub(quotient.wrapping_mul(axis[0] & 0x03ff_ffff));
            rest = quotient;
            place.advance(i, axis[1], axis[2]);
            match a {
                0 => place.at = place.at.wrapping_add(i.wrapping_mul(p.group_at)),
                1 => across = across.wrapping_add(i.wrapping_mul(p.group_across)),
                _ => {}
            }
        }
        place.cell = match p.cell_axis {
            4 => across,
            5 => place.at,
            lane => digits[lane as usize % 4],
        };
        (across < p.across_extent).then_some(place)
    }
}

struct Walk<'a> {
    dispatch: &'a Dispatch,
    copied: &'a mut Copied,
    /// The invocation that wrote each word.
    writers: HashMap<u64, (u32, u32)>,
}

impl Walk<'_> {
    fn run(mut self) -> Result<(), String> {
        let (p, program) = (&self.dispatch.params, &self.dispatch.program);
        let [x, y, z] = self.dispatch.groups;
        for number in 0..x * y * z {
            for lane in 0..program.lanes {
                let Some(mut place) = Place::first(p, program, number, lane) else {
                    continue;
                };
                for _ in 0..program.items {
                    if place.at >= p.split_extent {
                        break;
                    }
                    self.item(place, (number, lane))?;
                    place.advance(1, p.item_src, p.item_dst);
                    place.at += p.item_at;
                    if p.cell_axis == 5 {
                        place.cell = place.at;
                    }
                }
            }
        }
        Ok(())
    }

    /// Copies `count` bits between addresses in bits, those in which one window has more than 2^32 in 64.
    fn bits(&mut self, to: u64, from: u64, count: u32, by: (u32, u32)) -> Result<(), String> {
        let (src, dst) = (&self.dispatch.src, &self.dispatch.dst);
        for bit in 0..u64::from(count) {
            let (to, from) = (to + bit, from + bit);
            if to >= dst.size_bytes * 8 || from >= src.size_bytes * 8 {
                return Err(format!("bit {from} to {to}, past the windows"));
            }
            let (to, from) = (dst.offset_bytes * 8 + to, src.offset_bytes * 8 + from);
            once(self.copied, to, from)?;
            let before = *self.writers.entry(to / 32).or_insert(by);
            if before != by && self.dispatch.program.store == Store::Plain {
                return Err(format!("word {} is written plainly by two", to / 32));
            }
        }
        Ok(())
    }

    fn item(&mut self, place: Place, by: (u32, u32)) -> Result<(), String> {
        let (p, program) = (&self.dispatch.params, &self.dispatch.program);
        let unit = program.unit_bits;
        let (to, from) = (u64::from(place.dst), u64::from(place.src));
        match program.kernel {
            Kernel::Words => self.bits(to * u64::from(unit), from * u64::from(unit), unit, by),
            Kernel::Scatter => self.bits(to, from, unit, by),
            Kernel::Blocks => self.block(place, by),
            Kernel::Deinterleave | Kernel::Interleave => self.threes(place, by),
            Kernel::Quads | Kernel::Pack | Kernel::Weave => {
                let quads = if program.kernel == Kernel::Quads {
                    2
                } else {
                    1
                };
                let quad = (place.dst >> 7) + quads * place.cell;
                for quad in quad..quad + quads {
                    let whole =
                        quad << 7 >= place.dst && (quad << 7) + 128 <= place.dst + p.run_bits;
                    if whole {
                        self.row(place, quad << 7, (quad << 7) + 128, by)?;
                    }
                }
                Ok(())
            }
            Kernel::Rows | Kernel::Gather => match covered(p, program, place) {
                Some((first, last)) => self.row(place, first, last, by),
                None => Ok(()),
            },
            other => Err(format!("a kernel of a new kind: {other:?}")),
        }
    }

    /// Bits `[first, last)` of a row.
    fn row(&mut self, place: Place, first: u32, last: u32, by: (u32, u32)) -> Result<(), String> {
        let (p, program) = (&self.dispatch.params, &self.dispatch.program);
        let unit = program.unit_bits;
        let mut bit = first;
        while bit < last {
            let number = (bit - place.dst) / unit;
            let within = (bit - place.dst) % unit;
            let count = (unit - within).min(last - bit);
            let from = if matches!(
                program.kernel,
                Kernel::Gather | Kernel::Pack | Kernel::Weave
            ) {
                source_of(p, program, place.src, number)
            } else if program.reversed {
                place.src.wrapping_sub(number.wrapping_mul(unit))
            } else {
                place.src.wrapping_add(number.wrapping_mul(unit))
            };
            self.bits(bit.into(), u64::from(from) + u64::from(within), count, by)?;
            bit += count;
        }
        Ok(())
    }

    /// Rows that start within words: of each the words that it covers whole, three chunks or one, for which further ones are read.
    fn shifted_threes(
        &mut self,
        place: Place,
        elements: u32,
        by: (u32, u32),
    ) -> Result<(), String> {
        let (p, program) = (&self.dispatch.params, &self.dispatch.program);
        let unit = program.unit_bits;
        let apart = program.kernel == Kernel::Deinterleave;
        let elements = elements.min(128 / unit + 32 / unit - 1);
        let (rows, units, words): (u32, u32, u32) = if apart {
            (3, elements, 4)
        } else {
            (1, 3 * elements, 12)
        };
        for row in 0..rows {
            let to = place.dst.wrapping_add(far(p, program, row)[1]);
            let ahead = to.wrapping_neg() % 32;
            let whole = (units * unit).saturating_sub(ahead) / 32;
            for bit in (0..whole.min(words) * 32).step_by(unit as usize) {
                let number = (ahead + bit) / unit;
                let from = if apart {
                    place.src.wrapping_add((3 * number + row) * unit)
                } else {
                    let [step, _] = far(p, program, number % 3);
                    place.src.wrapping_add(step).wrapping_add(number / 3 * unit)
                };
                self.bits((to + ahead + bit).into(), from.into(), unit, by)?;
            }
        }
        Ok(())
    }

    fn threes(&mut self, place: Place, by: (u32, u32)) -> Result<(), String> {
        let (p, program) = (&self.dispatch.params, &self.dispatch.program);
        let unit = program.unit_bits;
        let side = 128 / unit;
        let apart = program.kernel == Kernel::Deinterleave;
        let elements = if apart {
            p.block_rows - place.cell * side
        } else {
            p.block_columns - place.at * side
        };
        if program.part == Part::Interior {
            return self.shifted_threes(place, elements, by);
        }
        for element in 0..elements.min(side) {
            for part in 0..3 {
                let run = (place.src, (3 * element + part) * unit);
                let row = |base: u32, far: u32| (base.wrapping_add(far), element * unit);
                let [row_far, column_far] = far(p, program, part);
                let (from, to) = if apart {
                    (run, row(place.dst, column_far))
                } else {
                    (row(place.src, row_far), (place.dst, run.1))
                };
                let bit = |(word, bit): (u32, u32)| u64::from(word) * 32 + u64::from(bit);
                self.bits(bit(to), bit(from), unit, by)?;
            }
        }
        Ok(())
    }

    fn block(&mut self, place: Place, by: (u32, u32)) -> Result<(), String> {
        let (p, program) = (&self.dispatch.params, &self.dispatch.program);
        let unit = program.unit_bits;
        let chunk = match unit {
            ..=2 => 1,
            6 | 12 | 24 | 48 => 3,
            _ => 4,
        };
        let side = chunk * 32 / unit;
        // Rows that start within words write the words that they cover whole, for which they read further rows.
        let shifts = program.part == Part::Interior;
        let piece = unit & unit.wrapping_neg();
        let more = if shifts {
            (32 - piece).div_ceil(unit)
        } else {
            0
        };
        let rows = (side + more).min(p.block_rows - place.cell * side);
        let columns = side.min(p.block_columns - place.at * side);
        if shifts {
            for column in 0..columns {
                let to = place.dst.wrapping_add(far(p, program, column)[1]);
                let ahead = to.wrapping_neg() % 32;
                let words = (rows * unit).saturating_sub(ahead) / 32;
                for bit in (0..words.min(chunk) * 32).step_by(piece as usize) {
                    let (row, within) = ((ahead + bit) / unit, (ahead + bit) % unit);
                    let from = place.src.wrapping_add(far(p, program, row)[0]);
                    let from = u64::from(from) + u64::from(column * unit + within);
                    self.bits(u64::from(to + ahead + bit), from, piece, by)?;
                }
            }
            return Ok(());
        }
        for row in 0..rows {
            for column in 0..columns {
                let from = place.src.wrapping_add(far(p, program, row)[0]);
                let to = place.dst.wrapping_add(far(p, program, column)[1]);
                let bit = |word: u32, unit_number: u32| {
                    u64::from(word) * 32 + u64::from(unit_number) * u64::from(unit)
                };
                self.bits(bit(to, row), bit(from, column), unit, by)?;
            }
        }
        Ok(())
    }
}

/// How far a row lies from the first one of its block in the source, and a column in the destination.
fn far(p: &Params, program: &Program, number: u32) -> [u32; 2] {
    let first = (program.lane_axes + program.grid_axes) as usize;
    [1, 2].map(|which| {
        let set = (0..6).filter(|bit| number >> bit & 1 == 1);
        set.fold(0, |far: u32, bit| {
            far.wrapping_add(p.axes[first + bit][which])
        })
    })
}

/// The bits of a row that an item makes, none if its part leaves the word out.
fn covered(p: &Params, program: &Program, place: Place) -> Option<(u32, u32)> {
    let row_end = place.dst + p.run_bits;
    let mut word = (place.dst >> 5) + place.cell;
    if program.part == Part::Edges && place.cell == 1 {
        word = (row_end - 1) >> 5;
        if word == place.dst >> 5 {
            return None;
        }
    }
    if program.part == Part::QuadEdges {
        let (head, tail) = (place.dst >> 7, (row_end - 1) >> 7);
        let quad = if place.cell > 3 { tail } else { head };
        let whole = quad << 7 >= place.dst && (quad << 7) + 128 <= row_end;
        if whole || place.cell > 3 && head == tail {
            return None;
        }
        word = (quad << 2) + (place.cell & 3);
    }
    let (first, last) = (place.dst.max(word << 5), row_end.min((word << 5) + 32));
    let full = first < last && last - first == 32;
    let left_out = program.part == Part::Interior && !full || program.part == Part::Edges && full;
    (first < last && !left_out).then_some((first, last))
}

/// `source_of`.
fn source_of(p: &Params, program: &Program, row: u32, unit: u32) -> u32 {
    let from = (program.lane_axes + program.grid_axes) as usize;
    let (mut address, mut rest) = (row, unit);
    for axis in &p.axes[from..from + program.run_axes as usize - 1] {
        let quotient = divide(rest, *axis);
        let i = rest.wrapping_sub(quotient.wrapping_mul(axis[0] & 0x03ff_ffff));
        address = address.wrapping_add(i.wrapping_mul(axis[1]));
        rest = quotient;
    }
    let last = p.axes[from + program.run_axes as usize - 1];
    address.wrapping_add(rest.wrapping_mul(last[1]))
}
