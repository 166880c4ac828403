//! 100,000 random sequences of new, allocate, clone, bitcast, move, `set_shape` and delete, some of their tensors dropped on
//! other threads: each deallocator is called exactly once, and none while a tensor still has the bytes.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use restride::host::{DataType, Tensor};

use crate::generator::{Rng, seed};
use crate::host_tensor::Foreign;

const SEQUENCES: u64 = 100_000;
const STEPS: usize = 16;

/// A tensor, and the foreign memory that it is over, by its place in the list of all.
struct Held {
    tensor: Tensor,
    source: Option<usize>,
}

/// The tensors of a sequence, and how often each foreign memory was freed.
#[derive(Default)]
struct Sequence {
    held: Vec<Held>,
    freed: Vec<Arc<AtomicUsize>>,
}

impl Sequence {
    fn step(&mut self, rng: &mut Rng) {
        let pick = |rng: &mut Rng, len: usize| usize::try_from(rng.below(len as u64)).unwrap();
        match rng.below(7) {
            0 => {
                let skew = if rng.below(4) == 0 { 4 } else { 0 };
                let mut foreign = Foreign::new(24, skew);
                self.freed.push(Arc::clone(&foreign.calls));
                let dims: &[i64] = if rng.below(8) == 0 { &[7] } else { &[2, 3] };
                match foreign.wrap(DataType::Float, dims) {
                    Ok(tensor) => {
                        assert_eq!(foreign.calls(), usize::from(skew > 0));
                        let source = (skew == 0).then(|| self.freed.len() - 1);
                        self.held.push(Held { tensor, source });
                    }
                    Err(_) => assert_eq!(foreign.calls(), 1),
                }
            }
            1 => {
                let tensor = Tensor::allocate(DataType::Float, &[2, 3], 24).unwrap();
                self.held.push(Held {
                    tensor,
                    source: None,
                });
            }
            _ if self.held.is_empty() => {}
            2 => {
                let Held { tensor, source } = &self.held[pick(rng, self.held.len())];
                let (tensor, source) = (tensor.clone(), *source);
                self.held.push(Held { tensor, source });
            }
            3 => {
                let from = pick(rng, self.held.len());
                let to = pick(rng, self.held.len());
                let (tensor, source) = (self.held[from].tensor.clone(), self.held[from].source);
                let to = &mut self.held[to];
                if to
                    .tensor
                    .bitcast_from(&tensor, DataType::UInt8, &[24])
                    .is_ok()
                {
                    to.source = source;
                }
            }
            4 => {
                let at = pick(rng, self.held.len());
                let alone = self.owners(at) == 1;
                let Held { tensor, source } = &mut self.held[at];
                let moved = tensor.maybe_move();
                assert_eq!(moved.is_some(), alone && source.is_none());
                if let Some(moved) = moved {
                    *tensor = moved;
                }
            }
            5 => {
                let at = pick(rng, self.held.len());
                let dims: &[i64] = if rng.below(2) == 0 { &[2, 3] } else { &[3, 9] };
                let _ = self.held[at].tensor.set_shape(dims);
            }
            _ => {
                let at = pick(rng, self.held.len());
                drop(self.held.swap_remove(at));
            }
        }
        self.check();
    }

    /// How many tensors have the bytes of one.
    fn owners(&self, at: usize) -> usize {
        let tensor = &self.held[at].tensor;
        self.held
            .iter()
            .filter(|held| held.tensor.shares_bytes_with(tensor))
            .count()
    }

    /// Foreign memory is freed iff no tensor has it.
    fn check(&self) {
        let mut wanted: HashMap<usize, usize> =
            (0..self.freed.len()).map(|source| (source, 1)).collect();
        for held in &self.held {
            if let Some(source) = held.source {
                wanted.insert(source, 0);
                assert_eq!(held.tensor.bytes(), [7; 24]);
            }
        }
        for (source, freed) in self.freed.iter().enumerate() {
            assert_eq!(
                freed.load(Ordering::SeqCst),
                wanted[&source],
                "source {source}"
            );
        }
    }
}

fn sequences(count: u64) -> u64 {
    if cfg!(miri) { 20 } else { count }
}

#[test]
fn each_deallocator_is_called_exactly_once() {
    let mut rng = Rng::new(seed("host_accounting"));
    let mut freed = 0;
    for _ in 0..sequences(SEQUENCES) {
        let mut sequence = Sequence::default();
        for _ in 0..STEPS {
            sequence.step(&mut rng);
        }
        sequence.held.clear();
        sequence.check();
        freed += sequence.freed.len();
    }
    assert!(freed > 0, "no memory was foreign");
}

#[cfg(not(target_family = "wasm"))] // has no threads
#[test]
fn across_threads_too() {
    let mut rng = Rng::new(seed("host_accounting"));
    for _ in 0..sequences(500) {
        let mut sequence = Sequence::default();
        for _ in 0..2 * STEPS {
            sequence.step(&mut rng);
        }
        // Everything that is left, cloned once for each thread, goes in the order that the threads make.
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let share: Vec<Tensor> = sequence
                    .held
                    .iter()
                    .map(|held| held.tensor.clone())
                    .collect();
                scope.spawn(move || {
                    for mut tensor in share {
                        assert!(tensor.byte_size() >= 24);
                        let _ = tensor.maybe_move();
                        drop(tensor);
                    }
                });
            }
            sequence.held.clear();
        });
        sequence.check();
    }
}
