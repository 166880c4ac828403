//! The bound windows of one dispatch, and what invocations do to their words.

use crate::error::Error;
use crate::plan::{Dispatch, Store, Window};

/// What the twins act on: the words of a dispatch's two windows, by their index.
///
/// No twin's way depends on the words it loads, so a memory that holds none can stand here and see every access.
pub(super) trait Words {
    /// Names the invocation that acts from here on.
    fn invocation(&mut self, number: u32, lane: u32);

    /// Word `i` of the source's window.
    fn load(&mut self, i: u32) -> u32;

    /// Writes the bits of `mask` in word `i` of the destination's window.
    fn merge(&mut self, i: u32, value: u32, mask: u32);

    /// Writes word `i` of the destination's window whole.
    fn store(&mut self, i: u32, value: u32) {
        self.merge(i, value, u32::MAX);
    }
}

/// The words of a dispatch's windows. With `AUDIT`, who did what to each destination word.
///
/// An index past a window is noted, reads 0 and writes nothing: [`verdict`](Self::verdict) tells.
pub(super) struct Memory<'a, const AUDIT: bool> {
    /// `None` where one window serves both sides.
    src: Option<&'a [u8]>,
    dst: &'a mut [u8],
    store: Store,
    fault: Option<(&'static str, u32)>,
    invocation: u32,
    words: Vec<Word>,
}

/// What invocations did to one word.
#[derive(Clone, Copy, Default)]
struct Word {
    /// The bits written so far.
    bits: u32,
    /// The only invocation that wrote, or [`MANY`].
    writer: u32,
    /// The only invocation that read through the destination's binding, or [`MANY`].
    reader: u32,
}

/// No invocation, in [`Word`].
const NONE: u32 = 0;
/// More than one invocation, in [`Word`].
const MANY: u32 = u32::MAX;

/// Bytes `[offset, offset + size)` of a buffer, if it has them.
pub(super) fn part(buffer: &[u8], offset: u64, size: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    buffer.get(start..start.checked_add(usize::try_from(size).ok()?)?)
}

/// Bytes `[offset, offset + size)` of a buffer, if it has them, to be written.
pub(super) fn part_mut(buffer: &mut [u8], offset: u64, size: u64) -> Option<&mut [u8]> {
    let start = usize::try_from(offset).ok()?;
    buffer.get_mut(start..start.checked_add(usize::try_from(size).ok()?)?)
}

fn unsound(invariant: &'static str, word: u64) -> Error {
    Error::Unsound { invariant, word }
}

fn check_window(window: &Window) -> Result<(), Error> {
    if window.size_bytes == 0 || !window.size_bytes.is_multiple_of(4) {
        return Err(unsound("a window is whole words", window.offset_bytes / 4));
    }
    Ok(())
}

impl<'a, const AUDIT: bool> Memory<'a, AUDIT> {
    fn new(dispatch: &Dispatch, src: Option<&'a [u8]>, dst: &'a mut [u8]) -> Result<Self, Error> {
        let window = &dispatch.dst;
        check_window(window)?;
        let dst = part_mut(dst, window.offset_bytes, window.size_bytes).ok_or(unsound(
            "a window lies in its buffer",
            window.offset_bytes / 4,
        ))?;
        let words = if AUDIT {
            vec![Word::default(); dst.len() / 4]
        } else {
            Vec::new()
        };
        Ok(Self {
            src,
            dst,
            store: dispatch.program.store,
            fault: None,
            invocation: NONE,
            words,
        })
    }

    /// Windows of two buffers.
    pub(super) fn two(
        dispatch: &Dispatch,
        src: Option<&'a [u8]>,
        dst: &'a mut [u8],
    ) -> Result<Self, Error> {
        let window = &dispatch.src;
        check_window(window)?;
        let src = src
            .and_then(|src| part(src, window.offset_bytes, window.size_bytes))
            .ok_or(unsound(
                "a window lies in its buffer",
                window.offset_bytes / 4,
            ))?;
        Self::new(dispatch, Some(src), dst)
    }

