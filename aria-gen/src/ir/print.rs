//! The IR as text, for `cargo xtask inspect` and for snapshots.
//!
//! One statement a line, `role.number = operation operands`; steps as comments. For people: there
//! is no parser.

use core::fmt::{self, Display, Formatter};

use super::machine::{Form, MachineOp, Span};
use super::op::{AbstractOp, CounterPart, Operation};
use super::program::{Call, Control, KeyRef, Program};
use super::routine::{Routine, Value};

impl Display for AbstractOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load { offset } => write!(f, "load {offset}"),
            Self::Store { offset } => write!(f, "store {offset}"),
            Self::RoundKeyByte { index } => write!(f, "round_key_byte {index}"),
            Self::CounterByte { index, part } => {
                write!(f, "counter_byte {index} {}", part_name(*part))
            }
            Self::BlockNumbers { first } => write!(f, "block_numbers {first}"),
            Self::AddBytes => f.write_str("add_bytes"),
            Self::Carried => f.write_str("carried"),
            Self::Masked => f.write_str("masked"),
            Self::RoundKey => f.write_str("round_key"),
            Self::InterleaveLow => f.write_str("interleave_low"),
            Self::InterleaveHigh => f.write_str("interleave_high"),
            Self::Substitute(sbox) => write!(f, "substitute {}", sbox.name),
            Self::RotateLane { bits } => write!(f, "rotate_lane {bits}"),
            Self::SubstituteLane(sboxes) => {
                write!(f, "substitute_lane {}", sboxes.map(|sbox| sbox.name).join(" "))
            }
            Self::XorWithinLane(rows) => write!(f, "xor_within_lane {rows:04x?}"),
            Self::XorSelected { mask } => write!(f, "xor_selected {mask:#b}"),
        }
    }
}

impl Display for Form {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::KeySplat32 => "key_splat32",
            Self::CounterSplat32 => "counter_splat32",
            Self::KeyLanes => "key_lanes",
            Self::Matrix => "matrix",
            Self::MatrixPair => "matrix_pair",
            Self::Bytes => "bytes",
            Self::And => "and",
            Self::Add8 => "add8",
            Self::AddSaturating8 => "add_saturating8",
            Self::SubtractSaturating8 => "subtract_saturating8",
            Self::ShiftLeft16 => "shift_left16",
            Self::ShiftRight16 => "shift_right16",
            Self::ShuffleBytes => "shuffle_bytes",
            Self::AesEncryptLast => "aes_encrypt_last",
            Self::AesDecryptLast => "aes_decrypt_last",
            Self::LaneLow => "lane_low",
            Self::LaneHigh => "lane_high",
            Self::JoinLanes => "join_lanes",
            Self::Xor => "xor",
            Self::Xor3 => "xor3",
            Self::UnpackLow8 => "unpack_low8",
            Self::UnpackHigh8 => "unpack_high8",
            Self::Affine => "affine",
            Self::AffineInverse => "affine_inverse",
        })
    }
}

impl Display for MachineOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.form())?;
        match self {
            Self::Load { offset } | Self::Store { offset } => write!(f, " {offset}"),
            Self::KeySplat32 { index, .. } => write!(f, " {index}"),
            Self::CounterSplat32 { index, part } => write!(f, " {index} {}", part_name(*part)),
            Self::Matrix { id } | Self::MatrixPair { id } | Self::Bytes { id } => {
                write!(f, " {id}")
            }
            Self::ShiftLeft16 { count } | Self::ShiftRight16 { count } => write!(f, " {count}"),
            Self::Affine { constant } | Self::AffineInverse { constant } => {
                write!(f, " {constant:#04x}")
            }
            _ => Ok(()),
        }?;
        match self.span() {
            Span::Vector => Ok(()),
            Span::Lane => f.write_str(" of a lane"),
        }
    }
}

