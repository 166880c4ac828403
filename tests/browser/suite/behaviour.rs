//! What a page does with the library besides single copies, and what the browser answers otherwise than a native device.

use restride::gpu::{Copier, Pair, Tensor, View};
use restride::plan::{Access, Options, Rung, Step};
use restride::{DType, Error, Layout, Side, host, reference};
use wasm_bindgen_test::{console_log, wasm_bindgen_test};
use wgpu::BufferUsages;

use crate::generator::{Case, Rng};
use crate::gpu_copies::{EVERY_USE, buffer, view};
use crate::page::{Page, seed};

/// All bytes of a buffer that has `COPY_SRC`, through the library's own future.
async fn bytes(page: &Page, buffer: &wgpu::Buffer) -> Vec<u8> {
    let words = Layout::contiguous(&[buffer.size() / 4]).unwrap();
    let tensor = Tensor::new(buffer.clone(), DType::UInt32, words).unwrap();
    tensor.read(&page.copier, &page.queue).await.unwrap()
}

#[wasm_bindgen_test]
async fn the_application_answers() {
    let turned = restride_browser::transpose(2, 3, vec![1, 2, 3, 4, 5, 6]).await;
    assert_eq!(turned.ok(), Some(vec![1, 4, 2, 5, 3, 6]));
    assert!(restride_browser::transpose(2, 3, vec![1, 2]).await.is_err());
}

#[wasm_bindgen_test]
async fn tensors_go_up_move_and_come_back() {
    let page = Page::open().await;
    let copier = &page.copier;
    // Int4, two to a byte: [[1, 2, 3], [4, 5, 6]].
    let matrix = Tensor::upload(&page.device, DType::Int4, &[2, 3], &[0x21, 0x43, 0x65]).unwrap();
    let (turned, last) = page.submit(|encoder| {
        let turned = matrix.transpose().materialize(copier, encoder).unwrap();
        let last = matrix
            .select(0, 1)
            .unwrap()
            .record_read(copier, encoder)
            .unwrap();
        (turned, last)
    });
    assert_eq!(last.await.unwrap(), [0x54, 0x06]);
    assert_eq!(
        turned.read(copier, &page.queue).await.unwrap(),
        [0x41, 0x52, 0x63]
    );
    let none = Tensor::zeros(&page.device, DType::Float32, &[3, 0]).unwrap();
    assert_eq!(none.read(copier, &page.queue).await.unwrap(), [0; 0]);

    let here = host::Tensor::from_slice(&[2, 2], &[1.5_f32, 2.5, 3.5, 4.5]).unwrap();
    let there = Tensor::upload_view(&page.device, &here.view().unwrap()).unwrap();
    let back = there
        .transpose()
        .read_host(copier, &page.queue, here.data_type())
        .await
        .unwrap();
    assert_eq!(back.as_slice::<f32>().unwrap(), [1.5, 3.5, 2.5, 4.5]);
    page.close().await;
}

#[wasm_bindgen_test]
async fn copies_share_the_callers_pass_and_run_in_order() {
    let page = Page::open().await;
    let before: Vec<u8> = (0..64).collect();
    let [a, b, c] = [before.as_slice(), &[0xff; 64], &[0xff; 64]]
        .map(|bytes| buffer(&page.device, bytes, EVERY_USE));
    let rows = Layout::contiguous(&[8, 8]).unwrap();
    let columns = rows.transpose();
    page.submit(|encoder| {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        page.copier
            .copy_in_pass(&mut pass, view(&a, 8, &columns), view(&b, 8, &rows))
            .unwrap();
        page.copier
            .copy_in_pass(&mut pass, view(&b, 8, &columns), view(&c, 8, &rows))
            .unwrap();
    });
    let turned: Vec<u8> = (0..64).map(|k| k % 8 * 8 + k / 8).collect();
    assert_eq!(bytes(&page, &b).await, turned);
    assert_eq!(bytes(&page, &c).await, before);
    page.close().await;
}

