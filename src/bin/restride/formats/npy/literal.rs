//! The header of a .npy file: a Python dictionary of exactly three keys, as a literal.

use super::Descr;

/// What a header says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Dictionary {
    pub(super) descr: Descr,
    pub(super) fortran_order: bool,
    pub(super) shape: Vec<u64>,
}

/// The dictionary that `text` spells, or what is wrong with it and where.
pub(super) fn dictionary(text: &[u8]) -> Result<Dictionary, String> {
    let mut reader = Reader { text, at: 0 };
    let (mut descr, mut fortran_order, mut shape) = (None, None, None);
    reader.expect(b'{')?;
    while !reader.take(b'}') {
        let at = reader.at;
        let key = reader.string()?;
        reader.expect(b':')?;
        let again = match key {
            b"descr" => descr.replace(reader.descr()?).is_some(),
            b"fortran_order" => fortran_order.replace(reader.truth()?).is_some(),
            b"shape" => shape.replace(reader.shape()?).is_some(),
            _ => return Err(format!("unknown key '{}' at byte {at}", key.escape_ascii())),
        };
        if again {
            return Err(format!("key '{}' again at byte {at}", key.escape_ascii()));
        }
        if !reader.take(b',') {
            reader.expect(b'}')?;
            break;
        }
    }
    if reader.peek().is_some() {
        return Err(format!("more after the dictionary at byte {}", reader.at));
    }
    let missing = |key: &str| format!("no key '{key}'");
    Ok(Dictionary {
        descr: descr.ok_or_else(|| missing("descr"))?,
        fortran_order: fortran_order.ok_or_else(|| missing("fortran_order"))?,
        shape: shape.ok_or_else(|| missing("shape"))?,
    })
}

/// A place in the header's text.
struct Reader<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Reader<'t> {
    /// The next byte that is no space, without stepping over it.
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text[self.at..];
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
    fn expect(&mut self, byte: u8) -> Result<(), String> {
        if self.take(byte) {
            Ok(())
        } else {
            Err(format!("no `{}` at byte {}", char::from(byte), self.at))
        }
    }

    /// The letters and digits that come next.
    fn word(&mut self) -> &'t [u8] {
        self.peek();
        let rest = &self.text[self.at..];
        let length = rest
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric())
            .count();
        self.at += length;
        &rest[..length]
    }

    /// A string without escapes: no key or dtype that is read has any.
    fn string(&mut self) -> Result<&'t [u8], String> {
        let quote = match self.peek() {
            Some(quote @ (b'\'' | b'"')) => quote,
            _ => return Err(format!("no string at byte {}", self.at)),
        };
        let inside = &self.text[self.at + 1..];
        let Some(length) = inside.iter().position(|&b| b == quote) else {
            return Err(format!("a string without an end at byte {}", self.at));
        };
        self.at += length + 2;
        Ok(&inside[..length])
    }

    /// The value of `descr`.
    fn descr(&mut self) -> Result<Descr, String> {
        match self.peek() {
            Some(b'[') => Err("descr is a list: structured dtypes are refused".to_owned()),
            Some(b'(') => Err("descr is a tuple: subarray dtypes are refused".to_owned()),
            _ => {
                let text = self.string()?;
                match std::str::from_utf8(text) {
                    Ok(text) => Descr::parse(text),
                    Err(_) => Err(format!("dtype '{}' is unknown", text.escape_ascii())),
                }
            }
        }
    }

    /// The value of `fortran_order`.
    fn truth(&mut self) -> Result<bool, String> {
        let at = self.at;
        match self.word() {
            b"True" => Ok(true),
            b"False" => Ok(false),
            _ => Err(format!(
                "fortran_order is neither True nor False at byte {at}"
            )),
        }
    }

    /// The value of `shape`.
    fn shape(&mut self) -> Result<Vec<u64>, String> {
        self.expect(b'(')?;
        let mut shape = Vec::new();
        while !self.take(b')') {
            if self.peek() == Some(b'-') {
                return Err(format!("extent {} of the shape is negative", shape.len()));
            }
            let word = self.word();
            // Python 2 wrote long integers as 3L.
            let digits = word.strip_suffix(b"L").unwrap_or(word);
            let value = match std::str::from_utf8(digits) {
                Ok(digits) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                    digits
                        .parse()
                        .map_err(|_| format!("extent {digits} of the shape is past 64 bits"))?
                }
                _ => return Err(format!("no extent at byte {}", self.at)),
            };
            shape.push(value);
            if !self.take(b',') {
                self.expect(b')')?;
                break;
            }
        }
        Ok(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::dictionary;
    use proptest::prelude::*;

    #[test]
    fn a_header_is_read_in_any_order_and_spacing() {
        for text in [
            "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n",
            "{\"shape\":(2L,3L,),\"fortran_order\":False,\"descr\":\"<f4\"}",
        ] {
            let read = dictionary(text.as_bytes()).unwrap();
            assert_eq!(read.descr.to_string(), "<f4", "{text}");
            assert_eq!(
                (read.fortran_order, read.shape),
                (false, vec![2, 3]),
                "{text}"
            );
        }
    }

    const PIECES: [&str; 22] = [
        "{",
        "}",
        "(",
        ")",
        "[",
        ",",
        ":",
        "'",
        "\"",
        " ",
        "'descr'",
        "'shape'",
        "'fortran_order'",
        "'<f4'",
        "'<M8[ns]'",
        "True",
        "False",
        "1",
        "18446744073709551616",
        "-",
        "L",
        "\u{e9}",
    ];

    proptest! {
        #[test]
        fn no_header_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = dictionary(&bytes);
        }

        #[test]
        fn no_near_miss_panics(pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..30)) {
            let _ = dictionary(pieces.concat().as_bytes());
        }
    }
}