    /// Two windows of one buffer, the first as it was.
    pub(super) fn two_writable(
        dispatch: &Dispatch,
        src: &'a [u8],
        dst: &'a mut [u8],
    ) -> Result<Self, Error> {
        let (from, to) = (&dispatch.src, &dispatch.dst);
        check_window(from)?;
        if src.len() as u64 != from.size_bytes {
            return Err(unsound(
                "a window lies in its buffer",
                from.offset_bytes / 4,
            ));
        }
        if from.offset_bytes < to.end_bytes() && to.offset_bytes < from.end_bytes() {
            return Err(unsound(
                "two writable windows are disjoint",
                to.offset_bytes / 4,
            ));
        }
        Self::new(dispatch, Some(src), dst)
    }

    /// One window of one buffer.
    pub(super) fn one(dispatch: &Dispatch, dst: &'a mut [u8]) -> Result<Self, Error> {
        if dispatch.src != dispatch.dst {
            return Err(unsound(
                "one binding has one window",
                dispatch.src.offset_bytes / 4,
            ));
        }
        Self::new(dispatch, None, dst)
    }

    fn note_write(&mut self, i: u32, mask: u32) {
        let word = &mut self.words[i as usize];
        if word.bits & mask != 0 {
            self.fault
                .get_or_insert(("no bit is written twice in a dispatch", i));
        }
        word.bits |= mask;
        mark(&mut word.writer, self.invocation);
    }

    /// `Ok` iff every invariant held.
    pub(super) fn verdict(self) -> Result<(), Error> {
        if let Some((invariant, word)) = self.fault {
            return Err(unsound(invariant, word.into()));
        }
        if self.store == Store::Atomic {
            return Ok(());
        }
        for (i, word) in self.words.iter().enumerate() {
            if word.writer == MANY {
                return Err(unsound(
                    "a word that several invocations write is atomic",
                    i as u64,
                ));
            }
            if word.writer != NONE && word.reader != NONE && word.reader != word.writer {
                return Err(unsound(
                    "a word that is written plainly is read by its writer alone",
                    i as u64,
                ));
            }
        }
        Ok(())
    }
}

impl<const AUDIT: bool> Words for Memory<'_, AUDIT> {
    fn invocation(&mut self, number: u32, lane: u32) {
        self.invocation = number.wrapping_mul(256).wrapping_add(lane + 1);
    }

    fn load(&mut self, i: u32) -> u32 {
        if AUDIT && self.src.is_none() {
            let invocation = self.invocation;
            if let Some(word) = self.words.get_mut(i as usize) {
                mark(&mut word.reader, invocation);
            }
        }
        match word_at(self.src.unwrap_or(self.dst), i) {
            Some(bytes) => u32::from_le_bytes(bytes),
            None => {
                self.fault
                    .get_or_insert(("a source index lies in its window", i));
                0
            }
        }
    }

    fn merge(&mut self, i: u32, value: u32, mask: u32) {
        let Some(old) = word_at(self.dst, i).map(u32::from_le_bytes) else {
            self.fault
                .get_or_insert(("a destination index lies in its window", i));
            return;
        };
        if AUDIT {
            self.note_write(i, mask);
        }
        let at = i as usize * 4;
        self.dst[at..at + 4].copy_from_slice(&((old & !mask) | (value & mask)).to_le_bytes());
    }
}

/// Adds an invocation to those of a word.
fn mark(known: &mut u32, invocation: u32) {
    *known = if *known == NONE || *known == invocation {
        invocation
    } else {
        MANY
    };
}

fn word_at(window: &[u8], i: u32) -> Option<[u8; 4]> {
    let at = (i as usize).checked_mul(4)?;
    window.get(at..)?.first_chunk().copied()
}