#[wasm_bindgen_test]
async fn a_batch_runs_in_order() {
    let page = Page::open().await;
    let mut rng = Rng::new(seed("a_batch_runs_in_order"));
    let size = 16 << 10;
    let mut on_host: Vec<Vec<u8>> = (0..3).map(|_| rng.bytes(size)).collect();
    let there: Vec<wgpu::Buffer> = on_host
        .iter()
        .map(|bytes| buffer(&page.device, bytes, EVERY_USE))
        .collect();
    let mut copies: Vec<(usize, usize, Case)> = Vec::new();
    while copies.len() < 60 {
        let bits = rng.pick(&[1, 4, 6, 8, 16, 32, 64, 128]);
        let case = Case::random(&mut rng, bits, 16_000);
        if case.src.len().max(case.dst.len()) <= size {
            let (from, to) = rng.pick(&[(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]);
            copies.push((from, to, case));
        }
    }
    for (from, to, case) in &copies {
        let source = on_host[*from].clone();
        reference::copy(
            case.width,
            &source,
            &case.src_layout,
            &mut on_host[*to],
            &case.dst_layout,
        )
        .unwrap();
    }
    let pairs: Vec<Pair<'_>> = copies
        .iter()
        .map(|(from, to, case)| Pair {
            src: view(&there[*from], case.width.bits(), &case.src_layout),
            dst: view(&there[*to], case.width.bits(), &case.dst_layout),
        })
        .collect();
    page.submit(|encoder| page.copier.copy_all(encoder, &pairs).unwrap());
    for (there, on_host) in there.iter().zip(&on_host) {
        assert!(bytes(&page, there).await == *on_host);
    }
    page.close().await;
}

#[wasm_bindgen_test]
async fn what_is_prepared_is_recorded_again() {
    let page = Page::open().await;
    let rows = Layout::contiguous(&[4, 4]).unwrap();
    let columns = rows.transpose();
    let [src, dst] = [[0; 16], [0xff; 16]].map(|bytes| buffer(&page.device, &bytes, EVERY_USE));
    let plan = page
        .copier
        .plan(view(&src, 8, &columns), view(&dst, 8, &rows))
        .unwrap();
    page.copier.warm(&plan).unwrap();
    let warmed = page.copier.pipeline_count();
    let prepared = page.copier.prepare(&plan, &src, &dst).unwrap();
    for first in [1, 101] {
        let new: Vec<u8> = (first..first + 16).collect();
        page.queue.write_buffer(&src, 0, &new);
        page.submit(|encoder| prepared.record(encoder));
        let turned: Vec<u8> = (0..16).map(|k| new[k % 4 * 4 + k / 4]).collect();
        assert_eq!(bytes(&page, &dst).await, turned);
    }
    assert_eq!(page.copier.pipeline_count(), warmed);
    page.close().await;
}

/// A browser refuses two bindings of one buffer of which one is written, unless both are: views that are close share one
/// binding, views that are far apart have two writable ones.
#[wasm_bindgen_test]
async fn disjoint_views_of_one_buffer_are_accepted() {
    let page = Page::open().await;
    let mut rng = Rng::new(seed("disjoint_views_of_one_buffer_are_accepted"));
    let at = |offset, strides: [i64; 2]| Layout::strided(offset, &strides, &[16, 16]).unwrap();
    for (src, dst, access) in [(100, 356, Access::One), (0, 4_096, Access::TwoWritable)] {
        let (rows, columns, to) = (at(src, [16, 1]), at(src, [1, 16]), at(dst, [16, 1]));
        let before = rng.bytes(4_096 + 256);
        for (rung, from) in [
            (Rung::Rows, &rows),
            (Rung::Blocks, &columns),
            (Rung::Gather, &columns),
            (Rung::Scatter, &columns),
        ] {
            let options = Options {
                force: Some(rung),
                ..*page.copier.options()
            };
            let copier = Copier::with_options(&page.device, options).unwrap();
            let one = buffer(&page.device, &before, EVERY_USE);
            let plan = copier
                .plan(view(&one, 8, from), view(&one, 8, &to))
                .unwrap();
            let binds = |step| matches!(step, Step::Dispatch(dispatch) if dispatch.program.access == access);
            assert!(plan.steps().any(binds), "{plan}");
            let prepared = copier.prepare(&plan, &one, &one).unwrap();
            page.submit(|encoder| prepared.record(encoder));
            let mut expected = before.clone();
            let width = DType::UInt8.width();
            reference::copy(width, &before, from, &mut expected, &to).unwrap();
            assert!(bytes(&page, &one).await == expected, "{plan}");
        }
    }
    page.close().await;
}

#[wasm_bindgen_test]
async fn refusals_are_typed_and_record_nothing() {
    let page = Page::open().await;
    let (rows, twice) = (
        Layout::contiguous(&[4, 4]).unwrap(),
        Layout::contiguous(&[32]).unwrap(),
    );
    let shifted = Layout::strided(8, &[4, 1], &[4, 4]).unwrap();
    let whole = buffer(&page.device, &[7; 16], EVERY_USE);
    let other = buffer(&page.device, &[0; 32], EVERY_USE);
    let hidden = buffer(&page.device, &[0; 16], BufferUsages::COPY_SRC);
    let options = Options {
        max_scratch_bytes: 0,
        ..*page.copier.options()
    };
    let copier = Copier::with_options(&page.device, options).unwrap();
    let refused = page.submit(|encoder| {
        let mut refuse = |src: View<'_>, dst: View<'_>| copier.copy(encoder, src, dst).unwrap_err();
        [
            refuse(view(&whole, 8, &twice), view(&other, 8, &twice)),
            refuse(view(&whole, 8, &rows), view(&other, 16, &rows)),
            refuse(view(&whole, 8, &rows), view(&other, 8, &twice)),
            refuse(view(&hidden, 8, &rows.transpose()), view(&other, 8, &rows)),
            refuse(view(&other, 8, &shifted), view(&other, 8, &rows)),
        ]
    });
    assert!(
        matches!(
            refused,
            [
                Error::BufferTooSmall {
                    side: Side::Source,
                    needed: 32,
                    buffer: 16
                },
                Error::UnlikeWidths { left: 8, right: 16 },
                Error::UnlikeRanks { .. },
                Error::MissingUsage { .. },
                Error::ScratchLimit {
                    needed: 16,
                    limit: 0
                },
            ]
        ),
        "{refused:?}"
    );
    assert_eq!(bytes(&page, &other).await, [0; 32]);
    let read = Tensor::zeros(&page.device, DType::UInt8, &[4])
        .unwrap()
        .record_read(&page.copier, &mut page.encoder());
    assert_eq!(read.unwrap().await, Err(Error::NotSubmitted));
    page.close().await;
}

/// Natively it is refused as it is recorded; a browser says what is wrong with a buffer to the device's handler alone, later.
#[wasm_bindgen_test]
async fn a_refused_submission_is_an_error_of_the_read() {
    let page = Page::open().await;
    let tensor = Tensor::upload(&page.device, DType::UInt8, &[4], &[1, 2, 3, 4]).unwrap();
    tensor.buffer().destroy();
    let read = tensor.read(&page.copier, &page.queue).await;
    assert!(matches!(read, Err(Error::Refused { .. })), "{read:?}");
    assert_eq!(page.uncaptured().await.len(), 1);
}

#[wasm_bindgen_test]
async fn a_lost_device_is_an_error_of_the_read() {
    let page = Page::open().await;
    let tensor = Tensor::upload(&page.device, DType::UInt8, &[4], &[1, 2, 3, 4]).unwrap();
    page.device.destroy();
    assert_eq!(
        tensor.read(&page.copier, &page.queue).await,
        Err(Error::DeviceLost)
    );
}

/// The judge of every test's end: a fault that only the browser sees is noticed.
#[wasm_bindgen_test]
async fn an_uncaptured_error_is_noticed() {
    let page = Page::open().await;
    let size = page.device.limits().max_buffer_size + 4;
    let usage = BufferUsages::STORAGE;
    let _refused = page.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage,
        mapped_at_creation: false,
    });
    let noticed = page.uncaptured().await;
    console_log!("noticed: {noticed:?}");
    assert_eq!(noticed.len(), 1);
}
