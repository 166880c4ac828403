//! Records a copy between two dispatches of the caller's own, inside the caller's own compute pass.
//!
//! The caller makes summed-area tables of small pictures. Its one kernel sums along rows, so each frame sums the rows, turns
//! the table, and sums the rows again. The turn is a restride copy: prepared once, recorded into every frame's open pass
//! at the cost of a bare dispatch. The pass, the encoder, the buffers and the submissions are the caller's.
//!
//! ```text
//! cargo run --release --example encoder
//! ```

mod common;

use std::error::Error;
use std::process::ExitCode;

use common::Gpu;
use restride::gpu::{Copier, Tensor};
use restride::{DType, Layout};

const ROWS: u32 = 60;
const COLUMNS: u32 = 100;
const FRAMES: u32 = 3;
const DTYPE: DType = DType::UInt32;

/// The caller's kernel: one invocation sums along one row.
const SUM_ROWS: &str = "
    override ROWS: u32;
    override COLUMNS: u32;
    @group(0) @binding(0) var<storage, read_write> table: array<u32>;

    @compute @workgroup_size(64)
    fn sum_rows(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.x >= ROWS { return; }
        var sum = 0u;
        for (var i = id.x * COLUMNS; i < (id.x + 1u) * COLUMNS; i++) {
            sum += table[i];
            table[i] = sum;
        }
    }
";

/// The caller's kernel, ready to run on one table.
struct SumRows {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    workgroups: u32,
}

impl SumRows {
    fn new(
        device: &wgpu::Device,
        module: &wgpu::ShaderModule,
        table: &Tensor,
        [rows, columns]: [u32; 2],
    ) -> Self {
        let constants = [("ROWS", rows.into()), ("COLUMNS", columns.into())];
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("sum_rows"),
            layout: None,
            module,
            entry_point: Some("sum_rows"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                ..Default::default()
            },
            cache: None,
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("sum_rows"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: table.buffer().as_entire_binding(),
            }],
        });
        Self {
            pipeline,
            group,
            workgroups: rows.div_ceil(64),
        }
    }

    fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(self.workgroups, 1, 1);
    }
}

/// The table of every frame, turned: `[columns, rows]`.
fn on_gpu(gpu: &Gpu, frames: &[Vec<u32>]) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let Gpu { device, queue } = gpu;
    let table = Tensor::zeros(device, DTYPE, &[ROWS, COLUMNS].map(u64::from))?;
    let turned = Tensor::zeros(device, DTYPE, &[COLUMNS, ROWS].map(u64::from))?;
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("sum_rows"),
        source: wgpu::ShaderSource::Wgsl(SUM_ROWS.into()),
    });
    let sum_table = SumRows::new(device, &module, &table, [ROWS, COLUMNS]);
    let sum_turned = SumRows::new(device, &module, &turned, [COLUMNS, ROWS]);

    // Planned for an open pass, which has no native copies, and prepared once.
    let copier = Copier::new(device)?;
    let source = table.transpose();
    let plan = copier.plan_in_pass(source.view(), turned.view())?;
    println!("turn: {}", common::in_a_line(&plan));
    let turn = copier.prepare(&plan, table.buffer(), turned.buffer())?;

    let mut results = Vec::new();
    for frame in frames {
        queue.write_buffer(table.buffer(), 0, bytemuck::cast_slice(frame));
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        sum_table.record(&mut pass);
        turn.record_in_pass(&mut pass)?;
        // The copy changed the pass's pipeline and bind groups 0 and 1: the caller sets its own again.
        sum_turned.record(&mut pass);
        drop(pass);
        queue.submit([encoder.finish()]);
        results.push(turned.read_blocking(&copier, queue)?);
    }
    println!("one prepared copy, recorded into {} passes", frames.len());
    Ok(results)
}

/// Without an adapter there is no kernel to record beside: loops sum the rows, and the CPU executor runs the copy's plan.
fn on_cpu(frames: &[Vec<u32>]) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let source = Layout::contiguous(&[ROWS, COLUMNS].map(u64::from))?.transpose();
    let to = Layout::contiguous(&[COLUMNS, ROWS].map(u64::from))?;
    let sum_rows = |table: &mut [u32], columns: u32| {
        for row in table.chunks_mut(columns as usize) {
            (1..row.len()).for_each(|i| row[i] += row[i - 1]);
        }
    };
    let mut results = Vec::new();
    for frame in frames {
        let (mut table, mut turned) = (frame.clone(), vec![0; frame.len()]);
        sum_rows(&mut table, COLUMNS);
        let from = bytemuck::cast_slice(&table);
        let into = bytemuck::cast_slice_mut(&mut turned);
        let plan = common::copy_on_cpu(DTYPE.width(), (from, &source), (into, &to))?;
        if results.is_empty() {
            println!("turn: {}", common::in_a_line(&plan));
        }
        sum_rows(&mut turned, ROWS);
        results.push(bytemuck::cast_slice(&turned).to_vec());
    }
    println!("without an adapter nothing was recorded: loops on the host summed the rows");
    Ok(results)
}

/// The reference: entry (column, row) is the sum of all that lies above and to the left, itself included.
fn summed_area(frame: &[u32]) -> Vec<u32> {
    let (rows, columns) = (ROWS as usize, COLUMNS as usize);
    let mut sums = vec![0; frame.len()];
    for column in 0..columns {
        let mut above = 0;
        for row in 0..rows {
            above += frame[row * columns + column];
            let left = column.checked_sub(1).map_or(0, |c| sums[c * rows + row]);
            sums[column * rows + row] = left + above;
        }
    }
    sums
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    // Made-up pictures of small numbers.
    let pixel = |frame, at| (at * (2 * frame + 7) + frame) % 256;
    let picture = |frame| (0..ROWS * COLUMNS).map(|at| pixel(frame, at)).collect();
    let frames: Vec<Vec<u32>> = (0..FRAMES).map(picture).collect();

    let results = match common::open()? {
        Some(gpu) => on_gpu(&gpu, &frames)?,
        None => on_cpu(&frames)?,
    };

    let mut all_equal = true;
    for (number, (frame, found)) in frames.iter().zip(&results).enumerate() {
        let expected = summed_area(frame);
        let name = format!("frame {number}");
        all_equal &= common::equal(&name, found, bytemuck::cast_slice(&expected));
    }
    Ok(ExitCode::from(u8::from(!all_equal)))
}
