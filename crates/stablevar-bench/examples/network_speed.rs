//! Trains one network on the paper's nonlinear data and prints seconds and training loss, to be set beside another
//! implementation's on the same data: `network_speed DATA.csv UNITS EPOCHS BATCH adam|lbfgs`, where the last column is the
//! outcome. `benches/network_speed.py` does that with scikit-learn's `MLPRegressor`.
use stablevar::Matrix;
use stablevar::models::{Examples, Loss, Mlp, Solver};
use stablevar::parameter::{Fraction, Positive};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&arguments[1]).expect("a CSV file");
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().expect("a number")).collect()).collect();
    let width = rows[0].len() - 1;
    let inputs = Matrix::from_fn(rows.len(), width, |i, j| rows[i][j]);
    let outcomes: Vec<f64> = rows.iter().map(|row| row[width]).collect();
    let weights = vec![1.0; rows.len()];
    let number = |k: usize| arguments[k].parse::<usize>().expect("a number");
    // As scikit-learn has it: a constant step length, no rows held out, one start.
    let mlp = Mlp {
        hidden: vec![number(2)],
        solver: if arguments[5] == "adam" { Solver::Adam } else { Solver::Lbfgs },
        learning_rate: Positive::new("rate", 0.001).expect("positive"),
        annealed: false,
        batch: number(4),
        epochs: number(3),
        held_out: Fraction::new("share", 0.0).expect("a share"),
        restarts: 1,
        ..Mlp::default()
    };
    let examples = Examples { inputs: &inputs, outcomes: &outcomes, weights: &weights };
    let start = std::time::Instant::now();
    let trained = mlp.train(examples, Loss::Squared, 0);
    let seconds = start.elapsed().as_secs_f64();
    let outputs = trained.network.outputs(&inputs);
    let loss = outputs.iter().zip(&outcomes).map(|(u, y)| Loss::Squared.value(*u, *y)).sum::<f64>() / rows.len() as f64;
    println!("{seconds:.3} {loss:.6}");
}
