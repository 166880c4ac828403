//! Every shader, with every set of constants that a plan can name: valid under WebGPU's baseline, and translated for every
//! back end. Milliseconds each, and no GPU.

use std::collections::HashMap;
use std::mem::offset_of;

use naga::back::pipeline_constants::process_overrides;
use naga::back::{PipelineConstants, glsl, hlsl, msl, spv};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use restride::plan::{Params, Program};

use crate::generator::{Case, Rng};

fn parse(program: &Program) -> naga::Module {
    let source = program.source();
    naga::front::wgsl::parse_str(&source)
        .unwrap_or_else(|error| panic!("{program}: {}", error.emit_to_string(&source)))
}

fn validate(module: &naga::Module) -> ModuleInfo {
    // No capability: nothing beyond the WebGPU baseline.
    Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(module)
        .unwrap()
}

/// Modules by the key of their source.
fn modules() -> HashMap<Program, (naga::Module, ModuleInfo)> {
    let mut modules = HashMap::new();
    for program in Program::all() {
        modules.entry(program.module()).or_insert_with(|| {
            let module = parse(&program);
            let info = validate(&module);
            (module, info)
        });
    }
    modules
}

#[test]
fn every_program_translates_for_every_back_end() {
    let modules = modules();
    let all = Program::all();
    for (i, program) in all.iter().enumerate() {
        let (module, info) = &modules[&program.module()];
        let constants: PipelineConstants = program
            .constants()
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        let entry = (naga::ShaderStage::Compute, "main");
        let (module, info) = process_overrides(module, info, Some(entry), &constants)
            .unwrap_or_else(|error| panic!("{program}: {error}"));
        validate(&module);
        // Translating is the slow part: every module is translated, with constants that change from one to the next.
        if i % 7 == 0 {
            translate(&module, &info, program);
        }
    }
    println!(
        "shaders: {} programs of {} modules",
        all.len(),
        modules.len()
    );
}

fn translate(module: &naga::Module, info: &ModuleInfo, program: &Program) {
    let stage = naga::ShaderStage::Compute;
    spv::write_vec(module, info, &spv::Options::default(), None)
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    let mut text = String::new();
    let options = hlsl::Options {
        fake_missing_bindings: true,
        ..Default::default()
    };
    hlsl::Writer::new(&mut text, &options, &Default::default())
        .write(module, info, None)
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    msl::write_string(
        module,
        info,
        &msl::Options {
            fake_missing_bindings: true,
            ..Default::default()
        },
        &msl::PipelineOptions::default(),
    )
    .unwrap_or_else(|error| panic!("{program}: {error}"));
    let options = glsl::Options {
        version: glsl::Version::Embedded {
            version: 310,
            is_webgl: false,
        },
        ..Default::default()
    };
    let pipeline = glsl::PipelineOptions {
        shader_stage: stage,
        entry_point: "main".into(),
        multiview: None,
    };
    glsl::Writer::new(
        &mut text,
        module,
        info,
        &options,
        &pipeline,
        Default::default(),
    )
    .and_then(|mut writer| writer.write())
    .unwrap_or_else(|error| panic!("{program}: {error}"));
}

#[test]
fn the_uniform_block_is_laid_out_as_in_rust() {
    let rust: [(&str, usize); 22] = [
        ("src_base", offset_of!(Params, src_base)),
        ("dst_base", offset_of!(Params, dst_base)),
        ("group_count", offset_of!(Params, group_count)),
        ("run_bits", offset_of!(Params, run_bits)),
        ("split_extent", offset_of!(Params, split_extent)),
        ("split_src", offset_of!(Params, split_src)),
        ("split_dst", offset_of!(Params, split_dst)),
        ("split_lanes", offset_of!(Params, split_lanes)),
        ("item_src", offset_of!(Params, item_src)),
        ("item_dst", offset_of!(Params, item_dst)),
        ("group_at", offset_of!(Params, group_at)),
        ("cell_axis", offset_of!(Params, cell_axis)),
        ("group_across", offset_of!(Params, group_across)),
        ("across_extent", offset_of!(Params, across_extent)),
        ("block_rows", offset_of!(Params, block_rows)),
        ("block_columns", offset_of!(Params, block_columns)),
        ("across_axis", offset_of!(Params, across_axis)),
        ("item_at", offset_of!(Params, item_at)),
        ("first_at", offset_of!(Params, lane_at)),
        ("second_at", offset_of!(Params, lane_at) + 4),
        ("beyond_at", offset_of!(Params, lane_at) + 8),
        ("axes", offset_of!(Params, axes)),
    ];
    for (module, _) in modules().values() {
        let found = module.types.iter().find_map(|(_, ty)| match &ty.inner {
            naga::TypeInner::Struct { members, span } if ty.name.as_deref() == Some("Params") => {
                Some((members, *span))
            }
            _ => None,
        });
        let (members, span) = found.unwrap();
        assert_eq!(u64::from(span), Params::BYTES);
        let wgsl: Vec<(&str, usize)> = members
            .iter()
            .map(|member| (member.name.as_deref().unwrap(), member.offset as usize))
            .collect();
        assert_eq!(wgsl, rust);
    }
}

#[test]
fn constants_are_those_that_the_module_declares() {
    let modules = modules();
    for program in Program::all() {
        let (module, _) = &modules[&program.module()];
        let mut declared: Vec<&str> = module
            .overrides
            .iter()
            .filter_map(|(_, constant)| constant.name.as_deref())
            .collect();
        let mut given: Vec<&str> = program.constants().iter().map(|(name, _)| *name).collect();
        declared.sort_unstable();
        given.sort_unstable();
        assert_eq!(declared, given, "{program}");
    }
}

#[test]
fn plans_name_no_other_program() {
    let all: std::collections::HashSet<Program> = Program::all().into_iter().collect();
    let mut rng = Rng::new(crate::generator::seed("shaders"));
    for _ in 0..3_000 {
        let bits = u32::try_from(rng.below(128)).unwrap() + 1;
        let case = Case::random(&mut rng, bits, 300_000);
        for plan in case.plans(restride::plan::Limits::BASELINE) {
            for step in plan.steps() {
                if let restride::plan::Step::Dispatch(dispatch) = step {
                    assert!(all.contains(&dispatch.program), "{}", dispatch.program);
                }
            }
        }
    }
}
