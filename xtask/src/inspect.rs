//! `cargo xtask inspect`: prints a kernel after one stage of the pipeline.

use anyhow::{Context, bail};
use aria_gen::emit::{PackageKind, generate, kernel_path};
use aria_gen::ir::{MachineOp, Program};
use aria_gen::isa::Isa;
use aria_gen::jit::{Convention, assemble, list};
use aria_gen::kernel::KernelId;
use aria_gen::kernel::matrix::select;
use aria_gen::pass::measure_pressure;
use aria_gen::pipeline::{Built, Stage, build_kernel, build_words, is_words};

/// The name of the stage that prints Rust text.
const EMIT: &str = "emit";

/// The name of the stage that prints machine code.
const JIT: &str = "jit";

/// Arguments of `inspect`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A legal kernel id, whether it is a row of the matrix or not
    id: String,
    /// The stage: build, lower, simplify, schedule, emit or jit
    #[arg(long, value_name = "STAGE", default_value = EMIT)]
    after: String,
}

/// Runs the command.
///
/// # Errors
///
/// When the id or the stage is unknown, or the kernel cannot be built.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let id = select(&args.id)?;
    print!("{}", stage_text(id, &args.after)?);
    Ok(())
}

/// The text of kernel `id` after the stage called `name`.
///
/// # Errors
///
/// When the stage is unknown or the kernel cannot be built.
pub fn stage_text(id: KernelId, name: &str) -> anyhow::Result<String> {
    if name == EMIT {
        let mut files = generate(&[id], PackageKind::Standalone)?;
        return files.remove(&kernel_path(id)).context("the generator writes each kernel's file");
    }
    if name == JIT {
        return Ok(list(&assemble(&build_kernel(id)?, Convention::NATIVE)?));
    }
    let Some(stage) = Stage::all().find(|stage| stage.name() == name) else {
        let known: Vec<&str> = Stage::all().map(Stage::name).chain([EMIT, JIT]).collect();
        bail!("`{name}` is no stage; there are {}", known.join(", "));
    };
    if is_words(id) {
        // What is built is what is emitted.
        return Ok(build_words(id)?.program.to_string());
    }
    let built = build_kernel(id)?;
    let program = built.print(stage).context("every stage leaves a program")?;
    Ok(format!("{program}{}", pressure_report(&built, stage)?))
}

/// For machine programs: operations and peak registers of each routine.
fn pressure_report(built: &Built, stage: Stage) -> anyhow::Result<String> {
    let program = match stage {
        Stage::Build => return Ok(String::new()),
        Stage::Lower => &built.machine_programs[0],
        Stage::Pass(number) => &built.machine_programs[number + 1],
    };
    report(program, built.isa)
}

fn report(program: &Program<MachineOp>, isa: Isa) -> anyhow::Result<String> {
    let pressure = measure_pressure(program, isa)?;
    let mut text = format!(
        "\npressure: {} registers, {} of them for constants throughout\n",
        pressure.registers, pressure.pinned
    );
    for (routine, peak) in program.routines.iter().zip(&pressure.peaks) {
        let operations = isa.operations(routine);
        let name = routine.name();
        text.push_str(&format!("  {name:14} {operations:3} operations, peak {peak}\n"));
    }
    Ok(text)
}
