//! The view language: what it reads, what it refuses and where, and that chains mean what they say.
//!
//! The judge of the chains is [`Model`], which knows no strides.

mod model;

use proptest::prelude::*;
use restride::view::{Op, View};
use restride::{DType, Error, Index, Layout};

use model::{Model, index, step};

/// The steps that `text` is read as.
fn ops(text: &str) -> Vec<Op> {
    let view: View = text.parse().unwrap_or_else(|e| panic!("{text:?}: {e}"));
    view.steps().iter().map(|step| step.op.clone()).collect()
}

fn slice(start: Option<i64>, stop: Option<i64>, step: i64) -> Index {
    Index::Slice { start, stop, step }
}

#[test]
fn each_form_is_read_as_what_it_says() {
    let at = Index::At;
    let rows: &[(&str, &[Op])] = &[
        ("", &[]),
        ("  ", &[]),
        (
            "[2:5, ::-1, ..., None, 3]",
            &[Op::Index(vec![
                slice(Some(2), Some(5), 1),
                slice(None, None, -1),
                Index::Ellipsis,
                Index::NewAxis,
                at(3),
            ])],
        ),
        ("[:]", &[Op::Index(vec![slice(None, None, 1)])]),
        ("[::]", &[Op::Index(vec![slice(None, None, 1)])]),
        ("[-1]", &[Op::Index(vec![at(-1)])]),
        (
            "[-3:-1:-2,]",
            &[Op::Index(vec![slice(Some(-3), Some(-1), -2)])],
        ),
        (
            "[:9223372036854775807, -9223372036854775808:]",
            &[Op::Index(vec![
                slice(None, Some(i64::MAX), 1),
                slice(Some(i64::MIN), None, 1),
            ])],
        ),
        (".T", &[Op::Transpose]),
        (".T.T", &[Op::Transpose, Op::Transpose]),
        (".permute(0,2,1)", &[Op::Permute(vec![0, 2, 1])]),
        (".permute((0, -1, 1))", &[Op::Permute(vec![0, -1, 1])]),
        (".permute()", &[Op::Permute(vec![])]),
        (".reshape(2,-1)", &[Op::Reshape(vec![2, -1])]),
        (".reshape((2,-1,))", &[Op::Reshape(vec![2, -1])]),
        (".reshape(())", &[Op::Reshape(vec![])]),
        (".broadcast(4,3)", &[Op::Broadcast(vec![4, 3])]),
        (".flip(0)", &[Op::Flip(0)]),
        (".squeeze()", &[Op::Squeeze]),
        (".squeeze(-2)", &[Op::SqueezeAxis(-2)]),
        (".unsqueeze(0)", &[Op::Unsqueeze(0)]),
        (".swap(0, -1)", &[Op::Swap(0, -1)]),
        (
            ".window(1,3,2,4)",
            &[Op::Window {
                axis: 1,
                size: 3,
                step: 2,
                dilation: 4,
            }],
        ),
        (
            ".window(-1,3)",
            &[Op::Window {
                axis: -1,
                size: 3,
                step: 1,
                dilation: 1,
            }],
        ),
        (
            ".as_strided((3,2),(1,-3),7)",
            &[Op::AsStrided {
                shape: vec![3, 2],
                strides: vec![1, -3],
                offset: 7,
            }],
        ),
        (
            ".as_strided((3,),(0,))",
            &[Op::AsStrided {
                shape: vec![3],
                strides: vec![0],
                offset: 0,
            }],
        ),
        (
            ".as_strided((), (), 5)",
            &[Op::AsStrided {
                shape: vec![],
                strides: vec![],
                offset: 5,
            }],
        ),
        (".bitcast(uint4)", &[Op::Bitcast(DType::UInt4)]),
        (
            ".bitcast( bits( 12 ) )",
            &[Op::Bitcast("bits(12)".parse().unwrap())],
        ),
        (" [ 0 ] . T ", &[Op::Index(vec![at(0)]), Op::Transpose]),
    ];
    for (text, expected) in rows {
        assert_eq!(ops(text), *expected, "{text:?}");
        let view: View = text.parse().unwrap();
        assert_eq!(
            ops(&view.to_string()),
            *expected,
            "{text:?} printed as {view}"
        );
    }
}

