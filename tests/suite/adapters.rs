//! Every adapter of the machine, opened once for the whole suite.
//!
//! A GPU test asks for [`each`] and runs on all of them. Finding none is a failure: a suite that passes because nothing ran
//! would say nothing about the kernels. `RESTRIDE_ADAPTERS` (`llvmpipe/Vulkan,llvmpipe/Gl,…`) names those that must be there.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use wgpu::util::DeviceExt;

/// One adapter with its device. A test holds it alone: software adapters use every core anyway, and an error that wgpu
/// reports outside any scope can then be blamed on the test that was running.
pub(crate) struct Engine {
    /// Adapter and backend, such as `llvmpipe/Vulkan`.
    pub(crate) name: String,
    pub(crate) info: wgpu::AdapterInfo,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    complaints: Arc<Mutex<Vec<String>>>,
    turn: Mutex<()>,
}

/// The engines, in the order in which wgpu lists them.
pub(crate) fn all() -> &'static [Engine] {
    static ENGINES: OnceLock<Vec<Engine>> = OnceLock::new();
    ENGINES.get_or_init(|| {
        let engines = open_all();
        let names: Vec<&str> = engines.iter().map(|e| e.name.as_str()).collect();
        for Engine { name, info, .. } in &engines {
            eprintln!("adapter {name}: {}, {}", info.name, info.driver_info);
        }
        assert!(
            !engines.is_empty(),
            "no adapter that runs compute shaders: install a driver (tests/run does)"
        );
        let wanted = std::env::var("RESTRIDE_ADAPTERS").unwrap_or_default();
        let missing = absent(&wanted, &names);
        assert!(
            missing.is_empty(),
            "RESTRIDE_ADAPTERS asks for {missing:?}, found {names:?}"
        );
        engines
    })
}

/// Runs `test` on each engine, and names the engine on which it failed.
pub(crate) fn each(test: impl Fn(&Engine)) {
    for engine in all() {
        engine.alone(&test);
    }
}

impl Engine {
    /// Runs `test` with nobody else on the device; whatever the device complains of outside an error scope fails it.
    pub(crate) fn alone(&self, test: impl FnOnce(&Self)) {
        let _turn = hold(&self.turn);
        hold(&self.complaints).clear();
        let outcome = catch_unwind(AssertUnwindSafe(|| test(self)));
        // What is still in flight belongs to this test: its errors must not reach the next one.
        let drained = self.device.poll(wgpu::PollType::wait_indefinitely());
        let complaints = std::mem::take(&mut *hold(&self.complaints));
        if let Err(panic) = outcome {
            eprintln!("failed on {}; the device said: {complaints:?}", self.name);
            resume_unwind(panic);
        }
        assert!(
            complaints.is_empty(),
            "{}: {}",
            self.name,
            complaints.join("\n")
        );
        drained.unwrap_or_else(|e| panic!("{}: {e}", self.name));
    }

    /// What the device complained of outside error scopes, until now.
    pub(crate) fn complaints(&self) -> Vec<String> {
        std::mem::take(&mut *hold(&self.complaints))
    }

    /// A storage buffer that holds `bytes`, padded with zeros to whole words, and can be copied both ways.
    pub(crate) fn storage(&self, bytes: &[u8]) -> wgpu::Buffer {
        let mut words = bytes.to_vec();
        words.resize(bytes.len().next_multiple_of(4).max(4), 0);
        self.device
            .create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: None,
                contents: &words,
                usage: wgpu::BufferUsages::STORAGE
                    | wgpu::BufferUsages::COPY_SRC
                    | wgpu::BufferUsages::COPY_DST,
            })
    }

    /// The bytes of a buffer that has `COPY_SRC`, after everything submitted before.
    pub(crate) fn bytes(&self, buffer: &wgpu::Buffer) -> Vec<u8> {
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: buffer.size(),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
        staging.map_async(wgpu::MapMode::Read, .., |mapped| {
            mapped.expect("staging buffer maps");
        });
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .expect("device answers");
        let view = staging
            .get_mapped_range(..)
            .expect("staging buffer is mapped");
        view.to_vec()
    }
}

fn open_all() -> Vec<Engine> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    adapters.iter().filter_map(open).collect()
}

/// Every adapter and the no-op one, of an instance of their own: for tests that lose devices.
pub(crate) fn own() -> Vec<wgpu::Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backend_options.noop.enable = true;
    let instance = wgpu::Instance::new(descriptor);
    pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()))
}

/// A device of an adapter, with all that the adapter grants; `None` if it runs no compute shaders.
pub(crate) fn open(adapter: &wgpu::Adapter) -> Option<Engine> {
    let info = adapter.get_info();
    let name = short_name(&info.name, info.backend);
    let flags = adapter.get_downlevel_capabilities().flags;
    if !flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
        eprintln!("adapters: {name} runs no compute shaders, left out");
        return None;
    }
    // The no-op adapter grants anything, alignments to single bytes included.
    let noop = info.backend == wgpu::Backend::Noop;
    Some(open_with(
        adapter,
        if noop {
            wgpu::Limits::default()
        } else {
            adapter.limits()
        },
    ))
}

