//! Random plans in the browser, at every width: every bit of the destination's buffer as the reference has it.

use std::collections::BTreeSet;

use restride::plan::{Access, Plan, Rung, Step};
use wasm_bindgen_test::{console_log, wasm_bindgen_test};

use crate::generator::{Case, Rng};
use crate::gpu_copies::{difference, each_destination, planned, record, with_a_wrong_bit};
use crate::page::{Page, seed};

/// The copies that each width is tried with at least, and all together.
const COPIES_OF_A_WIDTH: usize = 12;
const COPIES: usize = 2_000;

/// The copies among overlapping views.
const OVERLAPPING: usize = 200;

/// Carries the copies out in one submission, and says where the first wrong one is wrong.
async fn judge(page: &Page, copies: &[(&Case, &Plan)]) -> Result<(), String> {
    let read = page.submit(|encoder| record(&page.copier, encoder, copies));
    let bytes = read.await.map_err(|error| error.to_string())?;
    for ((case, plan), found) in copies.iter().zip(each_destination(copies, &bytes)) {
        if let Some(why) = difference(case, found) {
            let (from, to) = (&case.src_layout, &case.dst_layout);
            return Err(format!(
                "{why}\n{plan}\nwidth {}\nsource {from}\ndestination {to}",
                case.width
            ));
        }
    }
    Ok(())
}

/// What the copies of a run have met.
#[derive(Default)]
struct Met {
    copies: usize,
    rungs: BTreeSet<Rung>,
    accesses: Vec<Access>,
}

impl Met {
    fn add(&mut self, plan: &Plan) {
        self.copies += 1;
        self.rungs.insert(plan.rung());
        if let Some(Step::Dispatch(dispatch)) = plan.step(0)
            && !self.accesses.contains(&dispatch.program.access)
        {
            self.accesses.push(dispatch.program.access);
        }
    }
}

#[wasm_bindgen_test]
async fn random_plans_of_every_width_are_exact() {
    let page = Page::open().await;
    console_log!("exact: {:?}", page.adapter);
    let mut rng = Rng::new(seed("exact"));
    let mut met = Met::default();
    for bits in 1..=128 {
        let mut cases: Vec<(Case, Vec<Plan>)> = Vec::new();
        let mut of_this_width = 0;
        while of_this_width < COPIES_OF_A_WIDTH {
            let (case, plans) = planned(&mut rng, &page.copier, bits, cases.len());
            if case.width.bits() == bits {
                of_this_width += plans.len();
            }
            cases.push((case, plans));
        }
        let copies: Vec<(&Case, &Plan)> = cases
            .iter()
            .flat_map(|(case, plans)| plans.iter().map(move |plan| (case, plan)))
            .collect();
        copies.iter().for_each(|(_, plan)| met.add(plan));
        judge(&page, &copies).await.unwrap();
    }
    let (copies, pipelines) = (met.copies, page.copier.pipeline_count());
    console_log!("exact: {copies} copies, {pipelines} pipelines");
    assert!(copies >= COPIES, "{copies} copies");
    assert!(met.rungs.into_iter().eq(Rung::ALL));
    assert_eq!(
        met.accesses.len(),
        3,
        "two buffers, two windows of one buffer, and one window"
    );
    page.close().await;
}

#[wasm_bindgen_test]
async fn overlapping_views_of_one_buffer_are_exact() {
    let page = Page::open().await;
    let mut rng = Rng::new(seed("overlap"));
    let (mut copies, mut through) = (0, 0);
    while copies < OVERLAPPING {
        let bits = rng.pick(&[1, 4, 6, 8, 16, 32, 64, 128]);
        let case = Case::random_overlapping(&mut rng, bits, 4_000);
        let plans = case.plans(page.copier.options().limits);
        let each: Vec<(&Case, &Plan)> = plans.iter().map(|plan| (&case, plan)).collect();
        judge(&page, &each).await.unwrap();
        copies += plans.len();
        through += plans.iter().filter(|plan| plan.scratch_bytes() > 0).count();
    }
    console_log!("overlap: {copies} copies, {through} through scratch");
    assert!(through * 4 > copies);
    page.close().await;
}

/// The first case that copies an element, with its plans.
fn some_copy(page: &Page) -> (Case, Vec<Plan>) {
    let mut rng = Rng::new(3);
    loop {
        let (case, plans) = planned(&mut rng, &page.copier, 6, 1);
        if case.dst_layout.numel() > 0 {
            return (case, plans);
        }
    }
}

#[wasm_bindgen_test]
async fn a_wrong_bit_is_found() {
    let page = Page::open().await;
    let (case, plans) = some_copy(&page);
    judge(&page, &[(&case, &plans[0])]).await.unwrap();
    let wrong = with_a_wrong_bit(case);
    assert!(judge(&page, &[(&wrong, &plans[0])]).await.is_err());
    page.close().await;
}

/// Fails: `tests/run` asks for it by name, and for its failure, so that the way from a wrong bit to a failed run is tried.
#[wasm_bindgen_test]
#[ignore = "fails, which is what tests/run expects of it"]
async fn a_planted_wrong_bit_fails_the_run() {
    let page = Page::open().await;
    let (case, plans) = some_copy(&page);
    let wrong = with_a_wrong_bit(case);
    judge(&page, &[(&wrong, &plans[0])]).await.unwrap();
}