fn part_name(part: CounterPart) -> &'static str {
    match part {
        CounterPart::Start => "start",
        CounterPart::StartPlusKey => "start_plus_key",
        CounterPart::Change => "change",
    }
}

struct Named<'a, O>(&'a Routine<O>, &'a [Value]);

impl<O: Operation> Display for Named<'_, O> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, value) in self.1.iter().enumerate() {
            let separator = if i == 0 { "" } else { " " };
            write!(f, "{separator}{}.{}", self.0.role(*value), value.index())?;
        }
        Ok(())
    }
}

impl<O: Operation> Display for Routine<O> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "routine {} ({})", self.name(), Named(self, self.params()))?;
        let mut step = None;
        for stmt in self.body() {
            let title = &self.steps()[stmt.step.index()];
            if step.replace(stmt.step) != Some(stmt.step) && !title.is_empty() {
                writeln!(f, "  # {title}")?;
            }
            match stmt.result {
                Some(result) => write!(f, "  {} = {}", Named(self, &[result]), stmt.op)?,
                None => write!(f, "  {}", stmt.op)?,
            }
            let separator = if stmt.args.is_empty() { "" } else { " " };
            writeln!(f, "{separator}{}", Named(self, &stmt.args))?;
        }
        writeln!(f, "  return ({})", Named(self, self.results()))
    }
}

impl<O: Operation> Display for Program<O> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "program: vectors of {} bytes, batches of {} to {}",
            self.vector_bytes, self.batch_bytes, self.output_bytes
        )?;
        for (id, constant) in self.constants.iter().enumerate() {
            writeln!(f, "constant {id} {} = {:02x?}", constant.name, constant.data.bytes())?;
        }
        for routine in &self.routines {
            write!(f, "\n{routine}")?;
        }
        writeln!(f, "\nentry")?;
        self.fmt_control(f, &self.entry, 1)
    }
}

impl<O: Operation> Program<O> {
    fn fmt_control(&self, f: &mut Formatter<'_>, control: &[Control], depth: usize) -> fmt::Result {
        let indent = "  ".repeat(depth);
        for item in control {
            match item {
                Control::Call(call) => writeln!(f, "{indent}{}", self.call_text(call))?,
                Control::ByCarry { carried, alike } => {
                    writeln!(f, "{indent}if the last byte of the counter carries in the batch")?;
                    writeln!(f, "{indent}  then: {}", self.call_text(carried))?;
                    writeln!(f, "{indent}  else: {}", self.call_text(alike))?;
                }
                Control::Join { routine, state, chain } => {
                    let name = self.routine(*routine).name();
                    writeln!(f, "{indent}{state} = {name}({state}, {chain})")?;
                }
                Control::EachBatch(body) => {
                    writeln!(f, "{indent}each batch")?;
                    self.fmt_control(f, body, depth + 1)?;
                }
                Control::AlternateRounds { odd, even } => {
                    writeln!(f, "{indent}alternate rounds")?;
                    writeln!(f, "{indent}  odd: {}", self.call_text(odd))?;
                    writeln!(f, "{indent}  even: {}", self.call_text(even))?;
                }
            }
        }
        Ok(())
    }

    fn call_text(&self, call: &Call) -> String {
        let key = call.key.map(|key| match key {
            KeyRef::First => "first key".to_owned(),
            KeyRef::Turn => "this turn's key".to_owned(),
            KeyRef::Initial => "initial value".to_owned(),
            KeyRef::Last => "last key".to_owned(),
            KeyRef::Nth(number) => format!("key {number}"),
        });
        let args: Vec<String> = call.arg.map(str::to_owned).into_iter().chain(key).collect();
        let result = call.result.map(|r| format!("{r} = ")).unwrap_or_default();
        let times = match call.times {
            1 => String::new(),
            n => format!(" × {n}"),
        };
        format!("{result}{}({}){times}", self.routine(call.routine).name(), args.join(", "))
    }
}
