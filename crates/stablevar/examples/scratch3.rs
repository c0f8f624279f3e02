use rayon::prelude::*;
use stablevar::*; use stablevar::design::*; use stablevar::weights::*; use stablevar::simulate::*; use stablevar::parameter::*; use stablevar::gates::*; use stablevar::fit::*; use stablevar::svi::*;
const CELLS: [(usize, f64); 5] = [(1000, 2.5), (1500, 2.5), (2000, 2.5), (1500, 2.0), (1500, 3.0)];
fn col(t:&table::Table,n:&str)->Vec<f64>{ match &t.column(n).unwrap().values { table::Values::Number(v)=>v.clone(), _=>panic!() } }
fn main(){
    let seeds=40u64; let world=LinearWorld::default();
    let tests:Vec<_>=TEST_RATES.iter().enumerate().map(|(k,&r)|world.draw(10000,r,777+k as u64).unwrap()).collect();
    let ys:Vec<Vec<f64>>=tests.iter().map(|t|col(t,"y")).collect();
    let err=|m:&FittedModel|->f64{ tests.iter().zip(&ys).map(|(t,y)|metrics::mean_squared_error(y,&m.model.predict(&m.encoding.encode(t).unwrap().0))).sum::<f64>()/10.0};
    let datas:Vec<Vec<TrainingData>>=CELLS.iter().map(|&(n,r)|(0..seeds).into_par_iter().map(|s|TrainingData::prepare(&world.draw(n,r,5000+s).unwrap(),&Roles::target("y")).unwrap()).collect()).collect();
    let base:Vec<(f64,f64)>=datas.iter().map(|ds|{
        let v:Vec<(f64,f64)>=ds.par_iter().map(|d|{
            let o=err(&fit::fit(d,&Method::Ols,0,&mut |_|std::ops::ControlFlow::Continue(())).unwrap().model);
            let mut f=fit::fit(d,&Method::Ols,0,&mut |_|std::ops::ControlFlow::Continue(())).unwrap().model;
            f.model=models::LinearModel::new(models::least_squares(d,&[0,1,2,3,4],&d.base).unwrap(),&d.target);
            (o,err(&f))}).collect();
        (v.iter().map(|x|x.0).sum::<f64>()/seeds as f64,v.iter().map(|x|x.1).sum::<f64>()/seeds as f64)}).collect();
    println!("{base:.3?}");
    let a: Vec<Vec<f64>> = std::env::args().skip(1).map(|s|s.split(',').map(|x|x.parse().unwrap()).collect()).collect();
    for &k in &a[0] { for &sigma in &a[1] { for &ridge in &a[2] { 
        let settings=Svi{gates:LinearGates{sigma:Positive::new("s",sigma).unwrap(),penalty:Penalty::Auto(Positive::new("k",k).unwrap()),..Default::default()},threshold:Fraction::constant(0.5),..Default::default()};
        let rw=AnyReweighter::Balance(Balance{ridge:Positive::new("r",ridge).ok(),tolerance:Positive::constant(1e-7),..Default::default()});
        let mut line=String::new(); let mut avg=[0.0;2];
        for (ds,b) in datas.iter().zip(&base) {
            for (i,m) in [Method::SviD{settings,reweighter:rw},Method::Svi{settings,reweighter:rw}].iter().enumerate() {
                let v:Vec<(f64,f64,f64,f64)>=ds.par_iter().map(|d|{let f=fit::fit(d,m,0,&mut |_|std::ops::ControlFlow::Continue(())).unwrap().model; (err(&f),f64::from(f.selected==[0,1,2,3,4]),f64::from(f.selected.contains(&9)),f64::from(f.converged))}).collect();
                let mean=|g:&dyn Fn(&(f64,f64,f64,f64))->f64|v.iter().map(g).sum::<f64>()/seeds as f64;
                let rem=1.0-(mean(&|x|x.0)-b.1)/(b.0-b.1);
                avg[i]+=rem/5.0;
                line+=&format!("{:.2}({:.2},{:.2},{:.2}) ",rem,mean(&|x|x.1),mean(&|x|x.2),mean(&|x|x.3));
            }
            line+="| ";
        }
        println!("k {k} sigma {sigma} ridge {ridge:e}: svid {:.3} svi {:.3}  {line}",avg[0],avg[1]);
    }}}
}
