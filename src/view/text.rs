//! The text of a view, read byte by byte.
//!
//! One pass, no recursion: the grammar nests twice at most (a tuple inside a call), so a hostile text costs time and memory
//! in proportion to its length and nothing else. The cursor only ever steps over ASCII, so it always rests on a character's
//! edge.

use super::{Op, Step};
use crate::{DType, Error, Index, Width};

/// What may stand at the start of a step.
const STEP: &str = "`[` or `.`";
/// What may stand between the commas of an index.
const ITEM: &str = "an index, a slice, `...` or `None`";
/// The words after a dot.
const WORD: &str = "one of T, permute, reshape, broadcast, flip, squeeze, unsqueeze, swap, window, as_strided, bitcast";

/// The steps of `text`, in order, with the bytes that each was read from.
pub(super) fn steps(text: &str) -> Result<Vec<Step>, Error> {
    read(text).map_err(|Refusal { position, expected }| Error::ViewText { position, expected })
}

fn read(text: &str) -> Read<Vec<Step>> {
    let mut cursor = Cursor { text, at: 0 };
    let mut steps = Vec::new();
    while let Some(byte) = cursor.peek() {
        let start = cursor.at;
        cursor.at += 1;
        let op = match byte {
            b'[' => Op::Index(cursor.items()?),
            b'.' => cursor.call()?,
            _ => refuse(start, STEP)?,
        };
        steps.push(Step {
            op,
            span: start..cursor.at,
        });
    }
    Ok(steps)
}

/// Where reading stopped, and what should have stood there: all that can be wrong with a text. No `From` makes an [`Error`] of
/// it: callers' `?` on that type would become ambiguous.
struct Refusal {
    position: usize,
    expected: &'static str,
}

type Read<T> = Result<T, Refusal>;

/// The refusal that says what should have stood at `position`.
fn refuse<T>(position: usize, expected: &'static str) -> Read<T> {
    Err(Refusal { position, expected })
}

/// A number with the byte at which it starts, for the error that may name it.
struct Number {
    at: usize,
    value: i64,
}

impl Number {
    /// The number as an axis; negative ones count from the end.
    fn axis(&self) -> Read<isize> {
        isize::try_from(self.value).or_else(|_| refuse(self.at, "the number of an axis"))
    }

    /// The number, unless it is negative.
    fn natural(&self, expected: &'static str) -> Read<u64> {
        u64::try_from(self.value).or_else(|_| refuse(self.at, expected))
    }
}

