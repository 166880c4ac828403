//! Tensors as the plain list of their elements' places, and random steps on them with their text.

/// A tensor as the first bit of each of its elements, in C order of the indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Model {
    pub(super) shape: Vec<usize>,
    pub(super) width: usize,
    pub(super) bits: Vec<usize>,
}

impl Model {
    pub(super) fn contiguous(shape: &[usize], width: usize) -> Self {
        let numel: usize = shape.iter().product();
        Self {
            shape: shape.to_vec(),
            width,
            bits: (0..numel).map(|p| p * width).collect(),
        }
    }

    /// The element at an index.
    fn at(&self, index: &[usize]) -> usize {
        let place = index
            .iter()
            .zip(&self.shape)
            .fold(0, |place, (i, d)| place * d + i);
        self.bits[place]
    }

    /// The tensor of `shape` whose element at each index is this one's at `source(index)`.
    fn gather(&self, shape: &[usize], source: impl Fn(&[usize]) -> Vec<usize>) -> Self {
        let numel: usize = shape.iter().product();
        let bits = (0..numel)
            .map(|k| self.at(&source(&index(k, shape))))
            .collect();
        Self {
            shape: shape.to_vec(),
            width: self.width,
            bits,
        }
    }

    /// Elements of another width; `None` where they do not lie side by side at whole places.
    fn bitcast(&self, width: usize) -> Option<Self> {
        let mut result = Self {
            shape: self.shape.clone(),
            width,
            bits: Vec::new(),
        };
        if width == self.width {
            return Some(self.clone());
        }
        if width < self.width {
            let ratio = self.width / width;
            result.shape.push(ratio);
            result.bits = self
                .bits
                .iter()
                .flat_map(|b| (0..ratio).map(move |k| b + k * width))
                .collect();
            return Some(result);
        }
        let ratio = width / self.width;
        if result.shape.pop()? != ratio {
            return None;
        }
        for part in self.bits.chunks(ratio) {
            let side_by_side = part.windows(2).all(|pair| pair[1] == pair[0] + self.width);
            if !side_by_side || part[0] % width != 0 {
                return None;
            }
            result.bits.push(part[0]);
        }
        Some(result)
    }
}

/// Index `k` of a shape in C order.
pub(super) fn index(mut k: usize, shape: &[usize]) -> Vec<usize> {
    let mut index: Vec<usize> = shape
        .iter()
        .rev()
        .map(|d| {
            let i = k % d;
            k /= d;
            i
        })
        .collect();
    index.reverse();
    index
}

/// The elements that Python's `range(d)[start:stop:step]` takes, by walking.
fn walk(d: usize, start: Option<i64>, stop: Option<i64>, step: i64) -> Vec<usize> {
    let d = i64::try_from(d).unwrap();
    let from_start = |bound: i64| if bound < 0 { bound + d } else { bound };
    let inside = |i: i64| (0..d).contains(&i);
    let mut taken = Vec::new();
    let mut i = match start.map(from_start) {
        None if step > 0 => 0,
        None => d - 1,
        Some(i) if step > 0 => i.max(0),
        Some(i) => i.min(d - 1),
    };
    let stop = stop.map(from_start);
    while inside(i) && stop.is_none_or(|stop| if step > 0 { i < stop } else { i > stop }) {
        taken.push(usize::try_from(i).unwrap());
        i += step;
    }
    taken
}