/// A device with these limits.
pub(crate) fn open_with(adapter: &wgpu::Adapter, required_limits: wgpu::Limits) -> Engine {
    let info = adapter.get_info();
    let name = short_name(&info.name, info.backend);
    let request = adapter.request_device(&wgpu::DeviceDescriptor {
        label: Some(&name),
        required_limits,
        ..Default::default()
    });
    let (device, queue) =
        pollster::block_on(request).unwrap_or_else(|e| panic!("{name} gives no device: {e}"));
    let complaints = Arc::new(Mutex::new(Vec::new()));
    // Recorded rather than raised: wgpu calls this with locks of its own held, which a panic would poison.
    let uncaptured = Arc::clone(&complaints);
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        hold(&uncaptured).push(error.to_string());
    }));
    let lost = Arc::clone(&complaints);
    device.set_device_lost_callback(move |reason, message| {
        hold(&lost).push(format!("device lost ({reason:?}): {message}"));
    });
    Engine {
        name,
        info,
        device,
        queue,
        complaints,
        turn: Mutex::new(()),
    }
}

/// `llvmpipe (LLVM 15.0.6, 256 bits)` on Vulkan is `llvmpipe/Vulkan`: versions come and go, drivers stay.
fn short_name(adapter: &str, backend: wgpu::Backend) -> String {
    let driver = adapter.split(" (").next().unwrap_or(adapter).trim();
    format!("{driver}/{backend:?}")
}

/// The entries of a comma-separated wish that no name fulfils; the driver may be a part of the name, the backend may not.
fn absent(wanted: &str, names: &[&str]) -> Vec<String> {
    let fulfilled = |wish: &str| {
        let (driver, backend) = wish.rsplit_once('/').unwrap_or((wish, ""));
        names.iter().any(|name| {
            let (have, on) = name.rsplit_once('/').unwrap_or((name, ""));
            have.to_lowercase().contains(&driver.to_lowercase())
                && (backend.is_empty() || on.eq_ignore_ascii_case(backend))
        })
    };
    wanted
        .split(',')
        .map(str::trim)
        .filter(|w| !w.is_empty() && !fulfilled(w))
        .map(str::to_owned)
        .collect()
}

/// A test that failed while it held the lock says nothing about the next one.
fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn wishes_are_matched_by_driver_and_backend() {
    let names = ["llvmpipe/Vulkan", "SwiftShader Device/Vulkan"];
    assert_eq!(absent("", &names), Vec::<String>::new());
    assert_eq!(
        absent("llvmpipe/Vulkan, swiftshader/vulkan,llvmpipe", &names),
        Vec::<String>::new()
    );
    assert_eq!(
        absent("llvmpipe/Gl,SwiftShader/Vulkan", &names),
        ["llvmpipe/Gl"]
    );
    assert_eq!(
        short_name("SwiftShader Device (Subzero)", wgpu::Backend::Vulkan),
        "SwiftShader Device/Vulkan"
    );
}

const DOUBLE: &str = "
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> destination: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&destination) { destination[id.x] = 2u * source[id.x]; }
}";

#[test]
fn every_adapter_runs_a_dispatch() {
    each(|engine| {
        let device = &engine.device;
        let numbers: Vec<u32> = (0..1000).collect();
        let source = engine.storage(bytemuck::cast_slice(&numbers));
        let destination = engine.storage(&[0; 4000]);
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(DOUBLE.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            cache: None,
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry {
                    binding: 0,
                    resource: source.as_entire_binding(),
                },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: destination.as_entire_binding(),
                },
            ],
        });
        let mut encoder = device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(16, 1, 1);
        }
        engine.queue.submit([encoder.finish()]);
        let doubled: Vec<u32> = numbers.iter().map(|n| 2 * n).collect();
        assert_eq!(
            engine.bytes(&destination),
            bytemuck::cast_slice::<u32, u8>(&doubled)
        );
    });
}

#[test]
fn a_validation_error_fails_the_test() {
    for engine in all() {
        let blamed = catch_unwind(AssertUnwindSafe(|| {
            engine.alone(|e| {
                let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::STORAGE;
                let _ = e.device.create_buffer(&wgpu::BufferDescriptor {
                    label: None,
                    size: 4,
                    usage,
                    mapped_at_creation: false,
                });
            });
        }));
        assert!(
            blamed.is_err(),
            "{}: a buffer of forbidden usages went unnoticed",
            engine.name
        );
        engine.alone(|_| {});
    }
}
