//! The pipelines of a device, made when first needed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{PoisonError, RwLock};

use crate::error::Error;
use crate::plan::{Access, Params, Program};

/// Bind group layouts, and pipelines by program.
#[derive(Debug)]
pub(super) struct Pipelines {
    two: Bindings,
    two_writable: Bindings,
    one: Bindings,
    fixed: wgpu::BindGroupLayout,
    moving: wgpu::BindGroupLayout,
    made: RwLock<HashMap<(Program, Uniforms), wgpu::ComputePipeline>>,
    modules: RwLock<HashMap<Program, wgpu::ShaderModule>>,
}

/// How a dispatch finds its uniform block: a recording with a dynamic offset costs a third more, a bind group for each block
/// several recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Uniforms {
    /// By a bind group of its own.
    Fixed,
    /// By an offset into one that many share.
    Moving,
}

/// The layouts that go with one [`Access`].
#[derive(Debug)]
struct Bindings {
    windows: wgpu::BindGroupLayout,
    fixed: wgpu::PipelineLayout,
    moving: wgpu::PipelineLayout,
}

fn entry(
    binding: u32,
    ty: wgpu::BufferBindingType,
    has_dynamic_offset: bool,
) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset,
            min_binding_size: None,
        },
        count: None,
    }
}

/// `Ok` iff devices of these limits have room for the layouts here.
///
/// # Errors
///
/// [`Error::Limit`]: there are fewer bindings than a copy has. Every browser grants them.
pub(super) fn check(limits: &wgpu::Limits) -> Result<(), Error> {
    for (limit, value, bound) in [
        ("bind groups", limits.max_bind_groups, 2),
        (
            "bindings per bind group",
            limits.max_bindings_per_bind_group,
            2,
        ),
        (
            "storage buffers per shader stage",
            limits.max_storage_buffers_per_shader_stage,
            2,
        ),
        (
            "uniform buffers per shader stage",
            limits.max_uniform_buffers_per_shader_stage,
            1,
        ),
        (
            "dynamic uniform buffers per pipeline layout",
            limits.max_dynamic_uniform_buffers_per_pipeline_layout,
            1,
        ),
        (
            "workgroup size along y",
            limits.max_compute_workgroup_size_y,
            1,
        ),
        (
            "workgroup size along z",
            limits.max_compute_workgroup_size_z,
            1,
        ),
    ] {
        if value < bound {
            return Err(Error::Limit {
                limit,
                value: value.into(),
                bound: bound.into(),
            });
        }
    }
    Ok(())
}

impl Pipelines {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let params = |label, moving| {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some(label),
                entries: &[entry(0, wgpu::BufferBindingType::Uniform, moving)],
            })
        };
        let fixed = params("restride::params", false);
        let moving = params("restride::params at an offset", true);
        let bindings = |label, entries: &[wgpu::BindGroupLayoutEntry]| {
            let windows = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some(label),
                entries,
            });
            let pipeline = |params| {
                device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                    label: Some(label),
                    bind_group_layouts: &[Some(&windows), Some(params)],
                    immediate_size: 0,
                })
            };
            let (fixed, moving) = (pipeline(&fixed), pipeline(&moving));
            Bindings {
                windows,
                fixed,
                moving,
            }
        };
        let read = wgpu::BufferBindingType::Storage { read_only: true };
        let write = wgpu::BufferBindingType::Storage { read_only: false };
        Self {
            two: bindings(
                "restride::two",
                &[entry(0, read, false), entry(1, write, false)],
            ),
            two_writable: bindings(
                "restride::two_writable",
                &[entry(0, write, false), entry(1, write, false)],
            ),
            one: bindings("restride::one", &[entry(1, write, false)]),
            fixed,
            moving,
            made: RwLock::default(),
            modules: RwLock::default(),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.made
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }

    fn bindings(&self, access: Access) -> &Bindings {
        match access {
            Access::Two => &self.two,
            Access::TwoWritable => &self.two_writable,
            Access::One => &self.one,
        }
    }

    /// The layout of bind group 0: the two windows.
    pub(super) fn windows(&self, access: Access) -> &wgpu::BindGroupLayout {
        &self.bindings(access).windows
    }

    /// The layout of bind group 1: the uniform block.
    pub(super) fn params(&self, uniforms: Uniforms) -> &wgpu::BindGroupLayout {
        match uniforms {
            Uniforms::Fixed => &self.fixed,
            Uniforms::Moving => &self.moving,
        }
    }

    /// The pipeline of `program`. No lock is held while one is made: two threads may make it, and one of them is kept.
    pub(super) fn get(
        &self,
        device: &wgpu::Device,
        program: &Program,
        uniforms: Uniforms,
    ) -> wgpu::ComputePipeline {
        let key = (*program, uniforms);
        if let Some(made) = self
            .made
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&key)
        {
            return made.clone();
        }
        let label = program.to_string();
        let module = self.module(device, program);
        let constants = program.constants();
        let bindings = self.bindings(program.access);
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(&label),
            layout: Some(match uniforms {
                Uniforms::Fixed => &bindings.fixed,
                Uniforms::Moving => &bindings.moving,
            }),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                ..Default::default()
            },
            cache: None,
        });
        // One that another thread was quicker with is dropped after the lock.
        let mut made = self.made.write().unwrap_or_else(PoisonError::into_inner);
        match made.entry(key) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(free) => free.insert(pipeline).clone(),
        }
    }

    fn module(&self, device: &wgpu::Device, program: &Program) -> wgpu::ShaderModule {
        let key = program.module();
        if let Some(made) = self
            .modules
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&key)
        {
            return made.clone();
        }
        let label = key.to_string();
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(&label),
            source: wgpu::ShaderSource::Wgsl(Cow::Owned(program.source())),
        });
        let mut made = self.modules.write().unwrap_or_else(PoisonError::into_inner);
        match made.entry(key) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(free) => free.insert(module).clone(),
        }
    }
}

/// The uniform block's size, as bindings have it.
pub(super) fn params_size() -> Option<wgpu::BufferSize> {
    wgpu::BufferSize::new(Params::BYTES)
}
