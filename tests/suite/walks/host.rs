//! Walks over host tensors and their strings.

use restride::host::{DataType, Tensor, strings};

use super::numbers::{int, uint};
use super::{axis, pick, run};
use crate::generator::Rng;

fn dims(rng: &mut Rng) -> Vec<i64> {
    match rng.below(6) {
        0 => (0..rng.below(4)).map(|_| int(rng)).collect(),
        1 => vec![1; pick(rng, 300)],
        _ => (0..rng.below(4))
            .map(|_| rng.pick(&[0, 1, 2, 3, 5]))
            .collect(),
    }
}

fn data_type(rng: &mut Rng) -> DataType {
    loop {
        let code = if rng.once_in(9) {
            int(rng)
        } else {
            i64::try_from(rng.below(40)).unwrap()
        };
        if let Ok(known) = DataType::from_code(code) {
            return known;
        }
    }
}

fn fresh(rng: &mut Rng) -> Option<Tensor> {
    let dims = dims(rng);
    match rng.below(5) {
        0 => {
            let len = usize::try_from(uint(rng)).unwrap_or(usize::MAX);
            // What a machine may really have is not asked for.
            let absurd = len < 1 << 16 || len > isize::MAX.unsigned_abs();
            absurd.then(|| Tensor::allocate(data_type(rng), &dims, len).ok())?
        }
        1 => Tensor::from_slice(&dims, &vec![rng.next(); pick(rng, 9)]).ok(),
        2 => Tensor::from_vec(&dims, vec![0.5_f32; pick(rng, 9)]).ok(),
        3 => {
            let strings: Vec<Vec<u8>> = (0..pick(rng, 9)).map(|n| rng.bytes(n * 40)).collect();
            Tensor::from_strings(&dims, &strings).ok()
        }
        _ => {
            // Anything may be said to be strings.
            let bytes = 8 * (1 + pick(rng, 4));
            let mut tensor = Tensor::allocate(DataType::String, &[], bytes + 9).ok()?;
            let random = rng.bytes(bytes + 9);
            if let Some(to) = tensor.bytes_mut() {
                to.copy_from_slice(&random);
                if rng.once_in(2) {
                    to[..8].fill(0);
                }
            }
            Some(tensor)
        }
    }
}

fn step(tensor: &mut Tensor, rng: &mut Rng) {
    match rng.below(9) {
        0 => drop(tensor.set_shape(&dims(rng))),
        1 => {
            if let Ok(cast) = tensor.bitcast(data_type(rng), &dims(rng)) {
                *tensor = cast;
            }
        }
        2 => {
            if let Ok(strings) = tensor.strings() {
                let _ = (strings.check(), strings.len(), strings.get(uint(rng)));
                let _ = strings.iter().count();
            }
        }
        3 => {
            let _ = (tensor.as_slice::<f32>(), tensor.as_slice::<u64>());
            let _ = tensor.as_mut_slice::<u64>();
        }
        4 | 5 => {
            let Ok(view) = tensor.view() else { return };
            let (a, b) = (axis(rng, view.layout()), axis(rng, view.layout()));
            let turned = match rng.below(5) {
                0 => view.flip(a),
                1 => view.narrow(a, uint(rng), uint(rng)),
                2 => view.swap_axes(a, b),
                3 => view.select(a, int(rng)),
                _ => view.unfold(a, uint(rng), uint(rng)),
            };
            let Ok(turned) = turned else { return };
            if let Ok(made) = turned.materialize() {
                let layout = made.layout().unwrap();
                let mut target = made.clone();
                let _ = turned.copy_to(&mut target, &layout);
                *tensor = made;
            }
        }
        6 => drop(tensor.dim(usize::try_from(uint(rng)).unwrap_or(usize::MAX))),
        7 => {
            let code = i64::from(tensor.data_type().code());
            assert_eq!(DataType::from_code(code), Ok(tensor.data_type()));
        }
        _ => {
            let len = pick(rng, 30);
            let bytes = rng.bytes(len);
            let _ = (
                strings::decode(&bytes),
                strings::Strings::new(&bytes, uint(rng)),
            );
            let mut room = vec![0; pick(rng, 40)];
            let _ = strings::encode(&bytes, &mut room);
        }
    }
}

#[test]
fn walks_of_host_tensors_end_in_no_panic() {
    run("walks::host", |rng| {
        let Some(mut tensor) = fresh(rng) else { return };
        for _ in 0..8 {
            step(&mut tensor, rng);
        }
    });
}