/// A place in the text.
struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    /// The next byte that is no space, without stepping over it.
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        let spaces = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.at += spaces;
        rest.get(spaces).copied()
    }

    /// Steps over `byte` if it is next.
    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Steps over `byte`, which must be next.
    fn expect(&mut self, byte: u8, expected: &'static str) -> Read<()> {
        if self.take(byte) {
            Ok(())
        } else {
            refuse(self.at, expected)
        }
    }

    /// The name that comes next, empty if none does.
    fn word(&mut self) -> &'t str {
        self.peek();
        let rest = &self.text[self.at..];
        let length = rest
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
            .count();
        self.at += length;
        &rest[..length]
    }

    /// The number that comes next, if one does.
    fn number(&mut self) -> Read<Option<Number>> {
        self.peek();
        let at = self.at;
        let rest = &self.text[at..];
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
        match (sign, digits) {
            (0, 0) => Ok(None),
            (_, 0) => refuse(at, "a number after `-`"),
            _ => {
                self.at += sign + digits;
                match rest[..sign + digits].parse() {
                    Ok(value) => Ok(Some(Number { at, value })),
                    Err(_) => refuse(at, "a number of at most 64 bits"),
                }
            }
        }
    }

    /// The number that must come next.
    fn need(&mut self, expected: &'static str) -> Read<Number> {
        match self.number()? {
            Some(number) => Ok(number),
            None => refuse(self.at, expected),
        }
    }

    /// What stands between `[` and `]`, `[` already read.
    fn items(&mut self) -> Read<Vec<Index>> {
        let mut items = vec![self.item()?];
        loop {
            let comma = self.take(b',');
            if self.take(b']') {
                return Ok(items);
            }
            if !comma {
                return refuse(self.at, "`,` or `]`");
            }
            items.push(self.item()?);
        }
    }

    /// One place of an index.
    fn item(&mut self) -> Read<Index> {
        match self.peek() {
            Some(b'.') if self.text[self.at..].starts_with("...") => {
                self.at += 3;
                return Ok(Index::Ellipsis);
            }
            Some(b'N') => {
                let at = self.at;
                return match self.word() {
                    "None" => Ok(Index::NewAxis),
                    _ => refuse(at, ITEM),
                };
            }
            _ => {}
        }
        let start = self.number()?.map(|n| n.value);
        if self.take(b':') {
            let stop = self.number()?.map(|n| n.value);
            let step = if self.take(b':') {
                self.number()?
            } else {
                None
            };
            return Ok(Index::Slice {
                start,
                stop,
                step: step.map_or(1, |n| n.value),
            });
        }
        match start {
            Some(index) => Ok(Index::At(index)),
            None => refuse(self.at, ITEM),
        }
    }

    /// The step after a dot.
    fn call(&mut self) -> Read<Op> {
        self.peek();
        let at = self.at;
        match self.word() {
            "T" => Ok(Op::Transpose),
            "permute" => Ok(Op::Permute(
                self.list()?.iter().map(Number::axis).collect::<Read<_>>()?,
            )),
            "reshape" => Ok(Op::Reshape(self.list()?.iter().map(|n| n.value).collect())),
            "broadcast" => Ok(Op::Broadcast(naturals(
                &self.list()?,
                "an extent of at least 0",
            )?)),
            "flip" => Ok(Op::Flip(self.axes::<1>()?[0])),
            "squeeze" => self.squeeze(),
            "unsqueeze" => Ok(Op::Unsqueeze(self.axes::<1>()?[0])),
            "swap" => {
                let [a, b] = self.axes::<2>()?;
                Ok(Op::Swap(a, b))
            }
            "window" => self.window(),
            "as_strided" => self.as_strided(),
            "bitcast" => self.bitcast(),
            _ => refuse(at, WORD),
        }
    }

    /// The numbers of `(1, 2)`, in parentheses of their own or not: `((1, 2))`.
    fn list(&mut self) -> Read<Vec<Number>> {
        self.expect(b'(', "`(`")?;
        if !self.take(b'(') {
            return self.tuple();
        }
        let numbers = self.tuple()?;
        self.take(b',');
        self.expect(b')', "`)`")?;
        Ok(numbers)
    }

    /// The numbers up to `)`, `(` already read.
    fn tuple(&mut self) -> Read<Vec<Number>> {
        let mut numbers = Vec::new();
        while !self.take(b')') {
            numbers.push(self.need("a number or `)`")?);
            if !self.take(b',') {
                self.expect(b')', "`,` or `)`")?;
                break;
            }
        }
        Ok(numbers)
    }

    /// Exactly `N` axes.
    fn axes<const N: usize>(&mut self) -> Read<[isize; N]> {
        let expected = match N {
            1 => "one axis in parentheses",
            _ => "two axes in parentheses",
        };
        let at = self.at;
        let axes: Vec<isize> = self.list()?.iter().map(Number::axis).collect::<Read<_>>()?;
        axes.try_into().or_else(|_| refuse(at, expected))
    }

    /// `()` or `(axis)`.
    fn squeeze(&mut self) -> Read<Op> {
        let at = self.at;
        match self.list()?.as_slice() {
            [] => Ok(Op::Squeeze),
            [axis] => Ok(Op::SqueezeAxis(axis.axis()?)),
            _ => refuse(at, "no axis or one axis in parentheses"),
        }
    }

    /// `(axis, size)`, `(axis, size, step)` or `(axis, size, step, dilation)`.
    fn window(&mut self) -> Read<Op> {
        let at = self.at;
        let numbers = self.list()?;
        let (axis, rest) = match numbers.as_slice() {
            [axis, rest @ ..] if (1..=3).contains(&rest.len()) => (axis.axis()?, rest),
            _ => {
                return refuse(
                    at,
                    "(axis, size, step, dilation), the last two 1 where they are left out",
                );
            }
        };
        let rest = naturals(rest, "a number of at least 0")?;
        let or_one = |i: usize| rest.get(i).copied().unwrap_or(1);
        Ok(Op::Window {
            axis,
            size: or_one(0),
            step: or_one(1),
            dilation: or_one(2),
        })
    }

    /// `((shape), (strides), offset)`, the offset 0 where it is left out.
    fn as_strided(&mut self) -> Read<Op> {
        self.expect(b'(', "`(`")?;
        self.expect(b'(', "the shape in parentheses")?;
        let shape = naturals(&self.tuple()?, "an extent of at least 0")?;
        self.expect(b',', "`,` and the strides")?;
        self.expect(b'(', "the strides in parentheses")?;
        let strides = self.tuple()?.iter().map(|n| n.value).collect();
        let offset = if self.take(b',') {
            self.number()?
        } else {
            None
        };
        let offset = offset.map_or(Ok(0), |n| n.natural("an offset of at least 0"))?;
        self.take(b',');
        self.expect(b')', "`)`")?;
        Ok(Op::AsStrided {
            shape,
            strides,
            offset,
        })
    }

    /// `(name)`, where the name itself may carry a number: `(bits(12))`.
    fn bitcast(&mut self) -> Read<Op> {
        self.expect(b'(', "`(`")?;
        self.peek();
        let at = self.at;
        let name = self.word();
        let dtype = if name == "bits" && self.take(b'(') {
            let bits = self.need("a width in bits")?;
            self.expect(b')', "`)`")?;
            u32::try_from(bits.value)
                .ok()
                .and_then(|bits| Width::new(bits).ok())
                .map(DType::Bits)
        } else {
            name.parse().ok()
        };
        let Some(dtype) = dtype else {
            return refuse(
                at,
                "the name of a dtype, such as uint4, float32 or bits(12)",
            );
        };
        self.expect(b')', "`)`")?;
        Ok(Op::Bitcast(dtype))
    }
}

/// The numbers, unless one is negative.
fn naturals(numbers: &[Number], expected: &'static str) -> Read<Vec<u64>> {
    numbers.iter().map(|n| n.natural(expected)).collect()
}