#[test]
fn text_that_is_no_view_is_refused_where_it_ends_to_be_one() {
    let rows: &[(&str, usize)] = &[
        ("x", 0),
        ("[", 1),
        ("[]", 1),
        ("[1", 2),
        ("[1 2]", 3),
        ("[1:2:3:4]", 6),
        ("[Nine]", 1),
        ("[..]", 1),
        ("[--1]", 1),
        ("[1]]", 3),
        ("[9223372036854775808]", 1),
        ("[1.5]", 2),
        (".", 1),
        (".t", 1),
        (".T()", 2),
        (".transpose()", 1),
        (".permute", 8),
        (".permute(", 9),
        (".permute(0 1)", 11),
        (".permute(0,,1)", 11),
        (".permute((0,1)", 14),
        (".reshape(x)", 9),
        (".broadcast(-1)", 11),
        (".flip()", 5),
        (".flip(0,1)", 5),
        (".swap(0)", 5),
        (".squeeze(0,1)", 8),
        (".window(0)", 7),
        (".window(0,1,2,3,4)", 7),
        (".window(0,-1)", 10),
        (".as_strided(3,2)", 12),
        (".as_strided((3),(1),-1)", 20),
        (".as_strided((-3),(1),1)", 13),
        (".as_strided((3),(1),1,2)", 22),
        (".as_strided((3))", 15),
        (".bitcast()", 9),
        (".bitcast(float33)", 9),
        (".bitcast(bits(0))", 9),
        (".bitcast(bits(129))", 9),
        (".bitcast(uint4", 14),
        ("é", 0),
        ("[0]é", 3),
        (".T\u{00a0}", 2),
    ];
    for (text, position) in rows {
        match text.parse::<View>() {
            Err(Error::ViewText {
                position: found, ..
            }) => assert_eq!(found, *position, "{text:?}"),
            other => panic!("{text:?}: {other:?}"),
        }
    }
}

#[test]
fn spans_are_the_bytes_of_each_step() {
    let text = " [0, :] .T.reshape( -1 )";
    let view: View = text.parse().unwrap();
    let spans: Vec<&str> = view
        .steps()
        .iter()
        .map(|step| &text[step.span.clone()])
        .collect();
    assert_eq!(spans, ["[0, :]", ".T", ".reshape( -1 )"]);
}

#[test]
fn a_step_that_is_illegal_where_it_stands_is_named_with_its_cause() {
    let whole = Layout::contiguous(&[2, 3, 4]).unwrap();
    let apply = |text: &str| {
        text.parse::<View>()
            .unwrap()
            .apply(DType::UInt8, &whole, 24)
    };
    let rows: &[(&str, usize, &str)] = &[
        ("[0, 0, 0, 0]", 0, "4 indices"),
        (".T[4]", 2, "index 4"),
        ("[..., ...]", 0, "second ellipsis"),
        ("[::0]", 0, "step 0"),
        (".permute(0,1)", 0, "2 entries"),
        (".permute(0,1,1)", 0, "repeats axis 1"),
        (".permute(0,1,3)", 0, "axis 3"),
        (".reshape(5,-1)", 0, "24"),
        (".reshape(-1,-1)", 0, "second extent of -1"),
        (".reshape(-2,12)", 0, "-2"),
        (".broadcast(3,4)", 0, "3 axes to 2"),
        (".broadcast(3,3,4)", 0, "extent 2 to 3"),
        (".flip(3)", 0, "axis 3"),
        (".squeeze(0)", 0, "extent 2"),
        (".unsqueeze(5)", 0, "axis 5"),
        (".swap(0,-4)", 0, "axis -4"),
        (".window(2,5)", 0, "size 5"),
        (".window(2,0)", 0, "size 0"),
        (".as_strided((25),(1),0)", 0, "25 bytes of a buffer of 24"),
        (".as_strided((2),(1),23)", 0, "25 bytes of a buffer of 24"),
        (".as_strided((2),(-1),0)", 0, "negative position"),
        (".as_strided((2),(1,1),0)", 0, "2 strides"),
        (".as_strided((9007199254740993),(0),0)", 0, "2^53"),
        (".bitcast(bits(12))", 0, "12 bits"),
    ];
    for (text, place, part) in rows {
        let error = apply(text).expect_err(text);
        assert!(
            matches!(error, Error::ViewStep { position, .. } if position == *place),
            "{text}: {error}"
        );
        assert!(error.to_string().contains(part), "{text}: {error}");
    }
    assert_eq!(
        apply("[:, 1:].reshape(-1)"),
        Err(Error::ViewReshape { position: 7 })
    );
    // Bytes of a column are not neighbours.
    assert_eq!(
        apply(".T.bitcast(uint16)"),
        Err(Error::ViewBitcast {
            position: 2,
            ratio: 2
        })
    );
}

