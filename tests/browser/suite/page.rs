//! The page's adapter and device, its clock, and the errors that nobody asked for.

use std::sync::{Arc, Mutex};

use restride::gpu::Copier;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_test::console_log;

#[wasm_bindgen]
unsafe extern "C" {
    #[wasm_bindgen(js_namespace = Date)]
    fn now() -> f64;
}

/// The seed of this run: the clock, or `RESTRIDE_SEED` as it was set for the compiler; printed, so that a failure can be run
/// again.
pub(crate) fn seed(test: &str) -> u64 {
    let asked = option_env!("RESTRIDE_SEED").and_then(|text| text.parse().ok());
    let seed = asked.unwrap_or_else(|| now() as u64);
    console_log!("{test}: RESTRIDE_SEED={seed}");
    seed
}

/// A device of the browser's, and the errors it has reported outside any scope.
pub(crate) struct Page {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) copier: Copier,
    pub(crate) adapter: wgpu::AdapterInfo,
    uncaptured: Arc<Mutex<Vec<String>>>,
}

impl Page {
    /// A new device under the limits that every browser grants. No adapter is a failure: nothing would have run.
    pub(crate) async fn open() -> Self {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = instance
            .request_adapter(&wgpu::RequestAdapterOptions::default())
            .await
            .expect("the browser grants an adapter");
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor::default())
            .await
            .expect("the adapter grants a device");
        let uncaptured = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&uncaptured);
        device.on_uncaptured_error(Arc::new(move |error| {
            noted.lock().unwrap().push(format!("{error}"))
        }));
        let copier = Copier::new(&device).unwrap();
        Self {
            device,
            queue,
            copier,
            adapter: adapter.get_info(),
            uncaptured,
        }
    }

    pub(crate) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Records by `record` into one encoder, and submits it.
    pub(crate) fn submit<T>(&self, record: impl FnOnce(&mut wgpu::CommandEncoder) -> T) -> T {
        let mut encoder = self.encoder();
        let recorded = record(&mut encoder);
        self.queue.submit([encoder.finish()]);
        recorded
    }

    /// What was reported outside any scope so far. An error scope is answered after everything before it.
    pub(crate) async fn uncaptured(&self) -> Vec<String> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        assert!(scope.pop().await.is_none());
        self.uncaptured.lock().unwrap().clone()
    }

    /// Ends a test: nothing was reported.
    pub(crate) async fn close(self) {
        assert_eq!(self.uncaptured().await, [""; 0]);
    }
}
