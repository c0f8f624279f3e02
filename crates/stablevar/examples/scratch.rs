use stablevar::*;
use std::time::Instant;
use stablevar::design::*; use stablevar::weights::*; use stablevar::parameter::*; use stablevar::simulate::*;
fn main(){
    let args: Vec<String> = std::env::args().collect();
    let n: usize = args.get(1).map_or(2000,|s|s.parse().unwrap());
    let p: usize = args.get(2).map_or(10,|s|s.parse().unwrap());
    let world = LinearWorld{columns:p, stable:5, ..Default::default()};
    let t=Instant::now();
    let table = world.draw(n, 2.5, 1).unwrap();
    println!("draw {:?}", t.elapsed());
    let t=Instant::now();
    let data = TrainingData::prepare(&table, &Roles::target("y")).unwrap();
    println!("prepare {:?}", t.elapsed());
    let mask = Mask::all(&data.encoding);
    for div in [Divergence::Chi2, Divergence::Entropy] { for means in [Means::Pinned, Means::Recentred] { if n>10000 && (div==Divergence::Entropy || means==Means::Recentred) {continue;}
        let b = Balance{divergence:div, means, ..Default::default()};
        let t=Instant::now();
        let r = b.solve(&data,&mask,None);
        println!("{div:?} {means:?} {:?} passes {} {:?} neff {:.1} rem {:.2e}", t.elapsed(), r.passes, r.stop, r.weights.effective_sample_size(), diagnostics::remaining_correlation(&diagnostics::weighted_correlations(&data,&r.weights), &mask));
    }}
    for _ in 0..3 {
    let t=Instant::now();
    let o = svi::svi(&data, &AnyReweighter::default(), &svi::Svi::default(), &mut |_|std::ops::ControlFlow::Continue(()));
    println!("svi {:?} loops {} {:?} sel {:?}", t.elapsed(), o.history.len(), o.stop, o.selected);
    for l in &o.history { println!("   neff {:.0} rem {:.1e} passes {} {:?} gates {} {:?} change {:.3} open {:.2?}", l.effective_sample_size, l.remaining_correlation,l.passes,l.reweighting,l.gates.iterations,l.gates.stop,l.change,l.gates.open_probability.iter().take(12).collect::<Vec<_>>()); }
    }
    if n<=2000 { let t=Instant::now(); let r=Dwr::default().reweigh(&data,&mask,None);
    println!("dwr {:?} neff {:.1} rem {:.2e} {:?} {}", t.elapsed(), r.weights.effective_sample_size(), diagnostics::remaining_correlation(&diagnostics::weighted_correlations(&data,&r.weights), &mask), r.stop, r.passes);}
    let _ = Positive::constant(1.0);
}