#[test]
fn a_view_may_use_the_spare_bits_of_the_last_byte_and_no_more() {
    let fifteen = Layout::contiguous(&[15]).unwrap();
    let apply = |text: &str| {
        text.parse::<View>()
            .unwrap()
            .apply(DType::UInt4, &fifteen, 8)
    };
    assert!(apply(".as_strided((2,8),(8,1),0)").is_ok());
    assert!(apply(".as_strided((17),(1),0)").is_err());
}

#[test]
fn a_reshape_that_no_strides_express_begins_a_stage() {
    let text =
        ".T.reshape(-1).bitcast(uint8)[::2].as_strided((6,),(1,),0).reshape(3,2).T.reshape(6)";
    let view: View = text.parse().unwrap();
    let stages = view
        .stages(DType::UInt16, &Layout::contiguous(&[2, 3]).unwrap(), 12)
        .unwrap();
    let causes: Vec<_> = stages
        .iter()
        .map(|stage| stage.cause.clone().map(|span| &text[span]))
        .collect();
    assert_eq!(causes, [None, Some(".reshape(-1)"), Some(".reshape(6)")]);
    assert_eq!(stages[0].layout.shape(), [3, 2]);
    assert_eq!(stages[0].dtype, DType::UInt16);
    // `as_strided` sees the copy's buffer, in bytes.
    assert_eq!(stages[1].dtype, DType::UInt8);
    assert_eq!(
        stages[1].layout,
        Layout::strided(0, &[1, 2], &[2, 3]).unwrap()
    );
    assert_eq!(stages[2].layout, Layout::contiguous(&[6]).unwrap());
    assert!(
        view.apply(DType::UInt16, &Layout::contiguous(&[2, 3]).unwrap(), 12)
            .is_err()
    );
}

/// The first bits of a layout's elements in C order.
fn first_bits(layout: &Layout, width: usize) -> Vec<usize> {
    let shape: Vec<usize> = layout
        .shape()
        .iter()
        .map(|&d| usize::try_from(d).unwrap())
        .collect();
    let numel: usize = shape.iter().product();
    let position = |k| {
        let index: Vec<u64> = index(k, &shape).iter().map(|&i| i as u64).collect();
        usize::try_from(layout.position(&index)).unwrap()
    };
    (0..numel).map(|k| position(k) * width).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Chains of legal steps reach the elements that the model reaches, through whatever stages they need.
    #[test]
    fn chains_agree_with_an_evaluation_by_index(
        shape in prop::collection::vec(0usize..5, 0..4),
        width in prop::sample::select(vec![1usize, 2, 4, 8, 16, 32]),
        choices in prop::collection::vec(prop::collection::vec(any::<u32>(), 24), 0..6),
    ) {
        let mut model = Model::contiguous(&shape, width);
        let mut text = String::new();
        let dtype: DType = format!("bits({width})").parse().unwrap();
        let extents: Vec<u64> = shape.iter().map(|&d| d as u64).collect();
        let whole = Layout::contiguous(&extents).unwrap();
        let bytes = dtype.width().bytes_for(whole.numel());
        // Where the current stage's buffer came from: bit b of it is bit `origin[b]` of the first buffer.
        let mut stages = 1;
        for numbers in &choices {
            let Some((piece, next)) = step(&model, numbers) else { continue };
            if next.as_ref().is_some_and(|next| next.bits.len() > 4096 || next.shape.len() > 12) {
                continue;
            }
            let longer = format!("{text}{piece}");
            let view: View = longer.parse().unwrap();
            let found = view.stages(dtype, &whole, bytes);
            match (next, found) {
                // After a copy, elements lie side by side that did not before: the model does not follow.
                (None, _) if stages > 1 => continue,
                (None, found) => {
                    let refused = matches!(found, Err(Error::ViewBitcast { .. }));
                    prop_assert!(refused, "{longer}: {found:?}");
                    continue;
                }
                (Some(_), Err(Error::ViewBitcast { .. })) if stages > 1 => continue,
                (Some(next), found) => {
                    let found = found.map_err(|e| TestCaseError::fail(format!("{longer}: {e}")))?;
                    stages = found.len();
                    let mut origin: Vec<usize> = (0..usize::try_from(bytes * 8).unwrap()).collect();
                    for stage in &found {
                        let width = usize::try_from(stage.dtype.bits()).unwrap();
                        let firsts = first_bits(&stage.layout, width);
                        origin = firsts.iter().flat_map(|&b| (0..width).map(move |k| b + k)).map(|b| origin[b]).collect();
                    }
                    let last = found.last().unwrap();
                    let extents: Vec<usize> = last.layout.shape().iter().map(|&d| usize::try_from(d).unwrap()).collect();
                    prop_assert_eq!(&extents, &next.shape, "{}", longer);
                    prop_assert_eq!(last.dtype.bits() as usize, next.width, "{}", longer);
                    let expected: Vec<usize> = next.bits.iter().flat_map(|&b| (0..next.width).map(move |k| b + k)).collect();
                    prop_assert_eq!(origin, expected, "{}", longer);
                    if stages == 1 {
                        let strict = view.apply(dtype, &whole, bytes);
                        prop_assert_eq!(strict, Ok((last.dtype, last.layout.clone())));
                    }
                    let again: View = view.to_string().parse().unwrap();
                    prop_assert_eq!(again.stages(dtype, &whole, bytes).map(|s| s.len()), Ok(stages));
                    text = longer;
                    model = next;
                }
            }
        }
    }

    /// Any text is a view or an error that names a place in it.
    #[test]
    fn no_text_panics(text in any::<String>()) {
        check_text(&text)?;
    }

    /// Nor does text made of the language's own pieces.
    #[test]
    fn no_near_miss_panics(pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..24)) {
        check_text(&pieces.concat())?;
    }
}

