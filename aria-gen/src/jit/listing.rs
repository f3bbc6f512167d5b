//! Machine code for people: a disassembly with the roles of values as comments.

use iced_x86::{Decoder, DecoderOptions, Formatter as _, IntelFormatter};

use super::Assembly;
use super::allocate::Inst;
use super::flow::Flow;

/// The roles of what an instruction makes and of what, if it has any to do with values.
pub(super) fn note(flow: &Flow, inst: &Inst) -> Option<String> {
    let role = |value: &usize| flow.facts[*value].role.as_str();
    let (result, args) = &inst.note;
    let args = args.iter().map(role).collect::<Vec<_>>().join(" ");
    match result.as_ref().map(role) {
        None if args.is_empty() => None,
        None => Some(args),
        Some(result) if args.is_empty() || args == result => Some(result.to_owned()),
        Some(result) => Some(format!("{result} = {args}")),
    }
}

/// The instructions of an assembled kernel, one a line.
#[must_use]
pub fn list(assembly: &Assembly) -> String {
    let code = &assembly.bytes[assembly.entry..];
    let mut text = format!(
        "; {}, {:?}: {} bytes of constants, {} of code, {} of stack\n",
        assembly.id,
        assembly.convention,
        assembly.entry,
        code.len(),
        assembly.spill_bytes
    );
    let decoder = Decoder::with_ip(64, code, assembly.entry as u64, DecoderOptions::NONE);
    let mut formatter = IntelFormatter::new();
    let mut notes = assembly.notes.iter().peekable();
    for instruction in decoder {
        let mut line = String::new();
        formatter.format(&instruction, &mut line);
        let place = usize::try_from(instruction.ip()).unwrap_or(usize::MAX);
        let note = notes.next_if(|(at, _)| *at == place);
        match note {
            Some((_, note)) => text.push_str(&format!("{place:6x}  {line:<60} ; {note}\n")),
            None => text.push_str(&format!("{place:6x}  {line}\n")),
        }
    }
    text
}
