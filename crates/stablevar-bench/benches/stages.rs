//! The time of every stage of a fit, on one core: `cargo bench -p stablevar-bench`.
#![allow(missing_docs)]

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use stablevar::Estimator;
use stablevar::design::{Roles, TrainingData};
use stablevar::engine::weighted_cross_product;
use stablevar::evidence::{Evidence, Source, gather};
use stablevar::fit::fit;
use stablevar::gates::{LinearGates, WeightedProblem};
use stablevar::weights::{Balance, Dwr, Mask, Reweighter};
use stablevar_data::simulate::World;
use std::hint::black_box;
use std::ops::ControlFlow;

fn sample(rows: usize, columns: usize) -> TrainingData {
    let world = World { columns, stable: 5, ..World::default() };
    let table = world.draw(rows, 2.5, 1).expect("a sample");
    TrainingData::prepare(&table, &Roles::target("y")).expect("training data")
}

fn stages(criterion: &mut Criterion) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("no pool before this one");
    let mut group = criterion.benchmark_group("moment pass");
    for (rows, columns) in [(2000, 10), (20_000, 20), (20_000, 80)] {
        let data = sample(rows, columns);
        group.bench_function(BenchmarkId::from_parameter(format!("{rows}x{columns}")), |bench| {
            bench.iter(|| weighted_cross_product(black_box(&data.design), &data.base));
        });
    }
    group.finish();

    let data = sample(2000, 10);
    let mask = Mask::all(&data);
    criterion.bench_function("balance 2000x10", |bench| {
        bench.iter(|| Balance::exact().solve(&data, &mask, None).expect("rows in memory"))
    });
    let weights = Balance::exact().solve(&data, &mask, None).expect("rows in memory").weights;
    let problem = WeightedProblem::new(&data, &weights).expect("rows in memory");
    criterion.bench_function("gates 2000x10", |bench| bench.iter(|| LinearGates::default().fit(black_box(&problem))));
    let published = Estimator::new("svi").and_then(|svi| svi.set("evidence", "none")).expect("a setting of SVI").method;
    criterion.bench_function("svi fit 2000x10", |bench| {
        bench.iter(|| fit(&data, &published, 0, &|_| ControlFlow::Continue(())).expect("a fit"));
    });
    let mut evidence = criterion.benchmark_group("evidence 2000x10");
    evidence.sample_size(10);
    for source in [Source::Focused, Source::Residual] {
        let settings = Evidence { source, ..Evidence::default() };
        evidence.bench_function(BenchmarkId::from_parameter(format!("{source:?}")), |bench| {
            bench.iter(|| gather(&data, &settings, None, &|| ControlFlow::Continue(())));
        });
    }
    evidence.finish();
    let mut slow = criterion.benchmark_group("dwr as published");
    slow.sample_size(10);
    let hundred = Dwr { steps: 100, ..Dwr::default() };
    slow.bench_function("100 steps 2000x10", |bench| {
        bench.iter_batched(
            || (),
            |()| hundred.reweigh(&data, &mask, None, 0).expect("rows in memory"),
            BatchSize::PerIteration,
        );
    });
}

criterion_group!(benches, stages);
criterion_main!(benches);
