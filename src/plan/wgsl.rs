//! WGSL files as programs take them: without comments and spaces, which no device reads and every program would carry.

/// The text of `shaders/<file>`, stripped when the crate is compiled.
macro_rules! wgsl {
    ($file:literal) => {{
        const FILE: &str = include_str!(concat!("../../shaders/", $file));
        const STRIPPED: ([u8; FILE.len()], usize) = crate::plan::wgsl::strip(FILE.as_bytes());
        const BYTES: [u8; STRIPPED.1] = crate::plan::wgsl::head(&STRIPPED.0);
        const TEXT: &str = match std::str::from_utf8(&BYTES) {
            Ok(text) => text,
            Err(_) => panic!("a shader is not UTF-8"),
        };
        TEXT
    }};
}

pub(super) use wgsl;

/// `text` without line comments, empty lines and spaces that part nothing, and the number of bytes that are left.
pub(super) const fn strip<const N: usize>(text: &[u8]) -> ([u8; N], usize) {
    let mut out = [0; N];
    let (mut from, mut to) = (0, 0);
    while from < text.len() {
        let byte = text[from];
        if byte == b'/' && from + 1 < text.len() && text[from + 1] == b'/' {
            while from < text.len() && text[from] != b'\n' {
                from += 1;
            }
            continue;
        }
        if !in_word(byte) && to > 0 && out[to - 1] == b' ' {
            to -= 1;
        }
        let wanted = match byte {
            b' ' => to > 0 && in_word(out[to - 1]),
            b'\n' => to > 0 && out[to - 1] != b'\n',
            _ => true,
        };
        if wanted {
            out[to] = byte;
            to += 1;
        }
        from += 1;
    }
    (out, to)
}

/// Whether a byte is of a name or a number.
const fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The first `N` bytes.
pub(super) const fn head<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    let mut k = 0;
    while k < N {
        out[k] = bytes[k];
        k += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::strip;

    #[test]
    fn comments_and_spaces_go() {
        let text = b"// A file.\n\nfn f() { // does f\n    let a = 1 / 2;\n    // none\n}\n";
        let (bytes, len) = strip::<64>(text);
        assert_eq!(&bytes[..len], b"fn f(){\nlet a=1/2;\n}\n");
    }
}
