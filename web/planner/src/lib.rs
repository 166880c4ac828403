//! Layouts, moves, views and plans for JavaScript, over a C interface of a few functions.
//!
//! A call is a list of numbers and a text in, a list of numbers and bytes out. JavaScript writes the numbers where [`numbers`]
//! says and the text where [`text`] does, calls [`plan`], [`explain`] or [`derive`], and reads where the four
//! functions with `out` in their names say. Every number is an integer of at most 2^53 in size, which an `f64` holds exactly;
//! JavaScript checks that before it calls. A call returns 0, or 1 for an error: then the bytes are its code, its argument, its
//! value where that is a text, and its message, a line each, and the numbers its value and its bound, not a number where there
//! is none.
//!
//! A layout is `rank, 1 if strides follow, offset, extents, strides`: without strides it is in C order.

mod arena;
mod errors;
mod layouts;
mod plans;

use std::sync::{Mutex, MutexGuard, PoisonError};

use errors::Failure;

/// One call's input and output. There is one thread: JavaScript reads and writes between calls.
struct Exchange {
    numbers: Vec<f64>,
    text: Vec<u8>,
    out_numbers: Vec<f64>,
    out_bytes: Vec<u8>,
}

const EMPTY: Exchange = Exchange {
    numbers: Vec::new(),
    text: Vec::new(),
    out_numbers: Vec::new(),
    out_bytes: Vec::new(),
};

static EXCHANGE: Mutex<Exchange> = Mutex::new(EMPTY);

fn exchange() -> MutexGuard<'static, Exchange> {
    EXCHANGE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Numbers of the input, in the order that a call takes them.
struct Numbers<'a>(std::slice::Iter<'a, f64>);

impl Numbers<'_> {
    /// The next number: one that JavaScript left out is 0.
    fn signed(&mut self) -> i64 {
        self.0.next().map_or(0, |number| *number as i64)
    }

    #[inline(never)]
    fn unsigned(&mut self) -> u64 {
        self.0.next().map_or(0, |number| *number as u64)
    }

    fn small(&mut self) -> u32 {
        u32::try_from(self.unsigned()).unwrap_or(u32::MAX)
    }
}

/// What a call gives.
#[derive(Default)]
struct Answer {
    numbers: Vec<f64>,
    bytes: Vec<u8>,
}

/// The text, without the words of a panic that `format!` and `to_string` bring: a String takes whatever it is given.
fn written(text: std::fmt::Arguments<'_>) -> Vec<u8> {
    let mut written = String::new();
    let _ = std::fmt::Write::write_fmt(&mut written, text);
    written.into_bytes()
}

/// Runs one call over the input.
fn call(body: fn(&mut Numbers<'_>, &str) -> Result<Answer, Failure>) -> u32 {
    let mut exchange = exchange();
    // SAFETY: JavaScript's encoder writes nothing else than UTF-8; what wrote anything else could as well have written anywhere.
    let text = unsafe { std::str::from_utf8_unchecked(&exchange.text) };
    let result = body(&mut Numbers(exchange.numbers.iter()), text);
    let status = u32::from(result.is_err());
    let answer = result.unwrap_or_else(|failure| failure.answer());
    exchange.out_numbers = answer.numbers;
    exchange.out_bytes = answer.bytes;
    status
}

/// Where to write `count` numbers. It is called first: what the last answer was is gone.
#[unsafe(no_mangle)]
pub extern "C" fn numbers(count: usize) -> *mut f64 {
    let mut exchange = exchange();
    *exchange = EMPTY;
    // SAFETY: what a call allocates is in its answer or is gone, and the last answer went with the line above.
    unsafe { arena::reset() };
    exchange.numbers = vec![0.0; count];
    exchange.numbers.as_mut_ptr()
}

/// Where to write a text of `bytes` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn text(bytes: usize) -> *mut u8 {
    let mut exchange = exchange();
    exchange.text = vec![0; bytes];
    exchange.text.as_mut_ptr()
}

/// Where the numbers of the last answer are.
#[unsafe(no_mangle)]
pub extern "C" fn out_numbers() -> *const f64 {
    exchange().out_numbers.as_ptr()
}

/// How many they are.
#[unsafe(no_mangle)]
pub extern "C" fn out_numbers_count() -> usize {
    exchange().out_numbers.len()
}

/// Where the bytes of the last answer are.
#[unsafe(no_mangle)]
pub extern "C" fn out_bytes() -> *const u8 {
    exchange().out_bytes.as_ptr()
}

/// How many they are.
#[unsafe(no_mangle)]
pub extern "C" fn out_bytes_count() -> usize {
    exchange().out_bytes.len()
}

/// The encoded plan of a copy: see [`plans`].
#[unsafe(no_mangle)]
pub extern "C" fn plan() -> u32 {
    call(|numbers, text| {
        let bytes = plans::plan(numbers, text)?.encode()?;
        Ok(Answer {
            bytes,
            ..Answer::default()
        })
    })
}

/// The plan of a copy in words.
#[unsafe(no_mangle)]
pub extern "C" fn explain() -> u32 {
    call(|numbers, text| {
        let plan = plans::plan(numbers, text)?;
        Ok(Answer {
            bytes: written(format_args!("{plan}")),
            ..Answer::default()
        })
    })
}

/// A layout made from another: see [`layouts`].
#[unsafe(no_mangle)]
pub extern "C" fn derive() -> u32 {
    call(layouts::derive)
}

/// The WGSL of the module with the number that is the input's one number; empty if there is none.
#[cfg(feature = "shaders")]
#[unsafe(no_mangle)]
pub extern "C" fn shader() -> u32 {
    call(|numbers, _| {
        let program = restride::plan::Program::from_module_id(numbers.small());
        let bytes = program.map_or(Vec::new(), |program| program.source().into_bytes());
        Ok(Answer {
            bytes,
            ..Answer::default()
        })
    })
}
