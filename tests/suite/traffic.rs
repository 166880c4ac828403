//! tmp

use restride::plan::{Operand, Options, Plan, Problem};
use restride::{DType, cpu};

#[path = "../../src/bin/restride/bench/case.rs"]
#[allow(dead_code, reason = "the bench asks more of a case")]
mod case;
#[path = "../../src/bin/restride/bench/ttc57.rs"]
mod ttc57;
#[path = "../../src/bin/restride/bench/views.rs"]
mod views;

use case::Case;

fn plan(case: &Case) -> Plan {
    let problem = Problem {
        width: case.dtype.width(),
        src: Operand::any(&case.src, case.buffer_bytes(&case.src)),
        dst: Operand::any(&case.dst, case.buffer_bytes(&case.dst)),
        one_buffer: false,
        in_pass: case.in_pass,
    };
    Plan::new(&problem, &Options::default()).unwrap()
}

#[test]
fn survey() {
    for bytes in [64 << 20] {
        for dtype in [
            DType::UInt4,
            DType::UInt8,
            DType::UInt16,
            DType::UInt32,
            DType::UInt64,
            DType::Complex128,
        ] {
            for case in ttc57::cases(bytes, &[dtype])
                .unwrap()
                .into_iter()
                .chain(views::cases(bytes, &[dtype]).unwrap())
            {
                let plan = plan(&case);
                let start = std::time::Instant::now();
                let t = cpu::traffic(&plan);
                println!(
                    "{:>10} {:5} {:30} {:28} {:7} r {:5.1} w {:5.1} {:?}",
                    case.group.to_string(),
                    case.suite,
                    case.name,
                    case.shape_text(),
                    plan.rung().to_string(),
                    100.0 * t.read_share(),
                    100.0 * t.written_share(),
                    start.elapsed()
                );
            }
        }
    }
}
