//! Reads networks from text.
//!
//! Two notations. *Gates*: `t3 = x5 ^ t1 ^ k7`, where `x` is an input, `k` an addend, `y` a row's
//! result and any other letter an intermediate result. *In place*: `r1 ^= r4` on 16 registers that
//! start as the inputs, and a last line `# outputs: y6=r0, …`. Other lines that start with `#` are
//! comments.

use std::collections::BTreeMap;

use super::{Gate, Network, Source};

/// A line that does not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("network {network}, line {line}: {fault}; mend the file in aria-gen/src/lower/networks")]
pub struct NetworkError {
    network: String,
    line: usize,
    fault: String,
}

/// Reads the network called `name`.
///
/// # Errors
///
/// The first line that does not read, or a row that has no result.
pub fn parse(name: &str, text: &str) -> Result<Network, NetworkError> {
    let mut reader = Reader::default();
    for (number, line) in text.lines().enumerate() {
        reader.line(line.trim()).map_err(|fault| NetworkError {
            network: name.to_owned(),
            line: number + 1,
            fault,
        })?;
    }
    reader.finish().map_err(|fault| NetworkError {
        network: name.to_owned(),
        line: text.lines().count(),
        fault,
    })
}

#[derive(Default)]
struct Reader {
    gates: Vec<Gate>,
    /// What each name stands for now; in place, registers change their meaning.
    names: BTreeMap<String, Source>,
    outputs: BTreeMap<usize, usize>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), String> {
        if let Some(list) = line.strip_prefix("# outputs:") {
            return list.split(',').try_for_each(|pair| {
                let (row, register) = pair.split_once('=').ok_or("expected y=r")?;
                self.output(row.trim(), register.trim())
            });
        }
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        if let Some((target, source)) = line.split_once("^=") {
            let (target, source) = (target.trim(), source.trim());
            let operands = vec![self.source(target)?, self.source(source)?];
            return self.gate(target, operands);
        }
        let (target, sum) = line.split_once('=').ok_or("expected `=` or `^=`")?;
        let target = target.trim();
        let operands: Result<Vec<Source>, String> =
            sum.split('^').map(|name| self.source(name.trim())).collect();
        self.gate(target, operands?)?;
        if target.starts_with('y') {
            self.output(target, target)?;
        }
        Ok(())
    }

    fn gate(&mut self, target: &str, operands: Vec<Source>) -> Result<(), String> {
        if !(2..=3).contains(&operands.len()) {
            return Err(format!("{} operands; gates have two or three", operands.len()));
        }
        self.names.insert(target.to_owned(), Source::Gate(self.gates.len()));
        self.gates.push(Gate { name: target.to_owned(), operands });
        Ok(())
    }

    fn source(&self, name: &str) -> Result<Source, String> {
        if let Some(source) = self.names.get(name) {
            return Ok(*source);
        }
        match name.split_at_checked(1) {
            Some(("x" | "r", number)) => Ok(Source::Input(position(number)?)),
            Some(("k", number)) => Ok(Source::Key(position(number)?)),
            _ => Err(format!("`{name}` is not defined")),
        }
    }

    fn output(&mut self, row: &str, name: &str) -> Result<(), String> {
        let number = row.strip_prefix('y').ok_or_else(|| format!("`{row}` is no row"))?;
        let Source::Gate(gate) = self.source(name)? else {
            return Err(format!("`{row}` is a bare input"));
        };
        match self.outputs.insert(position(number)?, gate) {
            None => Ok(()),
            Some(_) => Err(format!("`{row}` is defined twice")),
        }
    }

    fn finish(self) -> Result<Network, String> {
        let rows = 0..self.outputs.len();
        let outputs: Option<Vec<usize>> = rows.map(|row| self.outputs.get(&row).copied()).collect();
        let outputs = outputs.ok_or("the rows are not numbered from 0 without gaps")?;
        let sources = self.gates.iter().flat_map(|gate| &gate.operands);
        let adds_keys = sources.clone().any(|s| matches!(s, Source::Key(_)));
        Ok(Network { gates: self.gates, outputs, adds_keys })
    }
}

/// A position below 16.
fn position(number: &str) -> Result<usize, String> {
    match number.parse() {
        Ok(position) if position < 16 => Ok(position),
        _ => Err(format!("`{number}` is no position below 16")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_notations_read_alike() {
        let gates = parse("gates", "y0 = x0 ^ x1\ny1 = x1 ^ x2").expect("well formed");
        let text = "r0 ^= r1\nr1 ^= r2\n# outputs: y0=r0, y1=r1";
        let in_place = parse("in place", text).expect("well formed");
        assert_eq!(gates.rows(), [0b011, 0b110]);
        assert_eq!(in_place.rows(), gates.rows());
    }

    #[test]
    fn faults_name_network_line_and_remedy() {
        for (text, fault) in [
            ("t0 = x0", "1 operands; gates have two or three"),
            ("t0 = x0 ^ t1", "`t1` is not defined"),
            ("t0 = x0 ^ x16", "`16` is no position below 16"),
            ("t0 + x0", "expected `=` or `^=`"),
            ("y1 = x0 ^ x1", "the rows are not numbered from 0 without gaps"),
            ("y0 = x0 ^ x1\ny0 = x1 ^ x2", "`y0` is defined twice"),
        ] {
            let error = parse("n", text).expect_err(text).to_string();
            assert!(error.contains("network n, line"), "{error}");
            assert!(error.contains(fault), "{error}");
        }
    }
}