const PIECES: &[&str] = &[
    "[",
    "]",
    "(",
    ")",
    ",",
    ":",
    "::",
    "...",
    ".",
    "-",
    " ",
    "None",
    "N",
    "0",
    "1",
    "2",
    "3",
    "-1",
    "7",
    "4096",
    "9223372036854775807",
    "-9223372036854775808",
    "9007199254740992",
    "99999999999999999999",
    ".T",
    ".permute(",
    ".reshape(",
    ".broadcast(",
    ".flip(",
    ".squeeze(",
    ".unsqueeze(",
    ".swap(",
    ".window(",
    ".as_strided((",
    "),(",
    ".bitcast(",
    "uint4",
    "bits(",
    "bits(12)",
    "float32",
    "[::-1]",
    "[None]",
    ".reshape(-1)",
    ".T.reshape(-1)",
    ".bitcast(uint8)",
    ".bitcast(bit)",
    "é",
    "\0",
];

/// Reads and applies any text; only the absence of a panic, and an error's place, are asked for.
fn check_text(text: &str) -> Result<(), TestCaseError> {
    let view = match text.parse::<View>() {
        Ok(view) => view,
        Err(Error::ViewText { position, .. }) => {
            prop_assert!(text.is_char_boundary(position), "{text:?}: {position}");
            return Ok(());
        }
        Err(other) => return Err(TestCaseError::fail(format!("{text:?}: {other}"))),
    };
    let again: View = view
        .to_string()
        .parse()
        .map_err(|e| TestCaseError::fail(format!("{text:?} as {view}: {e}")))?;
    prop_assert_eq!(ops(&again.to_string()), ops(text));
    for shape in [
        &[][..],
        &[6],
        &[2, 3],
        &[1, 4, 1],
        &[0, 3],
        &[1 << 26, 1 << 26],
    ] {
        let whole = Layout::contiguous(shape).unwrap();
        for dtype in [DType::Bit, DType::UInt8, DType::Float32] {
            let bytes = dtype.width().bytes_for(whole.numel());
            let (strict, loose) = (
                view.apply(dtype, &whole, bytes),
                view.stages(dtype, &whole, bytes),
            );
            if let Ok((dtype, layout)) = strict {
                let loose = loose.map_err(|e| TestCaseError::fail(format!("{text:?}: {e}")))?;
                prop_assert_eq!(loose.len(), 1);
                prop_assert_eq!((loose[0].dtype, &loose[0].layout), (dtype, &layout));
                prop_assert!(dtype.width().bytes_for(layout.span().end) <= bytes);
            }
        }
    }
    Ok(())
}
