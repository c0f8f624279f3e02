//! Runs very many inputs through every way into stablevar, in processes of their own that may take only so much memory and time.
//!
//! An input that makes a process panic, abort, run out of memory or take too long is kept, and the next one follows. Each
//! input is made from its number, so that a run can be repeated and cut into pieces.

use anyhow::{Context, Result, bail};
use clap::Parser;
use stablevar_fuzz::{Kind, corpus, mutate};

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Runs very many inputs through every way into stablevar
#[derive(Parser)]
struct Arguments {
    /// Which ways in [default: all]
    #[arg(value_enum)]
    kinds: Vec<Kind>,
    /// Inputs of each kind
    #[arg(long, default_value_t = 10_000)]
    inputs: u64,
    /// The number of the first
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Mebibytes that a process may take
    #[arg(long, default_value_t = 2048)]
    memory: u64,
    /// Seconds that an input may take
    #[arg(long, default_value_t = 20.0)]
    seconds: f64,
    /// Where to keep inputs that found something
    #[arg(long, default_value = "fuzz/found")]
    found: PathBuf,
    /// Write the inputs to begin with here, and do no more
    #[arg(long, value_name = "DIR")]
    write_corpus: Option<PathBuf>,
    /// Run the inputs of these files instead
    #[arg(long, value_name = "FILE", num_args = 1..)]
    replay: Vec<PathBuf>,
    /// A process of its own: where it tells how far it is
    #[arg(long, hide = true)]
    worker: Option<PathBuf>,
}