/// A step that is legal on `model`, as text and as what becomes of the model; built from free numbers.
pub(super) fn step(model: &Model, numbers: &[u32]) -> Option<(String, Option<Model>)> {
    let mut numbers = numbers.iter().copied().cycle();
    let mut below = |n: usize| numbers.next().unwrap_or(0) as usize % n.max(1);
    let rank = model.shape.len();
    let signed = |axis: usize, negative: usize| {
        if negative == 0 {
            axis.to_string()
        } else {
            format!("-{}", rank - axis)
        }
    };
    match below(10) {
        0 => {
            let shape: Vec<usize> = model.shape.iter().rev().copied().collect();
            let turned = model.gather(&shape, |i| i.iter().rev().copied().collect());
            Some((".T".to_owned(), Some(turned)))
        }
        1 => {
            let mut axes: Vec<usize> = (0..rank).collect();
            for i in (1..rank).rev() {
                axes.swap(i, below(i + 1));
            }
            let shape: Vec<usize> = axes.iter().map(|&a| model.shape[a]).collect();
            let result = model.gather(&shape, |i| {
                let mut source = vec![0; rank];
                axes.iter().zip(i).for_each(|(&axis, &i)| source[axis] = i);
                source
            });
            let text: Vec<String> = axes.iter().map(|&a| signed(a, below(2))).collect();
            Some((format!(".permute({})", text.join(",")), Some(result)))
        }
        2 if rank > 0 => {
            let axis = below(rank);
            let d = model.shape[axis];
            let result = model.gather(&model.shape, |i| {
                let mut source = i.to_vec();
                source[axis] = d - 1 - i[axis];
                source
            });
            Some((format!(".flip({})", signed(axis, below(2))), Some(result)))
        }
        3 => {
            // Any factorisation, met by dividing factors out.
            let mut rest: usize = model.bits.len();
            let mut shape = Vec::new();
            for factor in [2, 3, 4, 5] {
                if rest.is_multiple_of(factor) && below(2) == 0 && rest > 0 {
                    shape.push(factor);
                    rest /= factor;
                }
            }
            shape.insert(below(shape.len() + 1), rest);
            let mut text: Vec<String> = shape.iter().map(usize::to_string).collect();
            let inferred = below(shape.len());
            if shape
                .iter()
                .enumerate()
                .all(|(i, &d)| d > 0 || i == inferred)
            {
                text[inferred] = "-1".to_owned();
            }
            let result = Model {
                shape,
                ..model.clone()
            };
            Some((format!(".reshape({})", text.join(",")), Some(result)))
        }
        4 => {
            let shape: Vec<usize> = model
                .shape
                .iter()
                .map(|&d| if d == 1 { below(4) } else { d })
                .collect();
            let mut whole = vec![below(3); below(2)];
            let front = whole.len();
            whole.extend(&shape);
            let result = model.gather(&whole, |i| {
                let inner = i[front..].iter().zip(&model.shape);
                inner.map(|(&i, &d)| if d == 1 { 0 } else { i }).collect()
            });
            let text: Vec<String> = whole.iter().map(usize::to_string).collect();
            Some((format!(".broadcast({})", text.join(",")), Some(result)))
        }
        5 if rank > 0 => {
            let axis = below(rank);
            let (size, step, dilation) = (1 + below(3), 1 + below(3), 1 + below(2));
            let room = model.shape[axis].checked_sub(1 + dilation * (size - 1))?;
            let mut shape = model.shape.clone();
            shape[axis] = room / step + 1;
            shape.push(size);
            let result = model.gather(&shape, |i| {
                let (within, outer) = i.split_last().unwrap();
                let mut source = outer.to_vec();
                source[axis] = outer[axis] * step + within * dilation;
                source
            });
            Some((
                format!(".window({axis},{size},{step},{dilation})"),
                Some(result),
            ))
        }
        6 => {
            let shape: Vec<usize> = model.shape.iter().copied().filter(|&d| d != 1).collect();
            Some((
                ".squeeze()".to_owned(),
                Some(Model {
                    shape,
                    ..model.clone()
                }),
            ))
        }
        7 => {
            let place = below(rank + 1);
            let mut shape = model.shape.clone();
            shape.insert(place, 1);
            Some((
                format!(".unsqueeze({place})"),
                Some(Model {
                    shape,
                    ..model.clone()
                }),
            ))
        }
        8 => {
            let widths: Vec<usize> = [1, 2, 4, 8, 16, 32, 64, 128]
                .into_iter()
                .filter(|w| model.width.is_multiple_of(*w) || w.is_multiple_of(model.width))
                .collect();
            let width = *widths.get(below(widths.len()))?;
            Some((format!(".bitcast(bits({width}))"), model.bitcast(width)))
        }
        _ => {
            let mut items = Vec::new();
            let mut kept: Vec<Vec<usize>> = Vec::new();
            let mut dropped = Vec::new();
            for &d in &model.shape {
                let mut bound = || match below(3) {
                    0 => None,
                    _ => Some(
                        i64::try_from(below(2 * d + 4)).unwrap() - i64::try_from(d).unwrap() - 2,
                    ),
                };
                let (start, stop) = (bound(), bound());
                let step = [1, 1, -1, 2, -2, 3, -7][below(7)];
                if below(4) == 0 && d > 0 {
                    let i = below(d);
                    items.push(if below(2) == 0 {
                        i.to_string()
                    } else {
                        format!("-{}", d - i)
                    });
                    kept.push(vec![i]);
                    dropped.push(true);
                } else {
                    let text = |bound: Option<i64>| bound.map_or(String::new(), |b| b.to_string());
                    items.push(format!("{}:{}:{step}", text(start), text(stop)));
                    kept.push(walk(d, start, stop, step));
                    dropped.push(false);
                }
            }
            // New axes between the items, and an ellipsis for the last ones that are taken whole.
            let mut shape: Vec<usize> = Vec::new();
            let mut text = Vec::new();
            for ((item, kept), dropped) in items.into_iter().zip(&kept).zip(&dropped) {
                if below(5) == 0 {
                    text.push("None".to_owned());
                    shape.push(1);
                }
                text.push(item);
                if !dropped {
                    shape.push(kept.len());
                }
            }
            text.insert(below(text.len() + 1), "...".to_owned());
            let lengths: Vec<usize> = kept.iter().map(Vec::len).collect();
            let taken = model.gather(&lengths, |i| {
                i.iter().zip(&kept).map(|(&i, kept)| kept[i]).collect()
            });
            Some((
                format!("[{}]", text.join(", ")),
                Some(Model { shape, ..taken }),
            ))
        }
    }
}
