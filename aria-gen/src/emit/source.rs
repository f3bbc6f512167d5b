//! From tokens to text: items through prettyplease, comments and blank lines through markers.
//!
//! `quote!` drops `//` comments, so a comment is a marker statement `note!(7);`, and a blank line
//! `blank!();`. After printing, whole marker lines are replaced. A marker carries a number, not the
//! text, for a long one would be wrapped.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Width at which comments are wrapped; prettyplease wraps code at 89 on its own.
const COMMENT_WIDTH: usize = 96;

/// Comments of an item, by the number in their marker.
#[derive(Default)]
pub(super) struct Notes(Vec<String>);

impl Notes {
    /// A statement that becomes the comment `// text`.
    pub(super) fn note(&mut self, text: impl Into<String>) -> TokenStream {
        let number = Literal::usize_unsuffixed(self.0.len());
        self.0.push(text.into());
        quote! { note!(#number); }
    }
}

/// A statement that becomes an empty line.
pub(super) fn blank() -> TokenStream {
    quote! { blank!(); }
}

/// Documentation as attributes: paragraphs divided by empty lines, text of a paragraph wrapped
/// unless it is in a fenced block or a list item.
pub(super) fn doc(text: &str) -> TokenStream {
    doc_lines(text).map(|line| quote! { #[doc = #line] }).collect()
}

/// A whole file: module documentation, then items divided by empty lines.
#[derive(Default)]
pub(super) struct Source {
    text: String,
}

impl Source {
    /// A file with this module documentation.
    pub(super) fn new(module_doc: &str) -> Self {
        let lines = doc_lines(module_doc).map(|line| format!("//!{line}\n"));
        Self { text: lines.collect() }
    }

    /// Appends one or more items that belong together, without an empty line between them.
    ///
    /// # Panics
    ///
    /// When the tokens are no items: a fault of the emitter, seen by its own tests.
    pub(super) fn items(&mut self, tokens: TokenStream, notes: &Notes) {
        let file = syn::parse2(tokens).expect("the emitter writes items");
        self.text.push('\n');
        for line in prettyplease::unparse(&file).lines() {
            let code = line.trim_start();
            let indent = &line[..line.len() - code.len()];
            match marker(code) {
                Some(Marker::Blank) => {}
                Some(Marker::Note(number)) => {
                    let width = COMMENT_WIDTH - indent.len();
                    for line in wrap(&notes.0[number], width) {
                        self.text.push_str(indent);
                        self.text.push_str("// ");
                        self.text.push_str(&line);
                        self.text.push('\n');
                    }
                    continue;
                }
                None => self.text.push_str(line),
            }
            self.text.push('\n');
        }
    }

    /// The file's text.
    pub(super) fn finish(self) -> String {
        self.text
    }
}

enum Marker {
    Blank,
    Note(usize),
}

fn marker(code: &str) -> Option<Marker> {
    if code == "blank!();" {
        return Some(Marker::Blank);
    }
    let number = code.strip_prefix("note!(")?.strip_suffix(");")?;
    number.parse().ok().map(Marker::Note)
}

/// Lines of a documentation comment, each with its leading space unless empty.
fn doc_lines(text: &str) -> impl Iterator<Item = String> {
    let mut lines = Vec::new();
    let mut fenced = false;
    for paragraph in text.lines() {
        let fence = paragraph.starts_with("```");
        fenced ^= fence;
        if fenced || fence || paragraph.is_empty() {
            lines.push(paragraph.to_owned());
        } else {
            let hanging = if paragraph.starts_with("* ") { "  " } else { "" };
            for (number, line) in
                wrap(paragraph, COMMENT_WIDTH - hanging.len()).into_iter().enumerate()
            {
                let indent = if number == 0 { "" } else { hanging };
                lines.push(format!("{indent}{line}"));
            }
        }
    }
    lines.into_iter().map(|line| if line.is_empty() { line } else { format!(" {line}") })
}

/// Breaks text at spaces so that no line is longer than `width`, unless a word is.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_become_comments_and_blank_lines() {
        let mut notes = Notes::default();
        let note = notes.note("why: because");
        let blank = blank();
        let mut source = Source::new("What.");
        source.items(quote! { fn f() { let a = 1; #blank #note let b = 2; } }, &notes);
        let expected =
            "//! What.\n\nfn f() {\n    let a = 1;\n\n    // why: because\n    let b = 2;\n}\n";
        assert_eq!(source.finish(), expected);
    }

    #[test]
    fn fenced_lines_and_list_items_keep_their_shape() {
        let long = "word ".repeat(40);
        let text = format!("a\n\n```text\n  x  y\n```\n* {long}end");
        let lines: Vec<String> = doc_lines(&text).collect();
        assert_eq!(lines[..5], [" a", "", " ```text", "   x  y", " ```"]);
        assert!(lines[5].starts_with(" * word") && lines[6].starts_with("   word"), "{lines:?}");
        assert!(lines.iter().all(|line| line.len() <= COMMENT_WIDTH + 1));
    }
}