fn main() -> Result<ExitCode> {
    let mut arguments = Arguments::parse();
    if arguments.kinds.is_empty() {
        arguments.kinds = Kind::ALL.to_vec();
    }
    if let Some(folder) = &arguments.write_corpus {
        return write_corpus(folder, &arguments.kinds);
    }
    if !arguments.replay.is_empty() {
        return replay(&arguments);
    }
    if let (Some(path), &[kind]) = (&arguments.worker, arguments.kinds.as_slice()) {
        return work(kind, &arguments, path);
    }
    let mut faults = 0;
    for &kind in &arguments.kinds {
        faults += run(kind, &arguments)?;
    }
    Ok(if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn name(kind: Kind) -> String {
    format!("{kind:?}").to_lowercase()
}

fn write_corpus(folder: &Path, kinds: &[Kind]) -> Result<ExitCode> {
    for &kind in kinds {
        let folder = folder.join(name(kind));
        std::fs::create_dir_all(&folder)?;
        for (number, seed) in corpus::seeds(kind)?.iter().enumerate() {
            std::fs::write(folder.join(number.to_string()), seed)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Inputs that found something once, each of the kind that its folder is called by.
fn replay(arguments: &Arguments) -> Result<ExitCode> {
    for path in &arguments.replay {
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        for &kind in &arguments.kinds {
            kind.try_input(&bytes);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What a worker tells, as five numbers in a file: the input it is at, how many were understood, the longest time in
/// microseconds, which input that was, and how many panicked.
#[derive(Default, Clone, Copy)]
struct Told([u64; 5]);

impl Told {
    fn write(self, file: &File) -> std::io::Result<()> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|number| number.to_le_bytes()).collect();
        file.write_all_at(&bytes, 0)
    }

    fn read(file: &File) -> Self {
        let mut bytes = [0; 40];
        let mut told = Self::default();
        if file.read_exact_at(&mut bytes, 0).is_ok() {
            let (numbers, _) = bytes.as_chunks::<8>();
            told.0.iter_mut().zip(numbers).for_each(|(number, bytes)| *number = u64::from_le_bytes(*bytes));
        }
        told
    }
}

/// Takes inputs in, one after the other.
fn work(kind: Kind, arguments: &Arguments, path: &Path) -> Result<ExitCode> {
    let file = File::options().write(true).open(path)?;
    let seeds = corpus::seeds(kind)?;
    let mut told = Told([arguments.first, 0, 0, 0, 0]);
    for number in arguments.first..arguments.first + arguments.inputs {
        told.0[0] = number;
        told.write(&file)?;
        let input = mutate::input(&seeds, arguments.seed, number);
        let start = Instant::now();
        match catch_unwind(AssertUnwindSafe(|| kind.try_input(&input))) {
            Ok(understood) => told.0[1] += u64::from(understood),
            Err(_) => {
                told.0[4] += 1;
                keep(kind, arguments, number, &input, "panic")?;
            }
        }
        let microseconds = start.elapsed().as_micros() as u64;
        if microseconds > told.0[2] {
            (told.0[2], told.0[3]) = (microseconds, number);
        }
    }
    told.0[0] = arguments.first + arguments.inputs;
    told.write(&file)?;
    Ok(ExitCode::SUCCESS)
}

fn keep(kind: Kind, arguments: &Arguments, number: u64, input: &[u8], what: &str) -> Result<()> {
    let folder = arguments.found.join(name(kind));
    std::fs::create_dir_all(&folder)?;
    Ok(std::fs::write(folder.join(format!("{what}-{}-{number}", arguments.seed)), input)?)
}

/// All inputs of a kind, in processes that follow each other; how many found something.
fn run(kind: Kind, arguments: &Arguments) -> Result<u64> {
    let path = std::env::temp_dir().join(format!("stablevar-fuzz-{}-{}", name(kind), std::process::id()));
    let told_in = File::options().read(true).write(true).create(true).truncate(true).open(&path)?;
    let end = arguments.first + arguments.inputs;
    let (mut next, mut understood, mut panics, mut aborts, mut hangs) = (arguments.first, 0, 0, 0, 0);
    let (mut longest, mut peak) = ((0, 0), 0);
    let start = Instant::now();
    while next < end {
        Told([next, 0, 0, 0, 0]).write(&told_in)?;
        let mut worker = spawn(kind, arguments, next, end - next, &path)?;
        let ended = watch(&mut worker, &told_in, arguments.seconds, &mut peak)?;
        let told = Told::read(&told_in);
        understood += told.0[1];
        panics += told.0[4];
        longest = longest.max((told.0[2], told.0[3]));
        next = told.0[0];
        let what = match ended {
            Ended::Well => continue,
            Ended::Badly => "abort",
            Ended::TooLate => "hang",
        };
        *(if what == "abort" { &mut aborts } else { &mut hangs }) += 1;
        keep(kind, arguments, next, &mutate::input(&corpus::seeds(kind)?, arguments.seed, next), what)?;
        next += 1;
        if aborts + hangs > 100 {
            bail!("{}: too many inputs end the process", name(kind));
        }
    }
    std::fs::remove_file(&path)?;
    println!(
        "{}: {} inputs in {:.0} s, {understood} understood, {panics} panics, {aborts} aborts, {hangs} longer than {} s; longest {:.2} s \
         (input {}), peak memory {:.0} MiB",
        name(kind),
        arguments.inputs,
        start.elapsed().as_secs_f64(),
        arguments.seconds,
        longest.0 as f64 * 1e-6,
        longest.1,
        peak as f64 / 1024.0
    );
    Ok(panics + aborts + hangs)
}

fn spawn(kind: Kind, arguments: &Arguments, first: u64, inputs: u64, told_in: &Path) -> Result<Child> {
    let limited = format!("ulimit -v {} && exec \"$0\" \"$@\"", 1024 * arguments.memory);
    let mut command = Command::new("sh");
    command.arg("-c").arg(limited).arg(std::env::current_exe()?).arg(name(kind));
    command.arg("--inputs").arg(inputs.to_string()).arg("--first").arg(first.to_string());
    command.arg("--seed").arg(arguments.seed.to_string()).arg("--found").arg(&arguments.found);
    // One thread: what is looked for does not hang on their number.
    command.arg("--worker").arg(told_in).env("RAYON_NUM_THREADS", "1").stdin(Stdio::null());
    Ok(command.spawn()?)
}

enum Ended {
    Well,
    Badly,
    TooLate,
}

/// Waits for a worker, and ends it if an input takes too long; `peak` is the most memory that one took, in kibibytes.
fn watch(worker: &mut Child, told_in: &File, seconds: f64, peak: &mut u64) -> Result<Ended> {
    let (mut at, mut since) = (u64::MAX, Instant::now());
    loop {
        *peak = (*peak).max(peak_memory(worker.id()).unwrap_or(0));
        if let Some(status) = worker.try_wait()? {
            return Ok(if status.success() { Ended::Well } else { Ended::Badly });
        }
        let now = Told::read(told_in).0[0];
        if now != at {
            (at, since) = (now, Instant::now());
        } else if since.elapsed().as_secs_f64() > seconds {
            worker.kill()?;
            worker.wait()?;
            return Ok(Ended::TooLate);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn peak_memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}
