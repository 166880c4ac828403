//! Layouts made from others, by the text of a view.

use restride::view::View;
use restride::{Error, Layout};

use crate::errors::Failure;
use crate::{Answer, Numbers, written};

/// The layout that comes next in the input.
pub fn layout(numbers: &mut Numbers<'_>) -> Result<Layout, Error> {
    let rank = numbers.unsigned() as usize;
    let strided = numbers.unsigned() != 0;
    let offset = numbers.unsigned();
    let shape: Vec<u64> = (0..rank).map(|_| numbers.unsigned()).collect();
    let strides: Vec<i64> = if strided {
        (0..rank).map(|_| numbers.signed()).collect()
    } else {
        Layout::contiguous(&shape)?.strides().to_vec()
    };
    Layout::strided(offset, &strides, &shape)
}

/// The layout that a view's text makes of another.
///
/// The numbers are the buffer's bytes and the layout; the text is the dtype, a line, and the view's text. The answer is the
/// dtype's name, and its bits, offset, extents and strides.
pub fn derive(numbers: &mut Numbers<'_>, text: &str) -> Result<Answer, Failure> {
    let buffer_bytes = numbers.unsigned();
    let (name, view) = text.split_once(['\n']).unwrap_or((text, ""));
    let from = layout(numbers)?;
    let view: View = view.parse()?;
    let (dtype, layout) = view.apply(name.parse()?, &from, buffer_bytes)?;
    let mut numbers = vec![f64::from(dtype.bits()), layout.offset() as f64];
    numbers.extend(layout.shape().iter().map(|extent| *extent as f64));
    // A stride of an axis that is not walked is 0; any other is under 2^53.
    numbers.extend(layout.strides().iter().map(|stride| *stride as f64));
    Ok(Answer {
        numbers,
        bytes: written(format_args!("{dtype}")),
    })
}
