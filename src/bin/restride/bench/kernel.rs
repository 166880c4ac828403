//! The bench's own kernels, as WGSL.

const HEAD: &str = include_str!("head.wgsl");

/// A kernel of the bench.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    Vec4,
    Fill,
    Compare,
    /// Units of so many bits, a word at least, over so many axes.
    Naive(u32, usize),
    /// Units below a word into a run of whole words.
    NaiveWords(u32, usize),
    /// Units below a word to anywhere.
    NaiveBits(u32, usize),
}

impl Kernel {
    /// Its module.
    pub(super) fn source(self) -> String {
        let body = match self {
            Self::Vec4 => include_str!("vec4.wgsl"),
            Self::Fill => include_str!("fill.wgsl"),
            Self::Compare => include_str!("compare.wgsl"),
            Self::Naive(..) => include_str!("naive.wgsl"),
            Self::NaiveWords(..) => include_str!("naive_words.wgsl"),
            Self::NaiveBits(..) => include_str!("naive_bits.wgsl"),
        };
        let unit = match self {
            Self::Naive(64, _) => "alias Unit = vec2<u32>;\n",
            Self::Naive(128, _) => "alias Unit = vec4<u32>;\n",
            _ => "alias Unit = u32;\n",
        };
        format!("{HEAD}{unit}{body}")
    }

    /// Its override constants.
    pub(super) fn constants(self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Vec4 | Self::Fill | Self::Compare => Vec::new(),
            Self::Naive(_, rank) => vec![("RANK", rank as f64)],
            Self::NaiveWords(bits, rank) | Self::NaiveBits(bits, rank) => {
                let log2 = bits.trailing_zeros();
                vec![
                    ("RANK", rank as f64),
                    ("UNIT_LOG2", log2.into()),
                    ("WORD_LOG2", (5 - log2).into()),
                    ("MASK", ((1_u32 << bits) - 1).into()),
                ]
            }
        }
    }
}
