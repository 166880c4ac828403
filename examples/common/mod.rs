//! What the examples share: a device where the machine has one, the CPU executor where it has none, and the judgement.

use std::error::Error;

use restride::plan::{Operand, Options, Plan, Problem};
use restride::{Layout, Width, cpu};

/// A device on the machine's best adapter.
pub(crate) struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
}

/// A device, or `None` where no adapter runs compute shaders; a line says which. `WGPU_BACKEND=gl` asks for a backend.
pub(crate) fn open() -> Result<Option<Gpu>, Box<dyn Error>> {
    let instance =
        wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let request = instance.request_adapter(&wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..Default::default()
    });
    let computes = |adapter: &wgpu::Adapter| {
        let flags = adapter.get_downlevel_capabilities().flags;
        flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
    };
    let Some(adapter) = pollster::block_on(request).ok().filter(computes) else {
        println!("adapter: none that runs compute shaders, so the CPU executor runs the plans");
        return Ok(None);
    };
    let info = adapter.get_info();
    let (name, backend, kind) = (&info.name, info.backend, info.device_type);
    println!("adapter: {name} ({backend:?}, {kind:?})");
    // The default limits are WebGPU's baseline. Ask for the adapter's own to bind tensors above 128 MiB in one piece.
    let descriptor = wgpu::DeviceDescriptor::default();
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
    Ok(Some(Gpu { device, queue }))
}

/// Plans the copy from the first buffer's view to the second's, and runs it on the CPU. Both buffers hold whole words.
pub(crate) fn copy_on_cpu(
    width: Width,
    (src, src_layout): (&[u8], &Layout),
    (dst, dst_layout): (&mut [u8], &Layout),
) -> Result<Plan, restride::Error> {
    let problem = Problem {
        width,
        src: Operand::any(src_layout, src.len() as u64),
        dst: Operand::any(dst_layout, dst.len() as u64),
        one_buffer: false,
        in_pass: false,
    };
    let plan = Plan::new(&problem, &Options::default())?;
    cpu::execute(&plan, src, dst)?;
    Ok(plan)
}

/// The first line of a plan: what it does. The others say why not otherwise.
pub(crate) fn in_a_line(plan: &Plan) -> String {
    plan.to_string().lines().take(1).collect()
}

/// Whether `found` is `expected`, byte for byte; a line says so.
pub(crate) fn equal(name: &str, found: &[u8], expected: &[u8]) -> bool {
    let wrong = found.iter().zip(expected).filter(|(a, b)| a != b).count();
    let equal = found == expected;
    if equal {
        println!("{name}: equal to the reference, {} bytes", found.len());
    } else {
        println!("{name}: DIFFERS from the reference in {wrong} bytes");
    }
    equal
}
